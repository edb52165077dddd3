package stats_test

import (
	"math"
	"testing"

	"assay/internal/measure/stats"
)

func TestExpMatchesTheLibraryToTheLastBits(t *testing.T) {
	t.Parallel()
	random := stats.Stream(1, 1)
	x := []float64{
		0, math.Copysign(0, -1), 1, -1, 699.9, -699.9, 700, -700, 709, -745, 800, -800, math.Inf(1),
		math.Inf(-1), 1e-300, -1e-17,
	}
	for range 200_000 {
		x = append(x, random.NormFloat64()*math.Exp2(float64(random.IntN(18)-9)))
	}
	got := make([]float64, len(x))
	stats.Exp(got, x)
	worst := 0.0
	for i, v := range x {
		want := math.Exp(v)
		if got[i] == want {
			continue
		}
		off := math.Abs(got[i]/want - 1)
		worst = math.Max(worst, off)
		if !(off <= 4.5e-16) { // the error of package math itself is below 2.3e-16
			t.Fatalf("exp(%v) = %v, want %v", v, got[i], want)
		}
	}
	t.Logf("largest relative difference %.2g", worst)
	none := []float64{math.NaN()}
	stats.Exp(none, none)
	if !math.IsNaN(none[0]) {
		t.Errorf("exp(NaN) = %v", none[0])
	}
}

func BenchmarkExp(b *testing.B) {
	x, out := make([]float64, 208), make([]float64, 208)
	for i := range x {
		x[i] = -float64(i) / 50
	}
	b.Run("slice", func(b *testing.B) {
		for b.Loop() {
			stats.Exp(out, x)
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			for i, v := range x {
				out[i] = math.Exp(v)
			}
		}
	})
}
