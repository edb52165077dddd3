package training

import (
	"runtime/debug"
	"testing"
)

func TestGarbageCollectionIsRestoredAfterATraining(t *testing.T) { //nolint:paralleltest // a process-wide setting
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for usual, want := range map[int]int{400: 100, 100: 100, 50: 50, -1: 100} {
		debug.SetGCPercent(usual)
		done := sparing()
		during := debug.SetGCPercent(want)
		done()
		if after := debug.SetGCPercent(usual); during != want || after != usual {
			t.Errorf("usually %d: %d while a model is trained, want %d, and %d afterwards", usual, during, want, after)
		}
	}
}
