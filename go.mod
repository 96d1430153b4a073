module bindery

go 1.26.0

require (
	github.com/cockroachdb/datadriven v1.0.3 // tests: scenarios as text
	github.com/danielgtaylor/huma/v2 v2.37.2 // HTTP query API with its OpenAPI document
	github.com/google/go-cmp v0.7.0 // tests: differences
	github.com/klauspost/compress v1.20.4 // zstd frames of a block
	github.com/oklog/ulid/v2 v2.1.2 // ids of logs and records
	github.com/prometheus/client_golang v1.25.0 // metrics
	github.com/rogpeppe/go-internal v1.16.0 // tests: scripts of the command line
	github.com/spf13/cobra v1.10.2 // verbs of the command line
	github.com/spf13/pflag v1.0.10 // flags of the command line
	github.com/tidwall/btree v1.8.2 // copy-on-write ordered trees of the projection
	go.etcd.io/bbolt v1.5.0 // segments of the log
	go.uber.org/goleak v1.3.0 // tests: no goroutine is left behind
	golang.org/x/mod v0.43.0 // RFC 6962 tree over the log
	golang.org/x/sync v0.25.0 // groups of goroutines that end together
	golang.org/x/sys v0.49.0 // directory locks and disk space
	golang.org/x/term v0.47.0 // terminal or not
	google.golang.org/protobuf v1.36.12 // wire form of records and facts
	gopkg.in/evanphx/json-patch.v4 v4.13.0 // JSON merge patches, as the API server applies them
	k8s.io/api v0.37.2 // the Kubernetes objects
	k8s.io/apimachinery v0.37.2 // quantities, labels, watch events, API errors
	k8s.io/cli-runtime v0.37.2 // kubeconfig flags and kubectl's tables
	k8s.io/client-go v0.37.2 // lists, watches, writes, leases
	k8s.io/component-helpers v0.37.2 // tests: upstream's own matching as the oracle
	k8s.io/klog/v2 v2.140.0 // client-go's log, turned to ours
	pgregory.net/rapid v1.3.0 // tests: properties
	sigs.k8s.io/yaml v1.6.0 // manifests and YAML output
)

require (
	github.com/Azure/go-ansiterm v0.0.0-20250102033503-faa5f7b0171c // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/blang/semver/v4 v4.0.0 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/davecgh/go-spew v1.1.2-0.20180830191138-d8f796af33cc // indirect
	github.com/emicklei/go-restful/v3 v3.13.0 // indirect
	github.com/fxamacker/cbor/v2 v2.9.1 // indirect
	github.com/go-errors/errors v1.4.2 // indirect
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/go-openapi/jsonpointer v1.0.0 // indirect
	github.com/go-openapi/jsonreference v1.0.0 // indirect
	github.com/go-openapi/swag v0.27.1 // indirect
	github.com/go-openapi/swag/cmdutils v0.27.1 // indirect
	github.com/go-openapi/swag/conv v0.27.1 // indirect
	github.com/go-openapi/swag/fileutils v0.27.1 // indirect
	github.com/go-openapi/swag/jsonutils v0.27.1 // indirect
	github.com/go-openapi/swag/loading v0.27.1 // indirect
	github.com/go-openapi/swag/mangling v0.27.1 // indirect
	github.com/go-openapi/swag/netutils v0.27.1 // indirect
	github.com/go-openapi/swag/pools v0.27.1 // indirect
	github.com/go-openapi/swag/stringutils v0.27.1 // indirect
	github.com/go-openapi/swag/typeutils v0.27.1 // indirect
	github.com/go-openapi/swag/yamlutils v0.27.1 // indirect
	github.com/google/btree v1.1.3 // indirect
	github.com/google/gnostic-models v0.7.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/liggitt/tabwriter v0.0.0-20181228230101-89fcab3d43de // indirect
	github.com/moby/term v0.5.2 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.3-0.20250322232337-35a7c28c31ee // indirect
	github.com/monochromegane/go-gitignore v0.0.0-20200626010858-205db1a8cc00 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/peterbourgon/diskv v2.0.1+incompatible // indirect
	github.com/pmezard/go-difflib v1.0.1-0.20181226105442-5d4384ee4fb2 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	github.com/xlab/treeprint v1.2.0 // indirect
	go.yaml.in/yaml/v2 v2.4.4 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	gopkg.in/inf.v0 v0.9.1 // indirect
	k8s.io/kube-openapi v0.0.0-20260721132016-d427ff9ee9ad // indirect
	k8s.io/utils v0.0.0-20260626114624-be93311217bd // indirect
	sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730 // indirect
	sigs.k8s.io/kustomize/api v0.21.1 // indirect
	sigs.k8s.io/kustomize/kyaml v0.21.1 // indirect
	sigs.k8s.io/randfill v1.0.0 // indirect
	sigs.k8s.io/structured-merge-diff/v6 v6.4.2 // indirect
)
