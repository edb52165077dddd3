// Package halo estimates what spend on a channel brings on sales surfaces that it is not aimed at: revenue of a
// marketplace for each unit spent on social ads, and the like.
//
// It is a Bayesian distributed-lag regression of a surface's daily revenue, after the vendors' practice of regressing
// marketplace revenue on media within a mix model, with the safeguards that correlation needs: shrinkage toward no
// effect, averaging over what is not known of the lags, a test that future spend explains nothing, and refusal where
// the data cannot tell.
package halo

import (
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/panics"
)

// Surface is a sales surface's revenue by day, in whole units of the currency.
type Surface struct {
	Name    measure.Surface
	Revenue []float64 // one for each day
}

// Channel is a channel's spend by day, in whole units of the currency.
type Channel struct {
	Name  measure.Channel
	Spend []float64 // one for each day
	Home  measure.Surface
}

// Data are consecutive days of a store, from First on.
type Data struct {
	First    civil.Date
	Surfaces []Surface
	Channels []Channel
	// Experiments are known before the days are looked at.
	Experiments []Experiment
}

// Experiment is what an experiment found: revenue on a surface for each unit of a channel's spend, with its standard
// error.
type Experiment struct {
	Channel     measure.Channel
	Surface     measure.Surface
	Coefficient float64
	Error       float64
}

// Options are how the estimates are made. The zero value works.
type Options struct {
	Seed  uint64
	Draws int     // kept draws for each surface; 800 when 0
	Level float64 // of the intervals; 0.9 when 0
}

// Reason says why an effect cannot be estimated.
type Reason string

// The reasons.
const (
	FewDays      Reason = "surface_days_too_few"      // less than 180 days with sales on the surface
	FewSpendDays Reason = "spend_days_too_few"        // less than 60 days with spend
	Constant     Reason = "spend_does_not_vary"       // what varies of the spend is trend, season and weekday
	Collinear    Reason = "moves_with_other_channels" // the other channels' spend says nearly all of this one's
	LeadsSales   Reason = "lead_placebo_fails"        // future spend goes with present sales: spend follows demand
)

// Effect is what a channel's spend brings on a surface.
type Effect struct {
	Channel measure.Channel
	Surface measure.Surface
	Home    bool   // the channel is aimed at the surface, so that this is no halo
	Reason  Reason // "" where the effect was estimated

	Coefficient   float64 // revenue for each unit of spend, over all days
	SD            float64 // of the posterior
	Low, High     float64 // interval of the level asked for
	Low95, High95 float64
	Positive      float64 // probability that the effect is above zero
	MeanLag       float64 // days from spend to revenue, on average
	Inflation     float64 // variance inflation: how much less is known because channels move together
	LeadZ         float64 // standardised effect of future spend; far above zero is a warning
	Experiments   int     // that are part of it
	Alone         bool    // the experiments are all of it, because the days cannot tell
}

// Found reports whether the effect is above zero with the 95 % interval.
func (e Effect) Found() bool { return e.Reason == "" && e.Low95 > 0 }

// What the data must have.
const (
	LeastDays      = 180
	LeastSpendDays = 60
	leastVariation = 0.03 // of the spend's size, after trend, season and weekday are taken out
	mostInflation  = 10
	mostLeadZ      = 2.58 // one-sided 0.5 %
)

// Estimate returns the effects of every channel on every surface, in the order of the data. Days of different length,
// and values that are not finite, are refused, naming the series.
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
