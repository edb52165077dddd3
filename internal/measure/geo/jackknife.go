package geo

import (
	"math"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Jackknife returns the jackknife+ interval of the mean effect of a test, per region and period (Barber, Candès,
// Ramdas and Tibshirani 2021, "Predictive inference with the jackknife+", equation 6), for the methods that weigh
// donors and have no time weights. Blocks as long as the test are left out before it in turn; what the donors get wrong
// about the mean of a block stands for what they get wrong about the mean of the test. Whole blocks keep the dependence
// between neighbouring periods, which single periods would average away. It is nil when there is room for fewer blocks
// than the level needs.
func Jackknife(p *Panel, t Test, m Method, alpha float64) (*Interval, error) {
	o, err := Options{Method: m, Alpha: alpha}.withDefaults()
	if err != nil {
		return nil, err
	}
	treated, donors, err := p.check(t)
	if err != nil {
		return nil, err
	}
	switch o.Method {
	case TBR, SynthDiD, Ensemble:
		return nil, fault.Invalid("the jackknife+ is not defined here for the method %q", o.Method)
	default:
	}
	length := t.End - t.Start + 1
	last := t.Start - length // where the last block starts
	if last < length {
		return nil, nil
	}
	lambda := newEstimator(p, o.Method, before(t.Start, t.End), treated, donors).lambda
	step := (last + blocks - 1) / blocks
	count := last/step + 1
	low, high := make([]float64, count), make([]float64, count)
	each(count, newBench, func(b *bench, i int) {
		s := span{start: t.Start, end: t.End, fit: t.Start, skip: i * step, till: i*step + length}
		e := &estimator{frame: newFrame(p, o.Method.form(), s), method: o.Method, lambda: lambda}
		effect, missed := e.leftOut(b, e.target(treated), donors)
		low[i], high[i] = effect-math.Abs(missed), effect+math.Abs(missed)
	})
	return envelope(low, high, o.Alpha), nil
}

// blocks is about how many blocks are left out in turn.
const blocks = 40

// leftOut returns the effect and the mean gap over the block that was left out of the match, in outcome units.
func (e *estimator) leftOut(b *bench, t target, donors []int) (effect, missed float64) {
	effect = e.effect(b, t, donors)
	missed = stats.Mean(e.series(t)[e.skip:e.till])
	for i, r := range donors {
		if b.w[i] != 0 {
			missed -= b.w[i] * stats.Mean(e.z[r][e.skip:e.till])
		}
	}
	return effect * t.unit, missed * t.unit
}

// envelope returns the range from the ⌊α(n+1)⌋ smallest low to the ⌈(1-α)(n+1)⌉ smallest high.
func envelope(low, high []float64, alpha float64) *Interval {
	n := float64(len(low))
	first := int(math.Floor(alpha*(n+1) + 1e-9))
	if first < 1 {
		return nil
	}
	slices.Sort(low)
	slices.Sort(high)
	return &Interval{Low: low[first-1], High: high[len(high)-first], Level: 1 - alpha}
}
