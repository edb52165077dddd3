package forecast

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Ask contains the parameters of a forecast.
type Ask struct {
	Horizon int       // points ahead, at least 1
	Season  int       // points per cycle; 0 or 1: no cycle
	Levels  []float64 // levels of the intervals, each between 0 and 1
	Model   Kind      // default Auto
	// Calendar is the yearly pattern, or nil if there is none. The model is fitted to the values divided by the
	// calendar's factors. Its forecast is multiplied by the future factors. The covariance of the factors widens the
	// intervals.
	Calendar *Calendar
	// Reverts marks a series with a level that returns to its trend after a temporary change. An example is spend after
	// a burst, a pause or a test. Auto then also contains the model [reverting], which needs a year of daily values.
	Reverts bool
}

const (
	leastPeriods  = 3     // minimum number of values for a forecast
	leastModelled = 8     // minimum number of values for a model; with fewer, the last season repeats
	leastOrigins  = 8     // minimum number of rolling origins; with fewer, intervals are from a random walk
	mostOrigins   = 200   // maximum number of rolling origins; the latest are used
	mostHorizon   = 2000  // points ahead
	mostPeriods   = 50000 // points of history
)

// Prediction contains a forecast and its error distribution.
type Prediction struct {
	Model  string
	Points []float64 // forecasts
	Levels []float64 // as requested
	Bands  [][]Band  // one slice per level with one entry per point
	Notes  []string  // limits of the forecast, one sentence each

	ratio       bool        // errors are logarithms of ratios, otherwise differences
	nonnegative bool        // the series is never negative
	errors      [][]float64 // errors by rolling origin, scaled to the current volatility; later origins have fewer steps
	spread      []float64   // root mean square error at each step
	freedom     []float64   // effective number of independent errors at each step, minus spent
	spent       float64     // degrees of freedom of the weights that the errors determined
	factors     []float64   // factors of the calendar, one per step; nil: none
	calendar    [][]float64 // covariance of the logarithms of the factors
	shape       []float64   // sorted |errors| / spread; empty for normal errors
}

// Band is a prediction interval of one point.
type Band struct{ Low, High float64 }

// Predict forecasts the series with prediction intervals.
//
// The intervals are conformal (Vovk, Gammerman and Shafer 2005; for series Stankeviciute, Alaa and van der Schaar
// 2021). The model is fitted to the first part of the series and rolled through the remaining part with fixed
// parameters. Its errors at each horizon form the error distribution. Each error is divided by the series' volatility
// at its origin and multiplied by the current volatility. Errors are ratios if all values are positive. Coverage is
// nominal if the future is as predictable as the latest part of the past; no error distribution is assumed.
//
// Values that are not finite and invalid requests result in a fault of kind invalid. Fewer than three values result in
// a not-ready fault.
func Predict(values []float64, ask Ask) (Prediction, error) {
	if err := ask.check(values); err != nil {
		return Prediction{}, err
	}
	kind := ask.Model
	if kind == "" {
		kind = Auto
	}
	values = ask.Calendar.without(values)
	var earlier track // trail of the values before the first rolling origin
	t := newTrail()
	if origins := ask.origins(len(values)); origins > 0 {
		earlier = kind.fit(values[:len(values)-origins], ask.Season, t)
	}
	model := kind.fit(values, ask.Season, t)
	var p Prediction
	if kind == Auto && earlier != nil {
		p.spent = float64(choose(earlier, model, values[len(values)-ask.origins(len(values)):], ask.Horizon))
		if ask.Reverts && len(values) >= leastReverting {
			earlier, model = ask.orReverting(earlier, model, values)
			p.spent++
		}
	}
	p.Model, p.Points, p.Levels = model.String(), make([]float64, ask.Horizon), slices.Clone(ask.Levels)
	model.ahead(p.Points)
	p.ratio, p.nonnegative = allPositive(values), slices.Min(values) >= 0
	p.spread, p.freedom = make([]float64, ask.Horizon), make([]float64, ask.Horizon)
	p.keepInside(values)
	p.calibrate(values, ask, earlier)
	p.withCalendar(len(values), ask.Calendar)
	p.bands()
	if ask.Season > 1 && len(values) < 2*ask.Season {
		p.Notes = append(p.Notes, "The series is shorter than two seasons, so the forecast has no seasonality.")
	}
	if slices.Min(values) == slices.Max(values) {
		p.Notes = append(p.Notes, "The series is constant, so its variation is unknown.")
	}
	return p, nil
}

