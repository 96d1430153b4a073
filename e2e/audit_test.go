package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// written is one successful write of the audit log.
type written struct {
	resource, subresource, body string
}

// writes reads from an audit log what Bindery wrote with effect, by the
// object's name.
func writes(t *testing.T, auditLog string) map[string][]written {
	t.Helper()
	f, err := os.Open(auditLog)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]bool{} // versions: a write without effect repeats one
	out := map[string][]written{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var e struct {
			Verb, UserAgent string
			ObjectRef       struct{ Resource, Subresource, Name string }
			ResponseStatus  struct{ Code int }
			RequestObject   json.RawMessage
			ResponseObject  struct {
				Metadata struct{ UID, ResourceVersion string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.ResponseStatus.Code >= 300 {
			continue
		}
		at := e.ObjectRef.Resource + "@" + e.ResponseObject.Metadata.ResourceVersion
		if e.Verb == "patch" && strings.HasPrefix(e.UserAgent, "bindery") && !seen[at] {
			name := e.ObjectRef.Name
			out[name] = append(out[name], written{e.ObjectRef.Resource, e.ObjectRef.Subresource, string(e.RequestObject)})
		}
		seen[at] = true
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// checkOnce: no two of the writes, which took effect, did the same.
func checkOnce(t *testing.T, writes []written) {
	t.Helper()
	done := map[string]bool{}
	for _, w := range writes {
		var patch map[string]any
		if err := json.Unmarshal([]byte(w.body), &patch); err != nil {
			t.Fatal(err)
		}
		if metadata, ok := patch["metadata"].(map[string]any); ok {
			delete(metadata, "resourceVersion")
		}
		what := fmt.Sprintf("%s/%s %v", w.resource, w.subresource, patch)
		if done[what] {
			t.Errorf("written twice with effect: %s", what)
		}
		done[what] = true
	}
}
