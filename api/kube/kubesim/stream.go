package kubesim

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// bookmarkEvery is the pause between bookmarks of a quiet watch.
const bookmarkEvery = 10 * time.Second

// watch streams the changes of a kind until the client or the time-out ends
// it. A request for streamed lists is refused the way an older server refuses
// it, so that clients list instead.
func (h *handler) watch(w http.ResponseWriter, r *http.Request, k *Kind, sel Selection, out output) error {
	query := r.URL.Query()
	if query.Get("sendInitialEvents") != "" {
		return apierrors.NewInvalid(metav1.SchemeGroupVersion.WithKind("ListOptions").GroupKind(), "", nil)
	}
	from, err := parseVersion(query.Get("resourceVersion"))
	if err != nil {
		return err
	}
	if out.table {
		out = negotiate(&http.Request{Header: http.Header{"Accept": {runtime.ContentTypeJSON}}})
	}
	cursor, err := h.server.Watch(k, sel, from)
	if err != nil {
		return err
	}
	defer cursor.Close()
	flusher, ok := w.(http.Flusher)
	if !ok {
		return apierrors.NewInternalError(http.ErrNotSupported)
	}
	timeout := 30 * time.Minute
	if s, err := strconv.Atoi(query.Get("timeoutSeconds")); err == nil && s > 0 {
		timeout = time.Duration(s) * time.Second
	}
	mediaType := out.info.MediaType
	if mediaType != runtime.ContentTypeJSON {
		mediaType += ";stream=watch"
	}
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(http.StatusOK)
	flusher.Flush()
	frames := &frames{out: out, kind: k, frame: out.info.StreamSerializer.Framer.NewFrameWriter(w)}
	end := time.NewTimer(timeout)
	defer end.Stop()
	bookmarks := time.NewTicker(bookmarkEvery)
	defer bookmarks.Stop()
	for {
		for {
			event, more := cursor.Next()
			if !more {
				break
			}
			if frames.write(event) != nil || event.Type == watch.Error {
				return nil
			}
		}
		flusher.Flush()
		select {
		case <-cursor.News():
		case <-bookmarks.C:
			if query.Get("allowWatchBookmarks") == "true" && frames.write(cursor.Bookmark()) != nil {
				return nil
			}
		case <-end.C:
			return nil
		case <-r.Context().Done():
			return nil
		}
	}
}

// frames writes watch events.
type frames struct {
	out   output
	kind  *Kind
	frame interface{ Write([]byte) (int, error) }
}

func (f *frames) write(event watch.Event) error {
	var object bytes.Buffer
	serializer := f.out.info.StreamSerializer
	encode := f.out.encoder(f.out.info.Serializer, f.kind.GroupVersion()).Encode
	if status, ok := event.Object.(*metav1.Status); ok {
		status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
		encode = f.out.info.Serializer.Encode
	}
	if err := encode(event.Object, &object); err != nil {
		return err
	}
	envelope := &metav1.WatchEvent{Type: string(event.Type), Object: runtime.RawExtension{Raw: object.Bytes()}}
	var line bytes.Buffer
	if err := serializer.Serializer.Encode(envelope, &line); err != nil {
		return err
	}
	_, err := f.frame.Write(line.Bytes())
	return err
}
