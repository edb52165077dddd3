package check

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// Placebo is the result of a placebo test. The test adds a channel with the exposures of a real channel, shifted in
// time. This channel has no true effect.
type Placebo struct {
	Of      measure.Channel `json:"of"`
	Status  mmm.Status      `json:"status"` // no numbers unless OK
	Reasons []mmm.Reason    `json:"reasons,omitempty"`
	// Share is the share of the target's sum that the model attributes to the placebo. An effect is never negative.
	Share *stats.Summary `json:"share,omitempty"`
	Real  *stats.Summary `json:"real,omitempty"` // share of the real channel in the same fit
	// Passes is the probability that the placebo's incremental outcome is at least as large as the real channel's. A value
	// near one half means that the data are uninformative about the channel and that the channel's estimate comes from the
	// prior.
	Passes float64 `json:"passes"`
}

const placeboName = "placebo"

// PlaceboOf fits the model with an additional placebo channel. The placebo has the real channel's priors and exposures.
// The exposures are shifted by one quarter to three quarters of the window with wrap-around. The priors of other
// channels do not change.
func PlaceboOf(d mmm.Data, s mmm.Spec, how mmm.Sampling, of measure.Channel) (*Placebo, error) {
	priors, err := mmm.ChannelPriors(d, s)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(d.Media, func(m mmm.Media) bool { return m.Channel == of })
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
	d.Media = append(slices.Clone(d.Media), mmm.Media{
		Channel: placeboName, Exposure: moved(genuine.Exposure), Frequency: moved(genuine.Frequency),
		Spend: moved(genuine.Spend),
	})
	s.Priors = maps.Clone(s.Priors)
	if s.Priors == nil {
		s.Priors = map[string]mmm.Prior{}
	}
	for channel, parameters := range priors {
		for name, prior := range parameters {
			s.Priors[string(channel)+"."+name] = prior
			if channel == of && name != "confounding" { // the placebo has no lift test
				s.Priors[placeboName+"."+name] = prior
			}
		}
	}
	result, err := mmm.Fit(d, s, how)
	if err != nil {
		return nil, err
	}
	out := &Placebo{Of: of, Status: result.Status, Reasons: result.Reasons}
	if result.Status == mmm.OK {
		p := result.Posterior
		effects := p.Effects()
		out.Share, out.Real = &effects[len(effects)-1].Share, &effects[at].Share
		more := p.ContributionTotals(placeboName)
		floats.Sub(more, p.ContributionTotals(of))
		out.Passes = share(more, func(v float64) bool { return v >= 0 })
	}
	return out, nil
}
