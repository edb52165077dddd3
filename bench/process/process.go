// Package process starts the programs that benchmarks measure and reads their wall time, CPU time and memory use. It
// reads /proc, so it runs on Linux only.
package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a server that runs until [Process.Stop].
type Process struct {
	Took    time.Duration // from the start to the line that reports readiness
	command *exec.Cmd
	log     *os.File
	drained chan struct{} // closed when the program's standard output ends
}

// Start runs a program and waits until it prints a line that begins with a prefix. It returns the rest of that line.
// The program's standard error goes to a file. If the program ends early, the returned error contains the last lines of
// this file.
func Start(ctx context.Context, prefix string, args ...string) (*Process, string, error) {
	log, err := os.CreateTemp("", "bench-log-*")
	if err != nil {
		return nil, "", err
	}
	p := &Process{command: command(ctx, args), log: log, drained: make(chan struct{})}
	p.command.Stderr = log
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, "", errors.Join(err, p.forget())
	}
	watch := Begin()
	if err := p.command.Start(); err != nil {
		return nil, "", errors.Join(err, p.forget())
	}
	found := make(chan string, 1)
	go func() {
		defer close(p.drained)
		defer close(found)
		await(out, prefix, found)
	}()
	said, ok := <-found
	if !ok {
		tail, _ := os.ReadFile(log.Name())
		return nil, "", errors.Join(fmt.Errorf("%s stopped before it was ready: %s", args[0], tail[max(0, len(tail)-2000):]), p.Stop())
	}
	p.Took, _ = watch.Took()
	return p, said, nil
}

// command returns a command that receives an interrupt before it is killed.
func command(ctx context.Context, args []string) *exec.Cmd {
	c := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // a benchmark runs the programs it was given
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 15 * time.Second
	return c
}

// await sends the rest of the first line with the prefix to found and continues to read, so that the writer never
// blocks.
func await(out io.Reader, prefix string, found chan<- string) {
	lines := bufio.NewScanner(out)
	sent := false
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), prefix); ok && !sent {
			found <- rest
			sent = true
		}
	}
}

// Stop asks the program to end and waits until the program has ended.
func (p *Process) Stop() error {
	asked := p.command.Process.Signal(syscall.SIGTERM)
	if errors.Is(asked, os.ErrProcessDone) {
		asked = nil
	}
	<-p.drained
	err := p.command.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		err = nil // the exit code after an interrupt does not matter here
	}
	return errors.Join(asked, err, p.forget())
}

func (p *Process) forget() error { return errors.Join(p.log.Close(), os.Remove(p.log.Name())) }

// CPU returns the user and system time that the program has used, with a resolution of a hundredth of a second.
func (p *Process) CPU() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// Memory returns the resident memory of the program in bytes.
func (p *Process) Memory() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if size, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(size)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("/proc status has no line VmRSS")
}
