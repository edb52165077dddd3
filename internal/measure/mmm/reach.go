package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Frequency compares the effect per impression at several frequencies. The number of impressions is fixed, so a higher
// frequency reaches fewer people.
type Frequency struct {
	Channel measure.Channel  `json:"channel"`
	Mean    float64          `json:"mean"` // mean impressions per person reached, over all rows
	Points  []FrequencyPoint `json:"points"`
	Best    stats.Summary    `json:"best"` // the frequency with the largest effect per impression
}

// FrequencyPoint is the effect per impression at a frequency, relative to the effect at the mean frequency.
type FrequencyPoint struct {
	Frequency float64       `json:"frequency"`
	Worth     stats.Summary `json:"worth"`
}

// frequencySteps is the number of grid steps between the smallest and the largest frequency.
const frequencySteps = 60

// BestFrequency compares frequencies from 1, or from the smallest observed frequency if it is larger, to the largest
// observed frequency. It returns nil for a channel without reach and frequency, or with a constant frequency.
func (p *Posterior) BestFrequency(name measure.Channel) *Frequency {
	m, c := p.model, p.channel(name)
	if c.often == nil {
		return nil
	}
	least := c.mostOften
	for t, often := range c.often {
		if c.x[t] > 0 {
			least = math.Min(least, often*c.mostOften)
		}
	}
	least = math.Min(math.Max(least, 1), c.mostOften)
	if !(least < c.mostOften) {
		return nil
	}
	out := &Frequency{Channel: name, Mean: c.mostOften * floats.Dot(c.often, c.x) / floats.Sum(c.x)}
	tried := floats.Span(make([]float64, frequencySteps+1), least, c.mostOften)
	worths := make([][]float64, len(tried))
	var best []float64
	for _, theta := range p.draws {
		_, shape := m.split(c, theta)
		worth := func(frequency float64) float64 {
			v, _, _ := m.spec.Saturation.value(frequency/c.mostOften, shape)
			return v / frequency
		}
		at, now := 0, worth(out.Mean)
		for k, frequency := range tried {
			worths[k] = append(worths[k], worth(frequency)/now)
			if last := len(worths[k]) - 1; worths[k][last] > worths[at][last] {
				at = k
			}
		}
		best = append(best, tried[at])
	}
	for k, frequency := range tried {
		out.Points = append(out.Points, FrequencyPoint{frequency, stats.Summarize(worths[k])})
	}
	out.Best = stats.Summarize(best)
	return out
}
