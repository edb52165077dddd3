package statstest_test

import (
	"math"
	"testing"

	"assay/internal/measure/stats/statstest"
)

// failures counts the failures that a comparison reports.
type failures struct {
	testing.TB
	n int
}

func (*failures) Helper()                 {}
func (f *failures) Errorf(string, ...any) { f.n++ }
func (f *failures) Fatalf(string, ...any) { f.n++; panic(f) }

// failed reports whether a comparison fails.
func failed(compare func(t testing.TB)) bool {
	f := &failures{}
	func() {
		defer func() { _ = recover() }() // Fatalf ends the comparison
		compare(f)
	}()
	return f.n > 0
}

func TestNearNumbersPass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		got, want float64
		near      bool
	}{
		{1, 1, true},
		{0.125, 0, true},
		{0.126, 0, false},
		{-112.5, -100, true}, // the tolerance is relative above 1
		{-112.6, -100, false},
		{math.NaN(), 1, false},
		{1, math.NaN(), false},
	} {
		if got := !failed(func(tb testing.TB) { tb.Helper(); statstest.Near(tb, "x", c.got, c.want, 0.125) }); got != c.near {
			t.Errorf("%v is near %v: %v, want %v", c.got, c.want, got, c.near)
		}
	}
}

func TestNearListsPass(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, c := range []struct {
		got, want []float64
		near      bool
	}{
		{[]float64{1, inf}, []float64{1, inf}, true},
		{[]float64{100.125}, []float64{100}, true},
		{[]float64{100.25}, []float64{100}, false},
		{[]float64{1, 2}, []float64{1}, false},
		{[]float64{inf}, []float64{-inf}, false},
		{[]float64{1, math.NaN()}, []float64{1, 2}, false},
		{nil, nil, true},
	} {
		if got := !failed(func(tb testing.TB) { tb.Helper(); statstest.AllNear(tb, "x", c.got, c.want, 0.125) }); got != c.near {
			t.Errorf("%v are near %v: %v, want %v", c.got, c.want, got, c.near)
		}
	}
}
