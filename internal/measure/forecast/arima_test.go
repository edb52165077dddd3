package forecast

import (
	"math"
	"testing"

	"assay/internal/measure/stats"
)

func TestOrdersHaveTheUsualNames(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]order{
		"ARIMA(0,0,0)":                       {},
		"ARIMA(1,0,2) with mean":             {p: 1, q: 2, constant: true},
		"ARIMA(0,1,1) with drift":            {d: 1, q: 1, constant: true},
		"ARIMA(0,1,1)(0,1,1)[12]":            {d: 1, q: 1, sd: 1, sq: 1, season: 12},
		"ARIMA(0,0,0)(1,0,0)[7]":             {sp: 1, season: 7},
		"ARIMA(0,0,0)(0,0,1)[7]":             {sq: 1, season: 7},
		"ARIMA(0,0,0)(0,1,0)[7] with drift":  {sd: 1, season: 7, constant: true},
		"ARIMA(3,2,1)(2,0,0)[52] with drift": {p: 3, d: 2, q: 1, sp: 2, season: 52, constant: true},
	} {
		if got := o.String(); got != want {
			t.Errorf("%+v is %q, want %q", o, got, want)
		}
	}
}

// The partial autocorrelations 0.5 and -0.4 give the coefficients 0.5 + 0.4·0.5 and -0.4 (Durbin-Levinson recursion).
func TestPartialAutocorrelationsGiveStationaryCoefficients(t *testing.T) {
	t.Parallel()
	out := make([]float64, 2)
	stationary([]float64{math.Atanh(0.5 / 0.995), math.Atanh(-0.4 / 0.995)}, out)
	equal(t, "two terms", out, []float64{0.7, -0.4})
	stationary([]float64{1e3, -1e3}, out)
	equal(t, "limits", out, []float64{0.995 + 0.995*0.995, -0.995})
	room := lags{at: []int{9}, by: []float64{9}}
	product([]float64{0.7, -0.4}, []float64{0.3}, 4, &room)
	equal(t, "lags of a product", room.at, []int{1, 2, 4, 5, 6})
	equal(t, "coefficients of a product", room.by, []float64{0.7, -0.4, 0.3, -0.21, 0.12})
	equal(t, "largest lag", room.most, 6)
}

// The expected values are from SciPy: errors are lfilter(φΦ, θΘ, w - c), and forecasts continue the recursion.
func TestARIMAMatchesItsFilter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		order  order
		mean   float64
		errors map[int]float64
		ahead  []float64
	}{
		{
			"around a mean",
			order{p: 2, q: 1, sp: 1, sq: 1, season: 4, constant: true},
			130,
			map[int]float64{0: -18, 1: -8.4, 5: 6.065, 9: -4.515437499999998, 29: 56.53199801488215},
			[]float64{
				122.49886627255891, 106.81264511079124, 120.6692532285303, 136.21070574365473,
				136.44265241240208, 132.40460600721957, 130.27614768809286, 130.27164693717717,
			},
		},
		{
			"with a drift",
			order{p: 2, d: 1, q: 1, sp: 1, sq: 1, season: 4, constant: true},
			2, nil,
			[]float64{
				181.48093016497276, 180.0411569604537, 181.50247837130124, 183.89363456070214,
				187.00170556144104, 188.7579654901979, 190.88257945603215, 192.88500183661338,
			},
		},
	} {
		a := &arima{order: c.order, mean: c.mean}
		product([]float64{0.7, -0.4}, []float64{0.3}, 4, &a.ar)
		product([]float64{0.5}, []float64{0.2}, 4, &a.ma)
		y := airPassengers[:30]
		w := differenced(y, c.order.d, c.order.sd, c.order.season)
		errors := make([]float64, len(w))
		a.residuals(w, errors)
		for at, want := range c.errors {
			equal(t, c.name+": error", errors[at], want)
		}
		a.settle(&candidate{values: y, w: w})
		copied := a.clone()
		out := make([]float64, len(c.ahead))
		a.ahead(out)
		equal(t, c.name+": forecast", out, c.ahead)
		// An observation that equals the forecast has no error and changes no later forecast.
		copied.observe(out[0])
		copied.ahead(out[:7])
		equal(t, c.name+": forecast after one more point", out[:7], c.ahead[1:])
		a.ahead(out)
		equal(t, c.name+": the original after an observation of its copy", out, c.ahead)
	}
}

