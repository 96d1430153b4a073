package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"bindery/eventlog"
	"bindery/projector"
)

// maxAnswer bounds the body that a client reads: a list of every claim of a
// large cluster is a few hundred bytes each.
const maxAnswer = 256 << 20

// Client is a Reader that asks a served one.
type Client struct {
	URL  string       // of the service, without path
	HTTP *http.Client // nil: http.DefaultClient
}

var _ Reader = (*Client)(nil)

// Why asks why a claim or a volume is as it is.
func (c *Client) Why(ctx context.Context, id projector.ID) (answer Why, err error) {
	path := "/api/v1/volumes/" + url.PathEscape(id.Name) + "/why"
	if id.Resource == eventlog.ResourceClaim {
		path = "/api/v1/claims/" + url.PathEscape(id.Namespace) + "/" + url.PathEscape(id.Name) + "/why"
	}
	return answer, c.get(ctx, path, &answer)
}

// Claims asks for the claims of a namespace, or of all when it is empty.
func (c *Client) Claims(ctx context.Context, namespace string) (answer ClaimList, err error) {
	path := "/api/v1/claims"
	if namespace != "" {
		path += "?namespace=" + url.QueryEscape(namespace)
	}
	return answer, c.get(ctx, path, &answer)
}

// Volumes asks for all volumes.
func (c *Client) Volumes(ctx context.Context) (answer VolumeList, err error) {
	return answer, c.get(ctx, "/api/v1/volumes", &answer)
}

// LogStatus asks how the log stands.
func (c *Client) LogStatus(ctx context.Context) (answer LogStatus, err error) {
	return answer, c.get(ctx, "/api/v1/log/status", &answer)
}

// Ready asks whether answers are complete.
func (c *Client) Ready(ctx context.Context) error { return c.get(ctx, "/readyz", nil) }

// get reads one answer, or the problem that came instead.
func (c *Client) get(ctx context.Context, path string, answer any) error {
	base := strings.TrimRight(c.URL, "/")
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
	if err != nil {
		return &Fault{Code: CodeUsage, Err: err}
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // the path says nothing to the reader
		}
		return &Fault{Code: CodeNoServer, Err: fmt.Errorf("ask %s: %w", base, err)}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return &Fault{Code: CodeNoServer, Err: fmt.Errorf("read the answer of %s: %w", base, err)}
	}
	if response.StatusCode != http.StatusOK {
		return c.problem(base, response, body)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return &Fault{Code: CodeNoServer, Err: fmt.Errorf("%s gave no answer of bindery: %w", base, err)}
	}
	return nil
}

// problem turns a problem answer back into the Fault that it was made from.
func (c *Client) problem(base string, response *http.Response, body []byte) error {
	var p Problem
	if json.Unmarshal(body, &p) != nil || p.Code == "" {
		return &Fault{Code: CodeNoServer, Err: fmt.Errorf("%s gave no answer of bindery: %s", base, response.Status)}
	}
	return &Fault{Code: p.Code, Err: errors.New(p.Detail), Advice: p.Hint}
}
