package sqlstore

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"assay/internal/control"
)

// BenchmarkAppendCalls measures one batch of the call log. A batch contains the calls of one second at the maximum
// rate.
func BenchmarkAppendCalls(b *testing.B) {
	const calls = 1000
	s, err := Open(b.Context(), Options{Path: filepath.Join(b.TempDir(), "control.db")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	w, err := s.CreateWorkspace(b.Context(), control.NewWorkspace("Acme"), by())
	if err != nil {
		b.Fatal(err)
	}
	batch := make([]control.Call, calls)
	before := cpu(b)
	for at := noon; b.Loop(); at = at.Add(time.Second) {
		for i := range batch {
			batch[i] = control.Call{
				At: at.Add(time.Duration(i) * time.Millisecond), Workspace: w.ID, Tool: "performance", Status: control.CallOK,
				Took: 123 * time.Microsecond, Bytes: 4000, Actor: "key:h64qsbz3dhl3",
			}
		}
		if err := s.AppendCalls(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/float64(b.N)/calls, "cpu-ns/call")
}

// cpu returns the CPU time of the process. Waits for the disk are excluded, because they do not slow down other work.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
