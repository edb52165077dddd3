package season

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure/holiday"
	"assay/internal/measure/stats"
	"assay/internal/measure/stats/statstest"
)

func TestPatternsNeed56DaysAndFewZeros(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		positive, zero, unknown int
		want                    string
	}{
		{56, 0, 0, ""},
		{55, 0, 20, "55 days have a positive value and 0 days do not. Yearly seasonality requires 56 days with a positive value and at most 5% other days"},
		{100, 5, 30, ""},
		{100, 6, 0, "100 days have a positive value and 6 days do not"},
	} {
		values := slices.Concat(slices.Repeat([]float64{math.E}, c.positive), make([]float64, c.zero), slices.Repeat([]float64{math.NaN()}, c.unknown))
		if c.zero > 0 {
			values[c.positive] = -3
		}
		x, err := logarithms(values)
		if c.want == "" {
			if err != nil || x[0] != 1 || c.zero > 0 && !math.IsNaN(x[c.positive]) {
				t.Errorf("%+v: %v, %v", c, x, err)
			}
			continue
		}
		if fault.KindOf(err) != fault.KindNotReady || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The noise is the spread of a day's difference from the mean of the same weekday one week before and after. The
// difference of independent days has the variance 1.5; 1.4826 is the ratio of standard deviation and median size.
func TestNoiseComparesWeekdays(t *testing.T) {
	t.Parallel()
	x := make([]float64, 17)
	for i, v := range []float64{.2, .1, -.3} { // at days 7, 8 and 9: differences of 0.4, 0.2 and -0.6
		x[i], x[i+7], x[i+14] = 1-v, 1+v, 1-v
	}
	statstest.Near(t, "noise", noiseOf(x), 1.4826*.4/math.Sqrt(1.5), 1e-9)
	x[8] = math.NaN()
	statstest.Near(t, "noise with an unknown day", noiseOf(x), 1.4826*.5/math.Sqrt(1.5), 1e-9)
	statstest.Near(t, "least noise", noiseOf(make([]float64, 40)), .01, 1e-9)
	statstest.Near(t, "noise of a short series", noiseOf([]float64{1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5}), .01, 1e-9)
}

func newFitted(t *testing.T, ask Ask) fitted {
	t.Helper()
	x, err := logarithms(ask.Values)
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDesign(ask)
	if err != nil {
		t.Fatal(err)
	}
	f := fitted{design: d, x: x, weights: make([]float64, len(x)), noise: .1}
	for i := range f.weights {
		f.weights[i] = 1
	}
	f.collect()
	return f
}

// A day has the level of the knots before and after it, its weekday, and two harmonics of the day of the year. A future
// day has only the harmonics.
func TestDaysHaveLevelWeekdayAndHarmonics(t *testing.T) {
	t.Parallel()
	first := civil.New(2026, time.March, 1) // a Sunday, day 60 of the year
	d := &design{history: 30, ahead: 5, first: first, knots: 6}
	values := func(day int) map[int]float64 {
		all := map[int]float64{}
		for _, e := range d.row(day) {
			all[e.column] += e.by
		}
		return all
	}
	for day, want := range map[int]map[int]float64{
		0:  {0: 1, d.weekday(0): 1},
		10: {1: 4. / 7, 2: 3. / 7, d.weekday(3): 1},
		28: {4: 1, d.weekday(0): 1},
		29: {4: 6. / 7, 5: 1. / 7, d.weekday(1): 1},
		30: {},
	} {
		angle := 2 * math.Pi * float64(60+day) / 365.25
		want[d.harmonic(0)], want[d.harmonic(1)] = math.Cos(angle), math.Sin(angle)
		want[d.harmonic(2)], want[d.harmonic(3)] = math.Cos(2*angle), math.Sin(2*angle)
		got := values(day)
		if len(got) != len(want) {
			t.Errorf("day %d: %v, want %v", day, got, want)
		}
		for column, by := range want {
			statstest.Near(t, "value of a column", got[column], by, 1e-9)
		}
	}
	if d.drift() != 6 || d.weekday(0) != 7 || d.harmonic(0) != 14 || d.effect(0) != 18 || d.columns() != 18 {
		t.Errorf("columns %d, %d, %d, %d of %d", d.drift(), d.weekday(0), d.harmonic(0), d.effect(0), d.columns())
	}
	for history, knots := range map[int]int{1: 1, 2: 2, 8: 2, 9: 3, 15: 3} {
		got, err := newDesign(Ask{First: first, Values: make([]float64, history)})
		if err != nil || got.knots != knots {
			t.Errorf("%d days: %d knots, %v; want %d", history, got.knots, err, knots)
		}
	}
}

// The prior is normal: the first level is the start ± 2, changes per week are the drift ± the scale, the drift is
// 0.5·7/365.25 per week, and a weekday's log factor 0.5. The second harmonic has half of the scale of the first.
func TestThePriorIsNormal(t *testing.T) {
	t.Parallel()
	d := &design{knots: 3, effects: []effect{{mean: 1, sd: .6}}}
	p := d.prior(scales{level: .1, smooth: .2}, 7)
	penalty := func(set map[int]float64) float64 { // (β-m)'P(β-m) less that of β = 0
		b := mat.NewVecDense(d.columns(), nil)
		for i, v := range set {
			b.SetVec(i, v)
		}
		return mat.Inner(b, p.precision, b) - 2*mat.Dot(b, mat.NewVecDense(d.columns(), p.product))
	}
	drift := .5 * 7 / 365.25
	for what, c := range map[string]struct {
		set  map[int]float64
		want float64
	}{
		"levels at the start":      {map[int]float64{0: 7, 1: 7, 2: 7}, -49. / 4},
		"a change of the level":    {map[int]float64{0: 7, 1: 7.2, 2: 7.2}, -49./4 + 4},
		"a steady change":          {map[int]float64{0: 7, 1: 7.2, 2: 7.4, d.drift(): .2}, -49./4 + .2*.2/drift/drift},
		"a weekday":                {map[int]float64{d.weekday(6): 1.5}, 9},
		"the first harmonic":       {map[int]float64{d.harmonic(1): .4}, 4},
		"the second harmonic":      {map[int]float64{d.harmonic(2): .4}, 16},
		"the mean of an event":     {map[int]float64{d.effect(0): 1}, -1 / .36},
		"an event without effect":  {map[int]float64{d.effect(0): 0}, 0},
		"twice the effect":         {map[int]float64{d.effect(0): 2}, 0},
		"a drift without a change": {map[int]float64{0: 7, 1: 7, 2: 7, d.drift(): .1}, -49./4 + 2 + .01/drift/drift},
	} {
		statstest.Near(t, what, penalty(c.set), c.want, 1e-9)
	}
}

// The difference of two log marginal likelihoods is that of the normal densities of the series, with the mean X m and
// the covariance noise²·I + X P⁻¹ Xᵀ.
func TestMarginalLikelihoodsAreNormalDensities(t *testing.T) {
	t.Parallel()
	first := civil.New(2026, time.October, 20)
	values := simulated(5, first, 60, .5)
	f := newFitted(t, Ask{First: first, Values: values, Ahead: 3})
	n, k := len(f.x), f.columns()
	x := mat.NewDense(n, k, nil)
	start := 0.0
	for day := range n {
		for _, e := range f.rows[day] {
			x.Set(day, e.column, x.At(day, e.column)+e.by)
		}
		if day < 28 {
			start += f.x[day] / 28
		}
	}
	density := func(s scales) float64 {
		p := f.prior(s, start)
		var inverse mat.Cholesky
		if !inverse.Factorize(p.precision) {
			t.Fatal("the prior is improper")
		}
		var mean, along mat.VecDense
		var spread, covariance mat.Dense
		if err := inverse.SolveVecTo(&mean, mat.NewVecDense(k, p.product)); err != nil {
			t.Log(err)
		}
		if err := inverse.SolveTo(&spread, x.T()); err != nil {
			t.Log(err)
		}
		covariance.Mul(x, &spread)
		total := mat.NewSymDense(n, nil)
		rest := mat.NewVecDense(n, nil)
		along.MulVec(x, &mean)
		for i := range n {
			for j := i; j < n; j++ {
				total.SetSym(i, j, (covariance.At(i, j)+covariance.At(j, i))/2)
			}
			total.SetSym(i, i, total.At(i, i)+f.noise*f.noise)
			rest.SetVec(i, f.x[i]-along.AtVec(i))
		}
		var factor mat.Cholesky
		if !factor.Factorize(total) {
			t.Fatal("the covariance is singular")
		}
		var solved mat.VecDense
		if err := factor.SolveVecTo(&solved, rest); err != nil {
			t.Log(err)
		}
		return -(factor.LogDet() + mat.Dot(rest, &solved)) / 2
	}
	a, b, c := scales{.03, .1}, scales{.12, .1}, scales{.03, .2}
	if got, want := f.solve(a)-f.solve(b), density(a)-density(b); !(math.Abs(got-want) < 1e-5) {
		t.Errorf("log likelihoods of two scales of the level differ by %v, want %v", got, want)
	}
	if got, want := f.solve(a)-f.solve(c), density(a)-density(c); !(math.Abs(got-want) < 1e-5) {
		t.Errorf("log likelihoods of two scales of the season differ by %v, want %v", got, want)
	}
}

// A day with a residual of e deviations has the weight 5/(4 + e²). The weight of an event day is at most
// 1/(1 + 0.1²/noise²), because effects vary between years.
func TestWeightsFollowFromTheResiduals(t *testing.T) {
	t.Parallel()
	d := &design{history: 4, ahead: 1, knots: 1, effects: []effect{{days: []loading{{2, 1}, {4, 1}}}}, rows: make([][]entry, 5)}
	for i := range d.rows {
		d.rows[i] = []entry{{0, 1}}
	}
	f := fitted{design: d, x: []float64{3, 3.2, 3, math.NaN()}, noise: .1, weights: make([]float64, 4), beta: make([]float64, d.columns())}
	f.beta[0] = 3
	f.reweight()
	for i, want := range []float64{5. / 4, 5. / 8, .5, 0} {
		statstest.Near(t, "weight", f.weights[i], want, 1e-9)
	}
	statstest.Near(t, "sum of the weights", f.gram.At(0, 0), (5./4+5./8+.5)/.01, 1e-9)
	statstest.Near(t, "product with the values", f.product[0], (3*5./4+3.2*5./8+3*.5)/.01, 1e-9)
}

// Days of one group vary together between years, with the correlation 0.5.
func TestEventsVaryBetweenYears(t *testing.T) {
	t.Parallel()
	d := &design{history: 10, ahead: 4, effects: []effect{
		{group: 1, days: []loading{{3, 1}, {10, 1}, {11, 1}}},
		{group: 2, days: []loading{{12, 1}}},
		{group: 1, days: []loading{{12, 1}}},
	}}
	covariance := make([][]float64, 4)
	for i := range covariance {
		covariance[i] = make([]float64, 4)
	}
	(&fitted{design: d}).addYears(covariance)
	for h, row := range [][]float64{{.01, .005, .005, 0}, {.005, .01, .005, 0}, {.005, .005, .02, 0}, {0, 0, 0, 0}} {
		for k, want := range row {
			statstest.Near(t, "covariance", covariance[h][k], want, 1e-9)
		}
	}
}

// The prior shape has every day once. Sales rise before Thanksgiving and until the end of the weeks of gifts, most on
// Black Friday. They fall at Christmas and in January.
func TestSeasonsHaveEveryDayOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shape       []block
		first, last int
		most        int // day with the largest effect in size
		size        float64
	}{
		"cyber": {cyber, -3, 5, 1, .8}, "christmas": {christmas, -27, 37, 0, -.6},
	} {
		next := c.first
		for _, b := range c.shape {
			if b.first != next || b.last < b.first {
				t.Errorf("%s: a block is from %d to %d, want it from %d", name, b.first, b.last, next)
			}
			next = b.last + 1
			rises := name == "cyber" || b.last < -5
			if (b.mean > 0) != rises || b.mean == 0 || math.Abs(b.mean) > math.Abs(c.size) ||
				b.first == c.most && b.mean != c.size {
				t.Errorf("%s: the effect from %d to %d is %v", name, b.first, b.last, b.mean)
			}
			if name == "christmas" && b.first > 0 && b.mean < -.2 || rises && name == "christmas" && b.mean > .25 {
				t.Errorf("%s: the effect from %d to %d is %v", name, b.first, b.last, b.mean)
			}
		}
		if next != c.last+1 {
			t.Errorf("%s ends on day %d, want %d", name, next-1, c.last)
		}
	}
	lengths := map[int]int{-27: 10, -17: 7, -10: 5, -5: 4, -1: 1, 0: 1, 1: 5, 6: 2, 8: 9, 17: 21}
	for _, b := range christmas {
		if got := b.last - b.first + 1; got != lengths[b.first] {
			t.Errorf("the block from day %d has %d days, want %d", b.first, got, lengths[b.first])
		}
	}
	// Each day of a year has at most one effect of each season, and the amplitude has the prior shape.
	year := civil.Range{First: civil.New(2024, time.June, 1), Last: civil.New(2025, time.May, 31)}
	all := seasons(year)
	days := map[int]int{}
	for _, e := range all {
		for _, at := range e.days {
			if e.mean == 0 {
				days[at.day]++
			} else if e.mean != 1 || e.sd != .6 {
				t.Errorf("amplitude %v ± %v", e.mean, e.sd)
			}
		}
	}
	thanksgiving := holiday.Thanksgiving(2024).Sub(year.First)
	for day, n := range days {
		if n != 1 {
			t.Errorf("day %d has %d effects", day, n)
		}
	}
	// In 2024, the weekend after Thanksgiving ends on December 3, so the Christmas season starts on December 4.
	end := civil.New(2025, time.January, 31).Sub(year.First)
	if len(days) != end-(thanksgiving-3)+1 {
		t.Errorf("%d days have an effect, want all from three days before Thanksgiving to January 31", len(days))
	}
	named := map[string]int{}
	for _, e := range all {
		named[e.season]++
		if sd := map[string]float64{cyberSeason: .25, christmasSeason: .15}[e.season]; sd > 0 && e.sd != sd {
			t.Errorf("effect of %s ± %v, want %v", e.season, e.sd, sd)
		}
	}
	if named[cyberSeason] != 9 || named[christmasSeason] != 8 || named[""] != 4 { // two amplitudes and two blocks of January
		t.Errorf("effects %v", named)
	}
	if all[0].group != 1 || all[1].group != 1 || all[len(all)-1].group != 2 {
		t.Error("each season is a group")
	}
}

