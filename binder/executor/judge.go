package executor

import (
	"encoding/json"
	"errors"
	"net/http"

	"bindery/projector/fact"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
)

// verdict is what the answer to a write says, before anything is read back.
type verdict uint8

const (
	verdictRefused  verdict = iota // for good: forbidden, invalid, malformed
	verdictStored                  // the server holds what was sent
	verdictReadBack                // not known, or not as expected: look
	verdictNotSent                 // certainly not stored
)

// judge sorts the answer to a write (design.md section 4, Results).
//
//   - 404, 409, and 422 (a patch of another UID's object) are read back: the
//     object tells whether the step is superseded, done or in conflict.
//   - Time-out, reset and 5xx leave the outcome unknown: read back.
//   - 429 and a connection that was never made mean that nothing was stored.
func judge(err error) verdict {
	if err == nil {
		return verdictStored
	}
	if errors.Is(err, ErrNotSent) {
		return verdictNotSent
	}
	switch status := code(err); {
	case status == 0, status >= 500:
		return verdictReadBack
	case status == http.StatusNotFound, status == http.StatusConflict, status == http.StatusUnprocessableEntity:
		return verdictReadBack
	case status == http.StatusTooManyRequests:
		return verdictNotSent
	}
	return verdictRefused
}

// standing is how a live object compares with a step.
type standing uint8

const (
	differs  standing = iota // the step is still to be done
	asWanted                 // the object already is as the step would make it
	taken                    // fields that the step would set are someone else's
)

// compare holds the live object against the step's patch.
func compare(obj runtime.Object, step fact.Step) standing {
	live, err := json.Marshal(obj)
	if err != nil {
		return differs
	}
	patched, err := jsonpatch.MergePatch(live, step.Patch)
	if err != nil {
		return differs
	}
	if same(live, patched) {
		return asWanted
	}
	if belongsElsewhere(live, patched) {
		return taken
	}
	return differs
}

// same compares two JSON objects, an empty or null member being as good as an
// absent one: the server drops what a patch set to null.
func same(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	x, y = prune(x), prune(y)
	left, err := json.Marshal(x)
	if err != nil {
		return false
	}
	right, err := json.Marshal(y)
	return err == nil && string(left) == string(right)
}

// prune drops null members and members that are empty objects.
func prune(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for key, member := range m {
		member = prune(member)
		inner, isMap := member.(map[string]any)
		if member == nil || isMap && len(inner) == 0 {
			delete(m, key)
			continue
		}
		m[key] = member
	}
	return m
}

// belongsElsewhere reports whether the object is linked to another partner
// than the patch would give it.
func belongsElsewhere(live, patched []byte) bool {
	type links struct {
		Spec struct {
			VolumeName string `json:"volumeName"`
			ClaimRef   *struct {
				Namespace string `json:"namespace"`
				Name      string `json:"name"`
				UID       string `json:"uid"`
			} `json:"claimRef"`
		} `json:"spec"`
	}
	var is, wanted links
	if json.Unmarshal(live, &is) != nil || json.Unmarshal(patched, &wanted) != nil {
		return false
	}
	if is.Spec.VolumeName != "" && is.Spec.VolumeName != wanted.Spec.VolumeName {
		return true
	}
	ref, want := is.Spec.ClaimRef, wanted.Spec.ClaimRef
	if ref == nil || want == nil || ref.UID == "" {
		return false
	}
	return ref.UID != want.UID
}
