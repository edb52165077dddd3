package fault

import (
	"errors"
	"fmt"
	"io"
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
