package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/measure/stats"
)

const noise = 0.12 // standard deviation of a day's logarithm, typical for shops with several hundred orders per day

// shop simulates daily revenue with a weekly cycle and slow growth.
func shop(rng *rand.Rand, days int, autocorrelation float64, heavyTails bool) []float64 {
	week := []float64{0.05, -0.1, -0.08, 0, 0.1, 0.2, -0.17}
	out := make([]float64, days)
	var e float64
	for i := range out {
		u := rng.NormFloat64()
		if heavyTails {
			u = studentT4(rng) / math.Sqrt2 // a t with four degrees of freedom has variance 2
		}
		e = autocorrelation*e + math.Sqrt(1-autocorrelation*autocorrelation)*u
		out[i] = math.Exp(10 + 0.001*float64(i) + week[i%7] + noise*e)
	}
	return out
}

func studentT4(rng *rand.Rand) float64 {
	var chi float64
	for range 4 {
		g := rng.NormFloat64()
		chi += g * g
	}
	return rng.NormFloat64() / math.Sqrt(chi/4)
}

// For normal errors |z| > 2 has probability 0.0455, or 4.1 days in 90. The bounds add two standard errors of 150 series
// (about 0.35 days) to the range from 3.5 to 5 days.
func TestNormalSeriesAreRarelyFlagged(t *testing.T) {
	t.Parallel()
	const series, history, window = 150, 120, 90
	for _, autocorrelation := range []float64{0, 0.5} {
		for _, heavyTails := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(11, 12))
			flags, found := 0, 0
			for range series {
				y := shop(rng, history+window, autocorrelation, heavyTails)
				for _, e := range OneStep(y, Days())[history:] {
					if math.Abs(e.Z) > 2 {
						flags++
					}
				}
				day := history + rng.IntN(window)
				y[day] *= math.Exp(-4 * noise)
				if OneStep(y, Days())[day].Z < -2 {
					found++
				}
			}
			perQuarter, recall := float64(flags)/series, float64(found)/series
			if perQuarter < 3.1 || perQuarter > 5.5 {
				t.Errorf("autocorrelation %v, heavy tails %v: %.2f flags in 90 quiet days, want 3.5 to 5", autocorrelation, heavyTails, perQuarter)
			}
			if recall < 0.9 {
				t.Errorf("autocorrelation %v, heavy tails %v: found %.2f of the days four deviations low, want 0.95", autocorrelation, heavyTails, recall)
			}
		}
	}
}

func TestWeekendsAreNotAnomalies(t *testing.T) {
	t.Parallel()
	y := make([]float64, 200)
	for i := range y {
		y[i] = 1000
		if i%7 >= 5 {
			y[i] = 300
		}
	}
	for i, e := range OneStep(y, Days()) {
		if e.Known() && math.Abs(e.Value-y[i]) > 1e-6*y[i] {
			t.Fatalf("day %d: expected %v of a series that repeats %v exactly", i, e.Value, y[i])
		}
		if e.Judged() && math.Abs(e.Z) > 1e-6 {
			t.Fatalf("day %d: z = %v on a series without surprise", i, e.Z)
		}
	}
}

func TestShortHistoryIsNotJudged(t *testing.T) {
	t.Parallel()
	y := shop(rand.New(rand.NewPCG(1, 1)), 60, 0, false)
	for i, e := range OneStep(y, Days()) {
		if want := i >= 28; e.Known() != want {
			t.Errorf("day %d: expectation known = %v, want %v", i, e.Known(), want)
		}
		if want := i >= 49; e.Judged() != want {
			t.Errorf("day %d: judged = %v, want %v", i, e.Judged(), want)
		}
	}
}

func TestExpectationLooksOnlyBack(t *testing.T) {
	t.Parallel()
	y := shop(rand.New(rand.NewPCG(3, 4)), 150, 0, false)
	whole := OneStep(y, Days())
	part := OneStep(y[:120], Days())
	for i := range part {
		if math.Abs(part[i].Value-whole[i].Value) > 1e-9*whole[i].Value {
			t.Fatalf("day %d: expected %v with the later days and %v without", i, whole[i].Value, part[i].Value)
		}
	}
}

// Later values do not change earlier expectations or their scale, for example when a channel stops selling.
func TestLaterZerosDoNotChangeEarlierExpectations(t *testing.T) {
	t.Parallel()
	y := shop(rand.New(rand.NewPCG(3, 4)), 150, 0, false)
	y[60] = 0
	part := OneStep(y, Days())
	whole := OneStep(append(y, make([]float64, 150)...), Days())
	for i, want := range part {
		if !same(want.Value, whole[i].Value) || !same(want.Z, whole[i].Z) {
			t.Fatalf("day %d: expected %+v with the zeros after day 150 and %+v without", i, whole[i], want)
		}
	}
}

