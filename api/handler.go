package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	"bindery/projector"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// answered carries an answer as of now, which no cache may keep.
type answered[T any] struct {
	CacheControl string `header:"Cache-Control"`
	Body         T
}

// NewHandler serves the reader. Version is the program's, for the OpenAPI
// document.
func NewHandler(reader Reader, version string) http.Handler {
	mux := http.NewServeMux()
	config := huma.DefaultConfig("Bindery", version)
	config.Info.Description = "Why each claim is bound to what it is bound to, from the log. Read only."
	config.DocsPath = ""     // the page that huma would serve loads from elsewhere
	config.CreateHooks = nil // no $schema member in answers: they are the CLI's JSON too
	api := humago.New(mux, config)

	type claimName struct {
		Namespace string `path:"namespace"`
		Name      string `path:"name"`
	}
	get(api, "why-claim", "/api/v1/claims/{namespace}/{name}/why", "Why a claim is as it is",
		func(ctx context.Context, in *claimName) (Why, error) {
			return reader.Why(ctx, projector.ClaimID(in.Namespace, in.Name))
		})
	get(api, "why-volume", "/api/v1/volumes/{name}/why", "Why a volume is as it is",
		func(ctx context.Context, in *struct {
			Name string `path:"name"`
		}) (Why, error) {
			return reader.Why(ctx, projector.VolumeID(in.Name))
		})
	get(api, "list-claims", "/api/v1/claims", "The claims that the log shows",
		func(ctx context.Context, in *struct {
			Namespace string `query:"namespace" doc:"Only this namespace"`
		}) (ClaimList, error) {
			return reader.Claims(ctx, in.Namespace)
		})
	get(api, "list-volumes", "/api/v1/volumes", "The volumes that the log shows",
		func(ctx context.Context, _ *struct{}) (VolumeList, error) { return reader.Volumes(ctx) })
	get(api, "log-status", "/api/v1/log/status", "How the log stands",
		func(ctx context.Context, _ *struct{}) (LogStatus, error) { return reader.LogStatus(ctx) })

	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", ready(reader))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, &Fault{
			Code: CodeNotFound, Err: fmt.Errorf("no such path: %s", r.URL.EscapedPath()),
			Advice: "the paths are listed in /openapi.json",
		})
	})
	return mux
}

// get registers one question.
func get[In, Out any](api huma.API, id, path, summary string, ask func(context.Context, *In) (Out, error)) {
	problem := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	huma.Register(api, huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: path, Summary: summary,
		Responses: map[string]*huma.Response{"default": {
			Description: "What went wrong, with its code and the next step",
			Content:     map[string]*huma.MediaType{problemType: {Schema: problem}},
		}},
	}, func(ctx context.Context, in *In) (*answered[Out], error) {
		answer, err := ask(ctx, in)
		if err != nil {
			return nil, problemOf(err)
		}
		return &answered[Out]{CacheControl: "no-store", Body: answer}, nil
	})
}

// ready answers a probe: 200 when answers are complete; else 503 and, with
// ?verbose, what is missing.
func ready(reader Reader) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := reader.Ready(r.Context())
		if err == nil {
			fmt.Fprintln(w, "ok")
			return
		}
		writeProblem(w, err)
	}
}
