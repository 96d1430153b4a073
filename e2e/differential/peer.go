package differential

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"bindery/e2e/child"
	"bindery/e2e/cluster"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
	"k8s.io/kubernetes/pkg/volume"
)

// Peer is a binder that can be started on a cluster.
type Peer interface {
	Start(ctx context.Context, c *cluster.Cluster) error
	Stop() error
}

// Upstream is the in-tree controller, in this process: resync 1 s, no client
// limits.
type Upstream struct {
	stop context.CancelFunc
	done chan struct{}
}

// Start runs the controller.
func (u *Upstream) Start(ctx context.Context, c *cluster.Cluster) error {
	ctx, u.stop = context.WithCancel(ctx)
	client, err := kubernetes.NewForConfig(c.Config("admin"))
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	controller, err := persistentvolume.NewController(ctx, persistentvolume.ControllerParameters{
		KubeClient: client, SyncPeriod: time.Second, VolumePlugins: []volume.VolumePlugin{},
		VolumeInformer: factory.Core().V1().PersistentVolumes(), ClaimInformer: factory.Core().V1().PersistentVolumeClaims(),
		ClassInformer: factory.Storage().V1().StorageClasses(), PodInformer: factory.Core().V1().Pods(),
		NodeInformer: factory.Core().V1().Nodes(), EnableDynamicProvisioning: true,
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	u.done = make(chan struct{})
	go func() {
		defer close(u.done)
		controller.Run(ctx)
		factory.Shutdown()
	}()
	return nil
}

// Stop ends the controller and waits for it.
func (u *Upstream) Stop() error {
	u.stop()
	<-u.done
	return nil
}

// Bindery is `bindery run` as a child process.
type Bindery struct {
	Program string   // path of the built program
	Dir     string   // for log and output
	Env     []string // added to the environment
	User    string   // whose rights it has; empty is admin

	process *child.Child
	lives   int // starts so far
}

// BuildBindery builds the program into dir and returns its path.
func BuildBindery(ctx context.Context, dir string) (string, error) {
	out := filepath.Join(dir, "bindery")
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "bindery").Output()
	if err != nil {
		return "", fmt.Errorf("find the product's module: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, "./cmd/bindery")
	cmd.Dir = strings.TrimSpace(string(root)) // with its own module file, as it is shipped
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build bindery: %w\n%s", err, output)
	}
	return out, nil
}

// DataDir is the log's directory.
func (b *Bindery) DataDir() string { return filepath.Join(b.Dir, "data") }

// Start runs the program in bind mode.
func (b *Bindery) Start(_ context.Context, c *cluster.Cluster) error {
	kubeconfig, err := c.KubeconfigFor(cmp.Or(b.User, "admin"))
	if err != nil {
		return err
	}
	b.lives++
	b.process = &child.Child{
		Name: "bindery", Path: b.Program, Env: b.Env, Log: filepath.Join(b.Dir, "bindery.log"),
		Args: []string{"run", "--mode=bind", "--leader-election=false", "--api-endpoint=127.0.0.1:0",
			"--data-dir", b.DataDir(), "--kubeconfig", kubeconfig},
	}
	return b.process.Start()
}

// Ended is closed when the process has ended.
func (b *Bindery) Ended() <-chan struct{} { return b.process.Done() }

// Killed tells, after Ended, whether it was killed without warning.
func (b *Bindery) Killed() bool { return b.process.Killed() }

// Stop ends the program in order and waits for it.
func (b *Bindery) Stop() error {
	if b.process == nil {
		return nil
	}
	if err := b.process.Stop(syscall.SIGTERM); err != nil {
		return fmt.Errorf("bindery: %w\n%s", err, b.Output())
	}
	return nil
}

// Output is what the program wrote.
func (b *Bindery) Output() string {
	if b.process == nil {
		return ""
	}
	return b.process.Output()
}

// URL waits until the running program serves its query API, and tells where.
func (b *Bindery) URL(ctx context.Context) (url string, err error) {
	err = wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		told := strings.Split(b.Output(), "answers=")
		if len(told) <= b.lives {
			return false, nil
		}
		url, _, _ = strings.Cut(told[len(told)-1], "\n")
		return true, nil
	})
	return url, err
}