// The expectation of a series that becomes zero also becomes zero, for every initial scale.
func TestSeriesThatStopsIsExpectedToStayStopped(t *testing.T) {
	t.Parallel()
	y := shop(rand.New(rand.NewPCG(3, 5)), 150, 0, false)
	last := OneStep(append(y, make([]float64, 150)...), Days())[299]
	if last.Value > 0.01*y[149] || math.Abs(last.Z) > 2 {
		t.Errorf("after 150 days without sales %v is expected, z = %v; want about nothing", last.Value, last.Z)
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestUnitDoesNotMatter(t *testing.T) {
	t.Parallel()
	y := shop(rand.New(rand.NewPCG(5, 6)), 150, 0, false)
	cents := make([]float64, len(y))
	for i := range y {
		cents[i] = 100 * y[i]
	}
	euros, inCents := OneStep(y, Days()), OneStep(cents, Days())
	for i := range euros {
		if euros[i].Judged() && math.Abs(euros[i].Z-inCents[i].Z) > 1e-6 {
			t.Fatalf("day %d: z = %v in euros and %v in cents", i, euros[i].Z, inCents[i].Z)
		}
	}
}

func TestAnomalyDoesNotMoveWhatIsExpectedNext(t *testing.T) {
	t.Parallel()
	y := shop(rand.New(rand.NewPCG(7, 8)), 160, 0, false)
	before := OneStep(y, Days())
	y[140] *= 50
	after := OneStep(y, Days())
	if z := after[140].Z; z < 20 {
		t.Errorf("z of a day with fifty times the revenue = %v, want a large one", z)
	}
	for i := 141; i < 148; i++ {
		if r := after[i].Value / before[i].Value; r < 0.9 || r > 1.1 {
			t.Errorf("day %d: the anomaly of day 140 moves the expectation by the factor %.2f", i, r)
		}
	}
}

func TestDayWithoutSalesIsFoundAndStaysFinite(t *testing.T) {
	t.Parallel()
	y := shop(rand.New(rand.NewPCG(9, 9)), 160, 0, false)
	y[130] = 0
	if z := OneStep(y, Days())[130].Z; !(z < -10) || math.IsInf(z, 0) {
		t.Errorf("z of a day without sales = %v, want a large negative number", z)
	}
}

func TestMissingValueIsExpectedAndNotJudged(t *testing.T) {
	t.Parallel()
	y := shop(rand.New(rand.NewPCG(2, 9)), 160, 0, false)
	y[120] = math.NaN()
	for i, e := range OneStep(y, Days())[100:] {
		if want := 100+i != 120; e.Judged() != want || !e.Known() {
			t.Errorf("day %d: judged = %v, known = %v; want %v, true", 100+i, e.Judged(), e.Known(), want)
		}
	}
}

// A small shop has many days without sales. The square-root transformation is appropriate for the shop's counts.
func TestSparseCountsAreRarelyFlagged(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 22))
	flags, judged := 0, 0
	for range 60 {
		y := make([]float64, 210)
		for i := range y {
			y[i] = poisson(rng, 1.5)
		}
		for _, e := range OneStep(y, Days())[120:] {
			judged++
			if math.Abs(e.Z) > 2 {
				flags++
			}
		}
	}
	if rate := float64(flags) / float64(judged); rate > 0.07 {
		t.Errorf("%.1f%% of quiet days are flagged, want at most 7", 100*rate)
	}
}

func poisson(rng *rand.Rand, rate float64) float64 {
	limit, product, n := math.Exp(-rate), rng.Float64(), 0
	for product > limit {
		product *= rng.Float64()
		n++
	}
	return float64(n)
}

func TestWeeksAreJudgedAfterNineteen(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	y := make([]float64, 60)
	for i := range y {
		y[i] = 7000 * math.Exp(0.05*rng.NormFloat64())
	}
	y[50] *= 0.5
	got := OneStep(y, Weeks())
	if got[17].Judged() || !got[18].Judged() {
		t.Errorf("judged at week 17: %v, at week 18: %v; want false, true", got[17].Judged(), got[18].Judged())
	}
	if z := got[50].Z; z > -4 {
		t.Errorf("z of a week with half the revenue = %v, want below -4", z)
	}
}

