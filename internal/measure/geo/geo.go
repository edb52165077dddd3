// Package geo measures geo experiments and plans them: some regions see a change of advertising, the others show what
// would have happened without it.
//
// A [Panel] holds the outcome of each region in each period. [Fit] estimates the effect of a test on it by synthetic
// control, its augmented form, synthetic difference in differences, difference in differences or time-based
// regression, with a randomisation test in space, a conformal test in time and intervals that invert them. [Search]
// looks for the regions of a test and says which lift it would find, [Check] judges whether a test is worth running,
// [Select] is GeoLift's market selection, to be compared with. [Interrupted] is for a single market without donors.
//
// Outcomes are in one unit throughout, such as revenue in whole units of one currency; effects are in the same unit.
// Everything is deterministic to the byte for a seed, on any number of cores.
package geo

import (
	"runtime"
	"sync/atomic"

	"assay/internal/panics"
)

// Region names a geographic unit: a state, a market area, a city.
type Region string

// Method is a way of estimating what would have happened without the treatment.
type Method string

// The methods.
const (
	Scaled    Method = "default"     // synthetic control on series divided by their mean before the test and demeaned
	Synthetic Method = "sc"          // synthetic control on levels
	Demeaned  Method = "sc_demeaned" // synthetic control on demeaned series
	Augmented Method = "asc"         // the same with a ridge correction
	SynthDiD  Method = "sdid"        // synthetic difference in differences
	DiD       Method = "did"         // difference in differences
	TBR       Method = "tbr"         // time-based regression
	Ensemble  Method = "ensemble"    // the default, asc, sdid and did together
)

// Inference is a way of saying how far chance alone could have carried an estimate.
type Inference string

// The inferences. TBR has its own, [StudentT], whatever is asked for.
const (
	Placebo      Inference = "placebo"       // randomisation in space: the same estimate for sets of regions without treatment
	Conformal    Inference = "conformal"     // cyclic shifts in time of residuals under the hypothesis
	ConformalIID Inference = "conformal-iid" // permutations in time, as GeoLift does; too bold when days depend on each other
	StudentT     Inference = "t"
)

// each runs work for 0 ≤ i < n on all cores. Each worker has scratch space of its own, and results go to where i says,
// so the outcome does not depend on the number of cores.
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
