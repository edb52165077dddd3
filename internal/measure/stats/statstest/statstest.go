// Package statstest contains comparisons of numbers for tests of the measurement packages.
package statstest

import (
	"math"
	"testing"
)

// Near fails the test unless got is near want: |got - want| ≤ tolerance · max(1, |want|). NaN is near no number.
func Near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s is %.10g, want %.10g", what, got, want)
	}
}

// AllNear fails the test unless got and want have equal lengths and each |got - want| ≤ tolerance. Equal infinities are
// near each other.
func AllNear(t testing.TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance) && got[i] != want[i] {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}
