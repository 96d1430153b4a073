package eventlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oklog/ulid/v2"
)

// Open opens the log in a directory for reading and writing, and makes one
// where there is nothing yet. Exactly one Store holds a directory; another one
// gets a LockedError. A path that holds anything but a log is a NotALogError
// and stays as it is; damage that Open meets is a CorruptError.
func Open(path string, o Options) (*Store, error) {
	o.fill()
	path = filepath.Clean(path)
	state, err := inspect(path)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	if state == dirAbsent {
		if err := makeDir(path); err != nil {
			return nil, fmt.Errorf("open log: %w", withRoom(path, err))
		}
	}
	lock, err := lockDir(path)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	s, err := openLocked(path, o)
	if err != nil {
		_ = unlock(lock, true)
		return nil, fmt.Errorf("open log: %w", withRoom(path, err))
	}
	s.lock = lock
	s.start()
	return s, nil
}

// OpenReadOnly opens a log that no process is writing, and changes nothing in
// its directory. Damage at the log's end, which Open refuses, is told by
// Verify and at the end of Records.
func OpenReadOnly(path string, o Options) (*Store, error) {
	o.fill()
	path = filepath.Clean(path)
	s, err := openReader(path, o)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return s, nil
}

func openReader(path string, o Options) (*Store, error) {
	switch state, err := inspect(path); {
	case err != nil:
		return nil, err
	case state == dirAbsent:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	case state != dirLog:
		return nil, &NotALogError{Path: path, Why: "it has no " + manifestName}
	}
	lock, err := lockDirShared(path)
	if err != nil {
		return nil, err
	}
	s, err := load(path, o, true)
	if err != nil {
		_ = unlock(lock, false)
		return nil, err
	}
	s.lock = lock
	return s, nil
}

// openLocked makes or loads the log. The caller holds the lock, so what
// inspect says now stays true.
func openLocked(path string, o Options) (*Store, error) {
	state, err := inspect(path)
	if err != nil {
		return nil, err
	}
	if err := removeTemps(path); err != nil {
		return nil, err
	}
	if state != dirLog {
		if err := create(path, state, o); err != nil {
			return nil, err
		}
	}
	return load(path, o, false)
}

// create makes an empty log: the segment first, the manifest last. A crash in
// between leaves a directory without manifest and with an empty segment, which
// the next start replaces. A segment that holds records is never replaced.
func create(path string, state dirState, o Options) error {
	if state == dirUnfinished {
		if err := removeUnfinished(path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(inDir(path, segmentsName), 0o750); err != nil {
		return err
	}
	now := fromNanos(nanos(o.Now()))
	var id ulid.ULID
	_ = id.SetTime(nanos(now) / 1e6) // nanos keeps it in range
	meta := segmentMeta{first: 1, block: 1}
	for _, random := range [][]byte{id[6:], meta.secret[:]} {
		if _, err := io.ReadFull(o.Rand, random); err != nil {
			return fmt.Errorf("random bytes: %w", err)
		}
	}
	meta.logID = id
	if err := createSegment(path, meta); err != nil {
		return err
	}
	m := manifest{
		Version:     manifestVersion,
		ID:          id,
		ClusterName: o.ClusterName,
		ClusterUID:  o.ClusterUID,
		Created:     now,
		Segments:    []manifestSegment{{File: segmentName(1), First: 1}},
	}
	return m.write(path)
}

func removeUnfinished(path string) error {
	files, err := filepath.Glob(inDir(path, segmentsName, "*"+segmentExt))
	if err != nil {
		return err
	}
	for _, file := range files {
		lost := &CorruptError{Path: inDir(path, manifestName), Err: errors.New("it is gone, and the segments hold records")}
		seg, err := openSegment(file, 0)
		if err != nil {
			return err
		}
		t, err := seg.end()
		if closeErr := seg.close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
		if t.head != 0 {
			return lost
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return syncDir(inDir(path, segmentsName))
}

// load opens a log that exists.
func load(path string, o Options, readOnly bool) (*Store, error) {
	m, err := readManifest(path)
	if err != nil {
		return nil, err
	}
	changed, err := m.checkCluster(path, o)
	if err != nil {
		return nil, err
	}
	last := m.Segments[len(m.Segments)-1]
	file := inDir(path, segmentsName, last.File)
	var seg *segment
	var suspect error
	if readOnly {
		seg, suspect, err = openSegmentReader(file, o.MapSize)
	} else {
		seg, err = openSegment(file, o.MapSize)
	}
	if err != nil {
		return nil, err
	}
	s, err := newStore(path, o, m, seg, suspect, readOnly)
	if err == nil && changed && !readOnly {
		err = m.write(path)
	}
	if err != nil {
		_ = seg.close()
		return nil, err
	}
	return s, nil
}

func newStore(path string, o Options, m *manifest, seg *segment, suspect error, readOnly bool) (*Store, error) {
	if seg.meta.logID != m.ID {
		return nil, &CorruptError{First: seg.meta.first, Path: seg.path, Err: fmt.Errorf(
			"segment belongs to log %s, the manifest is that of log %s", ulid.ULID(seg.meta.logID), m.ID)}
	}
	if first := m.Segments[len(m.Segments)-1].First; seg.meta.first != first {
		return nil, &CorruptError{First: first, Path: seg.path, Err: fmt.Errorf(
			"segment begins at seq %d, the manifest says %d", seg.meta.first, first)}
	}
	t, err := seg.end()
	if err != nil {
		if !readOnly {
			return nil, err
		}
		suspect = err
		t, _ = seg.sound()
	}
	s := &Store{
		path:     path,
		opts:     o,
		readOnly: readOnly,
		seg:      seg,
		suspect:  suspect,
		failed:   make(chan struct{}),
		manifest: m,
		numbers:  numberer{head: t.head, last: t.last.Time},
	}
	s.synced.durable = t.head
	s.packer = packer{logID: m.ID, leaf: newLeafHasher(seg.meta.secret), number: t.block, chain: t.chain}
	return s, nil
}

// checkCluster compares the log's cluster with the one asked for, and takes
// over what the log did not know yet.
func (m *manifest) checkCluster(path string, o Options) (changed bool, err error) {
	if m.ClusterUID != "" && o.ClusterUID != "" {
		if m.ClusterUID != o.ClusterUID {
			return false, &WrongClusterError{Path: path, Field: "uid", Log: m.ClusterUID, Want: o.ClusterUID}
		}
		return false, nil // the same cluster, whatever it is called today
	}
	if m.ClusterName != "" && o.ClusterName != "" && m.ClusterName != o.ClusterName {
		return false, &WrongClusterError{Path: path, Field: "name", Log: m.ClusterName, Want: o.ClusterName}
	}
	before := *m
	if m.ClusterName == "" {
		m.ClusterName = o.ClusterName
	}
	if m.ClusterUID == "" {
		m.ClusterUID = o.ClusterUID
	}
	return before.ClusterName != m.ClusterName || before.ClusterUID != m.ClusterUID, nil
}