// SciPy's minimum of the conditional sum of squares is 0.18192623729778 of 131 differences, at θ = 0.37716 and Θ =
// 0.57238. AICc is then 131 log(S/131) + 2·3·131/(131-4).
func TestAirlineModelHasTheMinimumOfItsSum(t *testing.T) {
	t.Parallel()
	logs := make([]float64, len(airPassengers))
	for i, y := range airPassengers {
		logs[i] = math.Log(y)
	}
	a := fitARIMA(logs, 12, nil).(*arima)
	if got := a.String(); got != "ARIMA(0,1,1)(0,1,1)[12]" {
		t.Errorf("the order is %s, want that of Box and Jenkins", got)
	}
	if math.Abs(a.criterion+855.706042197) > 1e-5 || math.Abs(a.ma.by[0]-0.37716) > 2e-4 || math.Abs(a.ma.by[1]-0.57238) > 2e-4 {
		t.Errorf("AICc %v with %v, want -855.706042 with 0.37716 and 0.57238", a.criterion, a.ma.by)
	}
	equal(t, "differences", differenced([]float64{1, 2, 4, 8, 16, 32}, 1, 1, 2), []float64{3, 6, 12})
	if got := stride([]float64{1, 2}, 2); got != nil {
		t.Errorf("two points have the differences %v at lag 2", got)
	}
	equal(t, "differences at the largest lag", stride([]float64{1, 5}, 1), []float64{4})
	equal(t, "last values", tail([]float64{1, 2, 3}, 2), []float64{2, 3})
	equal(t, "last values of a short series", tail([]float64{1, 2, 3}, 5), []float64{0, 0, 1, 2, 3})
}

// No neighbor of the chosen order has a smaller AICc if its search starts from that order.
func TestStepwiseSearchEndsAtABestNeighbor(t *testing.T) {
	t.Parallel()
	for _, season := range []int{12} {
		best := fitARIMA(airPassengers, season, nil).(*arima)
		w := differenced(airPassengers, best.d, best.sd, season)
		c := &candidate{values: airPassengers, w: w, center: stats.Mean(w), spread: math.Sqrt(variance(w))}
		for _, move := range []order{
			{p: 1},
			{p: -1},
			{q: 1},
			{q: -1},
			{p: 1, q: 1},
			{p: -1, q: -1},
			{p: 1, q: -1},
			{p: -1, q: 1},
			{sp: 1},
			{sp: -1},
			{sq: 1},
			{sq: -1},
			{sp: 1, sq: 1},
			{sp: -1, sq: -1},
			{sp: 1, sq: -1},
			{sp: -1, sq: 1},
			{constant: true},
		} {
			o := best.order
			o.p, o.q, o.sp, o.sq = o.p+move.p, o.q+move.q, o.sp+move.sp, o.sq+move.sq
			if move.constant {
				o.constant = !o.constant
			}
			if min(o.p, o.q, o.sp, o.sq) < 0 || max(o.p, o.q) > 3 || max(o.sp, o.sq) > 2 || o.terms() > 5 ||
				season == 1 && o.sp+o.sq > 0 || o.constant && o.d+o.sd > 1 {
				continue
			}
			if other, ok := c.fit(o, best); ok && other.criterion < best.criterion-1e-3 {
				t.Errorf("%s has the AICc %v, but %s has %v", best, best.criterion, other, other.criterion)
			}
		}
	}
}

// With two differences, a constant would be a quadratic trend, so no order has one.
func TestTwoDifferencesHaveNoConstant(t *testing.T) {
	t.Parallel()
	values := make([]float64, 40)
	for i := range values {
		values[i] = 3*float64(i*i) + 5*math.Sin(float64(3*i))
	}
	a := fitARIMA(values, 1, nil).(*arima)
	if a.d != 2 || a.constant {
		t.Errorf("a quadratic has the order %s, want two differences and no drift", a)
	}
	c := &candidate{values: values, w: differenced(values, 2, 0, 1), spread: 1}
	c.center = stats.Mean(c.w)
	if best := stepwise(c, order{d: 2, season: 1}); best.constant || best.terms() > 5 || max(best.p, best.q) > 3 {
		t.Errorf("the search ends at %s", best)
	}
}

func TestOrdersNeedEnoughPoints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		points int
		order  order
		want   bool
	}{
		{4, order{p: 1}, true},
		{3, order{p: 1}, false}, // parameters: φ and the variance
		{5, order{p: 1, constant: true}, true},
		{4, order{p: 1, constant: true}, false},
		{8, order{p: 1, sp: 1, season: 5}, true},
		{7, order{p: 1, sp: 1, season: 5}, false},
	} {
		w := airPassengers[:c.points]
		candidate := &candidate{values: w, w: w, center: stats.Mean(w), spread: 10}
		if _, ok := candidate.fit(c.order, nil); ok != c.want {
			t.Errorf("%s of %d points: %v, want %v", c.order, c.points, ok, c.want)
		}
	}
	for n, want := range map[int]string{4: "Naive", 5: "ARIMA(0,0,0) with mean"} {
		if got := fitARIMA([]float64{3, 1, 4, 1, 5}[:n], 1, nil).String(); got != want {
			t.Errorf("%d points: %s, want %s", n, got, want)
		}
	}
}

func TestASearchStartsFromASimilarModel(t *testing.T) {
	t.Parallel()
	params := make([]float64, 4)
	o := order{p: 2, q: 1, constant: true}
	o.start(params, nil)
	equal(t, "without a model", params, []float64{0.1, 0.1, 0.1, 0})
	near := &arima{order: order{p: 1, q: 1, sq: 1, constant: true}, params: []float64{-7, 0.5, 0.6, 9}}
	o.start(params, near)
	equal(t, "from a model with other terms", params, []float64{-3, 0.1, 0.5, 9})
	near = &arima{order: order{p: 3}, params: []float64{1, 2, 3}}
	o.start(params, near)
	equal(t, "from a model with more terms", params, []float64{1, 2, 0.1, 9})
}
