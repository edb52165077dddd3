package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The order of a sum changes its rounding: 1e16 + 1 is 1e16, but 1e16 + 2 is exact.
func TestDotAddsFourPartialSums(t *testing.T) {
	t.Parallel()
	if got := Dot([]float64{1e16, 1, 1, 1}, []float64{1, 1, 1, 1}); got != 1e16+2 {
		t.Errorf("partial sums: %v, want 1e16 + 2", got)
	}
	if got := Dot([]float64{1, 1, 1, 1e16, 1}, []float64{1, 1, 1, 1, 1}); got != 1e16+4 { // (2 + 1) and (1 + 1e16)
		t.Errorf("five elements: %v, want 1e16 + 4", got)
	}
}

func TestQuantilesInterpolateBetweenNeighbors(t *testing.T) {
	t.Parallel()
	sorted := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, 0.25: 1.75, 1. / 3: 2, 0.5: 3, 0.9: 6.8, 1: 8} {
		if got := Quantile(sorted, p); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v: %v, want %v", p, got, want)
		}
	}
	for _, p := range []float64{0, 0.5, 1} {
		if got := Quantile([]float64{7}, p); got != 7 {
			t.Errorf("quantile %v of one value: %v, want 7", p, got)
		}
	}
	mean, sd := MeanSD([]float64{2, 4, 9})
	if mean != 5 || math.Abs(sd-math.Sqrt(13)) > 1e-12 { // (9 + 1 + 16) / 2
		t.Errorf("mean %v and deviation %v, want 5 and √13", mean, sd)
	}
	if mean, sd := MeanSD([]float64{3}); mean != 3 || !math.IsNaN(sd) {
		t.Errorf("of one value: %v and %v", mean, sd)
	}
	if got := Mean([]float64{1, 2, 6}); got != 3 {
		t.Errorf("mean %v, want 3", got)
	}
}

// In the middle of an interval of mantissas, the series has no terms.
func TestLogarithmsAreExactAtTheMiddles(t *testing.T) {
	t.Parallel()
	x := make([]float64, 256)
	for i := range x {
		x[i] = 1 + (float64(i)+0.5)/256
	}
	got := make([]float64, len(x))
	Log(got, x)
	for i, v := range x {
		if got[i] != math.Log(v) {
			t.Errorf("log(%v) = %v, want %v", v, got[i], math.Log(v))
		}
	}
}

// The points are from tables of Student's t distribution, for both sides.
func TestStudentIsATwoSidedQuantile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ level, freedom, want float64 }{
		{0.95, 1, 12.706205}, {0.95, 10, 2.228139}, {0.9, 5, 2.015048}, {0.99, 30, 2.749996}, {0.5, 1, 1}, {0, 4, 0},
	} {
		for range 2 { // the second result is from the cache
			if got := Student(c.level, c.freedom); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("level %v, %v degrees of freedom: %v, want %v", c.level, c.freedom, got, c.want)
			}
		}
	}
	if got, want := Student(0.95, 1e9), distuv.UnitNormal.Quantile(0.975); math.Abs(got-want) > 1e-6 {
		t.Errorf("many degrees of freedom: %v, want %v", got, want)
	}
}
