package attribution

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// ShareInterval is a channel's share of conversions with its bootstrap interval.
type ShareInterval struct {
	Channel         measure.Channel
	Share           measure.Estimate // as a fraction of conversions with a touchpoint
	ChanceOfLeading float64          // share of resamples in which the channel has the largest share
}

// Resampling contains the settings of [Intervals].
type Resampling struct {
	Draws int     // number of resamples, at least 20; 0: 200
	Level float64 // level of the intervals, between 0 and 1; 0: [DefaultLevel]
	Seed  uint64
}

// Intervals returns bootstrap intervals of a model's shares. It draws each conversion path's conversions and nulls from
// Poisson distributions with the observed counts as means. It then computes the model from the drawn counts. The method
// is from Hanley and MacGibbon 2006, "Creating non-parametric bootstrap samples using Poisson frequencies". The result
// is sorted by channel. The intervals include sampling error only. The same seed gives the same result.
//
// A draw takes as long as one computation of the model.
func Intervals(p *Paths, m Model, how Resampling) ([]ShareInterval, error) {
	if how.Draws == 0 {
		how.Draws = 200
	}
	if how.Level == 0 {
		how.Level = DefaultLevel
	}
	if how.Draws < 20 || !(how.Level > 0 && how.Level < 1) {
		return nil, fault.Invalid("%d draws at level %v, want at least 20 draws and a level between 0 and 1",
			how.Draws, how.Level)
	}
	shares, err := sharesOf(p, m)
	if err != nil {
		return nil, err
	}
	draws := make([][]float64, len(shares))
	leads := make([]int, len(shares))
	for d := range how.Draws {
		drawn, err := sharesOf(p.resampled(how.Seed, uint64(d)), m)
		if err != nil {
			return nil, fmt.Errorf("resample %d: %w", d, err)
		}
		leader := 0
		for i, share := range drawn {
			draws[i] = append(draws[i], share)
			if share > drawn[leader] {
				leader = i
			}
		}
		if len(drawn) > 0 && drawn[leader] > 0 {
			leads[leader]++
		}
	}
	intervals := make([]ShareInterval, len(shares))
	for i, name := range p.Channels() {
		slices.Sort(draws[i])
		intervals[i] = ShareInterval{
			Channel: name, ChanceOfLeading: float64(leads[i]) / float64(how.Draws),
			Share: measure.Estimate{
				Value: shares[i], Method: measure.PathBootstrap, Basis: measure.Attributed,
				Interval: measure.Interval{
					Low: stats.Quantile(draws[i], (1-how.Level)/2), High: stats.Quantile(draws[i], (1+how.Level)/2), Level: how.Level,
				},
			},
		}
	}
	return intervals, nil
}

// sharesOf returns the channels' shares of conversions, sorted by channel. Without conversions, the shares are zero.
func sharesOf(p *Paths, m Model) ([]float64, error) {
	r, err := Attribute(p, m)
	if err != nil {
		return nil, err
	}
	shares := make([]float64, len(r.Credits))
	total := p.totals.Conversions - r.Unattributed.Conversions
	for i, c := range r.Credits {
		if total > 0 {
			shares[i] = c.Conversions / total
		}
	}
	return shares, nil
}

// resampled returns a copy of the paths with drawn counts and without values. The copy shares the touchpoints with p.
func (p *Paths) resampled(seed, draw uint64) *Paths {
	source := rand.NewPCG(seed, draw)
	again := *p
	again.conversions = make([]float64, p.Len())
	again.nulls = make([]float64, p.Len())
	again.values = make([]int64, p.Len())
	again.totals = Totals{}
	for i := range p.ends {
		again.conversions[i] = poisson(source, p.conversions[i])
		again.nulls[i] = poisson(source, p.nulls[i])
		again.totals.Conversions += again.conversions[i]
		again.totals.Nulls += again.nulls[i]
	}
	return &again
}

func poisson(source rand.Source, mean float64) float64 {
	if mean == 0 {
		return 0
	}
	return distuv.Poisson{Lambda: mean, Src: source}.Rand()
}
