// Package geo plans and analyzes geo experiments: advertising changes in some regions, and the other regions provide
// the counterfactual.
//
// A [Panel] contains the outcome of each region in each period. [Fit] estimates the effect of a test. Its methods are
// synthetic control, augmented synthetic control, synthetic difference in differences, difference in differences and
// time-based regression. Inference is by a randomization test in space and a conformal test in time. Intervals are the
// effects that these tests do not reject. [Search] finds the regions of a test and the minimum detectable effect.
// [Check] checks whether a test is feasible. [Select] is GeoLift's market selection, for comparison. [Interrupted] is
// for a single market without donors.
//
// All outcomes and effects have one unit, such as revenue in one currency. All results are deterministic for a seed, on
// any number of cores.
package geo

import (
	"runtime"
	"sync/atomic"

	"assay/internal/panics"
)

// Region is the name of a geographic unit: a state, a market area, a city.
type Region string

// Method is an estimator of the counterfactual.
type Method string

// The methods.
const (
	Scaled    Method = "default"     // synthetic control on series divided by their mean before the test and demeaned
	Synthetic Method = "sc"          // synthetic control on levels
	Demeaned  Method = "sc_demeaned" // synthetic control on demeaned series
	Augmented Method = "asc"         // sc_demeaned with a ridge correction
	SynthDiD  Method = "sdid"        // synthetic difference in differences
	DiD       Method = "did"         // difference in differences
	ScaledDiD Method = "did_scaled"  // difference in differences of the regions' totals, as shares
	TBR       Method = "tbr"         // time-based regression
	Ensemble  Method = "ensemble"    // weighted mean of the default, asc, sdid and did
	Combined  Method = "combined"    // weighted mean of the default and did_scaled
)

// Inference is the method of the p-value and the interval.
type Inference string

// TBR always uses its own inference, [StudentT].
const (
	Placebo   Inference = "placebo"   // randomization in space: the same estimate for sets of untreated regions
	Conformal Inference = "conformal" // cyclic shifts, in time, of residuals under the hypothesis
	// ConformalIID permutes periods, as in GeoLift. It rejects too often if days are autocorrelated.
	ConformalIID Inference = "conformal-iid"
	StudentT     Inference = "t"
)

// each runs work for 0 ≤ i < n on all cores. Each worker has its own scratch space. If the function work stores results
// by i, the results do not depend on the number of cores.
func each[S any](n int, scratch func() S, work func(s S, i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		s := scratch()
		for i := range n {
			work(s, i)
		}
		return
	}
	var next atomic.Int64
	var group panics.Group
	for range workers {
		group.Go(func() {
			s := scratch()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(s, i)
			}
		})
	}
	group.Wait()
}
