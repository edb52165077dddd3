package mmm

import (
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Placebo is the result of a placebo test: a channel with the exposures of a real one at other times, which can have
// had no effect.
type Placebo struct {
	Of      measure.Channel `json:"of"`
	Status  Status          `json:"status"` // no numbers unless OK
	Reasons []Reason        `json:"reasons,omitempty"`
	Share   *stats.Summary  `json:"share,omitempty"` // of the target's sum that is attributed to the placebo; an effect is never negative
	Real    *stats.Summary  `json:"real,omitempty"`  // the same of the real channel, in the same fit
	// Passes is the probability that the placebo's contribution is at least the real channel's. Near one half, the
	// model cannot detect when the channel ran, and its estimate comes from the prior.
	Passes float64 `json:"passes"`
}

const placeboName = "placebo"

// CheckPlacebo fits the model with an additional placebo channel. Its exposures are the channel's, shifted by one
// quarter to three quarters of the window with wrap-around. Its priors are the channel's; those of all other channels
// are as without it.
func CheckPlacebo(d Data, s Spec, how Sampling, of measure.Channel) (*Placebo, error) {
	m, err := newModel(d, s)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(d.Media, func(m Media) bool { return m.Channel == of })
	if at < 0 {
		return nil, fault.Invalid("no channel %q for a placebo test", of)
	}
	n := len(d.Dates)
	by := n/4 + stats.Stream(how.Seed, uint64(at)).IntN(n/2+1)
	moved := func(values []float64) []float64 {
		var out []float64
		for geo := range slices.Chunk(values, n) {
			out = append(out, geo[n-by:]...)
			out = append(out, geo[:n-by]...)
		}
		return out
	}
	genuine := d.Media[at]
	d.Media = append(slices.Clone(d.Media), Media{placeboName, moved(genuine.Exposure), moved(genuine.Frequency), moved(genuine.Spend)})
	s.Priors = maps.Clone(s.Priors)
	if s.Priors == nil {
		s.Priors = map[string]Prior{}
	}
	for _, p := range m.parameters {
		for _, c := range m.channels {
			name, mine := strings.CutPrefix(p.name, string(c.name)+".")
			if mine {
				s.Priors[p.name] = p.prior
			}
			if mine && c.name == of && name != "confounding" { // the placebo has no lift test
				s.Priors[placeboName+"."+name] = p.prior
			}
		}
	}
	result, err := Fit(d, s, how)
	if err != nil {
		return nil, err
	}
	out := &Placebo{Of: of, Status: result.Status, Reasons: result.Reasons}
	if result.Status == OK {
		p := result.Posterior
		effects := p.Effects()
		out.Share, out.Real = &effects[len(effects)-1].Share, &effects[at].Share
		more := p.contributionTotals(placeboName)
		floats.Sub(more, p.contributionTotals(of))
		out.Passes = share(more, func(v float64) bool { return v >= 0 })
	}
	return out, nil
}
