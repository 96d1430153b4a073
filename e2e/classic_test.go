package e2e

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"bindery/e2e/cluster"
	"bindery/e2e/differential"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/yaml"
)

// The pair that people ask about, as they write it: the volume carries a stray
// namespace, and misses the claim on class, access mode and size.
const (
	nfsVolume = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: nfs-pv, namespace: default}
spec:
  capacity: {storage: 500Mi}
  accessModes: [ReadWriteMany]
  nfs: {server: 10.0.0.10, path: /exports}
`
	mysqlClaim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: mysql-pv-claim, labels: {app: wordpress}}
spec:
  storageClassName: rook-ceph-block
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 20Gi}}
`
)

// TestClassicPair has a cluster of its own, so that the answers name these two
// objects only. Bindery has the rights that the README grants, and no more.
func TestClassicPair(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := cluster.Start(ctx, cluster.Options{Dir: t.TempDir(), Users: []string{"bindery"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	if err := c.Grant(ctx, "bindery", readmeRights(t)...); err != nil {
		t.Fatal(err)
	}
	client := c.Client()
	post := func(path, manifest string) {
		body, err := yaml.YAMLToJSON([]byte(manifest))
		if err != nil {
			t.Fatal(err)
		}
		if err := client.CoreV1().RESTClient().Post().AbsPath(path).Body(body).
			SetHeader("Content-Type", "application/json").Do(ctx).Error(); err != nil {
			t.Fatal(err)
		}
	}
	post("/api/v1/persistentvolumes", nfsVolume)
	post("/api/v1/namespaces/default/persistentvolumeclaims", mysqlClaim)
	bindery := &differential.Bindery{Program: program, Dir: t.TempDir(), User: "bindery"}
	if err := bindery.Start(ctx, c); err != nil {
		t.Fatal(err)
	}
	defer bindery.Stop()
	url, err := bindery.URL(ctx)
	if err != nil {
		t.Fatal(err)
	}
	why := func() string {
		out, err := exec.CommandContext(ctx, program, "why", "pvc/mysql-pv-claim", "--server", url).Output()
		if err != nil {
			return err.Error()
		}
		return string(out)
	}
	var told string
	err = wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(context.Context) (bool, error) {
		told = why()
		return strings.Contains(strings.ToLower(told), "blocked"), nil
	})
	if err != nil {
		t.Fatalf("the claim is not told as blocked: %v\n%s\n%s", err, told, bindery.Output())
	}
	for _, want := range []string{
		"nfs-pv", "U6-class-missing", "F12-class", "F14-access-modes", "F3-capacity", "rook-ceph-block",
		"ReadWriteOnce", "ReadWriteMany", "20Gi", "500Mi",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("why does not tell %s:\n%s", want, told)
		}
	}
	pvc, err := client.CoreV1().PersistentVolumeClaims("default").Get(ctx, "mysql-pv-claim", metav1.GetOptions{})
	if err != nil || pvc.Spec.VolumeName != "" || pvc.Status.Phase != corev1.ClaimPending {
		t.Errorf("claim is %v %q (%v), want Pending without a volume", pvc.Status.Phase, pvc.Spec.VolumeName, err)
	}
	fitting := volume("mysql-disk", "rook-ceph-block")
	fitting.Spec.Capacity = pvc.Spec.Resources.Requests
	start := time.Now()
	createVolume(t, client, fitting)
	if pvc, err = waitBound(ctx, client, "mysql-pv-claim"); err != nil {
		t.Fatalf("a fitting volume is not bound: %v\n%s", err, bindery.Output())
	}
	t.Logf("bound %v after the volume's creation", time.Since(start))
	if pvc.Spec.VolumeName != "mysql-disk" {
		t.Errorf("bound to %q, want mysql-disk", pvc.Spec.VolumeName)
	}
}
