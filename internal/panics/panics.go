// Package panics keeps a panic from ending the process: it makes an error of it where work begins, and brings it from
// goroutines to whoever waits for them. Every goroutine of the service is begun in one of these ways; a test holds that.
package panics

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Error is a panic: something that cannot happen if the program is right. As an error it has no kind, so it is logged in full
// and shown as a plain sentence.
type Error struct {
	Cause any
	Stack []byte // of the goroutine in which it happened
}

// Error returns the cause and the stack, for the log.
func (d *Error) Error() string { return fmt.Sprintf("panic: %v\n%s", d.Cause, d.Stack) }

// seen is how many there were. It belongs to the process, as the defects do.
var seen atomic.Int64

// Seen returns how many defects were caught since the process began.
func Seen() int64 { return seen.Load() }

// Of returns the defect of what was recovered, which is not nil. One that a [Group] brought stays as it was. It is to be called
// by the function that recovers, so that the stack is that of the panic.
func Of(cause any) *Error {
	if d, ok := cause.(*Error); ok {
		return d
	}
	seen.Add(1)
	return &Error{cause, debug.Stack()}
}

// Caught does something and returns its error; a panic becomes a [*Error].
func Caught(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = Of(cause)
		}
	}()
	return do()
}

// Group is goroutines of which one waits for all, as with [sync.WaitGroup]. A panic in one of them comes up in the one that
// waits, where it can be caught. The zero value is ready.
type Group struct {
	work  sync.WaitGroup
	first atomic.Pointer[Error]
}

// Go does something in a goroutine of the group.
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

// Wait waits for all goroutines, and panics with the first [*Error] where one panicked.
func (g *Group) Wait() {
	g.work.Wait()
	if d := g.first.Load(); d != nil {
		panic(d)
	}
}

// Together does things that do not depend on each other side by side, waits for all and returns the first error in their
// order. A panic in one of them comes up here.
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
