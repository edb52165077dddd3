package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
)

func TestKindSurvivesWrapping(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("fit of channel %q: %w", "tiktok", NotReady("no model").WithHint("run assay train mmm").Wrap(io.ErrUnexpectedEOF))
	if got := KindOf(err); got != KindNotReady {
		t.Errorf("KindOf = %s, want %s", got, KindNotReady)
	}
	text, hint, ok := Public(err)
	if !ok || text != "no model" || hint != "run assay train mmm" {
		t.Errorf("Public = %q, %q, %v: the cause must not be shown", text, hint, ok)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
}

func TestErrorsWithoutAKindAreInternalAndHidden(t *testing.T) {
	t.Parallel()
	if got := KindOf(io.EOF); got != KindInternal {
		t.Errorf("KindOf = %s", got)
	}
	if text, _, ok := Public(io.EOF); ok {
		t.Errorf("Public shows %q", text)
	}
}

func TestRejectionsOnPurposeAreWarnings(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want slog.Level
	}{
		{t.Context(), fmt.Errorf("performance: %w", Unavailable("the service is busy")), slog.LevelWarn},
		{t.Context(), Unavailable("the store does not respond").Wrap(io.EOF), slog.LevelError},
		{t.Context(), New(KindMisconfigured, "no secret"), slog.LevelError},
		{t.Context(), io.EOF, slog.LevelError},
		{ended, io.EOF, slog.LevelInfo},
	} {
		if got := LogLevel(c.ctx, c.err); got != c.want {
			t.Errorf("%v is logged at %v, want %v", c.err, got, c.want)
		}
	}
}
