package detect

import (
	"math"

	"assay/internal/civil"
)

// Limits of the effect of a season.
const (
	seasonLift = 1.15
	seasonZ    = 2
)

// SeasonEffect returns the mean daily revenue on the given past days, relative to the four weeks before them. The
// season has an effect if the ratio is at least 1.15. Its logarithm must also be at least two robust standard
// deviations above the median of the history. The effect is unknown if the history contains fewer than 36 windows of
// this length, at steps of a week.
func (s Store) SeasonEffect(days civil.Range) (ratio float64, shows, known bool) {
	end := days.Last.Sub(s.Days.First) + 1
	r := ratios{prefix(s.Revenue), prefix(ones(len(s.Revenue))), windows{recent: days.Days(), base: 28}}
	if end > len(s.Revenue) {
		return 0, false, false
	}
	_, _, d, ok := r.value(end)
	var others []float64
	for t := r.recent + r.base; t <= len(s.Revenue); t += stepDays {
		if _, _, other, ok := r.value(t); ok {
			others = append(others, other)
		}
	}
	if !ok || len(others) < 3*leastPositions {
		return 0, false, false
	}
	middle, scale := robust(others)
	return math.Exp(d), math.Exp(d) >= seasonLift && d-middle >= seasonZ*scale, true
}
