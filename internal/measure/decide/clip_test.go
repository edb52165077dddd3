package decide

import (
	"slices"
	"testing"
)

// The derivative is -2 at a spend of 0, 0 at 10 and 3 at 20.
func TestClippedDerivativesHaveKnotsAtTheBounds(t *testing.T) {
	t.Parallel()
	whole := []corner{{0, -2}, {10, 0}, {20, 3}}
	for _, c := range []struct {
		within Range
		want   []corner
	}{
		{Range{0, 20}, whole},
		{Range{5, 15}, []corner{{5, -1}, {10, 0}, {15, 1.5}}},
		{Range{10, 20}, []corner{{10, 0}, {20, 3}}},
		{Range{0, 10}, []corner{{0, -2}, {10, 0}}},
		{Range{2.5, 5}, []corner{{2.5, -1.5}, {5, -1}}},
		{Range{0, 0}, []corner{{0, -2}, {0, -2}}},
		{Range{20, 20}, []corner{{20, 3}, {20, 3}}},
	} {
		if got := clip(nil, whole, c.within); !slices.Equal(got, c.want) {
			t.Errorf("within %v: %v, want %v", c.within, got, c.want)
		}
	}
	// If the function jumps at a bound, clip uses the value on the inner side of the jump.
	jump := []corner{{0, -2}, {10, -1}, {10, 1}, {20, 3}}
	if got, want := clip(nil, jump, Range{10, 20}), []corner{{10, 1}, {20, 3}}; !slices.Equal(got, want) {
		t.Errorf("above a jump: %v, want %v", got, want)
	}
	if got, want := clip(nil, jump, Range{0, 10}), []corner{{0, -2}, {10, -1}}; !slices.Equal(got, want) {
		t.Errorf("below a jump: %v, want %v", got, want)
	}
}
