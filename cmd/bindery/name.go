package main

import (
	"fmt"
	"strings"

	"bindery/api"
	"bindery/eventlog"
	"bindery/projector"

	"k8s.io/apimachinery/pkg/api/validation"
)

// kinds are the words for what can be asked about, as kubectl has them.
var kinds = map[string]eventlog.Resource{
	"pvc": eventlog.ResourceClaim, "pvcs": eventlog.ResourceClaim,
	"persistentvolumeclaim": eventlog.ResourceClaim, "persistentvolumeclaims": eventlog.ResourceClaim,
	"claim": eventlog.ResourceClaim, "claims": eventlog.ResourceClaim,
	"pv": eventlog.ResourceVolume, "pvs": eventlog.ResourceVolume,
	"persistentvolume": eventlog.ResourceVolume, "persistentvolumes": eventlog.ResourceVolume,
	"volume": eventlog.ResourceVolume, "volumes": eventlog.ResourceVolume,
}

// badName is an error about how a thing was named.
func badName(format string, args ...any) error {
	return &api.Fault{Code: api.CodeName, Err: fmt.Errorf(format, args...)}
}

// parseKind reads the word for a kind.
func parseKind(word string) (eventlog.Resource, error) {
	kind, ok := kinds[strings.ToLower(word)]
	if !ok {
		return 0, badName("unknown kind %q", word)
	}
	return kind, nil
}

// parseSubject reads "pvc/NAME", "pvc NAME", "pvc/NAMESPACE/NAME" or the same
// with pv, which has no namespace. It asks for the namespace only if it has to.
func parseSubject(args []string, namespace func() (string, error)) (projector.ID, error) {
	if len(args) == 0 {
		return projector.ID{}, badName("no claim or volume is named")
	}
	parts := strings.Split(strings.Join(args, "/"), "/")
	kind, err := parseKind(parts[0])
	if err != nil {
		return projector.ID{}, err
	}
	id := projector.ID{Resource: kind}
	switch {
	case len(parts) == 2:
		id.Name = parts[1]
	case len(parts) == 3 && kind == eventlog.ResourceClaim:
		id.Namespace, id.Name = parts[1], parts[2]
	case len(parts) == 1:
		return id, badName("no name is given after %q", parts[0])
	default:
		return id, badName("too many parts in %q", strings.Join(args, " "))
	}
	if problems := validation.NameIsDNSSubdomain(id.Name, false); len(problems) > 0 {
		return id, badName("%q is no name of a %s: %s", id.Name, parts[0], problems[0])
	}
	if kind == eventlog.ResourceVolume {
		return id, nil
	}
	if id.Namespace == "" {
		if id.Namespace, err = namespace(); err != nil {
			return id, err
		}
	}
	if problems := validation.NameIsDNSLabel(id.Namespace, false); len(problems) > 0 {
		return id, badName("%q is no name of a namespace: %s", id.Namespace, problems[0])
	}
	return id, nil
}
