// Package mmm implements Bayesian media mix modeling. It estimates the incremental sales of each channel from daily or
// weekly spend and sales, optionally with lift tests.
//
// The target is divided by its maximum, and each exposure by its channel's unit; see [Saturation]. The model of period
// t is
//
//	y_t   ~ likelihood(mu_t, sigma)
//	mu_t  = intercept + trend_t + seasonality_t + controls_t + sum over channels c of beta_c s_c(a_c,t)
//	a_c,t = sum over lags l of w_l x_c,t-l          adstock: weights w sum to one
//	s_c   = saturation: diminishing returns, 0 at 0
//
// For a channel with reach and frequency, saturation applies to frequency. With [Spec.TimeVarying], effects vary slowly
// over time.
//
// The model assumes that spend is independent of unobserved demand and that channels do not interact. A violation of
// these assumptions is visible in an experiment, but not in observational data. The first assumption is not necessary
// for a channel with a lift test, because the channel has a confounding term (except in [Spec.Unconfounded]). See Jin,
// Wang, Sun, Chan, Koehler: Bayesian Methods for Media Mix Modeling with Carryover and Shape Effects (Google 2017). For
// priors, see Zhang, Wurm, Wakim, Li, Liu: Media Mix Model Calibration With Bayesian Priors (Google 2024).
//
// [Fit] samples the posterior. If the data cannot identify the model or the chains do not converge, the result has
// reasons with remedies and no numbers.
package mmm

import (
	"maps"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
)

// Data contains the data of a fit: equally spaced periods in order. Each series has one value per period. With geos,
// series are ordered by geo, then period.
type Data struct {
	Dates    []civil.Date `json:"dates"`          // first day of each period
	Geos     []Geo        `json:"geos,omitempty"` // nil for a single series
	Target   []float64    `json:"target"`         // sales or another outcome, in its own unit
	Media    []Media      `json:"media"`
	Controls []Control    `json:"controls,omitempty"`
}

// rows returns the length of each series.
func (d Data) rows() int { return len(d.Dates) * max(len(d.Geos), 1) }

// Media contains one channel's exposure.
type Media struct {
	Channel  measure.Channel `json:"channel"`
	Exposure []float64       `json:"exposure"` // spend, impressions or clicks, not negative; reach if Frequency is set
	// Frequency is the mean number of contacts per person reached in each period. Frequency is nil if the exposure is
	// not reach. With Frequency, saturation applies to frequency, and reach is linear:
	//
	//	s_t = sum over lags l of w_l reach_t-l s(frequency_t-l)
	Frequency []float64 `json:"frequency,omitempty"`
	// Spend is the cost of the exposure, in the target's currency. Nil means that the exposure is the spend.
	Spend []float64 `json:"spend,omitempty"`
}

// cost returns the spend of each period.
func (m Media) cost() []float64 {
	if m.Spend != nil {
		return m.Spend
	}
	return m.Exposure
}

// Control is a non-media variable that explains the target, such as a price, a promotion or an event.
type Control struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
	// Group is the name of a group of controls with a hierarchical prior on a common scale, such as holidays; see
	// [pooledControls]. It is empty for a control with an independent prior. With geos, the group's coefficients are
	// common to all geos.
	Group string `json:"batch,omitempty"`
}

// EventControl returns a control for an event: the share of each period's days in the event.
func EventControl(name string, dates []civil.Date, events ...civil.Range) Control {
	c := Control{Name: name, Values: make([]float64, len(dates))}
	days := PeriodDays(dates)
	for i, first := range dates {
		period := civil.Range{First: first, Last: first.AddDays(days - 1)}
		for _, event := range events {
			c.Values[i] += float64(period.Intersect(event).Days()) / float64(days)
		}
	}
	return c
}

// PeriodDays returns the length of each period in days, or 1 if there is only one period.
func PeriodDays(dates []civil.Date) int {
	if len(dates) < 2 {
		return 1
	}
	return dates[1].Sub(dates[0])
}

