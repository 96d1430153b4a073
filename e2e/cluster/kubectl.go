package cluster

import (
	"context"
	"path/filepath"
)

const kubectlPackage = "k8s.io/kubernetes/cmd/kubectl"

// BuildKubectl makes kubectl of the same release, or finds it made, and
// returns its path.
func BuildKubectl(ctx context.Context) (string, error) {
	module, err := moduleDir(ctx)
	if err != nil {
		return "", err
	}
	dir, err := cacheDir(module)
	if err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(dir, "kubectl")
	return path, build(ctx, module, kubectlPackage, path)
}
