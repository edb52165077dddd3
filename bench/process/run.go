package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Usage is the resource usage of a program.
type Usage struct {
	Wall, CPU time.Duration
	Peak      int64 // largest resident memory, in bytes
	Output    []byte
}

// Run runs a program to completion. If the program fails, the error contains its standard error output.
func Run(ctx context.Context, args ...string) (Usage, error) {
	c := command(ctx, args)
	watch := Begin()
	out, err := c.Output()
	wall, _ := watch.Took()
	if err != nil {
		return Usage{}, fmt.Errorf("%v: %w: %s", args, err, complaint(err))
	}
	state := c.ProcessState
	u := Usage{Wall: wall, CPU: state.UserTime() + state.SystemTime(), Output: out}
	if used, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.Peak = used.Maxrss << 10
	}
	return u, nil
}

// Watch measures the wall time and the total CPU time of all threads of this process.
type Watch struct {
	at  time.Time
	cpu time.Duration
}

// Begin starts a watch.
func Begin() Watch {
	return Watch{at: time.Now(), cpu: ownCPU()} //nolint:forbidigo // a benchmark measures the real time
}

// Took returns the wall time and the CPU time since the watch was started.
func (w Watch) Took() (wall, cpu time.Duration) { return time.Since(w.at), ownCPU() - w.cpu }

func ownCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(os.NewSyscallError("getrusage", err)) // fails for invalid arguments only
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// complaint returns the text that a failed program wrote to standard error.
func complaint(err error) []byte {
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.Stderr
	}
	return nil
}
