package eventlog

import (
	"crypto/rand"
	"io"
	"time"
)

// Options are how a log is opened. The zero value works.
type Options struct {
	// ClusterName and ClusterUID say which cluster the log must be of. An
	// empty one is not checked. A new log takes both; a log that has none yet
	// takes what is given. The UID alone decides when both sides have one.
	ClusterName string
	ClusterUID  string

	// Now is the clock. Nil is time.Now.
	Now func() time.Time

	// Rand makes the log's id and the segments' secrets. Nil is crypto/rand,
	// and for NewMemory a fixed stream, so that a simulation repeats.
	Rand io.Reader

	// MapSize is how much address space the open segment is mapped into from
	// the start; growing past it has to wait for readers. 0 is 512 MiB, or
	// 16 MiB where addresses have 32 bits.
	MapSize int

	// ManualSync makes a NewMemory log durable only up to where its Sync is
	// called. Open ignores it.
	ManualSync bool

	// OnCommit, when set, is called by the committer around each commit. It is
	// for tests that kill the process at these points: it may block or end the
	// process, and must not call the log.
	OnCommit func(stage CommitStage, last Seq)
}

// CommitStage is a point in the life of a commit.
type CommitStage uint8

// The points at which OnCommit is called.
const (
	CommitUnknown CommitStage = iota
	// CommitBegins: records up to last are numbered, none of this commit is
	// on disk. After a crash here they are lost, and nobody was told of them.
	CommitBegins
	// CommitSynced: records up to last are on disk, nobody has been told yet.
	// After a crash here they are found again.
	CommitSynced
)

// String is the stage in words.
func (s CommitStage) String() string {
	switch s {
	case CommitBegins:
		return "commit begins"
	case CommitSynced:
		return "commit synced"
	}
	return "unknown stage"
}

func (o *Options) fill() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.MapSize == 0 {
		o.MapSize = 512 << 20
		if ^uint(0)>>32 == 0 {
			o.MapSize = 16 << 20
		}
	}
	if o.OnCommit == nil {
		o.OnCommit = func(CommitStage, Seq) {}
	}
}
