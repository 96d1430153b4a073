package eventlog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bindery/eventlog"
)

// history is what children have said about one log.
type history struct {
	dir   string
	tried map[string]bool         // every fact that may be in the log
	acked map[eventlog.Seq]string // every fact that must be, and where
}

func newHistory(dir string) *history {
	return &history{dir: dir, tried: make(map[string]bool), acked: make(map[eventlog.Seq]string)}
}

// run lets a child follow a plan to its end, or its death.
func (h *history) run(t *testing.T, p childPlan) (out string, killed bool) {
	t.Helper()
	p.Dir = h.dir
	plan, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(plan))
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	killed = errors.As(err, &exit) && exit.ExitCode() == -1
	if err != nil && !killed {
		t.Fatalf("child %+v: %v\n%s", p, err, stderr.String())
	}
	for line := range strings.Lines(stdout.String()) {
		var seq eventlog.Seq
		var fact string
		if n, _ := fmt.Sscanf(line, "try %s\n", &fact); n == 1 {
			h.tried[fact] = true
		} else if n, _ := fmt.Sscanf(line, "ack %d %s\n", &seq, &fact); n == 2 {
			h.acked[seq] = fact
		}
	}
	return stdout.String(), killed
}

// check holds the log against the history: acknowledged ⊆ recovered ⊆
// submitted, and all of it sound.
func (h *history) check(t *testing.T) {
	t.Helper()
	s, err := eventlog.OpenReadOnly(h.dir, eventlog.Options{})
	var notALog *eventlog.NotALogError
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &notALog) && strings.Contains(err.Error(), "MANIFEST") {
		if len(h.acked) > 0 {
			t.Fatalf("%d records were acknowledged: %v", len(h.acked), err)
		}
		return // it died while it made the log
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	report, err := s.Verify(context.Background(), nil)
	if err != nil || !report.OK() {
		t.Fatalf("verify: %v, %v", err, report.Err())
	}
	seen := make(map[string]bool)
	for r, err := range s.Records(0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		fact := string(r.Fact)
		if !h.tried[fact] || seen[fact] {
			t.Errorf("seq %d holds %s: submitted %t, seen before %t", r.Seq, fact, h.tried[fact], seen[fact])
		}
		seen[fact] = true
		if want, ok := h.acked[r.Seq]; ok && want != fact {
			t.Errorf("seq %d holds %s, acknowledged was %s", r.Seq, fact, want)
		}
	}
	for seq, fact := range h.acked {
		if !seen[fact] {
			t.Errorf("seq %d with %s was acknowledged and is gone", seq, fact)
		}
	}
}

// TestKill kills a child that appends, at the points before, inside and after
// a commit and while it opens, and goes on with the same log each time.
func TestKill(t *testing.T) {
	const kills = 60
	base := quickDir(t)
	long := newHistory(filepath.Join(base, "long"))
	rng := rand.New(rand.NewPCG(1, 2))
	killed := 0
	for run := range kills {
		h := long
		p := childPlan{Run: run, Writers: 1 + run%5, Commit: 1 + rng.IntN(12)}
		switch run % 4 {
		case 0:
			p.Stage = eventlog.CommitBegins
		case 1:
			p.Stage = eventlog.CommitSynced
		case 2: // somewhere inside a commit
			p.Stage, p.Delay = eventlog.CommitBegins, time.Duration(1+rng.IntN(400))*time.Microsecond
		case 3: // at any time, perhaps while the log is made
			p.Delay = time.Duration(1+rng.IntN(4000)) * time.Microsecond
			if run%8 == 3 {
				h = newHistory(filepath.Join(base, fmt.Sprint("new", run)))
			}
		}
		if _, dead := h.run(t, p); dead {
			killed++
		}
		h.check(t)
		if h != long {
			// What was left behind can be opened and written.
			p := childPlan{Run: run + 1000, Writers: 1}
			if _, dead := h.run(t, p); dead {
				t.Error("killed without a plan")
			}
			h.check(t)
		}
	}
	if killed < 50 {
		t.Errorf("only %d of %d children were killed", killed, kills)
	}
	t.Logf("%d kills, %d records acknowledged", killed, len(long.acked))
}