// Spec is the model's specification. The zero value means all defaults.
type Spec struct {
	Adstock    Adstock    `json:"adstock"`    // default geometric over 8 periods
	Saturation Saturation `json:"saturation"` // default logistic
	Effect     Effect     `json:"effect"`     // scale of the channels' priors; default coefficient
	Trend      Trend      `json:"trend"`      // default linear
	Yearly     int        `json:"yearly"`     // number of pairs of sine and cosine terms of the year; 0: none
	Weekly     int        `json:"weekly"`     // number of such pairs of the week, for daily data; at most 3
	Likelihood Likelihood `json:"likelihood"` // default normal
	// TimeVarying is the length scale in periods over which every channel's effect varies; 0 for constant effects. See
	// [timeVarying].
	TimeVarying int `json:"varying,omitempty"`
	// PoolEffects adds a hierarchical prior (partial pooling) of the effects of channels without their own prior; see
	// [pooledEffects]. The effects must have a log-normal prior.
	PoolEffects bool `json:"alike,omitempty"`
	// Priors override defaults by parameter name: "x1.alpha" for one channel, "alpha" for all channels. Names of the
	// other adstock and saturation parameters, "beta", "roi" and "share" have the same form. Names of the baseline are
	// "intercept", "trend", "knot", "yearly" and "weekly". The name "control" applies to all controls without a group.
	// A group's name applies to the controls in the group, and a control's own name to this control. Names of the
	// likelihood are "sigma" and "nu". A control with its own prior is not part of its group.
	Priors map[string]Prior `json:"priors,omitempty"`
	// Lifts are results of experiments; they are part of the likelihood.
	Lifts []Lift `json:"lifts,omitempty"`
	// Unconfounded lists channels with lift tests but without a confounding term. Their spend is assumed to be
	// independent of unobserved demand.
	Unconfounded []measure.Channel `json:"believed,omitempty"`
	// Holdout is the number of most recent periods that are excluded from the fit and used to evaluate it.
	Holdout int `json:"holdout"`
}

func (s Spec) withDefaults() Spec {
	if s.Adstock.Kind == "" {
		s.Adstock.Kind = Geometric
	}
	if s.Adstock.Lags == 0 {
		s.Adstock.Lags = 8
	}
	if s.Saturation == "" {
		s.Saturation = Logistic
	}
	if s.Effect == "" {
		s.Effect = Coefficient
	}
	if s.Trend.Kind == "" {
		s.Trend.Kind = LinearTrend
	}
	if s.Likelihood == "" {
		s.Likelihood = Normal
	}
	return s
}

// Effect is the scale on which a channel's effect and its prior are defined.
type Effect string

// The scales of an effect.
const (
	Coefficient Effect = "coefficient" // beta, as a fraction of the largest target; parameter "beta"
	ROI         Effect = "roi"         // incremental outcome / spend in the fitted periods; parameter "roi"
	Share       Effect = "share"       // incremental outcome / sum of the target in the fitted periods; parameter "share"
)

func (e Effect) known() bool { return e == Coefficient || e == ROI || e == Share }

func (e Effect) parameter() string {
	if e == Coefficient {
		return "beta"
	}
	return string(e)
}

// Lift is the result of an experiment. The channel's exposure changes from X to X + DeltaX per period, until adstock
// has settled. The target then changes by DeltaY per period, with standard error Sigma. X and DeltaX are in the media's
// unit, and DeltaY is in the target's unit.
type Lift struct {
	Channel measure.Channel `json:"channel"`
	X       float64         `json:"x"`
	DeltaX  float64         `json:"delta_x"`
	DeltaY  float64         `json:"delta_y"`
	Sigma   float64         `json:"sigma"`
	Geo     string          `json:"geo,omitempty"` // geo of the test; empty: all geos
}

// Validate rejects malformed data and settings. Valid data with too little information result in a [Reason] instead.
func (d Data) Validate(s Spec) error {
	s = s.withDefaults()
	n := d.rows()
	if n == 0 || len(d.Media) == 0 {
		return fault.Invalid("a media mix model needs periods and at least one channel")
	}
	if err := d.validateGeos(s); err != nil {
		return err
	}
	for i := 2; i < len(d.Dates); i++ {
		if step := PeriodDays(d.Dates); d.Dates[i].Sub(d.Dates[i-1]) != step || step <= 0 {
			return fault.Invalid("the periods are not equally spaced: %s follows %s", d.Dates[i], d.Dates[i-1])
		}
	}
	if err := column("target", d.Target, n, math.Inf(-1)); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, m := range d.Media {
		if err := distinct(seen, string(m.Channel)); err != nil {
			return err
		}
		if err := column(string(m.Channel), m.Exposure, n, 0); err != nil {
			return err
		}
		if err := column("spend of "+string(m.Channel), m.cost(), n, 0); err != nil {
			return err
		}
		if m.Frequency == nil {
			continue
		}
		if err := column("frequency of "+string(m.Channel), m.Frequency, n, 0); err != nil {
			return err
		}
		if s.Likelihood == LogNormal {
			return fault.Invalid("%s has reach and frequency, which need an additive model, not the log-normal likelihood",
				m.Channel)
		}
	}
	for _, c := range d.Controls {
		if err := distinct(seen, c.Name); err != nil {
			return err
		}
		if err := column(c.Name, c.Values, n, math.Inf(-1)); err != nil {
			return err
		}
		if slices.Contains([]string{controls, "knot", "yearly", "weekly"}, c.Group) {
			return fault.Invalid("%s is in group %q, which is the name of other terms of the model", c.Name, c.Group)
		}
	}
	return s.validate(d)
}

