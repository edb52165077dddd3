package mix

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// History contains the weekly figures of the model's window in the store's currency: revenue, and expected revenue with
// its parts. Expected revenue and the parts are posterior means. Base and the channels' incremental revenue add up to
// expected revenue.
type History struct {
	Weeks         []civil.Date // first day of each week
	Actual        []float64
	Expected      []float64
	Base          []float64 // expected revenue without the model's channels
	Channels      []measure.Channel
	Contributions [][]float64 // expected incremental revenue of each channel
}

// History returns the weekly revenue in the model's window: actual, expected and by channel. The model must not be
// rejected.
func (m *Model) History() History { return m.curves.history() }

func historyOf(p *mmm.Posterior, target []float64) History {
	h := History{Weeks: p.Dates(), Actual: target, Expected: p.Fitted(), Channels: p.Channels()}
	h.Base = slices.Clone(h.Expected)
	for _, channel := range h.Channels {
		draws := p.Contributions(channel)
		mean := make([]float64, len(h.Weeks))
		for _, row := range draws {
			floats.AddScaled(mean, 1/float64(len(draws)), row)
		}
		floats.Sub(h.Base, mean)
		h.Contributions = append(h.Contributions, mean)
	}
	return h
}

// Curve is a channel's response curve over the window. A point scales the spend of each week by the same factor.
type Curve struct {
	Current float64 // spend in the window
	Seen    float64 // the largest spend within the range of the data
	Points  []mmm.CurvePoint
}

// Curve returns the channel's response at equally spaced spends from zero to beyond the data's range. It is empty for a
// channel without spend.
func (m *Model) Curve(channel measure.Channel, points int) (Curve, error) {
	problem, err := m.curves.usual()
	if err != nil {
		return Curve{}, err
	}
	for _, c := range problem.Channels {
		if c.Name != channel {
			continue
		}
		curve := Curve{Current: c.Current, Seen: c.Seen}
		top := math.Min(1.2*math.Max(c.Seen, c.Current), c.Response.Spend[len(c.Response.Spend)-1])
		for _, spend := range floats.Span(make([]float64, points), 0, top) {
			s := stats.Summarize(c.Response.At(spend))
			curve.Points = append(curve.Points, mmm.CurvePoint{Spend: spend, Mean: s.Mean, Q05: s.Q05, Q95: s.Q95})
		}
		return curve, nil
	}
	return Curve{}, nil
}

// priors contains the priors of every channel. They are explicit so that the model stores them. The prior of the
// curvature applies to the elasticity at mean spend: marginal ROAS / average ROAS. Weekly data identify the slope, and
// a channel's incremental revenue is proportional to slope / elasticity. The prior must therefore give the inverse
// elasticity a finite mean and variance. Beta(a, 1) meets this condition for a > 2. Beta(3, 1) is the widest of these
// distributions with an integer a. The quartiles are 0.63, 0.79 and 0.91. The shape of the curve is also uncertain. The
// prior of the log sharpness is centered between Michaelis-Menten (sharpness 1) and logistic (about 2.5). The prior
// includes power curves and hard ceilings.
var priors = map[string]mmm.Prior{
	"roi":   {Family: mmm.LogNormalPrior, A: 0.2, B: 0.9},
	"alpha": {Family: mmm.BetaPrior, A: 1, B: 3},

	"elasticity": {Family: mmm.BetaPrior, A: 3, B: 1},
	"sharpness":  {Family: mmm.LogNormalPrior, A: 0.45, B: 0.7},
}

// PriorPosterior compares a parameter's prior with its posterior.
type PriorPosterior struct {
	Channel   measure.Channel
	Parameter string // "roi", "alpha", or a curve parameter: "elasticity", "sharpness"; "lam" in older models
	Before    measure.Estimate
	After     measure.Estimate
	// Narrowed is 1 - posterior width / prior width: near 0 if the data are uninformative.
	Narrowed float64
}

// PriorPosteriors returns every channel's parameters in the model's order. Models without stored priors have none.
func (m *Model) PriorPosteriors() []PriorPosterior {
	var out []PriorPosterior
	for _, e := range m.Effects {
		if e.ROAS == nil {
			continue
		}
		beliefs := []PriorPosterior{
			{Parameter: "roi", After: mmm.EstimateOf(*e.ROAS)},
			{Parameter: "alpha", After: mmm.EstimateOf(e.Adstock["alpha"])},
		}
		for _, parameter := range slices.Sorted(maps.Keys(e.Saturation)) {
			beliefs = append(beliefs, PriorPosterior{Parameter: parameter, After: mmm.EstimateOf(e.Saturation[parameter])})
		}
		for _, b := range beliefs {
			prior, known := m.Saved.Spec.Priors[b.Parameter]
			if !known {
				return nil
			}
			b.Channel, b.Before = e.Channel, priorEstimate(prior)
			b.Narrowed = 1 - (b.After.High-b.After.Low)/(b.Before.High-b.Before.Low)
			out = append(out, b)
		}
	}
	return out
}

// priorEstimate returns the mean of a prior of one of the families in [priors], with its 90% interval.
func priorEstimate(p mmm.Prior) measure.Estimate {
	var d interface {
		Mean() float64
		Quantile(p float64) float64
	}
	switch p.Family {
	case mmm.LogNormalPrior:
		d = distuv.LogNormal{Mu: p.A, Sigma: p.B}
	case mmm.BetaPrior:
		d = distuv.Beta{Alpha: p.A, Beta: p.B}
	case mmm.GammaPrior:
		d = distuv.Gamma{Alpha: p.A, Beta: p.B}
	case mmm.NormalPrior, mmm.LaplacePrior, mmm.HalfNormalPrior:
		panic("mix: no channel has a prior " + string(p.Family))
	}
	return measure.Estimate{
		Value: d.Mean(), Interval: measure.Interval{Low: d.Quantile(0.05), High: d.Quantile(0.95), Level: mmm.Level},
		Method: measure.MediaMixPrior, Basis: measure.Modelled,
	}
}

// PlausibleReturn returns the prior mean of a channel's ROAS.
func PlausibleReturn() float64 {
	prior := priors["roi"]
	return math.Exp(prior.A + prior.B*prior.B/2)
}
