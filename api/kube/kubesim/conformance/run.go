package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// Step is one request and what its answer must show.
type Step struct {
	Name   string
	Method string
	Path   string
	Type   string // content type of the body; JSON when empty
	Body   string // {name} stands for what an earlier step saved as name
	Code   int
	Reason string            // of a Status answer
	Fields map[string]string // path to value: "status.phase": "Pending"; "" means absent; "*" anything
	Save   map[string]string // name to path
}

// Run sends the table's requests to the API server and checks every answer.
// All objects carry the prefix, so that runs on one server do not meet.
func Run(t *testing.T, config *rest.Config, prefix string) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	saved := map[string]string{"p": prefix}
	for _, step := range steps {
		if !t.Run(step.Name, func(t *testing.T) { send(t, client, config.Host, step, saved) }) {
			return // later steps rest on this one
		}
	}
}

func send(t *testing.T, client *http.Client, host string, step Step, saved map[string]string) {
	fill := func(s string) string {
		for name, value := range saved {
			s = strings.ReplaceAll(s, "{"+name+"}", value)
		}
		return s
	}
	body := fill(step.Body)
	request, err := http.NewRequestWithContext(context.Background(), step.Method, host+fill(step.Path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if step.Type == "" {
		step.Type = "application/json"
	}
	request.Header.Set("Content-Type", step.Type)
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&answer); err != nil {
		t.Fatalf("answer is not JSON: %v\n%s", err, raw)
	}
	if response.StatusCode != step.Code {
		t.Fatalf("code %d, want %d\n%s", response.StatusCode, step.Code, raw)
	}
	if step.Reason != "" && answer["reason"] != step.Reason {
		t.Errorf("reason %v, want %s\n%s", answer["reason"], step.Reason, raw)
	}
	for path, want := range step.Fields {
		got, there := lookup(answer, path)
		switch {
		case want == "*" && there:
		case want == "" && !there:
		case got != fill(want):
			t.Errorf("%s is %q, want %q", path, got, fill(want))
		}
	}
	for name, path := range step.Save {
		value, there := lookup(answer, path)
		if !there {
			t.Errorf("no %s to save", path)
		}
		saved[name] = value
	}
}

// lookup reads a value at a path of keys; keys with dots stand in brackets.
func lookup(v any, path string) (string, bool) {
	for path != "" {
		var key string
		if strings.HasPrefix(path, "[") {
			end := strings.Index(path, "]")
			key, path = path[1:end], strings.TrimPrefix(path[end+1:], ".")
		} else {
			cut := strings.IndexAny(path, ".[")
			if cut < 0 {
				cut = len(path)
			}
			key, path = path[:cut], strings.TrimPrefix(path[cut:], ".")
		}
		m, ok := v.(map[string]any)
		if !ok {
			return "", false
		}
		if v, ok = m[key]; !ok {
			return "", false
		}
	}
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, fmt.Sprint(e))
		}
		return strings.Join(parts, ","), true
	}
	return fmt.Sprint(v), true
}
