package eventlog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"bindery/eventlog"

	"golang.org/x/sys/unix"
)

// volumeDrafts look like volume events: an object of some 1.8 KB of which
// little changes from one to the next, and a fact of 142 bytes.
func volumeDrafts(n, at int) []eventlog.Draft {
	drafts := make([]eventlog.Draft, n)
	for i := range drafts {
		id := at + i
		object := make([]byte, 0, 1900)
		for f := range 24 {
			object = fmt.Appendf(object, "metadata.annotations.example.org/field-%02d: value of field %d that seldom changes;", f, f)
		}
		object = fmt.Appendf(object, "name: pvc-%08x uid: ", id)
		object = append(object, noise(id, 16)...)
		drafts[i] = eventlog.Draft{
			Kind: eventlog.KindObserved,
			Subject: eventlog.Subject{
				Resource: eventlog.ResourceVolume, Name: fmt.Sprintf("pvc-%08x", id), UID: eventlog.UID(noise(id, 16)),
			},
			Fact:   append([]byte("Available rook-ceph-block ReadWriteOnce Filesystem 20Gi ext4 csi.example.org topology zone-a zone-b zone-c "), noise(id, 36)...),
			Object: object,
		}
	}
	return drafts
}

// BenchmarkAppend appends batches durably and, in turn with it, appends the
// same stored bytes to a plain file with one write and one fdatasync. ratio is
// how much of the plain file's rate the log has; only it means anything on a
// shared disk. benchstat wants -count=10.
func BenchmarkAppend(b *testing.B) {
	for _, batch := range []int{1, 64, 256} {
		b.Run(fmt.Sprint("batch=", batch), func(b *testing.B) {
			dir := b.TempDir()
			s := mustOpen(b, filepath.Join(dir, "log"), eventlog.Options{})
			raw, err := os.Create(filepath.Join(dir, "raw"))
			if err != nil {
				b.Fatal(err)
			}
			defer raw.Close()
			drafts := volumeDrafts(batch, 0)
			records, err := s.Append(context.Background(), drafts...)
			if err != nil {
				b.Fatal(err)
			}
			block := eventlog.Vector(records, [16]byte{}, [32]byte{}, 1, eventlog.Hash{}).Block
			var logTimes, rawTimes []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				if _, err := s.Append(context.Background(), drafts...); err != nil {
					b.Fatal(err)
				}
				logTimes = append(logTimes, time.Since(start))
				start = time.Now()
				if _, err := raw.Write(block); err != nil {
					b.Fatal(err)
				}
				if err := unix.Fdatasync(int(raw.Fd())); err != nil {
					b.Fatal(err)
				}
				rawTimes = append(rawTimes, time.Since(start))
			}
			b.ReportMetric(float64(batch)/mean(logTimes).Seconds(), "events/s")
			b.ReportMetric(float64(mean(rawTimes))/float64(mean(logTimes)), "ratio")
			b.ReportMetric(float64(p99(logTimes))/float64(p99(rawTimes)), "p99ratio")
			b.ReportMetric(float64(len(block))/float64(batch), "B/event")
		})
	}
}

// BenchmarkStream submits without waiting, as the sequencer does: the queue
// makes the commits.
func BenchmarkStream(b *testing.B) {
	s := mustOpen(b, filepath.Join(b.TempDir(), "log"), eventlog.Options{})
	const batch = 16
	drafts := volumeDrafts(batch, 0)
	b.ReportAllocs()
	start := time.Now()
	n := 0
	for b.Loop() {
		if _, err := s.Submit(context.Background(), drafts...); err != nil {
			b.Fatal(err)
		}
		n += batch
	}
	if err := s.Wait(context.Background(), s.Head()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(n)/time.Since(start).Seconds(), "events/s")
}

func BenchmarkReplay(b *testing.B) {
	const records = 100_000
	dir := filepath.Join(quickDir(b), "log")
	s := mustOpen(b, dir, eventlog.Options{})
	for at := 0; at < records; at += 250 {
		if _, err := s.Submit(context.Background(), volumeDrafts(250, at)...); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Wait(context.Background(), records); err != nil {
		b.Fatal(err)
	}
	for _, what := range []struct {
		name string
		read func() error
	}{
		{"facts", func() error { return drain(s.Facts(0, 0)) }},
		{"objects", func() error { return drain(s.Records(0, 0)) }},
		{"verify", func() error { _, err := s.Verify(context.Background(), nil); return err }},
	} {
		b.Run(what.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := what.read(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(records*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
	b.Run("read", func(b *testing.B) {
		seq := eventlog.Seq(0)
		for b.Loop() {
			seq = (seq+7919)%records + 1
			if _, err := s.Read(seq); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func drain(records func(func(eventlog.Record, error) bool)) (out error) {
	records(func(_ eventlog.Record, err error) bool { out = err; return err == nil })
	return out
}

func mean(d []time.Duration) (m time.Duration) {
	for _, x := range d {
		m += x
	}
	return m / time.Duration(len(d))
}

func p99(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)*99/100]
}
