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

// Placebo is a channel that cannot have had an effect: the exposures of a real one at other times.
type Placebo struct {
	Of      measure.Channel `json:"of"`
	Status  Status          `json:"status"` // without numbers unless OK
	Reasons []Reason        `json:"reasons,omitempty"`
	Share   *stats.Summary  `json:"share,omitempty"` // of the target's sum that the placebo is credited with; no effect can be below 0
	Real    *stats.Summary  `json:"real,omitempty"`  // that the real channel is credited with beside it
	// Passes is the probability that the placebo brings as much as the real channel or more. Near one half the model
	// cannot tell when the channel ran, and what it says of the channel is its prior.
	Passes float64 `json:"passes"`
}

// placeboName stands for the placebo among the channels.
const placeboName = "placebo"

// CheckPlacebo fits the model with a placebo of the channel beside all channels. Its exposures are those of the channel
// moved on by a number of periods, of one quarter to three quarters of the window, from the end back to the start; its
// priors are the channel's, and those of the others stay as they are without it.
func CheckPlacebo(d Data, s Spec, how Sampling, of measure.Channel) (*Placebo, error) {
	m, err := newModel(d, s)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(d.Media, func(m Media) bool { return m.Channel == of })
	if at < 0 {
		return nil, fault.Invalid("there is no channel %q to make a placebo of", of)
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
			if mine && c.name == of && name != "confounding" { // no test was of the placebo
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
