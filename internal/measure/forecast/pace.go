package forecast

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Total is a forecast of the sum of the first points of a prediction.
type Total struct {
	// Value is the sum of the points. It can differ from the median of the distribution for Bands and Reaches. The
	// distribution contains the mean error of the rolling origins, which used models fitted to less data. Value has the
	// smaller error.
	Value float64
	Bands []Band // one per level of the prediction
	draws []float64
	count float64 // number of draws before they are blurred
}

// Total returns the sum of the first n points, where n is steps, with prediction intervals of the sum. The interval
// limits of single points cannot be added, because the errors of neighboring points are correlated. Total sums the
// errors of each rolling origin in order, to preserve the correlation. If there are too few rolling origins for n
// points, it uses the errors of a random walk. The sums of these errors have the widest intervals.
func (p *Prediction) Total(steps int) (Total, error) {
	if steps < 1 || steps > len(p.Points) {
		return Total{}, fault.Invalid("a total of %d points, want 1 to the %d of the forecast", steps, len(p.Points))
	}
	var t Total
	for _, y := range p.Points[:steps] {
		t.Value += y
	}
	for _, vector := range p.errors {
		if len(vector) < steps {
			break
		}
		var sum float64
		for h, e := range vector[:steps] {
			sum += p.moved(h, e)
		}
		t.draws = append(t.draws, sum)
	}
	if len(t.draws) < leastOrigins {
		t.draws = p.walked(steps, t.Value)
	} else {
		// Sums from neighboring origins overlap. Only sums without overlap are independent.
		p.stretch(t.draws, float64(len(p.errors))/float64(steps))
	}
	t.count = float64(len(t.draws))
	t.draws = blurred(t.draws, p.calendarSD(steps))
	slices.Sort(t.draws)
	for _, level := range p.Levels {
		// Conformal prediction treats the future error as one more draw, so the level is raised by the factor 1 + 1/n.
		outer := min(1, level*(1+1/t.count))
		// Low and High are extended to the point forecast. Otherwise, the interval would not contain the forecast if all past
		// errors had one sign, as for a young store.
		t.Bands = append(t.Bands, Band{
			Low: min(t.Value, stats.Quantile(t.draws, (1-outer)/2)), High: max(t.Value, stats.Quantile(t.draws, (1+outer)/2)),
		})
	}
	return t, nil
}

// moved returns the point at step h plus an error.
func (p *Prediction) moved(h int, e float64) float64 {
	switch y := p.Points[h]; {
	case p.ratio:
		return y * math.Exp(max(-widest, min(widest, e)))
	case p.nonnegative:
		return max(0, y+e*p.factor(h))
	default:
		return y + e*p.factor(h)
	}
}

// stretch moves draws away from their median by the factor of [cautious] at each draw's quantile. With few independent
// errors, the spread is uncertain. This uncertainty has its largest effect in the tails.
func (p *Prediction) stretch(draws []float64, freedom float64) {
	slices.Sort(draws)
	center := stats.Quantile(draws, 0.5)
	for i, d := range draws {
		level := math.Abs(2*(float64(i)+0.5)/float64(len(draws)) - 1)
		by := cautious(freedom, max(level, 0.01))
		switch {
		case p.ratio && center > 0 && d > 0:
			draws[i] = center * math.Exp(max(-widest, min(widest, by*math.Log(d/center))))
		case p.nonnegative:
			draws[i] = max(0, center+by*(d-center))
		default:
			draws[i] = center + by*(d-center)
		}
	}
}

// walked returns quantiles of the sum if errors accumulate as in a random walk.
func (p *Prediction) walked(steps int, value float64) []float64 {
	var variance, before float64
	for h := range steps {
		now := p.spread[h] * p.spread[h]
		var later float64 // share of the sum that an error at this step changes
		for k := h; k < steps; k++ {
			if p.ratio {
				later += p.Points[k]
			} else {
				later += p.factor(k)
			}
		}
		variance += max(0, now-before) * later * later
		before = now
	}
	t := distuv.StudentsT{Sigma: 1, Nu: p.freedom[steps-1]}
	const draws = 199
	out := make([]float64, draws)
	for i := range out {
		e := t.Quantile(float64(i+1)/(draws+1)) * math.Sqrt(variance)
		if out[i] = value + e; p.ratio && value > 0 {
			out[i] = value * math.Exp(max(-widest, min(widest, e/value)))
		} else if p.nonnegative {
			out[i] = max(0, out[i])
		}
	}
	return out
}

