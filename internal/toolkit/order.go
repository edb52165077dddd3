package toolkit

import (
	"cmp"
	"slices"
)

// SortBy sorts by a figure, smallest first. The sort is stable.
func SortBy[T any](items []T, of func(T) float64) {
	slices.SortStableFunc(items, func(a, b T) int { return cmp.Compare(of(a), of(b)) })
}

// LargestFirst sorts by a figure, largest first, then by ID. Rows without the figure come last.
func LargestFirst[T any](rows []T, of func(T) (float64, bool), id func(T) string) {
	slices.SortStableFunc(rows, func(x, y T) int {
		a, hasA := of(x)
		b, hasB := of(y)
		switch {
		case hasA && !hasB:
			return -1
		case hasB && !hasA:
			return 1
		}
		return cmp.Or(cmp.Compare(b, a), cmp.Compare(id(x), id(y)))
	})
}
