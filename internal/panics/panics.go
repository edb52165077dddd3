// Package panics turns panics into errors, so that they do not end the process. It passes a panic in a goroutine to the
// waiting goroutine. All goroutines of the service are started with this package, and a test checks this.
package panics

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Error is a recovered panic, which is always a bug. It has no fault kind, so it is logged in full and the caller sees
// only a general message.
type Error struct {
	Cause any
	Stack []byte // stack of the goroutine in which the panic happened
}

// Error returns the cause and the stack, for the log.
func (d *Error) Error() string { return fmt.Sprintf("panic: %v\n%s", d.Cause, d.Stack) }

// seen counts the recovered panics of the process.
var seen atomic.Int64

// Seen returns the number of panics recovered since the process started.
func Seen() int64 { return seen.Load() }

// Of returns the error for a recovered value, which must not be nil. A panic passed on by a [Group] is unchanged. Of
// must be called in the function that recovers, so that the stack is the stack of the panic.
func Of(cause any) *Error {
	if d, ok := cause.(*Error); ok {
		return d
	}
	seen.Add(1)
	return &Error{cause, debug.Stack()}
}

// Caught calls the function do and returns its error. A panic becomes an [*Error].
func Caught(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = Of(cause)
		}
	}()
	return do()
}

// Group is a set of goroutines, like [sync.WaitGroup]. A panic in one of them is raised again in Wait. The zero value
// is ready to use.
type Group struct {
	work  sync.WaitGroup
	first atomic.Pointer[Error]
}

// Go calls the function do in a goroutine of the group.
func (g *Group) Go(do func()) {
	g.work.Go(func() {
		defer func() {
			if cause := recover(); cause != nil {
				g.first.CompareAndSwap(nil, Of(cause))
			}
		}()
		do()
	})
}

// Wait waits for all goroutines, and panics with the first [*Error] if one panicked.
func (g *Group) Wait() {
	g.work.Wait()
	if d := g.first.Load(); d != nil {
		panic(d)
	}
}

// Together calls independent functions in parallel and waits for all. It returns the first error in the order of the
// arguments. If a function panics, Together panics.
func Together(all ...func() error) error {
	errs := make([]error, len(all))
	var work Group
	for i, do := range all {
		work.Go(func() { errs[i] = do() })
	}
	work.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
