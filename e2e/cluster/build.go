package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Version is the release of Kubernetes that is built.
const Version = "v1.37.2"

// The main packages that make a cluster.
const (
	etcdPackage      = "go.etcd.io/etcd/server/v3"
	apiserverPackage = "k8s.io/kubernetes/cmd/kube-apiserver"
)

// Binaries are the paths of the built programs.
type Binaries struct {
	Etcd, APIServer string
}

// Build makes the programs, or finds them made. A first build takes minutes.
// Processes that build at the same time wait for each other.
func Build(ctx context.Context) (Binaries, error) {
	module, err := moduleDir(ctx)
	if err != nil {
		return Binaries{}, err
	}
	dir, err := cacheDir(module)
	if err != nil {
		return Binaries{}, err
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return Binaries{}, err
	}
	defer unlock()
	b := Binaries{Etcd: filepath.Join(dir, "etcd"), APIServer: filepath.Join(dir, "kube-apiserver")}
	if err := build(ctx, module, etcdPackage, b.Etcd); err != nil {
		return b, err
	}
	return b, build(ctx, module, apiserverPackage, b.APIServer)
}

// build makes one program unless it is there.
func build(ctx context.Context, module, pkg, out string) error {
	if _, err := os.Stat(out); err == nil {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(Version, "v"), ".")
	const version = "k8s.io/component-base/version."
	stamp := fmt.Sprintf("-s -w -X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=%[3]s -X %[1]sgitMinor=%[4]s",
		version, Version, parts[0], parts[1])
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", stamp, "-o", out+".new", pkg)
	cmd.Dir = module
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, output)
	}
	return os.Rename(out+".new", out)
}

// moduleDir is the directory of this module.
func moduleDir(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "bindery/e2e").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// cacheDir holds the programs of one set of pinned versions and one Go.
func cacheDir(module string) (string, error) {
	sums, err := os.ReadFile(filepath.Join(module, "go.sum"))
	if err != nil {
		return "", err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(sums, runtime.Version()+Version...))
	dir := filepath.Join(base, "bindery-e2e", hex.EncodeToString(sum[:8]))
	return dir, os.MkdirAll(dir, 0o755)
}

// lock holds a file lock until unlock is called.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}
