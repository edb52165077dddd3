package forecast

import (
	"math"
	"slices"
	"testing"
)

// The expected values in this file are from statsmodels 0.15.0 on [airPassengers]. The calls are in the comments.

// ETSModel(y[:40], ...).smooth(params) with a known initial level of 120, trend of 1.5 and the seasons below. The
// scale is n exp((-2 llf - n (log 2π + 1)) / n), the sum of squares of errors in the series' unit. The exceptions are
// the models ETS(M,·,M), because statsmodels updates multiplicative seasons in another order. Their values are from the
// recursions in table 2.3 of Hyndman et al. (2008), in Python.
func TestSmoothingMatchesStatsmodels(t *testing.T) {
	t.Parallel()
	const n, month = 40, 12
	added := []float64{-11, 2, 5, -3, 9, -20, 1, 4, 8, -5, 4, 6}
	scaled := []float64{0.91, 1.02, 1.05, 0.97, 1.09, 0.8, 1.01, 1.04, 1.08, 0.95, 1.04, 1.04}
	for _, c := range []struct {
		form    form
		name    string
		squares float64
		ahead   [3]float64 // steps 1, 2 and 14
	}{
		{form{season: 'N'}, "ETS(A,N,N)", 12320.535585279105, [3]float64{179.0133158164779, 179.0133158164779, 179.0133158164779}},
		{
			form{trend: true, damped: true, season: 'N'},
			"ETS(A,Ad,N)", 13596.674908404791,
			[3]float64{180.60167215721302, 181.385955934238, 186.45096579493037},
		},
		{
			form{trend: true, season: 'A'},
			"ETS(A,A,A)", 12214.648201973076,
			[3]float64{185.30422325463368, 177.78109189092334, 183.53364149801405},
		},
		{
			form{relative: true, trend: true, damped: true, season: 'A'},
			"ETS(M,Ad,A)", 13104.929890472737,
			[3]float64{183.1621092618717, 175.38382810455226, 176.82586297147333},
		},
		{
			form{relative: true, trend: true, season: 'M'},
			"ETS(M,A,M)", 15894.815726232104,
			[3]float64{187.94095462097224, 171.69572815123945, 174.94962034031727},
		},
		{
			form{relative: true, season: 'M'},
			"ETS(M,N,M)", 13940.18147821957,
			[3]float64{184.91860778860791, 169.0312633564178, 169.0312633564178},
		},
	} {
		if got := c.form.String(); got != c.name {
			t.Errorf("%+v is %s, want %s", c.form, got, c.name)
		}
		s := &smoother{form: c.form, alpha: 0.3, phi: 1, level: 120}
		if c.form.trend {
			s.beta, s.slope = 0.06, 1.5
		}
		if c.form.damped {
			s.phi = 0.9
		}
		switch c.form.season {
		case 'A':
			s.gamma, s.seasonal = 0.2, slices.Clone(added)
		case 'M':
			s.gamma, s.seasonal = 0.2, slices.Clone(scaled)
		}
		pointwise := s.clone()
		for _, y := range airPassengers[:n] {
			pointwise.observe(y)
		}
		runs := []run{{smoother: s, out: make([]float64, n)}}
		c.form.errors(airPassengers[:n], runs)
		equal(t, c.name+": sum of squares", squares(runs[0].out), c.squares)
		for what, model := range map[string]track{"in one pass": s, "point by point": pointwise} {
			var out [month + 2]float64
			model.ahead(out[:])
			equal(t, c.name+" "+what+": steps 1, 2 and 14", [3]float64{out[0], out[1], out[13]}, c.ahead)
		}
	}
}

// STL(y, period=12, seasonal=11, trend=21, low_pass=13, seasonal_deg=1, trend_jump=2).fit(inner_iter=5, outer_iter=0),
// and two rounds of it for the periods 4 and 6 with the windows 11 and 15.
func TestDecompositionMatchesStatsmodels(t *testing.T) {
	t.Parallel()
	year := MSTL(airPassengers, 12)
	for at, want := range map[int][3]float64{
		0:   {-9.616952237825016, 121.74152290091871, -0.12457066309369225},
		1:   {0.5392609945027327, 122.60648216805177, -5.145743162554496},
		50:  {6.532778571531984, 219.9120067360381, 9.5552146924299},
		77:  {36.33847049430107, 281.6796210506583, -3.0180915449593613},
		142: {-97.41100345069523, 491.31209042730666, -3.9010869766113956},
		143: {-60.638961924146, 494.6690757246524, -2.030113800506399},
	} {
		equal(t, "one season", [3]float64{year.Seasonal[0][at], year.Trend[at], year.Remainder[at]}, want)
	}
	both := MSTL(airPassengers, 4, 6)
	for at, want := range map[int][4]float64{
		0:   {-4.038020803768661, 4.323178114440274, 112.99797857821733, -1.2831358888889355},
		50:  {2.1272267053706204, 9.202473366520861, 219.09355818844153, 5.576741739667},
		143: {25.962108656742387, -16.271202648466314, 445.98011136572086, -23.671017373996904},
	} {
		equal(t, "two seasons", [4]float64{both.Seasonal[0][at], both.Seasonal[1][at], both.Trend[at], both.Remainder[at]}, want)
	}
}

// kpss(y, nlags=2), of the series and of its changes.
func TestStationarityMatchesStatsmodels(t *testing.T) {
	t.Parallel()
	equal(t, "the series", kpss(airPassengers), 4.342286797114149)
	equal(t, "its changes", kpss(stride(airPassengers, 1)), 0.011484728338723346)
	equal(t, "constant", kpss(make([]float64, 20)), 0.0)
	if kpss([]float64{math.Inf(1), 1}) != 0 {
		t.Error("an infinite value has a statistic")
	}
}

// seasonal_decompose(y[:40], period=12).seasonal[:12]
func TestClassicalSeasonMatchesStatsmodels(t *testing.T) {
	t.Parallel()
	equal(t, "ratios", cycle(airPassengers[:40], 12, true), []float64{
		0.9033138098055172, 0.94747262105423, 1.077027035375245, 0.9955711683081748, 0.9749250531061984, 1.0677995104025229,
		1.183548714995944, 1.1705660010354992, 1.0697986610735515, 0.9164285438127584, 0.7825290095015157, 0.9110198715288419,
	})
	equal(t, "differences", cycle(airPassengers[:40], 12, false), []float64{
		-13.820023148148152, -7.945023148148153, 11.492476851851848, -0.9033564814814816, -3.174189814814824, 9.95081018518519,
		26.38136574074075, 24.700810185185173, 9.992476851851862, -12.910300925925915, -30.90335648148148, -12.86168981481481,
	})
}
