package kubesim_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"bindery/api/kube/kubesim"
	"bindery/api/kube/kubesim/conformance"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server and gives a configuration for it.
func serve(t *testing.T) (*kubesim.Server, *rest.Config) {
	t.Helper()
	server := kubesim.New(kubesim.Options{})
	web := httptest.NewServer(kubesim.Handler(server))
	t.Cleanup(web.Close)
	return server, &rest.Config{Host: web.URL, QPS: -1}
}

func TestConformance(t *testing.T) {
	_, config := serve(t)
	conformance.Run(t, config, "sim")
}

func claim(name string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	return c
}

func TestTypedClient(t *testing.T) {
	for _, contentType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(contentType, func(t *testing.T) {
			server, config := serve(t)
			config.ContentType = contentType
			httpClient, err := rest.HTTPClientFor(config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(httpClient.CloseIdleConnections)
			client, err := kubernetes.NewForConfigAndClient(config, httpClient)
			if err != nil {
				t.Fatal(err)
			}
			claims := client.CoreV1().PersistentVolumeClaims("default")
			list, err := claims.List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			w, err := claims.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			if _, err := claims.Create(t.Context(), claim("a"), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := claims.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, want := range []watch.EventType{watch.Added, watch.Deleted} {
				select {
				case got := <-w.ResultChan():
					if got.Type != want || got.Object.(*corev1.PersistentVolumeClaim).Name != "a" {
						t.Fatalf("got %v, want %v of a", got, want)
					}
				case <-time.After(10 * time.Second):
					t.Fatalf("no %v", want)
				}
			}
			server.Compact()
			old, err := claims.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
			if err != nil {
				t.Fatal(err)
			}
			defer old.Stop()
			event := <-old.ResultChan()
			if err := apierrors.FromObject(event.Object); event.Type != watch.Error || !apierrors.IsResourceExpired(err) {
				t.Errorf("watch from a compacted version: %v %v, want 410", event.Type, err)
			}
			namespaces, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
			if err != nil || len(namespaces.Items) != 3 {
				t.Errorf("namespaces: %v %v, want three", namespaces, err)
			}
			groups, err := client.Discovery().ServerPreferredResources()
			if err != nil || len(groups) == 0 {
				t.Errorf("discovery: %v %v", groups, err)
			}
		})
	}
}
