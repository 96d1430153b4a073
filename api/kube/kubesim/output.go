package kubesim

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// output is how a client wants its answer.
type output struct {
	info  runtime.SerializerInfo
	table bool
}

// negotiate picks the first of the accepted types that the server speaks;
// JSON when there is none.
func negotiate(r *http.Request) output {
	infos := scheme.Codecs.SupportedMediaTypes()
	for accept := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		mediaType, params, _ := strings.Cut(strings.TrimSpace(accept), ";")
		info, ok := runtime.SerializerInfoForMediaType(infos, mediaType)
		if !ok {
			continue
		}
		table := strings.Contains(params, "as=Table")
		if table && mediaType != runtime.ContentTypeJSON {
			continue
		}
		return output{info: info, table: table}
	}
	info, _ := runtime.SerializerInfoForMediaType(infos, runtime.ContentTypeJSON)
	return output{info: info}
}

// encoder writes objects with their version and kind.
func (o output) encoder(serializer runtime.Encoder, gv schema.GroupVersion) runtime.Encoder {
	return scheme.Codecs.EncoderForVersion(serializer, gv)
}

// reply writes an object, or the error.
func (o output) reply(w http.ResponseWriter, code int, k *Kind, obj runtime.Object, err error) error {
	if err != nil {
		return err
	}
	gv := k.GroupVersion()
	if o.table {
		table, err := tableOf(k, obj)
		if err != nil {
			return err
		}
		return o.write(w, code, metav1.SchemeGroupVersion, table)
	}
	return o.write(w, code, gv, obj)
}

func (o output) write(w http.ResponseWriter, code int, gv schema.GroupVersion, obj runtime.Object) error {
	w.Header().Set("Content-Type", o.info.MediaType)
	w.WriteHeader(code)
	if gv == metav1.SchemeGroupVersion || gv.Version == "v1" && isStatus(obj) {
		return o.info.Serializer.Encode(obj, w)
	}
	return o.encoder(o.info.Serializer, gv).Encode(obj, w)
}

func isStatus(obj runtime.Object) bool {
	_, ok := obj.(*metav1.Status)
	return ok
}

// fail writes an error as a Status.
func (o output) fail(w http.ResponseWriter, err error) {
	status := asStatus(err)
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	_ = o.write(w, int(status.Code), schema.GroupVersion{Version: "v1"}, status) // the client is gone
}
