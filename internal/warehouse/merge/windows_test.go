package merge

import (
	"slices"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/warehouse"
)

// TestAdjacentWindowsAreMerged merges the days of two accounts in random order.
func TestAdjacentWindowsAreMerged(t *testing.T) {
	t.Parallel()
	start := civil.New(2026, time.January, 1)
	window := func(account string, first, last int) warehouse.AdWindow {
		return warehouse.AdWindow{Account: account, Days: civil.Range{First: start.AddDays(first), Last: start.AddDays(last)}}
	}
	got := joinWindows([]warehouse.AdWindow{
		window("b", 3, 3), window("a", 9, 9), window("a", 1, 4), window("a", 2, 3), window("a", 5, 6), window("b", 4, 4),
	})
	want := []warehouse.AdWindow{window("a", 1, 6), window("a", 9, 9), window("b", 3, 4)}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
