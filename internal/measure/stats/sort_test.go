package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"assay/internal/measure/stats"
)

func TestSortMatchesComparisonSort(t *testing.T) {
	t.Parallel()
	random := stats.Stream(31, 0)
	for name, draw := range map[string]func() float64{
		"both signs":  random.NormFloat64,
		"few values":  func() float64 { return float64(random.IntN(7) - 3) },
		"all sizes":   func() float64 { return math.Copysign(math.Exp2(2000*random.Float64()-1000), random.NormFloat64()) },
		"all bits":    func() float64 { return finite(math.Float64frombits(random.Uint64())) },
		"one value":   func() float64 { return -2.5 },
		"infinite":    func() float64 { return math.Inf(random.IntN(2)*2 - 1) },
		"not normal":  func() float64 { return math.SmallestNonzeroFloat64 * float64(random.IntN(2000)-1000) },
		"one in four": func() float64 { return math.Max(0, random.NormFloat64()-0.7) },
	} {
		for _, n := range []int{0, 1, 2, 199, 200, 1000, 4001} {
			values := make([]float64, n)
			for i := range values {
				values[i] = draw()
			}
			want := slices.Sorted(slices.Values(values))
			stats.Sort(values)
			if !slices.Equal(values, want) {
				t.Errorf("%d of %s are not in order", n, name)
			}
		}
	}
}

// finite replaces NaN.
func finite(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

func BenchmarkSort(b *testing.B) {
	random := stats.Stream(32, 0)
	for _, n := range []int{200, 1000, 4000} {
		draws, values := make([]float64, n), make([]float64, n)
		for i := range draws {
			draws[i] = 1000 * random.ExpFloat64()
		}
		b.Run(fmt.Sprintf("%d/digits", n), func(b *testing.B) {
			for b.Loop() {
				copy(values, draws)
				stats.Sort(values)
			}
		})
		b.Run(fmt.Sprintf("%d/comparing", n), func(b *testing.B) {
			for b.Loop() {
				copy(values, draws)
				slices.Sort(values)
			}
		})
	}
}
