// Package servertest starts PostgreSQL and Redis for tests, from the Debian packages of this machine: on loopback, on
// free ports, in temporary directories. A test is skipped if its server is not installed. A server ends with its test,
// even if the test's process is killed.
package servertest

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// patience is how long a server may take to start or stop.
const patience = 30 * time.Second

// account is the user that runs a server: PostgreSQL does not run as root.
type account struct{ uid, gid int }

// accountOf returns the account with the name if this process is root, otherwise the account of this process.
func accountOf(t testing.TB, name string) account {
	t.Helper()
	if os.Geteuid() != 0 {
		return account{os.Getuid(), os.Getgid()}
	}
	u, err := user.Lookup(name)
	if err != nil {
		t.Skipf("%v: the server cannot run as root", err)
	}
	uid, uidErr := strconv.Atoi(u.Uid)
	gid, gidErr := strconv.Atoi(u.Gid)
	if uidErr != nil || gidErr != nil {
		t.Fatalf("account %q has the IDs %q and %q", name, u.Uid, u.Gid)
	}
	return account{uid, gid}
}

// directory creates a temporary directory that belongs to the account. Another account cannot enter a directory of
// [testing.T.TempDir].
func (a account) directory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "assay-servertest-") //nolint:usetesting // another account cannot enter a directory of t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chown(dir, a.uid, a.gid); err != nil {
		t.Fatal(err)
	}
	return dir
}

// command returns a command that the account runs in the directory.
func (a account) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...) //nolint:gosec // programs of installed packages
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C"}
	if os.Geteuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}}
	}
	return c
}

// process is a running server. Its shell ends the server when the pipe to the shell closes. The server therefore never
// outlives the test's process.
type process struct {
	shell  *exec.Cmd
	pipe   io.Closer
	pid    int // process ID of the server
	output *bytes.Buffer
	ended  chan struct{}
}

// watched prints the server's process ID, waits for the end of its input and ends the server.
const watched = `"$@" <&- >&2 & pid=$!; echo "$pid"; cat >/dev/null; kill -INT "$pid" 2>/dev/null; wait "$pid"`

func (a account) start(t testing.TB, dir string, env []string, name string, args ...string) *process {
	t.Helper()
	p := &process{output: &bytes.Buffer{}, ended: make(chan struct{})}
	p.shell = a.command(context.Background(), dir, "/bin/sh", append([]string{"-c", watched, "sh", name}, args...)...)
	p.shell.Env = append(p.shell.Env, env...)
	p.shell.Stderr = p.output
	pipe, err := p.shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.pipe = pipe
	pids, err := p.shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.shell.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 16)
	n, err := pids.Read(line)
	if err == nil {
		p.pid, err = strconv.Atoi(string(bytes.TrimSpace(line[:n])))
	}
	if err != nil {
		t.Fatalf("process ID of %s: %v", name, err)
	}
	go func() {
		defer close(p.ended)
		_ = p.shell.Wait() // the server's exit status does not matter
	}()
	return p
}

// stop ends the server and waits until its process has ended.
func (p *process) stop(t testing.TB) {
	t.Helper()
	p.pipe.Close()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Errorf("the server with process ID %d did not end", p.pid)
	}
}

// kill ends the server immediately, like a crash.
func (p *process) kill(t testing.TB) {
	t.Helper()
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil {
		t.Errorf("kill of the server: %v", err)
	}
	p.stop(t)
}

// await calls the function ready until it succeeds.
func await(t testing.TB, p *process, ready func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return
		}
		select {
		case <-p.ended:
			t.Fatalf("the server ended: %v\n%s", err, p.output)
		case <-ctx.Done():
			t.Fatalf("the server does not answer: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// FreePort returns a port of the loopback interface that no process uses. The port is below the range of ephemeral
// ports, so that it is still free when a server restarts.
func FreePort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port := strconv.Itoa(20_000 + rand.IntN(10_000)) //nolint:forbidigo // any free port is as good
		l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port from 20000 to 29999 is free")
	return ""
}