// Reaches returns the probability that the sum is at least the target. The probability is never 0 or 1. With n past
// errors, an outcome beyond all of these errors has probability 1/2 · 1/(n + 1).
func (t Total) Reaches(target float64) float64 {
	n := t.count
	spread := math.Sqrt(variance(t.draws))
	if spread == 0 {
		if t.Value >= target {
			return 1 - 0.5/(n+1)
		}
		return 0.5 / (n + 1)
	}
	// The draws are smoothed by Silverman's rule: the more draws, the narrower the kernel. The draws are shrunk first to
	// offset the kernel's variance (Silverman 1986, "Density estimation for statistics and data analysis", section 6.4).
	width := 0.9 * math.Pow(n, -0.2)
	shrink, center := 1/math.Sqrt(1+width*width), stats.Mean(t.draws)
	var sum float64
	for _, d := range t.draws {
		sum += distuv.UnitNormal.CDF((center+shrink*(d-center)-target)/(shrink*width*spread)) / float64(len(t.draws))
	}
	return max(0.5/(n+1), min(1-0.5/(n+1), sum))
}

// Goal is a target for the total of a period in progress.
type Goal struct {
	Target  float64 // positive, in the unit of the series
	Elapsed int     // points of the period at the end of the series; 0 before it begins
	Length  int     // points of the whole period, more than Elapsed
}

// Standing classifies a target by the probability of reaching it.
type Standing string

// These are the values of [Standing], from the highest to the lowest probability of reaching the target.
const (
	OnTrack Standing = "on_track" // at least [OnTrackFrom]
	AtRisk  Standing = "at_risk"  // below [OnTrackFrom], and at least [AtRiskFrom]
	Off     Standing = "off"      // below [AtRiskFrom]
)

// The bounds of [Standing].
const (
	OnTrackFrom = 0.8
	AtRiskFrom  = 0.4
)

// Pace is the progress of a period toward the period's target.
type Pace struct {
	Actual      float64 // total of the period so far
	Finish      float64 // expected total: actual plus the forecast of the remaining points
	Bands       []Band  // intervals of the finish, one per level
	Probability float64 // probability of reaching the target
	Standing    Standing
	Required    float64 // amount per remaining point to reach the target; 0 if it is reached
	// Index is the actual total / expected total by now. The expected total comes from the forecast before the period,
	// scaled to the target. With an index of 1, the period is on pace, adjusted for weekdays and season. Index is nil
	// before the period begins and without enough history.
	Index *float64
}

func (g Goal) check(points int) error {
	if !(g.Target > 0) || math.IsInf(g.Target, 1) {
		return fault.Invalid("the target is %v, want a number above 0", g.Target)
	}
	if g.Elapsed < 0 || g.Elapsed >= g.Length || g.Elapsed > points {
		return fault.Invalid("%d of %d points of the period have elapsed, of a series of %d", g.Elapsed, g.Length, points)
	}
	return nil
}

// Pace compares a period's target with the actual total plus the forecast of the remaining points. The prediction must
// be of these values and extend to the period's end. Several targets can share a prediction. Index is not set.
func (p *Prediction) Pace(values []float64, goal Goal) (Pace, error) {
	if err := goal.check(len(values)); err != nil {
		return Pace{}, err
	}
	rest := goal.Length - goal.Elapsed
	total, err := p.Total(rest)
	if err != nil {
		return Pace{}, err
	}
	begin := len(values) - goal.Elapsed
	var pace Pace
	for _, y := range values[begin:] {
		pace.Actual += y
	}
	pace.Finish = pace.Actual + total.Value
	for _, b := range total.Bands {
		pace.Bands = append(pace.Bands, Band{Low: pace.Actual + b.Low, High: pace.Actual + b.High})
	}
	pace.Probability = total.Reaches(goal.Target - pace.Actual)
	if pace.Actual >= goal.Target && p.nonnegative {
		pace.Probability = 1
	}
	switch {
	case pace.Probability >= OnTrackFrom:
		pace.Standing = OnTrack
	case pace.Probability >= AtRiskFrom:
		pace.Standing = AtRisk
	default:
		pace.Standing = Off
	}
	pace.Required = max(0, goal.Target-pace.Actual) / float64(rest)
	return pace, nil
}

// Index returns [Pace.Index] of a target.
func Index(values []float64, goal Goal, ask Ask) *float64 {
	if goal.check(len(values)) != nil {
		return nil
	}
	before := ask.Calendar.without(values[:len(values)-goal.Elapsed])
	var actual float64
	for _, y := range values[len(before):] {
		actual += y
	}
	if goal.Elapsed == 0 || len(before) < leastModelled {
		return nil
	}
	kind := ask.Model
	if kind == "" {
		kind = Auto
	}
	profile := make([]float64, goal.Length)
	kind.fit(before, ask.Season, nil).ahead(profile)
	var now, whole float64
	for h, y := range profile {
		if y = max(0, y); ask.Calendar != nil {
			y *= ask.Calendar.Factors[len(before)+h]
		}
		if h < goal.Elapsed {
			now += y
		}
		whole += y
	}
	if !(now > 0) || math.IsInf(whole, 1) {
		return nil
	}
	i := actual / (goal.Target * now / whole)
	return &i
}