func (a Ask) check(values []float64) error {
	switch {
	case a.Horizon < 1 || a.Horizon > mostHorizon:
		return fault.Invalid("the horizon is %d points, want 1 to %d", a.Horizon, mostHorizon)
	case a.Season < 0:
		return fault.Invalid("the season is %d points, want 1 for none or more", a.Season)
	case len(values) > mostPeriods:
		return fault.Invalid("the series has %d points, more than the maximum of %d", len(values), mostPeriods)
	case len(values) < leastPeriods:
		return fault.NotReady("the series has %d points; a forecast requires at least %d points", len(values), leastPeriods)
	}
	for _, level := range a.Levels {
		if !(level > 0 && level < 1) {
			return fault.Invalid("level of the interval is %v, want a fraction between 0 and 1", level)
		}
	}
	for t, y := range values {
		if math.IsNaN(y) || math.Abs(y) > largest {
			return fault.Invalid("value %d is %v, want a finite number", t, y)
		}
	}
	return a.Calendar.check(len(values), a.Horizon)
}

// largest is the maximum absolute value of a series. Sums of squares of such values do not overflow.
const largest = 1e100

// keepInside keeps the forecast of a nonnegative series nonnegative and replaces overflows with the last value.
func (p *Prediction) keepInside(values []float64) {
	least, most := slices.Min(values), slices.Max(values)
	for h, x := range p.Points {
		if math.IsNaN(x) || math.Abs(x) > largest {
			x = values[len(values)-1]
		}
		switch {
		case p.ratio:
			p.Points[h] = max(x, least/1e3, most*1e-9)
		case p.nonnegative:
			p.Points[h] = max(x, 0)
		default:
			p.Points[h] = x
		}
	}
}

// origins returns the number of rolling origins for n points, or 0 if there are too few.
func (a Ask) origins(n int) int {
	season := max(1, a.Season)
	origins := min(mostOrigins, 2*n/5)
	if n-origins < 2*season+2 && season > 1 {
		origins = max(min(origins, n-2*season-2), n/4)
	}
	if origins < leastOrigins {
		return 0
	}
	return origins
}

// calibrate applies a model that is fitted to the first part of the series to the latest part, with fixed parameters. It
// stores the forecast errors from each rolling origin.
func (p *Prediction) calibrate(values []float64, ask Ask, model track) {
	origins := ask.origins(len(values))
	if origins == 0 {
		p.walk(values)
		return
	}
	n := len(values)
	x := p.scaled(values)
	moves := movement(x, max(1, ask.Season))
	now := moves[n-1]
	ahead := make([]float64, ask.Horizon)
	for t := n - origins; t < n; t++ {
		model.ahead(ahead)
		vector := make([]float64, min(ask.Horizon, n-t))
		for h := range vector {
			f := ahead[h]
			if p.ratio {
				f = math.Log(max(f, values[t]*1e-9))
			}
			if vector[h] = (x[t+h] - f) / moves[t-1] * now; math.IsNaN(vector[h]) {
				vector[h] = 0
			}
		}
		p.errors = append(p.errors, vector)
		model.observe(values[t])
	}
	p.spreads()
}

// walk sets the errors of a random walk for a series that is too short for rolling origins.
func (p *Prediction) walk(values []float64) {
	p.Notes = append(p.Notes, "The series is too short for a backtest, so the interval assumes a random walk.")
	x := p.scaled(values)
	changes := stride(x, 1)
	spread := math.Sqrt(stats.Dot(changes, changes) / float64(len(changes)))
	for h := range p.spread {
		p.spread[h] = spread * math.Sqrt(float64(h+1))
		p.freedom[h] = max(1, float64(len(changes)-1))
	}
}

// scaled returns the values on the scale of the errors: logarithms if the errors are logarithms of ratios.
func (p *Prediction) scaled(values []float64) []float64 {
	if !p.ratio {
		return values
	}
	x := make([]float64, len(values))
	for t, y := range values {
		x[t] = math.Log(y)
	}
	return x
}

