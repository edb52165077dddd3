package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestADefectInAPartBeginsItAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runs, own := 0, errors.New("an error of its own")
		err := (&App{log: discard()}).tend(t.Context(), func(context.Context) error {
			if runs++; runs < 3 {
				panic("what cannot happen")
			}
			return own
		})
		if runs != 3 || !errors.Is(err, own) {
			t.Errorf("it ran %d times and ended with %v; want two rests and its own error", runs, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err = (&App{log: discard()}).tend(ctx, func(context.Context) error {
			cancel()
			panic("what cannot happen")
		})
		if err != nil {
			t.Errorf("a defect at the stop: %v", err)
		}
	})
}
