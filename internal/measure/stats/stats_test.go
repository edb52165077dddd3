package stats_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/measure/stats"
)

func TestSummaryInterpolatesBetweenOrderStatistics(t *testing.T) {
	t.Parallel()
	// The expected values are from R 4: quantile(c(4,1,3,2), c(.05,.25,.5,.75,.95)) and sd().
	want := stats.Summary{Mean: 2.5, SD: math.Sqrt(5.0 / 3), Q05: 1.15, Q25: 1.75, Q50: 2.5, Q75: 3.25, Q95: 3.85}
	got := stats.Summarize([]float64{4, 1, 3, 2})
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-14)); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestStreamsRepeatAndDiffer(t *testing.T) {
	t.Parallel()
	first := func(seed, index uint64) []uint64 {
		r := stats.Stream(seed, index)
		return []uint64{r.Uint64(), r.Uint64(), r.Uint64()}
	}
	if !slices.Equal(first(7, 3), first(7, 3)) {
		t.Error("the same seed and index gave different numbers")
	}
	for _, other := range [][2]uint64{{7, 4}, {8, 3}, {3, 7}} {
		if slices.Equal(first(7, 3), first(other[0], other[1])) {
			t.Errorf("stream %v repeats stream [7 3]", other)
		}
	}
}