// A holiday on a Friday includes the weekend after it, and one on another day only itself. Each effect is a group of its
// own after those of the seasons.
func TestHolidaysOnFridaysIncludeTheWeekend(t *testing.T) {
	t.Parallel()
	year := civil.Range{First: civil.New(2025, time.January, 1), Last: civil.New(2025, time.December, 31)}
	for name, want := range map[string][]string{
		"independence_us": {"2025-07-05 2025-07-06", "2025-07-04"}, "juneteenth": {"2025-06-19"}, "easter": {"2025-04-18 2025-04-21"},
		"washington": {"2025-02-14 2025-02-16", "2025-02-17"}, "halloween": {"2025-10-22 2025-10-29", "2025-10-30 2025-10-31"},
	} {
		c := collector{days: year}
		c.holiday(holiday.Named(name))
		var got []string
		for _, e := range c.all {
			text := year.First.AddDays(e.days[0].day).String()
			if n := len(e.days); n > 1 {
				text += " " + year.First.AddDays(e.days[n-1].day).String()
			}
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	july := civil.Range{First: civil.New(2025, time.July, 1), Last: civil.New(2025, time.July, 31)}
	all, err := events(july, []string{"US"})
	if err != nil || len(all) != 2 || all[0].group != 3 || all[1].group != 4 || all[1].sd != .07 ||
		!slices.Equal(all[0].days, []loading{{4, 1}, {5, 1}}) {
		t.Errorf("Independence Day: %+v, %v", all, err)
	}
	february := civil.Range{First: civil.New(2025, time.February, 1), Last: civil.New(2025, time.February, 28)}
	none, err := events(february, nil)
	if err != nil ||
		!slices.ContainsFunc(none, func(e effect) bool { return slices.Contains(e.days, loading{12, 1}) && e.sd == .07 }) {
		t.Errorf("without a country there is no Valentine's Day: %+v, %v", none, err)
	}
}

// A season is unseen if none of a block's days in the history is known. The first such block counts.
func TestUnseenSeasonsStartWithTheirFirstBlock(t *testing.T) {
	t.Parallel()
	x := make([]float64, 10)
	x[3] = math.NaN()
	flat := make([][]float64, 5)
	for i := range flat {
		flat[i] = make([]float64, 5)
	}
	d := &design{history: 10, ahead: 5, effects: []effect{
		{season: "a", days: []loading{{13, 1}, {14, 1}}},
		{season: "a", days: []loading{{11, 1}}},
		{season: "a", days: []loading{{12, 1}}},
		{season: "b", days: []loading{{2, 1}, {10, 1}}}, // seen
		{season: "c", days: []loading{{3, 1}, {14, 1}}}, // unknown
		{season: "d", days: []loading{{4, 1}}},          // not ahead
		{days: []loading{{10, 1}}},                      // without a name
		{season: "e", days: []loading{{14, 1}}},
	}}
	want := []Unseen{{"a", 1}, {"c", 4}, {"e", 4}}
	if got := d.unseen(x, flat); !slices.Equal(got, want) {
		t.Errorf("unseen %v, want %v", got, want)
	}
	// Every day but the last two has an event or a variance of at most 0.1².
	flat[0][0], flat[1][1], flat[2][2], flat[3][3], flat[4][4] = 1, 1, 1, 1, 1
	d.effects = []effect{{days: []loading{{10, 1}, {11, 1}}}}
	flat[2][2] = .0099
	for history, want := range map[int][]Unseen{364: {{timeOfYear, 3}}, 365: nil} {
		d.effects[0].days = []loading{{history, 1}, {history + 1, 1}}
		d.history = history
		if got := d.unseen(make([]float64, history), flat); !slices.Equal(got, want) {
			t.Errorf("%d days of history: %v, want %v", history, got, want)
		}
	}
}

// Factors of the future are relative to the mean of the last two weeks of the history.
func TestTheBaseIsTheLastTwoWeeks(t *testing.T) {
	t.Parallel()
	d := &design{history: 20, ahead: 1, knots: 1, effects: []effect{{}}, rows: make([][]entry, 21)}
	for i := range d.rows {
		d.rows[i] = []entry{{0, 5}, {d.effect(0), float64(i)}}
	}
	f := fitted{design: d, beta: make([]float64, d.columns())}
	base := f.base()
	statstest.Near(t, "mean of days 6 to 19", base[d.effect(0)], 12.5, 1e-9)
	statstest.Near(t, "mean of the level", base[0], 0, 1e-9)
	statstest.Near(t, "a future day", f.calendar(20, base)[d.effect(0)], 7.5, 1e-9)
	f.beta[d.effect(0)], f.beta[0] = .1, 9
	statstest.Near(t, "factor", f.factors()[20], math.E*math.E, 1e-9)
	short := &design{history: 4, knots: 1, effects: []effect{{}}, rows: d.rows}
	statstest.Near(t, "mean of a short history", (&fitted{design: short}).base()[short.effect(0)], 1.5, 1e-9)
}

// The scales of level and season are those of the grid with the highest marginal likelihood. Series with a more variable
// level or a stronger season have larger scales.
func TestScalesMaximizeTheLikelihood(t *testing.T) {
	t.Parallel()
	levels, smooths := []float64{.005, .015, .03, .06, .12}, []float64{.02, .05, .1, .2}
	for _, c := range []struct {
		step, season float64 // changes per week, and amplitude of the time of year
		days         int
		want         scales
	}{
		{0, .02, 700, scales{.005, .02}},
		{.015, .12, 700, scales{.015, .05}},
		{.06, .7, 700, scales{.06, .2}},
		{.12, .45, 700, scales{.12, .2}},
		{.06, .25, 700, scales{.06, .1}},
		{.03, .4, 540, scales{.03, .1}},
	} {
		chance, level := stats.Stream(11, 1), 0.0
		values := make([]float64, c.days)
		for day := range values {
			level += c.step / math.Sqrt(7) * chance.NormFloat64()
			angle := 2 * math.Pi * float64(start.AddDays(day).YearDay()) / 365.25
			values[day] = math.Exp(5 + level + c.season*math.Cos(angle) + .05*chance.NormFloat64())
		}
		f := newFitted(t, Ask{First: start, Values: values})
		f.estimate()
		got := slices.Clone(f.beta)
		best, most := scales{}, math.Inf(-1)
		var chosen scales
		for _, level := range levels {
			for _, smooth := range smooths {
				s := scales{level, smooth}
				if c.days < longDays && smooth != fixedSD {
					continue
				}
				if l := f.solve(s); l > most {
					best, most = s, l
				}
				if slices.Equal(f.beta, got) {
					chosen = s
				}
			}
		}
		if chosen != c.want || best != c.want {
			t.Errorf("changes of %v and a season of %v: scales %+v, best %+v, want %+v", c.step, c.season, chosen, best, c.want)
		}
	}
}
