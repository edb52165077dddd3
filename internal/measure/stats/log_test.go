package stats

import (
	"math"
	"testing"
)

func TestLogMatchesTheLibraryToTheLastBits(t *testing.T) {
	t.Parallel()
	x := []float64{
		0, 1, 2, 0.5, math.E, math.Nextafter(1, 0), math.Nextafter(1, 2), math.MaxFloat64,
		math.SmallestNonzeroFloat64, 0x1p-1022, math.Inf(1), -1, math.NaN(),
	}
	random := Stream(4, 0)
	for range 20000 {
		x = append(x, math.Exp(40*(random.Float64()-0.5)), 1+1e-3*(random.Float64()-0.5))
	}
	got := make([]float64, len(x))
	Log(got, x)
	for i, v := range x {
		want := math.Log(v)
		same := got[i] == want || math.IsNaN(got[i]) && math.IsNaN(want)
		if !same && !(math.Abs(got[i]-want) <= 3e-16*math.Max(1, math.Abs(want))) {
			t.Errorf("log(%v) = %v, want %v", v, got[i], want)
		}
	}
	Log(x, x)
	if x[4] != got[4] {
		t.Errorf("in place: %v, want %v", x[4], got[4])
	}
}

func BenchmarkLog(b *testing.B) {
	x, out := make([]float64, 208), make([]float64, 208)
	random := Stream(5, 0)
	for i := range x {
		x[i] = random.Float64()
	}
	b.Run("here", func(b *testing.B) {
		for b.Loop() {
			Log(out, x)
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			for i, v := range x {
				out[i] = math.Log(v)
			}
		}
	})
}
