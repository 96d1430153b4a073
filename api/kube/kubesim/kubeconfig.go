package kubesim

import (
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig is a kubeconfig for a Handler that listens at the URL.
func Kubeconfig(url string) []byte {
	config := clientcmdapi.NewConfig()
	config.Clusters["kubesim"] = &clientcmdapi.Cluster{Server: url}
	config.Contexts["kubesim"] = &clientcmdapi.Context{Cluster: "kubesim"}
	config.CurrentContext = "kubesim"
	b, err := clientcmd.Write(*config)
	if err != nil {
		panic(err) // a config of our own making
	}
	return b
}