func TestNothingIsExpectedOfNothing(t *testing.T) {
	t.Parallel()
	if got := OneStep(nil, Days()); len(got) != 0 {
		t.Errorf("OneStep(nil) = %v", got)
	}
	for _, e := range OneStep(make([]float64, 100), Days()) {
		if e.Known() && e.Value != 0 || e.Judged() && e.Z != 0 {
			t.Fatalf("zeros let expect %+v", e)
		}
	}
}

func BenchmarkAQuarterOfDays(b *testing.B) {
	y := shop(rand.New(rand.NewPCG(1, 2)), 210, 0, false)
	for b.Loop() {
		OneStep(y, Days())
	}
}

// Incremental window statistics equal the statistics of the whole window to the last bit.
func TestIncrementalExpectationsEqualThoseOfWholeWindows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		values := make([]float64, 260)
		for i := range values {
			values[i] = 100 * math.Exp(0.4*math.Sin(float64(i))+0.2*r.NormFloat64())
			switch { // some series have gaps, and some change between the scales
			case r.Float64() < 0.03*float64(seed%3):
				values[i] = math.NaN()
			case r.Float64() < 0.025*float64(seed%4):
				values[i] = 0
			}
		}
		for _, rhythm := range []Rhythm{Days(), SlowDays(), Weeks()} {
			got := OneStep(values, rhythm)
			for i, want := range direct(values, rhythm) {
				same := func(a, b float64) bool { return a == b || !known(a) && !known(b) }
				if !same(got[i].Value, want.Value) || !same(got[i].Z, want.Z) {
					t.Fatalf("seed %d, season %d, point %d: got %v, want %v", seed, rhythm.season, i, got[i], want)
				}
			}
		}
	}
}

// direct implements [OneStep] by its definition: for every point, it sorts the whole window.
func direct(values []float64, r Rhythm) []Expectation {
	out := make([]Expectation, len(values))
	s := scale{root: true}
	var clean, errors []float64
	step := func(y float64) Expectation {
		x := s.to(y)
		from := max(0, len(clean)-r.window)
		recent := clean[from:]
		if len(finite(recent)) < r.warmup {
			clean = append(clean, x)
			return Expectation{Value: math.NaN(), Z: math.NaN()}
		}
		places := make([][]float64, r.season)
		factors := make([]float64, r.season)
		for i, half := r.season/2, r.season/2; r.season > 1 && i+half < len(recent); i++ {
			if d := recent[i] - stats.Mean(recent[i-half:i+half+1]); known(d) {
				places[(from+i)%r.season] = append(places[(from+i)%r.season], d)
			}
		}
		for place, d := range places {
			slices.Sort(d)
			factors[place] = ranked(d).middle()
		}
		center := stats.Mean(factors)
		for place := range factors {
			factors[place] -= center
		}
		var sum, weight float64
		w := 1.0
		for i, before := range slices.Backward(recent) {
			if known(before) {
				sum += w * (before - factors[(from+i)%r.season])
				weight += w
			}
			w *= 1 - r.forget
		}
		expected := sum/weight + factors[len(clean)%r.season]
		sizes := finite(errors[max(0, len(errors)-r.window):])
		slices.Sort(sizes)
		sigma := math.NaN()
		if len(sizes) >= r.settle {
			sigma = max(slack*1.4826*stats.Quantile(sizes, 0.5), stats.Quantile(sizes, 0.9545)/2, r.minimum)
		}
		e, kept := x-expected, x
		if known(sigma) {
			kept = expected + max(-r.clipAt*sigma, min(r.clipAt*sigma, e))
		}
		clean, errors = append(clean, kept), append(errors, math.Abs(e))
		return Expectation{Value: s.from(expected), Z: e / sigma}
	}
	for t, y := range values {
		existing := finite(values[:t])
		positive := slices.DeleteFunc(slices.Clone(existing), func(y float64) bool { return y <= 0 })
		zeros, most := len(existing)-len(positive), 20
		if s.root {
			most = 40
		}
		next := scale{root: len(positive) == 0 || zeros*most > len(existing)}
		if !next.root {
			recent := slices.Sorted(slices.Values(positive[max(0, len(positive)-r.window):]))
			next.floor = stats.Quantile(recent, 0.5) / 100
		}
		changed := next.root != s.root
		s = next
		if changed {
			clean, errors = nil, nil
			for _, before := range values[:t] {
				step(before)
			}
		}
		out[t] = step(y)
	}
	return out
}

func finite(x []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(x), math.IsNaN)
}
