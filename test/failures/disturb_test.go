package failures

import (
	_ "embed"
	"encoding/binary"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var (
	//go:embed testdata/disturb.c
	disturbSource []byte
	//go:embed testdata/disturb.map
	disturbVersions []byte
)

// disturbance changes the clock and the disk of a process that is started with the disturbance's environment.
type disturbance struct {
	library string
	numbers string // the file that the library reads
}

// disturbances returns one disturbance per name. If the library cannot be built, it returns nil disturbances and the
// reason.
func disturbances(t *testing.T, names ...string) (made []*disturbance, why string) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return make([]*disturbance, len(names)), "the library for clocks and disks is for linux/amd64"
	}
	dir, err := os.MkdirTemp("", "assay-disturb-") //nolint:usetesting // the account of PostgreSQL reads it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := func(name string, text []byte, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(dir, "disturb.so")
	versions := file("disturb.map", disturbVersions, 0o644)
	out, err := exec.CommandContext(t.Context(), "cc", "-shared", "-fPIC", "-O2", "-Wl,--version-script="+versions, "-o", library,
		file("disturb.c", disturbSource, 0o644), "-ldl").CombinedOutput()
	if err != nil {
		return make([]*disturbance, len(names)), "the library for clocks and disks cannot be compiled: " + err.Error() + " " + string(out)
	}
	for _, name := range names {
		made = append(made, &disturbance{library, file(name, make([]byte, 24), 0o666)}) // the account of PostgreSQL counts in it
	}
	return made, ""
}

// env returns the environment of the process, or nil if the library could not be built.
func (d *disturbance) env() []string {
	if d == nil {
		return nil
	}
	return []string{"LD_PRELOAD=" + d.library, "DISTURB_FILE=" + d.numbers}
}

// put writes one of the numbers.
func (d *disturbance) put(t *testing.T, index int, n int64) {
	t.Helper()
	f, err := os.OpenFile(d.numbers, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(n)), int64(8*index))
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// shift sets the difference between the clock of the process and the clock of the machine.
func (d *disturbance) shift(t *testing.T, by time.Duration) {
	t.Helper()
	d.put(t, 0, by.Nanoseconds())
}

// slow delays each write and sync of files of the process.
func (d *disturbance) slow(t *testing.T, by time.Duration) {
	t.Helper()
	d.put(t, 1, by.Microseconds())
}

// delays returns the number of delays so far.
func (d *disturbance) delays(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile(d.numbers)
	if err != nil {
		t.Fatal(err)
	}
	return int64(binary.NativeEndian.Uint64(b[16:]))
}

// slowDisks delays writes of the nodes and of PostgreSQL.
func (s *site) slowDisks() {
	slowed := append([]*disturbance{s.database}, s.disturbed...)
	before := make([]int64, len(slowed))
	for i, d := range slowed {
		before[i] = d.delays(s.t)
		d.slow(s.t, slowWrite)
	}
	time.Sleep(cutFor)
	var delays []string
	for i, d := range slowed {
		d.slow(s.t, 0)
		n := d.delays(s.t) - before[i]
		delays = append(delays, time.Duration(n*int64(slowWrite)).String())
		if n == 0 && i < 2 {
			s.t.Errorf("no write of %s was delayed", d.numbers)
		}
	}
	s.t.Logf("delays of PostgreSQL and of the nodes: %s", strings.Join(delays, ", "))
}

// jump returns a failure that shifts the second node's clock by a duration and then resets it.
func (s *site) jump(by time.Duration) func() {
	return func() {
		n, d := s.nodes[1], s.disturbed[1]
		d.shift(s.t, by)
		if got := n.clock(); got.Sub(time.Now().Add(by)).Abs() > time.Minute {
			s.t.Errorf("the clock of the node is %s, want %s from now", got, by)
		}
		time.Sleep(cutFor)
		d.shift(s.t, 0)
		if got := n.clock(); time.Since(got).Abs() > time.Minute {
			s.t.Errorf("the clock of the node is %s after the failure", got)
		}
	}
}

// clock returns the node's clock, from the Date header of a response. The server updates this header once per second.
func (n *node) clock() time.Time {
	time.Sleep(1100 * time.Millisecond)
	at, _ := http.ParseTime(n.send(n.client, http.MethodGet, base+"/healthz", "").header.Get("Date"))
	return at
}
