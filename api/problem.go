package api

import (
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

const problemType = "application/problem+json"

// Problem is an error on the wire (RFC 9457), with the code and the next step.
type Problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   Code   `json:"code" doc:"Stable name of the sort of failure"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty" doc:"The next step to take"`
}

var _ huma.StatusError = (*Problem)(nil)

// Error is the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType makes JSON answers problem+json.
func (p *Problem) ContentType(string) string { return problemType }

// problemOf is the wire form of an error.
func problemOf(err error) *Problem {
	fault := FaultOf(err)
	status := fault.Code.Status()
	return &Problem{
		Title: http.StatusText(status), Status: status,
		Code: fault.Code, Detail: fault.Error(), Hint: fault.Hint(),
	}
}

// writeProblem answers a request that huma does not serve.
func writeProblem(w http.ResponseWriter, err error) {
	problem := problemOf(err)
	w.Header().Set("Content-Type", problemType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(problem.Status)
	_ = json.NewEncoder(w).Encode(problem) // the client is gone: nobody to tell
}