// movement returns the volatility at each point: an exponentially weighted mean of absolute changes, at least a tenth
// of the overall mean. A change is from one point to the next. If the seasonal changes are smaller on average, it is to
// the same point of the next season.
func movement(x []float64, season int) []float64 {
	lag := 1
	if season > 1 && len(x) > 2*season && meanSize(stride(x, season)) < meanSize(stride(x, 1)) {
		lag = season
	}
	changes := stride(x, lag)
	overall := meanSize(changes)
	if overall == 0 {
		overall = 1
	}
	out := make([]float64, len(x))
	now := overall
	for t := range out {
		if t >= lag {
			now += memory * (math.Abs(changes[t-lag]) - now)
		}
		out[t] = max(now, overall/10)
	}
	return out
}

// memory is the weight of the newest change in the exponentially weighted volatility.
const memory = 0.02

func meanSize(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += math.Abs(v) / float64(len(x))
	}
	return sum
}

// spreads sets the nondecreasing root mean square error per step and the effective number of independent errors.
func (p *Prediction) spreads() {
	var counted []float64
	for h := range p.spread {
		var sum, n float64
		for _, vector := range p.errors {
			if h < len(vector) {
				sum += vector[h] * vector[h]
				n++
			}
		}
		if n < leastOrigins {
			break
		}
		p.spread[h] = math.Sqrt(sum / n)
		counted = append(counted, n)
	}
	rising(p.spread[:len(counted)], counted)
	for h := range p.spread {
		if h >= len(counted) {
			p.spread[h] = p.spread[len(counted)-1] * math.Sqrt(float64(h+1)/float64(len(counted)))
			p.freedom[h] = p.freedom[len(counted)-1]
			continue
		}
		p.freedom[h] = max(leastFreedom, counted[h]/(1+overlap*float64(h))-p.spent)
	}
	for _, vector := range p.errors {
		for h, e := range vector {
			if h < len(counted) && p.spread[h] > 0 {
				p.shape = append(p.shape, math.Abs(e)/p.spread[h])
			}
		}
	}
	slices.Sort(p.shape)
}

// overlap determines how fast the effective number of independent errors falls with the horizon. The number falls
// because the errors of neighboring origins overlap.
const overlap = 0.1

// rising replaces the values with the closest nondecreasing values in weighted least squares (isotonic regression).
func rising(values, weights []float64) {
	type block struct {
		value, weight float64
		points        int
	}
	var blocks []block
	for i, v := range values {
		blocks = append(blocks, block{v, weights[i], 1})
		for k := len(blocks) - 1; k > 0 && blocks[k-1].value > blocks[k].value; k-- {
			a, b := blocks[k-1], blocks[k]
			blocks[k-1] = block{(a.value*a.weight + b.value*b.weight) / (a.weight + b.weight), a.weight + b.weight, a.points + b.points}
			blocks = blocks[:k]
		}
	}
	i := 0
	for _, b := range blocks {
		for range b.points {
			values[i] = b.value
			i++
		}
	}
}

// reach returns the half-width of the interval at step h, on the scale of the errors.
func (p *Prediction) reach(h int, level float64) float64 {
	if p.spread[h] == 0 {
		return 0
	}
	if len(p.shape) == 0 {
		return p.spread[h] * stats.Student(level, p.freedom[h])
	}
	return p.spread[h] * stats.Quantile(p.shape, level) * cautious(p.freedom[h], level)
}

// cautious returns the factor that widens a prediction interval if there are few independent errors. It is the ratio of
// Student's t quantile to the normal quantile, with at least [leastFreedom] degrees of freedom.
func cautious(freedom, level float64) float64 {
	return stats.Student(level, max(leastFreedom, freedom)) / distuv.UnitNormal.Quantile((1+level)/2)
}

// leastFreedom is the minimum number of degrees of freedom. With fewer degrees of freedom, quantiles of Student's t
// distribution are far too large.
const leastFreedom = 3

// bands sets the intervals.
func (p *Prediction) bands() {
	for _, level := range p.Levels {
		row := make([]Band, len(p.Points))
		for h, point := range p.Points {
			r := p.widened(h, p.reach(h, level), level)
			if p.ratio {
				r = min(r, widest)
				row[h] = Band{Low: point * math.Exp(-r), High: point * math.Exp(r)}
				continue
			}
			row[h] = Band{Low: point - r, High: point + r}
			if p.nonnegative {
				row[h].Low = max(0, row[h].Low)
			}
		}
		p.Bands = append(p.Bands, row)
	}
}

// widest is the maximum half-width of an interval on the log scale.
const widest = 20
