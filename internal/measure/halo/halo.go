// Package halo estimates halo effects: the revenue that spend on a channel generates on sales surfaces other than its
// target. An example is marketplace revenue per unit of social ad spend.
//
// The method is a Bayesian distributed-lag regression of a surface's daily revenue on spend. It uses shrinkage toward
// zero, model averaging over lags, and a placebo test with future spend to prevent spurious effects. An effect that the
// data cannot identify has a reason instead of an estimate.
package halo

import (
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/panics"
)

// Surface is a sales surface's daily revenue, in whole currency units.
type Surface struct {
	Name    measure.Surface
	Revenue []float64 // one per day
}

// Channel is a channel's daily spend, in whole currency units.
type Channel struct {
	Name  measure.Channel
	Spend []float64 // one per day
	Home  measure.Surface
}

// Data contains consecutive days of a store, starting at First.
type Data struct {
	First    civil.Date
	Surfaces []Surface
	Channels []Channel
	// Experiments inform the priors.
	Experiments []Experiment
}

// Experiment is the result of an experiment: incremental revenue on a surface per unit of a channel's spend, with its
// standard error.
type Experiment struct {
	Channel     measure.Channel
	Surface     measure.Surface
	Coefficient float64
	Error       float64
}

// Options contains the settings of the estimation. The zero value means the defaults.
type Options struct {
	Seed  uint64
	Draws int     // stored draws per surface; 0: 800
	Level float64 // level of the intervals; 0: 0.9
}

// Reason is the reason why an effect is not estimated.
type Reason string

// The reasons.
const (
	FewDays      Reason = "surface_days_too_few"      // fewer than 180 days with sales on the surface
	FewSpendDays Reason = "spend_days_too_few"        // fewer than 60 days with spend
	Constant     Reason = "spend_does_not_vary"       // spend varies only by trend, season and weekday
	Collinear    Reason = "moves_with_other_channels" // collinear with the other channels' spend
	LeadsSales   Reason = "lead_placebo_fails"        // future spend correlates with current sales: spend follows demand
)

// Effect is the effect of a channel's spend on a surface.
type Effect struct {
	Channel measure.Channel
	Surface measure.Surface
	Home    bool   // the channel targets the surface: not a halo effect
	Reason  Reason // "" if the effect is estimated

	Coefficient measure.Estimate // revenue per unit of spend, over all days, with its interval at the requested level
	SD          float64          // standard deviation of the posterior
	Wide        measure.Interval // interval of the coefficient at a level of 95%
	Positive    float64          // probability that the effect is above zero
	MeanLag     float64          // mean number of days from spend to revenue
	Inflation   float64          // variance inflation factor from collinear channels
	LeadZ       float64          // standardized effect of future spend; a value far above zero is a warning
	Experiments int              // number of experiments in the estimate
	Alone       bool             // the estimate uses only experiments, because observational data do not identify the effect
}

// Found reports whether the 95% interval is above zero.
func (e Effect) Found() bool { return e.Reason == "" && e.Wide.Low > 0 }

// Minimum requirements.
const (
	LeastDays      = 180
	LeastSpendDays = 60
	leastVariation = 0.03 // minimum size of the spend after removing trend, season and weekday, relative to its mean
	mostInflation  = 10
	mostLeadZ      = 2.58 // critical value of a one-sided test of size 0.5%
)

// Estimate returns the effects of every channel on every surface, in the data's order. It rejects series of different
// lengths and values that are not finite. The error names the series.
func Estimate(d Data, o Options) ([]Effect, error) {
	if o.Draws == 0 {
		o.Draws = 800
	}
	if o.Level == 0 {
		o.Level = 0.9
	}
	if !(o.Level > 0 && o.Level < 1) || o.Draws < 100 {
		return nil, fault.Invalid("level %v and %d draws: want a fraction and at least 100 draws", o.Level, o.Draws)
	}
	days, err := d.check()
	if err != nil {
		return nil, err
	}
	media := d.media(controls(d.First, days))
	effects := make([][]Effect, len(d.Surfaces))
	var work panics.Group
	for i, s := range d.Surfaces {
		work.Go(func() { effects[i] = d.surface(s, media, o, uint64(i)) })
	}
	work.Wait()
	return slices.Concat(effects...), nil
}

// check returns the number of days, which must be the same for all series.
func (d Data) check() (days int, err error) {
	days = -1
	one := func(kind, name string, values []float64) error {
		if days >= 0 && len(values) != days {
			return fault.Invalid("%s %q has %d days and others have %d", kind, name, len(values), days)
		}
		days = len(values)
		for i, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.Invalid("%s %q: day %d is %v", kind, name, i, v)
			}
		}
		return nil
	}
	for _, s := range d.Surfaces {
		if err := one("surface", string(s.Name), s.Revenue); err != nil {
			return 0, err
		}
	}
	for _, c := range d.Channels {
		if err := one("channel", string(c.Name), c.Spend); err != nil {
			return 0, err
		}
	}
	return max(0, days), nil
}