// known rejects values outside the enumerations.
func (s Spec) known() error {
	switch {
	case !s.Adstock.known() || s.Adstock.Lags < 1:
		return fault.Invalid("unknown adstock %q over %d periods", s.Adstock.Kind, s.Adstock.Lags)
	case !s.Saturation.known():
		return fault.Invalid("unknown saturation %q", s.Saturation)
	case !s.Effect.known():
		return fault.Invalid("unknown effect %q (want coefficient, roi or share)", s.Effect)
	case !s.Trend.known():
		return fault.Invalid("unknown trend %q every %d periods", s.Trend.Kind, s.Trend.Every)
	case !s.Likelihood.known():
		return fault.Invalid("unknown likelihood %q", s.Likelihood)
	}
	return nil
}

// validate rejects settings that contradict each other or the data.
func (s Spec) validate(d Data) error {
	if s.Holdout < 0 || s.Holdout >= len(d.Dates) {
		return fault.Invalid("a holdout of %d leaves none of %d periods to fit", s.Holdout, len(d.Dates))
	}
	if s.Yearly < 0 || s.Weekly < 0 || s.Weekly > 3 {
		return fault.Invalid("%d yearly and %d weekly pairs: want 0 or more yearly and 0 to 3 weekly", s.Yearly, s.Weekly)
	}
	if s.TimeVarying < 0 || s.TimeVarying > len(d.Dates) || s.TimeVarying > 0 &&
		float64(s.TimeVarying) < minLength*float64(len(d.Dates)) {
		return fault.Invalid(
			"time-varying effects with a length of %d periods cannot be fitted to %d: want at least a sixteenth of the "+
				"periods and at most all, or 0", s.TimeVarying, len(d.Dates))
	}
	if s.Likelihood == LogNormal && slices.Min(d.Target) <= 0 {
		return fault.Invalid("the log-normal likelihood needs a positive target in every period")
	}
	if s.Likelihood == LogNormal && s.Effect != Coefficient {
		return fault.Invalid("the log-normal likelihood has no fixed %s: use the effect \"coefficient\"", s.Effect)
	}
	for i, l := range s.Lifts {
		at := slices.IndexFunc(d.Media, func(m Media) bool { return m.Channel == l.Channel })
		switch {
		case at < 0:
			return fault.Invalid("lift test %d names channel %q, which is not in the data", i+1, l.Channel)
		case l.Geo != "" && !slices.ContainsFunc(d.Geos, func(g Geo) bool { return g.Name == l.Geo }):
			return fault.Invalid("lift test %d of %q names geo %q, which is not in the data", i+1, l.Channel, l.Geo)
		case !(l.Sigma > 0) || l.X < 0 || l.X+l.DeltaX < 0 || l.DeltaX == 0:
			return fault.Invalid("lift test %d of %q: sigma must be positive, exposures not negative, delta_x not zero",
				i+1, l.Channel)
		case d.Media[at].Frequency != nil || s.TimeVarying > 0:
			return fault.Invalid(
				"lift test %d of %q needs a constant response curve, which a channel with reach and frequency or a time-varying "+
					"effect does not have", i+1, l.Channel).
				WithHint("give the test as a prior of the ROI: --effect roi and a prior of the channel's roi")
		case s.Likelihood == LogNormal:
			return fault.Invalid("lift tests need an additive model, not the log-normal likelihood")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Priors)) {
		if err := s.Priors[name].validate(); err != nil {
			return err
		}
	}
	return nil
}

func distinct(seen map[string]bool, name string) error {
	if name == "" || seen[name] {
		return fault.Invalid("channels and controls need different names; %q is empty or used twice", name)
	}
	seen[name] = true
	return nil
}

// column rejects values that are missing, not finite or below the minimum.
func column(name string, values []float64, n int, least float64) error {
	if len(values) != n {
		return fault.Invalid("%s has %d values for %d periods", name, len(values), n)
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < least {
			return fault.Invalid("%s has the value %v in period %d", name, v, i+1)
		}
	}
	return nil
}
