// Package mmm is media mix modelling: how much of a store's sales each channel brought, inferred from weeks or days
// of spend and sales alone.
//
// The model of period t, with the target divided by its maximum and each exposure by its own:
//
//	y_t   ~ likelihood(mu_t, sigma)
//	mu_t  = intercept + trend_t + seasons_t + controls_t + sum over channels c of beta_c s_c(a_c,t)
//	a_c,t = sum over lags l of w_l x_c,t-l          carry-over: weights w sum to one
//	s_c   = saturation: diminishing returns, 0 at 0
//
// A channel of reach and frequency saturates in its frequency; effects may change slowly when the spec says so.
//
// The model assumes that spend is not itself a response to the sales it is compared with and that channels do not
// interact. It has no way to see a breach of these from the data alone; an experiment does. References: Jin, Wang, Sun,
// Chan, Koehler: Bayesian Methods for Media Mix Modeling with Carryover and Shape Effects (Google 2017); Zhang, Wurm,
// Wakim, Li, Liu: Media Mix Model Calibration With Bayesian Priors (Google 2024).
//
// [Fit] samples the posterior and refuses to give numbers when the data cannot identify the model or the sampler
// did not converge: the result then holds reasons with remedies and nothing else.
package mmm

import (
	"maps"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
)

// Data is what a model is fitted to: equally long periods in order. Each series has one value for each period; with
// geos, all periods of the first geo, then all of the second, and so on.
type Data struct {
	Dates    []civil.Date `json:"dates"`          // first day of each period
	Geos     []Geo        `json:"geos,omitempty"` // nil when the series are of one place
	Target   []float64    `json:"target"`         // sales, or whatever is explained, in its own unit
	Media    []Media      `json:"media"`
	Controls []Control    `json:"controls,omitempty"`
}

// rows is the length of each series.
func (d Data) rows() int { return len(d.Dates) * max(len(d.Geos), 1) }

// Media is one channel's exposure.
type Media struct {
	Channel  measure.Channel `json:"channel"`
	Exposure []float64       `json:"exposure"` // spend, impressions or clicks; not negative; the reach when there is a frequency
	// Frequency is how often a person reached saw the channel in each period; nil when the exposure is not reach. It is
	// the frequency that saturates then, and reach counts in proportion:
	//
	//	s_t = sum over lags l of w_l reach_t-l s(frequency_t-l)
	Frequency []float64 `json:"frequency,omitempty"`
	// Spend is the money behind the exposure, in the target's currency. Nil means that the exposure is the spend.
	Spend []float64 `json:"spend,omitempty"`
}

// cost returns the spend of each period.
func (m Media) cost() []float64 {
	if m.Spend != nil {
		return m.Spend
	}
	return m.Exposure
}

// Control is something that moves the target and is not media: a price, a promotion, an event.
type Control struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
	// Batch names controls whose coefficients are of one size, which the data tell: holidays, of which each is seen a few times
	// only. See [batch]. Empty for a control with a prior of its own. With geos a batch is common to all.
	Batch string `json:"batch,omitempty"`
}

// EventControl makes a control of an event that comes once or several times: the share of each period's days that it lasts on.
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

// PeriodDays is the length of a period, the last one's too; 1 when there is only one.
func PeriodDays(dates []civil.Date) int {
	if len(dates) < 2 {
		return 1
	}
	return dates[1].Sub(dates[0])
}

