package season

import (
	"math"
	"slices"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure/holiday"
	"assay/internal/measure/stats"
)

// simulated returns a series with growth, weekdays, a smooth season and Black Friday.
func simulated(seed uint64, first civil.Date, days int, blackFriday float64) []float64 {
	chance := stats.Stream(seed, 1)
	out, level := make([]float64, days), 0.0
	for t := range out {
		day := first.AddDays(t)
		level = 0.6*level + 0.04*chance.NormFloat64()
		x := 7 + 0.15*float64(t)/365 + level + 0.08*chance.NormFloat64()
		if day.Weekday() == time.Sunday {
			x += 0.2
		}
		x += 0.1 * math.Cos(2*math.Pi*float64(day.YearDay()-330)/365.25)
		if day.Sub(holiday.Thanksgiving(day.Year())) == 1 {
			x += blackFriday
		}
		out[t] = math.Exp(x)
	}
	return out
}

func fit(t *testing.T, ask Ask) *Year {
	t.Helper()
	y, err := Fit(ask)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

var start = civil.New(2024, time.January, 1)

// The history is two years and ten months. The tolerance of 0.2 for log factors is two standard errors of an effect.
// The effect occurs twice in the history and varies by 0.1 between years.
func TestEffectsThatWereSeenAreRecovered(t *testing.T) {
	t.Parallel()
	const days = 1040
	values := simulated(3, start, days, 1.2)
	y := fit(t, Ask{First: start, Values: values, Ahead: 60, Countries: []string{"US"}})
	blackFriday := holiday.Thanksgiving(2026).AddDays(1).Sub(start)
	ordinary := civil.New(2026, time.November, 13).Sub(start)
	if got := math.Log(y.Factors[blackFriday] / y.Factors[ordinary]); math.Abs(got-1.2) > 0.2 {
		t.Errorf("log factor of Black Friday: %.3f, want 1.2", got)
	}
	if len(y.Unseen) != 0 {
		t.Errorf("unseen seasons %v, want none", y.Unseen)
	}
	if sd := math.Sqrt(y.Covariance[blackFriday-days][blackFriday-days]); sd < yearlySD || sd > 0.2 {
		t.Errorf("standard deviation of a Black Friday that was seen twice: %.3f, want %v to 0.2", sd, yearlySD)
	}
}

func TestASeasonThatWasNotSeenIsAPrior(t *testing.T) {
	t.Parallel()
	first := civil.New(2026, time.July, 1)
	values := simulated(4, first, 140, 1.2) // to November 17
	y := fit(t, Ask{First: first, Values: values, Ahead: 44, Countries: []string{"US"}})
	thanksgiving := holiday.Thanksgiving(2026).Sub(first)
	if at := slices.IndexFunc(y.Unseen, func(u Unseen) bool { return u.Name == cyberSeason }); at < 0 || y.Unseen[at].From != thanksgiving-3-140 {
		t.Errorf("unseen seasons %v, want %s from day %d", y.Unseen, cyberSeason, thanksgiving-3-140)
	}
	if !slices.ContainsFunc(y.Unseen, func(u Unseen) bool { return u.Name == christmasSeason }) {
		t.Errorf("unseen seasons %v, want %s", y.Unseen, christmasSeason)
	}
	h := thanksgiving + 1 - 140
	if sd := math.Sqrt(y.Covariance[h][h]); sd < 0.4 {
		t.Errorf("standard deviation of an unseen Black Friday: %.3f, want at least 0.4", sd)
	}
	if f := y.Factors[140+h] / y.Factors[140]; f < 1.5 || f > 3 {
		t.Errorf("factor of an unseen Black Friday: %.3f, want the prior near %.2f", f, math.Exp(cyber[4].mean))
	}
	if got := Ahead(civil.Range{First: first.AddDays(140), Last: first.AddDays(183)}); len(got) != 2 || got[0].From != thanksgiving-3-140 {
		t.Errorf("seasons ahead %v, want both", got)
	}
	if got := Ahead(civil.Range{First: civil.New(2026, time.June, 1), Last: civil.New(2026, time.June, 30)}); len(got) != 0 {
		t.Errorf("seasons in June %v, want none", got)
	}
}

// The true effect varies randomly between series and between years. For 60 series with correlated days, the miss rate
// can differ by chance between two thirds of the nominal rate and twice that rate.
func TestFutureFactorsHaveNominalCoverage(t *testing.T) {
	t.Parallel()
	inside, points := 0.0, 0.0
	for seed := range uint64(60) {
		chance := stats.Stream(seed, 2)
		size := 0.8 + 0.5*chance.NormFloat64()
		const days = 690 // to November 20 of the second year
		values := simulated(seed+100, start, days, size)
		y := fit(t, Ask{First: start, Values: values, Ahead: 10})
		h := holiday.Thanksgiving(2025).AddDays(1).Sub(start) - days
		var base float64
		for _, f := range y.Factors[days-settled : days] {
			base += math.Log(f) / settled
		}
		truth := size + yearlySD*chance.NormFloat64()
		got := math.Log(y.Factors[days+h]) - base
		points++
		if math.Abs(got-truth) <= 1.645*math.Sqrt(y.Covariance[h][h]) {
			inside++
		}
	}
	if share := inside / points; share < 0.8 || share > 0.98 {
		t.Errorf("90%% intervals of Black Friday's factor contain %.3f of the true factors", share)
	}
}

func TestTheUnitDoesNotMatter(t *testing.T) {
	t.Parallel()
	values := simulated(5, start, 500, 1)
	scaled := make([]float64, len(values))
	for t, v := range values {
		scaled[t] = 1024 * v
	}
	a, b := fit(t, Ask{First: start, Values: values, Ahead: 90}), fit(t, Ask{First: start, Values: scaled, Ahead: 90})
	for i, f := range a.Factors {
		if math.Abs(f/b.Factors[i]-1) > 1e-9 {
			t.Fatalf("factor %d is %v, and %v in another unit", i, f, b.Factors[i])
		}
	}
}

// Single anomalies, such as an outage and a day without data, change no factor by more than 2%.
func TestSingleAnomaliesHaveLittleWeight(t *testing.T) {
	t.Parallel()
	values := simulated(6, start, 700, 1)
	ask := Ask{First: start, Values: values, Ahead: 30}
	clean := fit(t, ask)
	ask.Values = slices.Clone(values)
	ask.Values[300] *= 0.2
	ask.Values[400] *= 3
	ask.Values[500], ask.Values[501] = math.NaN(), 0
	got := fit(t, ask)
	for i, f := range clean.Factors {
		if math.Abs(got.Factors[i]/f-1) > 0.02 {
			t.Fatalf("factor %d is %.4f with anomalies, %.4f without", i, got.Factors[i], f)
		}
	}
}

func TestInvalidAndShortSeriesAreFaults(t *testing.T) {
	t.Parallel()
	long := simulated(7, start, 100, 1)
	for name, c := range map[string]struct {
		ask  Ask
		kind fault.Kind
	}{
		"too short":        {Ask{First: start, Values: long[:30]}, fault.KindNotReady},
		"mostly zero":      {Ask{First: start, Values: append(slices.Clone(long), make([]float64, 30)...)}, fault.KindNotReady},
		"infinite":         {Ask{First: start, Values: append(slices.Clone(long), math.Inf(1))}, fault.KindInvalid},
		"negative horizon": {Ask{First: start, Values: long, Ahead: -1}, fault.KindInvalid},
		"unknown country":  {Ask{First: start, Values: long, Countries: []string{"XX"}}, fault.KindInvalid},
	} {
		if _, err := Fit(c.ask); fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
}

// Labor Day is on Monday, September 7, 2026. Its weekend is a separate effect. Valentine's Day has eight days of gift
// purchases, and two days on which an order is too late for delivery.
func TestHolidaysHaveTheDaysAroundThem(t *testing.T) {
	t.Parallel()
	first := civil.New(2026, time.January, 1)
	all, err := holiday.Of([]string{"US", "GB"}, true)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][][]civil.Range{
		"labor_day":  {{{First: civil.New(2026, time.September, 4), Last: civil.New(2026, time.September, 6)}}, {{First: civil.New(2026, time.September, 7), Last: civil.New(2026, time.September, 7)}}},
		"valentines": {{{First: civil.New(2026, time.February, 5), Last: civil.New(2026, time.February, 12)}}, {{First: civil.New(2026, time.February, 13), Last: civil.New(2026, time.February, 14)}}},
	} {
		at := slices.IndexFunc(all, func(h holiday.Holiday) bool { return h.Name == name })
		if at < 0 {
			t.Errorf("%s is not a holiday", name)
			continue
		}
		c := collector{days: civil.Range{First: first, Last: civil.New(2026, time.December, 31)}}
		c.holiday(all[at])
		if len(c.all) != len(want) {
			t.Errorf("%s has %d effects, want %d", name, len(c.all), len(want))
			continue
		}
		for i, ranges := range want {
			var days []loading
			for _, r := range ranges {
				for n := range r.Days() {
					days = append(days, loading{r.First.AddDays(n).Sub(first), 1})
				}
			}
			if !slices.Equal(c.all[i].days, days) || c.all[i].sd != holidaySD || c.all[i].group != i+1 {
				t.Errorf("effect %d of %s: %+v, want the days %v", i, name, c.all[i], days)
			}
		}
	}
}
