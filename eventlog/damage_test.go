package eventlog_test

import (
	"testing"

	"bindery/eventlog"
	"bindery/eventlog/logtest"
)

func TestDamage(t *testing.T) {
	logtest.RunDamage(t, quickDir(t), func(t testing.TB, dir string, o eventlog.Options) (eventlog.Log, error) {
		return eventlog.Open(dir, o)
	})
}
