package e2e

import (
	"testing"

	"bindery/api/kube/kubesim/conformance"
)

// TestKubesimConformance sends kubesim's table to a real API server: what
// kubesim promises is what it does.
func TestKubesimConformance(t *testing.T) {
	conformance.Run(t, shared.Config("admin"), "real")
}
