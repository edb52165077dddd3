package check

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// PriorCheck summarizes the prior predictive distribution. It shows implausible priors, such as incremental sales from
// media far above total sales. It also shows observed sales that the priors exclude.
type PriorCheck struct {
	Channels []mmm.ChannelEffect `json:"channels"`
	// Media is the incremental outcome of all channels, as a fraction of the target's total.
	Media stats.Summary `json:"media"`
	// Negative is the share of simulated periods with a negative target.
	Negative float64 `json:"negative"`
	// Inside is the share of observed periods inside the 90% prior predictive interval. A value near 0 means that the
	// priors contradict the data. A value near 1 means that the priors are vague, which is harmless.
	Inside float64 `json:"inside"`
}

// priorDraws is the number of prior predictive draws.
const priorDraws = 1000

// Priors samples the prior predictive distribution. It uses only the largest fitted value of the target, as the scale.
// Invalid data or settings result in a fault of kind invalid. Data that cannot identify the model result in a not-ready
// fault.
func Priors(d mmm.Data, s mmm.Spec, seed uint64) (PriorCheck, error) {
	p, targets, err := mmm.SamplePrior(d, s, seed, priorDraws)
	if err != nil {
		return PriorCheck{}, err
	}
	predicted := make([][]float64, len(d.Target))
	var out PriorCheck
	for _, y := range targets {
		out.Negative += share(y, func(v float64) bool { return v < 0 }) / priorDraws
		for t := range y {
			predicted[t] = append(predicted[t], y[t])
		}
	}
	inside := 0
	for t, draws := range predicted {
		slices.Sort(draws)
		if y := d.Target[t]; stats.Quantile(draws, 0.05) <= y && y <= stats.Quantile(draws, 0.95) {
			inside++
		}
	}
	out.Inside = float64(inside) / float64(len(predicted))
	out.Channels = p.Effects()
	media := make([]float64, priorDraws)
	for _, name := range p.Channels() {
		floats.Add(media, p.ContributionTotals(name))
	}
	floats.Scale(1/floats.Sum(d.Target), media)
	out.Media = stats.Summarize(media)
	return out, nil
}

// share returns the fraction of values that satisfy a condition.
func share(values []float64, is func(v float64) bool) float64 {
	return float64(floats.Count(is, values)) / float64(len(values))
}
