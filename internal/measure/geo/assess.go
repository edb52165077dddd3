package geo

import (
	"math"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Assessment is the report of a finished geo experiment. It contains lift and incremental outcome with intervals, and
// observed and expected outcome in blocks of periods.
type Assessment struct {
	*Result
	LiftEstimate        *measure.Estimate // Lift; nil without an interval of the effect, or without a lift
	IncrementalEstimate *measure.Estimate // Incremental; nil without an interval of the effect
	Blocks              []Block           // blocks of the whole history and the test, in time order
}

// Block contains the sums of consecutive periods over the treated regions.
type Block struct {
	First    Period
	Periods  int
	During   bool    // the block is part of the test
	Observed float64 // outcome
	Expected float64 // counterfactual outcome, from the donors
	Low      float64 // Low to High contains 90% of the blocks before the test
	High     float64
}

// blockCover is the fraction of the blocks before the test that are within [Block]'s band.
const blockCover = 0.9

// Assess estimates the effect of a geo experiment as [Fit] does. It aggregates the history and the test into blocks of
// the given number of periods, counted from the start of the test in both directions. It drops incomplete blocks at the
// ends. The limits Low and High come from the errors of blocks before the test. The donors' weights are fitted to the
// same periods, so errors during the test are slightly larger.
func Assess(p *Panel, t Test, block int, o Options) (*Assessment, error) {
	if block < 1 {
		return nil, fault.Invalid("blocks of %d periods", block)
	}
	r, err := Fit(p, t, o)
	if err != nil {
		return nil, err
	}
	a := &Assessment{Result: r}
	if r.Interval != nil {
		total := float64(len(r.Treated) * r.Periods)
		a.IncrementalEstimate = estimated(r.Incremental, r.Interval.Times(total))
		if r.LiftKnown && r.ATT != 0 {
			a.LiftEstimate = estimated(r.Lift, r.Interval.Times(r.Lift/r.ATT))
		}
	}
	treated, _, err := p.check(t)
	if err != nil {
		return nil, err
	}
	var errors []float64
	for first := t.Start % block; first+block <= t.End+1; first += block {
		b := Block{First: p.Periods[first], Periods: block, During: first >= t.Start}
		for s := first; s < first+block; s++ {
			for _, region := range treated {
				b.Observed += p.Values[region][s]
			}
			b.Expected -= r.Gap[s] * float64(len(treated))
		}
		b.Expected += b.Observed
		if !b.During {
			errors = append(errors, math.Abs(b.Observed-b.Expected))
		}
		a.Blocks = append(a.Blocks, b)
	}
	if len(errors) > 0 {
		slices.Sort(errors)
		reach := errors[min(len(errors)-1, int(math.Ceil(blockCover*float64(len(errors)+1)))-1)]
		for i := range a.Blocks {
			a.Blocks[i].Low, a.Blocks[i].High = a.Blocks[i].Expected-reach, a.Blocks[i].Expected+reach
		}
	}
	return a, nil
}

func estimated(value float64, i *measure.Interval) *measure.Estimate {
	return &measure.Estimate{Value: value, Interval: *i, Method: measure.GeoExperiment, Basis: measure.Incremental}
}

// Effects returns the placebo effects in increasing order and the effect on the treated regions. All are shares of the
// set's outcome before the test.
func (r *Randomization) Effects() (sets []float64, own float64) {
	sets = make([]float64, len(r.sets))
	for i, set := range r.sets {
		sets[i] = set.effect
	}
	slices.Sort(sets)
	return sets, r.own.effect
}

// SpendChange returns the change of spend in the treated regions during the test. The baseline is their spend in the
// same number of periods before the test, times the growth of the other regions. The change is exact, because
// advertisers set the spend. The result known is false if spend changed by at most 5% of the larger of the baseline and
// the spend during the test. An iROAS of such a small change is mostly noise.
func SpendChange(p *Panel, t Test) (change float64, known bool) {
	length := t.End - t.Start + 1
	from := max(0, t.Start-length)
	var before, during, othersBefore, othersDuring float64
	for r, name := range p.Regions {
		was, is := stats.Sum(p.Values[r][from:t.Start])*float64(length)/float64(max(1, t.Start-from)),
			stats.Sum(p.Values[r][t.Start:t.End+1])
		if slices.Contains(t.Treated, name) {
			before, during = before+was, during+is
		} else {
			othersBefore, othersDuring = othersBefore+was, othersDuring+is
		}
	}
	growth := 1.0
	if othersBefore > 0 {
		growth = othersDuring / othersBefore
	}
	change = during - before*growth
	return change, math.Abs(change) > max(before*growth, during)/20
}
