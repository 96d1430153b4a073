package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bindery/e2e/child"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Options configure a cluster; the zero value is good.
type Options struct {
	Dir   string   // for data, keys and logs; must exist
	Users []string // names of users without any right, besides admin
	Audit bool     // write an audit log of all writes, see AuditLog
	// NoProtection leaves the pv- and pvc-protection finalizers off.
	NoProtection bool
	// Flags are added to the API server's.
	Flags []string
}

// Cluster is a running etcd and API server.
type Cluster struct {
	dir       string
	address   string // host:port of the API server
	etcd, api *child.Child
	tokens    map[string]string
}

// readyWithin bounds a start; it takes about four seconds.
const readyWithin = 90 * time.Second

// Start builds what is missing and starts a cluster.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	binaries, err := Build(ctx)
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: opts.Dir, address: fmt.Sprintf("127.0.0.1:%d", ports[2]), tokens: map[string]string{}}
	if err := c.writeFiles(opts); err != nil {
		return nil, err
	}
	client, peer := fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	c.etcd = &child.Child{Name: "etcd", Path: binaries.Etcd, Log: c.file("etcd.log"), Args: []string{
		"--data-dir", c.file("etcd"), "--name", "one", "--log-level", "error",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "one=" + peer,
	}}
	plugins := "ServiceAccount" // no controller makes the accounts that it asks for
	if opts.NoProtection {
		plugins += ",StorageObjectInUseProtection"
	}
	c.api = &child.Child{Name: "kube-apiserver", Path: binaries.APIServer, Log: c.file("kube-apiserver.log"), Args: append([]string{
		"--etcd-servers", client, "--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(ports[2]),
		"--cert-dir", c.file("certs"), "--authorization-mode", "RBAC", "--token-auth-file", c.file("tokens.csv"),
		"--service-account-issuer", "https://bindery.invalid", "--service-account-key-file", c.file("sa.pem"),
		"--service-account-signing-key-file", c.file("sa.pem"), "--service-cluster-ip-range", "10.0.0.0/24",
		"--disable-admission-plugins", plugins, "--profiling=false", "--v", "1",
	}, opts.Flags...)}
	if opts.Audit {
		c.api.Args = append(c.api.Args, "--audit-policy-file", c.file("audit-policy.yaml"), "--audit-log-path", c.AuditLog(),
			"--audit-log-mode", "blocking")
	}
	if err := c.StartEtcd(); err != nil {
		return nil, err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, os.WriteFile(c.Kubeconfig(), c.kubeconfig("admin"), 0o600)
}

// Kubeconfig is the path of the administrator's kubeconfig.
func (c *Cluster) Kubeconfig() string { return c.file("kubeconfig") }

// AuditLog is the path of the audit log.
func (c *Cluster) AuditLog() string { return c.file("audit.log") }

// KubeconfigFor writes a kubeconfig for one of the users and returns its path.
func (c *Cluster) KubeconfigFor(user string) (string, error) {
	path := c.file("kubeconfig-" + user)
	return path, os.WriteFile(path, c.kubeconfig(user), 0o600)
}

// Config is a client configuration for a user, without client limits.
func (c *Cluster) Config(user string) *rest.Config {
	config, err := clientcmd.RESTConfigFromKubeConfig(c.kubeconfig(user))
	if err != nil {
		panic(err) // we wrote it
	}
	config.QPS = -1
	return config
}

// Client is the administrator's client.
func (c *Cluster) Client() kubernetes.Interface {
	return kubernetes.NewForConfigOrDie(c.Config("admin"))
}

// KillAPIServer ends the API server without warning.
func (c *Cluster) KillAPIServer() error { return c.api.Kill() }

// KillEtcd ends etcd without warning; the API server goes on without it.
func (c *Cluster) KillEtcd() error { return c.etcd.Kill() }

// StartEtcd starts etcd, again on its old port and data. It does not wait:
// WaitReady tells when the API server has found it.
func (c *Cluster) StartEtcd() error { return c.etcd.Start() }

// StartAPIServer starts the API server, again on its old port, and waits until
// it is ready.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	if err := c.api.Start(); err != nil {
		return err
	}
	return c.WaitReady(ctx)
}

// WaitReady waits until the API server is ready. It fails at once when one of
// the processes has ended.
func (c *Cluster) WaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	last := errors.New("it has not made its certificate")
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if err := c.ended(); err != nil {
			return false, err
		}
		if _, err := os.Stat(c.file("certs/apiserver.crt")); err != nil {
			return false, nil
		}
		client, err := kubernetes.NewForConfig(c.Config("admin"))
		if err != nil {
			return false, err
		}
		_, last = client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("kube-apiserver is not ready: %w (%w)\n%s\n%s", err, last, c.etcd.Tail(), c.api.Tail())
	}
	return nil
}

// Wait returns nil when ctx ends, or the error that tells which process ended
// before.
func (c *Cluster) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-c.etcd.Done():
	case <-c.api.Done():
	}
	return c.ended()
}

// ended is an error when a process that was started has ended by itself.
func (c *Cluster) ended() error {
	for _, p := range []*child.Child{c.etcd, c.api} {
		select {
		case <-p.Done():
			return fmt.Errorf("%s ended (%w)\n%s", p.Name, cmp.Or(p.Err(), errWithoutError), p.Tail())
		default:
		}
	}
	return nil
}

// errWithoutError stands for exit code 0 of a process that was to stay.
var errWithoutError = errors.New("exit code 0")

// Stop ends both processes and waits for them.
func (c *Cluster) Stop() error {
	return errors.Join(c.api.Kill(), c.etcd.Kill())
}

func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }

// writeFiles makes tokens, the service account key and the audit policy.
func (c *Cluster) writeFiles(opts Options) error {
	var tokens strings.Builder
	for _, user := range append([]string{"admin"}, opts.Users...) {
		group := ""
		if user == "admin" {
			group = `,"system:masters"`
		}
		c.tokens[user] = rand.Text()
		fmt.Fprintf(&tokens, "%s,%s,%s%s\n", c.tokens[user], user, user, group)
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	return errors.Join(
		os.WriteFile(c.file("tokens.csv"), []byte(tokens.String()), 0o600),
		os.WriteFile(c.file("sa.pem"), block, 0o600),
		os.WriteFile(c.file("audit-policy.yaml"), []byte(auditPolicy), 0o600),
	)
}

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  verbs: [create, update, patch, delete]
  resources:
  - group: ""
    resources: [persistentvolumes, persistentvolumes/status, persistentvolumeclaims, persistentvolumeclaims/status]
- level: None
`

// kubeconfig is the configuration of a user; it trusts the certificate that
// the API server made for itself.
func (c *Cluster) kubeconfig(user string) []byte {
	config := clientcmdapi.NewConfig()
	config.Clusters["e2e"] = &clientcmdapi.Cluster{
		Server: "https://" + c.address, CertificateAuthority: c.file("certs/apiserver.crt"),
	}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{Token: c.tokens[user]}
	config.Contexts["e2e"] = &clientcmdapi.Context{Cluster: "e2e", AuthInfo: user}
	config.CurrentContext = "e2e"
	b, err := clientcmd.Write(*config)
	if err != nil {
		panic(err) // a config of our own making
	}
	return b
}

// freePorts finds loopback ports that are free now.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after all are found, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
