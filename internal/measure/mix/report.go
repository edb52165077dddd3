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

// History is the window by weeks, in the store's money: what was taken, what the model expects, and which part of that
// each channel brought. Figures are posterior means; base and channels add up to what is expected.
type History struct {
	Weeks    []civil.Date // first days
	Actual   []float64
	Expected []float64
	Base     []float64 // what would have come without any channel of the model
	Channels []measure.Channel
	Brought  [][]float64 // of each channel
}

// History returns the window by weeks. The model must not be refused.
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
		h.Brought = append(h.Brought, mean)
	}
	return h
}

// Curve is what a channel brings over the window at other spends than it had, its pattern over time kept.
type Curve struct {
	Current float64 // spend in the window
	Seen    float64 // the largest spend that the data speak of
	Points  []mmm.CurvePoint
}

// Curve returns the channel's curve at evenly spaced points from no spend to beyond the largest that the data speak of. It
// is empty for a channel without spend.
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

// The priors of every channel, written down so that they are part of what the model was trained with; they are package mmm's
// own. How bent a curve is, is believed at the usual spend: what the next unit of money brings there, as a share of what the mean one
// does. Weeks show the slope, and what a channel brings is the slope by that share, so the prior of the share has to leave its
// inverse a mean and a variance: Beta(a, 1) does for a above 2, and Beta(3, 1) is the least bold of them with a whole a. Its quartiles
// are 0.63, 0.79 and 0.91. Nor is the family of the curve known: the sharpness lies around the mean of the logarithms of that of
// Michaelis and Menten's curve, 1, and of the logistic one's, about 2.5, with room for roots and for ceilings.
var priors = map[string]mmm.Prior{
	"roi":   {Family: mmm.LogNormalPrior, A: 0.2, B: 0.9},
	"alpha": {Family: mmm.BetaPrior, A: 1, B: 3},

	"elasticity": {Family: mmm.BetaPrior, A: 3, B: 1},
	"sharpness":  {Family: mmm.LogNormalPrior, A: 0.45, B: 0.7},
}

// Belief is what was thought of a parameter before the data and after them.
type Belief struct {
	Channel   measure.Channel
	Parameter string // "roi", "alpha", or one of the curve: "elasticity", "sharpness"; "lam" in older models
	Before    Interval
	After     Interval
	// Narrowed is by which share the interval after is narrower than the one before: near 0 where the data say nothing.
	Narrowed float64
}

// Interval is a mean and the interval of 90 %.
type Interval struct{ Mean, Low, High float64 }

// Beliefs returns every channel's parameters before and after, in the model's order of channels. A model that was trained
// before priors were written down has none.
func (m *Model) Beliefs() []Belief {
	var out []Belief
	for _, e := range m.Effects {
		if e.ROAS == nil {
			continue
		}
		beliefs := []Belief{
			{Parameter: "roi", After: intervalOf(*e.ROAS)},
			{Parameter: "alpha", After: intervalOf(e.Adstock["alpha"])},
		}
		for _, parameter := range slices.Sorted(maps.Keys(e.Saturation)) {
			beliefs = append(beliefs, Belief{Parameter: parameter, After: intervalOf(e.Saturation[parameter])})
		}
		for _, b := range beliefs {
			prior, known := m.Saved.Spec.Priors[b.Parameter]
			if !known {
				return nil
			}
			b.Channel, b.Before = e.Channel, priorInterval(prior)
			b.Narrowed = 1 - (b.After.High-b.After.Low)/(b.Before.High-b.Before.Low)
			out = append(out, b)
		}
	}
	return out
}

func intervalOf(s stats.Summary) Interval { return Interval{s.Mean, s.Q05, s.Q95} }

// priorInterval describes a prior of one of the families that [priors] has.
func priorInterval(p mmm.Prior) Interval {
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
	return Interval{d.Mean(), d.Quantile(0.05), d.Quantile(0.95)}
}
