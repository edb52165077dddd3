package check

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// Recovery is the result of a parameter recovery study on simulated data sets with known parameters. The data sets have
// the store's periods, exposures, controls, baseline and noise. The channels' effects, adstock and saturation are drawn
// from the priors. The study shows which effects and parameters can be identified from these data if the model is
// correct.
type Recovery struct {
	DataSets int               `json:"worlds"`
	Refused  int               `json:"refused"` // number of fits that are not reportable; the figures below exclude these fits
	Channels []ChannelRecovery `json:"channels"`
}

// ChannelRecovery compares a channel's estimated incremental outcomes with the true incremental outcomes.
type ChannelRecovery struct {
	Channel measure.Channel `json:"channel"`
	Inside  int             `json:"inside"` // number of data sets with a 90% interval that contains the true incremental outcome
	// Error is the mean absolute error as a share of the mean true incremental outcome; nil if the true incremental
	// outcome is 0.
	Error *float64 `json:"error,omitempty"`
	// Correlation is the correlation of estimated and true incremental outcomes over the data sets. A value near 1 means
	// that the design separates large from small effects. A value near 0 means that the estimates come from the prior. It
	// is nil with fewer than three data sets.
	Correlation *float64 `json:"correlation,omitempty"`
}

// Recover simulates data sets from a posterior and fits the model to each.
func Recover(p *mmm.Posterior, dataSets int, how mmm.Sampling) (*Recovery, error) {
	channels := p.Channels()
	out := &Recovery{DataSets: dataSets}
	inside := make([]int, len(channels))
	truths, means := make([][]float64, len(channels)), make([][]float64, len(channels))
	for i := range uint64(dataSets) {
		random := stats.Stream(how.Seed, i)
		simulated := p.Simulate(random)
		how := how
		how.Seed = random.Uint64()
		result, err := simulated.Fit(how)
		if err != nil {
			return nil, err
		}
		if result.Status != mmm.OK {
			out.Refused++
			continue
		}
		for c, e := range result.Posterior.Effects() {
			total := simulated.Truth.ContributionTotals(e.Channel)[0]
			truths[c], means[c] = append(truths[c], total), append(means[c], e.Contribution.Mean)
			if e.Contribution.Q05 <= total && total <= e.Contribution.Q95 {
				inside[c]++
			}
		}
	}
	for c, name := range channels {
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
