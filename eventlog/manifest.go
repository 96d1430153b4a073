package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/oklog/ulid/v2"
)

const (
	manifestName  = "MANIFEST"
	manifestMagic = "bindery log\n"
	manifestCRC   = "crc32c "
	maxManifest   = 1 << 20
)

var errManifest = errors.New("manifest checksum is wrong")

// manifest says what a directory is. It is a small text file, so that a person
// who finds one can tell; see format.go. It is replaced as a whole, never
// written in place.
type manifest struct {
	Version     int               `json:"version"`
	ID          ulid.ULID         `json:"id"`
	ClusterName string            `json:"clusterName,omitempty"`
	ClusterUID  string            `json:"clusterUID,omitempty"`
	Created     time.Time         `json:"created"`
	Segments    []manifestSegment `json:"segments"`
}

type manifestSegment struct {
	File  string `json:"file"`
	First Seq    `json:"first"`
}

func (m *manifest) identity() Identity {
	return Identity{ID: m.ID.String(), ClusterName: m.ClusterName, ClusterUID: m.ClusterUID}
}

func (m *manifest) encode() ([]byte, error) {
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	b := append([]byte(manifestMagic), body...)
	b = append(b, '\n')
	return fmt.Appendf(b, "%s%08x\n", manifestCRC, checksum(b)), nil
}

func decodeManifest(path string, b []byte) (*manifest, error) {
	damaged := func(err error) error { return &CorruptError{Path: path, Err: err} }
	if !bytes.HasPrefix(b, []byte(manifestMagic)) {
		return nil, damaged(errors.New("first line is not that of a manifest"))
	}
	at := bytes.LastIndex(b, []byte("\n"+manifestCRC)) + 1
	var crc uint32
	if at == 0 {
		return nil, damaged(errTruncated)
	}
	tail := string(b[at:])
	if n, err := fmt.Sscanf(tail, manifestCRC+"%08x\n", &crc); n != 1 || err != nil ||
		tail != fmt.Sprintf("%s%08x\n", manifestCRC, crc) || crc != checksum(b[:at]) {
		return nil, damaged(errManifest)
	}
	body := b[len(manifestMagic):at]
	// The version first: a newer manifest may have any other shape.
	var v struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, damaged(err)
	}
	if v.Version < oldestManifestVersion || v.Version > manifestVersion {
		return nil, &UnsupportedVersionError{
			Path: path, What: "manifest", Version: v.Version,
			Oldest: oldestManifestVersion, Newest: manifestVersion,
		}
	}
	m := new(manifest)
	if err := json.Unmarshal(body, m); err != nil {
		return nil, damaged(err)
	}
	if len(m.Segments) == 0 || m.Segments[0].File != segmentName(m.Segments[0].First) {
		return nil, damaged(errors.New("manifest names no segment"))
	}
	return m, nil
}

func readManifest(dir string) (*manifest, error) {
	path := inDir(dir, manifestName)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxManifest {
		return nil, &CorruptError{Path: path, Err: &LimitError{What: "manifest", Size: int(info.Size()), Limit: maxManifest}}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decodeManifest(path, b)
}

// write replaces the manifest. When it returns, the new one is durable; a
// crash before leaves the old one.
func (m *manifest) write(dir string) error {
	b, err := m.encode()
	if err != nil {
		return err
	}
	temp := inDir(dir, manifestName+tempExt)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o640)
	if err != nil {
		return withRoom(dir, err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return withRoom(dir, err)
	}
	return withRoom(dir, publish(temp, inDir(dir, manifestName)))
}
