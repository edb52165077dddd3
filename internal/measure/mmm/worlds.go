package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Recovery is what a model finds out in worlds whose truth is known: the store's own periods, exposures, controls, baseline
// and noise, but effects, carry-over and saturation of the channels drawn from the priors. It says what this design can
// tell, not whether the model is true of the store.
type Recovery struct {
	Worlds   int               `json:"worlds"`
	Refused  int               `json:"refused"` // fits that were not reportable; the figures below are of the others
	Channels []ChannelRecovery `json:"channels"`
}

// ChannelRecovery is how well the contribution of a channel was found.
type ChannelRecovery struct {
	Channel measure.Channel `json:"channel"`
	Inside  int             `json:"inside"` // worlds in whose 90 % interval the truth lies
	// Error is the mean absolute difference between estimate and truth, as a share of the mean truth; nil without any truth.
	Error *float64 `json:"error,omitempty"`
	// Correlation is that of estimates and truths over the worlds: 1 when the design tells large from small effects
	// reliably, 0 when estimates are the prior's. Nil with fewer than three worlds.
	Correlation *float64 `json:"correlation,omitempty"`
}

// Recover simulates worlds and fits the model to each.
func (p *Posterior) Recover(worlds int, how Sampling) (*Recovery, error) {
	how = how.withDefaults()
	m := p.model
	out := &Recovery{Worlds: worlds}
	inside := make([]int, len(m.channels))
	truths, means := make([][]float64, len(m.channels)), make([][]float64, len(m.channels))
	for i := range uint64(worlds) {
		random := stats.Stream(how.Seed, i)
		truth := m.drawPrior(random)[:len(m.parameters)]
		copy(truth[m.baselineAt:], p.draws[random.IntN(len(p.draws))][m.baselineAt:len(m.parameters)])
		truth = m.withGeos(truth, random)
		world := m.withTarget(m.simulate(truth, random))
		d := p.data
		d.Target = m.unscaled(world.y)
		world.measureLifts(truth, random)
		how := how
		how.Seed = random.Uint64()
		result, err := world.fit(d, how)
		if err != nil {
			return nil, err
		}
		if result.Status != OK {
			out.Refused++
			continue
		}
		exact := &Posterior{world, d, 1, [][]float64{truth}}
		for c, e := range result.Posterior.Effects() {
			total := exact.contributionTotals(e.Channel)[0]
			truths[c], means[c] = append(truths[c], total), append(means[c], e.Contribution.Mean)
			if e.Contribution.Q05 <= total && total <= e.Contribution.Q95 {
				inside[c]++
			}
		}
	}
	for c, name := range p.Channels() {
		r := ChannelRecovery{Channel: name, Inside: inside[c]}
		if mean := math.Abs(floats.Sum(truths[c])); mean > 0 {
			distance := floats.Distance(truths[c], means[c], 1) / mean
			r.Error = &distance
		}
		if len(truths[c]) >= 3 {
			correlation := stat.Correlation(truths[c], means[c], nil)
			if !math.IsNaN(correlation) {
				r.Correlation = &correlation
			}
		}
		out.Channels = append(out.Channels, r)
	}
	return out, nil
}
