// Package fault defines the kinds of failure that a caller can act on.
//
// The kind is set once, where the cause is known. An error without a kind is internal. It is logged in full, and the
// caller sees only a general sentence. One table maps kinds to HTTP status and JSON-RPC code.
package fault

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Kind is the kind of failure, from the caller's point of view.
type Kind string

// The kinds.
const (
	KindInvalid         Kind = "invalid"         // the caller sent something that cannot be accepted
	KindUnauthenticated Kind = "unauthenticated" // no or unknown credentials
	KindForbidden       Kind = "forbidden"       // the caller lacks the permission
	KindNotFound        Kind = "not_found"       // not in this workspace
	KindConflict        Kind = "conflict"        // the state has changed since the caller saw it, or another operation is running
	KindNotReady        Kind = "not_ready"       // a precondition is missing: data, a trained model
	KindRateLimited     Kind = "rate_limited"    // too many calls in this window
	KindUnavailable     Kind = "unavailable"     // an engine, a disk or a platform does not respond
	KindMisconfigured   Kind = "misconfigured"   // the operator has to change a setting
	KindInternal        Kind = "internal"        // a defect of the service
)

// Error is a failure with a kind and a text that may be shown to the caller.
type Error struct {
	Kind Kind
	Text string // what happened, for the caller
	Hint string // what to do next; empty when nothing helps
	err  error
}

// Error returns the text, followed by the wrapped error.
func (e *Error) Error() string {
	if e.err == nil {
		return e.Text
	}
	return e.Text + ": " + e.err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.err }

// WithHint returns a copy of the failure with advice on what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	with := *e
	with.Hint = fmt.Sprintf(format, args...)
	return &with
}

// Wrap returns a copy of the failure with its cause, which is logged and not shown.
func (e *Error) Wrap(err error) *Error {
	with := *e
	with.err = err
	return &with
}

// New returns a failure of the kind.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// Invalid returns the fault of an input that is not accepted.
func Invalid(format string, args ...any) *Error { return New(KindInvalid, format, args...) }

// NotFound returns the fault of an object that is not in this workspace.
func NotFound(format string, args ...any) *Error { return New(KindNotFound, format, args...) }

// NotReady returns the fault of a missing precondition.
func NotReady(format string, args ...any) *Error { return New(KindNotReady, format, args...) }

// Forbidden returns the fault of a caller without permission.
func Forbidden(format string, args ...any) *Error { return New(KindForbidden, format, args...) }

// Conflict returns the fault of a state that has changed, or of another operation that is running.
func Conflict(format string, args ...any) *Error { return New(KindConflict, format, args...) }

// Unavailable returns the fault of an engine, a disk or a platform that does not respond.
func Unavailable(format string, args ...any) *Error { return New(KindUnavailable, format, args...) }

// LogLevel returns the log level of a failed request. The level is info if the client has canceled the request, because
// the failure then follows from the cancellation. The level is warning for a fault of kind unavailable without a
// wrapped cause: the service rejects the request on purpose, for example because of overload. Otherwise, the level is
// error.
func LogLevel(ctx context.Context, err error) slog.Level {
	if errors.Is(ctx.Err(), context.Canceled) {
		return slog.LevelInfo
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == KindUnavailable && e.err == nil {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// KindOf returns the error's kind, or KindInternal for an error without a kind.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// Public returns the text and hint that may be shown to the caller, and ok = false for internal failures.
func Public(err error) (text, hint string, ok bool) {
	var e *Error
	if !errors.As(err, &e) || e.Kind == KindInternal {
		return "", "", false
	}
	return e.Text, e.Hint, true
}
