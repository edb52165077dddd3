// Package fault names the kinds of failure that a caller can act on.
//
// The kind is set once, where the cause is known. What has no kind is internal: it is logged in full and shown
// as a plain sentence. One table at the edge of the service turns kinds into HTTP status and JSON-RPC code.
package fault

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Kind is what went wrong, seen from the caller.
type Kind string

// The kinds.
const (
	KindInvalid         Kind = "invalid"         // the caller sent something that cannot be accepted
	KindUnauthenticated Kind = "unauthenticated" // no credential, or an unknown one
	KindForbidden       Kind = "forbidden"       // an authenticated caller without the permission
	KindNotFound        Kind = "not_found"       // there is no such thing in this workspace
	KindConflict        Kind = "conflict"        // the thing is no longer as the caller saw it
	KindNotReady        Kind = "not_ready"       // something has to be made first: data, a trained model
	KindRateLimited     Kind = "rate_limited"    // too many calls in this minute
	KindUnavailable     Kind = "unavailable"     // an engine, a disk or a platform does not answer now
	KindMisconfigured   Kind = "misconfigured"   // the operator has to set something
	KindInternal        Kind = "internal"        // a defect of the service
)

// Error is a failure with a kind and a text that may be shown to the caller.
type Error struct {
	Kind Kind
	Text string // what happened, in words the caller can use
	Hint string // what to do next; empty when nothing helps
	err  error
}

// Error returns the text, followed by what it wraps.
func (e *Error) Error() string {
	if e.err == nil {
		return e.Text
	}
	return e.Text + ": " + e.err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.err }

// WithHint returns the same failure with advice on what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	with := *e
	with.Hint = fmt.Sprintf(format, args...)
	return &with
}

// Wrap returns the same failure with its cause, which is logged and not shown.
func (e *Error) Wrap(err error) *Error {
	with := *e
	with.err = err
	return &with
}

// New returns a failure of the kind.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// Invalid says that the caller sent something that cannot be accepted.
func Invalid(format string, args ...any) *Error { return New(KindInvalid, format, args...) }

// NotFound says that there is no such thing in this workspace.
func NotFound(format string, args ...any) *Error { return New(KindNotFound, format, args...) }

// NotReady says that something has to be made first.
func NotReady(format string, args ...any) *Error { return New(KindNotReady, format, args...) }

// Forbidden says that this caller may not do this.
func Forbidden(format string, args ...any) *Error { return New(KindForbidden, format, args...) }

// Conflict says that the thing is no longer as the caller saw it.
func Conflict(format string, args ...any) *Error { return New(KindConflict, format, args...) }

// Unavailable says that an engine, a disk or a platform does not answer now.
func Unavailable(format string, args ...any) *Error { return New(KindUnavailable, format, args...) }

// LogLevel is the level at which a failure of a request is logged: error, and info once the client has cancelled the request.
// Such a failure is caused by the cancellation, and no client waits for the answer.
func LogLevel(ctx context.Context) slog.Level {
	if errors.Is(ctx.Err(), context.Canceled) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// KindOf returns the kind set where the cause was known, and KindInternal when none was.
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