// Spec says which model is fitted. The zero value takes every default.
type Spec struct {
	Adstock    Adstock    `json:"adstock"`    // default geometric over 8 periods
	Saturation Saturation `json:"saturation"` // default logistic
	Effect     Effect     `json:"effect"`     // what the channels' priors speak of; default coefficient
	Trend      Trend      `json:"trend"`      // default linear
	Yearly     int        `json:"yearly"`     // pairs of sine and cosine of the year; 0 for none
	Weekly     int        `json:"weekly"`     // the same of the week, for daily data, at most 3
	Likelihood Likelihood `json:"likelihood"` // default normal
	// Varying lets every channel's effect change slowly, in about so many periods; 0 for constant effects.
	Varying int `json:"varying,omitempty"`
	// Alike lets the effects of channels without a prior of their own learn from one another, as far as they turn out to be
	// alike; see [kin]. It needs effects with a log-normal prior.
	Alike bool `json:"alike,omitempty"`
	// Priors replace defaults by a parameter's name: "x1.alpha" for one channel, "alpha" for all channels, and so on
	// with "beta", "roi" or "share" and the parameters of adstock and saturation; "intercept", "trend", "knot",
	// "yearly", "weekly", "control" for all controls without a batch, a batch's name for its controls, a control's own name, "sigma" and
	// "nu". A control with a prior of its own leaves its batch.
	Priors map[string]Prior `json:"priors,omitempty"`
	// Lifts are results of experiments, which the posterior takes into account.
	Lifts []Lift `json:"lifts,omitempty"`
	// Believed are channels with lift tests whose periods are taken at their word. With another channel's budget something that nobody
	// sees may move, which its tests tell from its effect.
	Believed []measure.Channel `json:"believed,omitempty"`
	// Holdout is the number of last periods kept from the fit and used to judge it.
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

// Effect is what a channel's size is measured in, and therefore what its prior speaks of.
type Effect string

// The effects.
const (
	Coefficient Effect = "coefficient" // beta, in maxima of the target; parameter "beta"
	ROI         Effect = "roi"         // contribution by spend over the fitted periods; parameter "roi"
	Share       Effect = "share"       // contribution by the target's sum over the fitted periods; parameter "share"
)

func (e Effect) known() bool { return e == Coefficient || e == ROI || e == Share }

func (e Effect) parameter() string {
	if e == Coefficient {
		return "beta"
	}
	return string(e)
}

// Lift is the result of an experiment: the target changed by DeltaY a period, with standard error Sigma, when the
// channel's exposure moved from X to X + DeltaX a period for long enough that its carry-over had settled. Exposures
// are in the media's unit, the change in the target's.
type Lift struct {
	Channel measure.Channel `json:"channel"`
	X       float64         `json:"x"`
	DeltaX  float64         `json:"delta_x"`
	DeltaY  float64         `json:"delta_y"`
	Sigma   float64         `json:"sigma"`
	Geo     string          `json:"geo,omitempty"` // where the test ran; empty for everywhere
}

// validate refuses data that are no data: what is wrong with them cannot be seen as a reason of the model.
func (d Data) validate(s Spec) error {
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
			return fault.Invalid("%s has reach and frequency, which need an additive model, not the log-normal likelihood", m.Channel)
		}
	}
	for _, c := range d.Controls {
		if err := distinct(seen, c.Name); err != nil {
			return err
		}
		if err := column(c.Name, c.Values, n, math.Inf(-1)); err != nil {
			return err
		}
		if slices.Contains([]string{controls, "knot", "yearly", "weekly"}, c.Batch) {
			return fault.Invalid("%s is in a batch called %q, as other terms of the model are", c.Name, c.Batch)
		}
	}
	return s.validate(d)
}

// known refuses settings that no constant stands for.
func (s Spec) known() error {
	switch {
	case !s.Adstock.known() || s.Adstock.Lags < 1:
		return fault.Invalid("there is no adstock %q over %d periods", s.Adstock.Kind, s.Adstock.Lags)
	case !s.Saturation.known():
		return fault.Invalid("there is no saturation %q", s.Saturation)
	case !s.Effect.known():
		return fault.Invalid("there is no effect %q (want coefficient, roi or share)", s.Effect)
	case !s.Trend.known():
		return fault.Invalid("there is no trend %q every %d periods", s.Trend.Kind, s.Trend.Every)
	case !s.Likelihood.known():
		return fault.Invalid("there is no likelihood %q", s.Likelihood)
	}
	return nil
}

// validate refuses settings that contradict one another or the data.
func (s Spec) validate(d Data) error {
	if s.Holdout < 0 || s.Holdout >= len(d.Dates) {
		return fault.Invalid("a holdout of %d leaves nothing of %d periods to fit", s.Holdout, len(d.Dates))
	}
	if s.Yearly < 0 || s.Weekly < 0 || s.Weekly > 3 {
		return fault.Invalid("%d yearly and %d weekly pairs: want 0 or more yearly and 0 to 3 weekly", s.Yearly, s.Weekly)
	}
	if s.Varying < 0 || s.Varying > len(d.Dates) || s.Varying > 0 && float64(s.Varying) < leastLength*float64(len(d.Dates)) {
		return fault.Invalid("effects that change in %d periods cannot be followed over %d: want at least a sixteenth of them and at most all, or 0", s.Varying, len(d.Dates))
	}
	if s.Likelihood == LogNormal && slices.Min(d.Target) <= 0 {
		return fault.Invalid("the log-normal likelihood needs a target above zero everywhere")
	}
	if s.Likelihood == LogNormal && s.Effect != Coefficient {
		return fault.Invalid("effects on the log scale have no fixed %s; use coefficients with the log-normal likelihood", s.Effect)
	}
	for i, l := range s.Lifts {
		at := slices.IndexFunc(d.Media, func(m Media) bool { return m.Channel == l.Channel })
		switch {
		case at < 0:
			return fault.Invalid("lift test %d names the channel %q, which the data do not have", i+1, l.Channel)
		case l.Geo != "" && !slices.ContainsFunc(d.Geos, func(g Geo) bool { return g.Name == l.Geo }):
			return fault.Invalid("lift test %d of %q names the geo %q, which the data do not have", i+1, l.Channel, l.Geo)
		case !(l.Sigma > 0) || l.X < 0 || l.X+l.DeltaX < 0 || l.DeltaX == 0:
			return fault.Invalid("lift test %d of %q: sigma must be positive, exposures not negative, delta_x not zero", i+1, l.Channel)
		case d.Media[at].Frequency != nil || s.Varying > 0:
			return fault.Invalid("lift test %d of %q speaks of one fixed curve, which a channel with reach and frequency or a varying effect does not have", i+1, l.Channel).
				WithHint("give the test as a prior of the return: --effect roi and a prior of the channel's roi")
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
		return fault.Invalid("channels and controls need different names; %q is empty or taken", name)
	}
	seen[name] = true
	return nil
}

// column refuses values that are missing, not finite or below the least allowed.
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
