package forecast

import (
	"math"

	"assay/internal/fault"
	"assay/internal/panics"
)

// Kind is a model, or a method that chooses a model.
type Kind string

// The kinds.
const (
	Auto  Kind = "auto"  // mean of the pool's models, weighted by a backtest
	ETS   Kind = "ets"   // exponential smoothing with the form chosen by AICc
	ARIMA Kind = "arima" // ARIMA with the order chosen by stepwise AICc
	Theta Kind = "theta" // the standard method with two lines and a test for seasonality
	Pool  Kind = "pool"  // pointwise median of ETS, ARIMA, Theta and the dynamic optimized Theta
)

// ParseKind returns the kind with the given name.
func ParseKind(s string) (Kind, error) {
	switch k := Kind(s); k {
	case Auto, ETS, ARIMA, Theta, Pool:
		return k, nil
	}
	return "", fault.Invalid("unknown forecasting model %q", s).WithHint("use auto, ets, arima, theta or pool")
}

// fit returns the fitted model of the kind. It ignores a season if there are fewer values than two seasons. Searches
// start from the parameters in the trail and update the trail.
func (k Kind) fit(values []float64, season int, t *trail) track {
	if season < 2 || len(values) < 2*season {
		season = 1
	}
	switch k {
	case Theta:
		return classical(values, season, fitTheta)
	case ETS:
		return unlessLong(values, season, t, bestETS)
	case ARIMA:
		return unlessLong(values, season, t, fitARIMA)
	case Auto, Pool:
	}
	return unlessLong(values, season, t, fitPool)
}

const (
	// longSeason is the longest season modeled by seasonal states.
	longSeason = 24
	// strong is the minimum seasonal strength for using a long season.
	strong = 0.64
)

// unlessLong returns the fitted model of the function inner. It first removes a strong long season by STL. It ignores a
// weak long season, because noisy weekly data always have an apparent 52-week pattern.
func unlessLong(values []float64, season int, t *trail, inner func([]float64, int, *trail) track) track {
	if season <= longSeason {
		return inner(values, season, t)
	}
	parts := MSTL(values, season)
	if strength(parts) <= strong {
		return inner(values, 1, t)
	}
	rest := make([]float64, len(values))
	for i, y := range values {
		rest[i] = y - parts.Seasonal[0][i]
	}
	return &adjusted{prefix: "STL+", factors: tail(parts.Seasonal[0], season), inner: inner(rest, 1, t)}
}

func bestETS(values []float64, season int, t *trail) track {
	if s, ok := fitETS(values, season, t); ok {
		return s
	}
	return naive(values, season)
}

// fitPool returns the pool of models, fitted to the values. ARIMA uses logarithms if all values are positive.
func fitPool(values []float64, season int, t *trail) track {
	if len(values) < leastModelled {
		return naive(values, season)
	}
	p := &pool{name: "Pool", members: make([]track, 4)}
	together(
		func() { p.members[0] = bestETS(values, season, t) },
		func() {
			p.members[1] = onLogarithms(values, func(values []float64) track { return fitARIMA(values, season, t) })
		},
		func() {
			p.members[2] = classical(values, season, fitDynamic)
			p.members[3] = classical(values, season, fitTheta)
		},
	)
	return p
}

// together runs independent functions in parallel.
func together(all ...func()) {
	var work panics.Group
	for _, do := range all {
		work.Go(do)
	}
	work.Wait()
}

// logarithmic is a model of the logarithm of the series.
type logarithmic struct{ inner track }

func onLogarithms(values []float64, inner func([]float64) track) track {
	if !allPositive(values) {
		return inner(values)
	}
	logs := make([]float64, len(values))
	for t, y := range values {
		logs[t] = math.Log(y)
	}
	return logarithmic{inner(logs)}
}

func (l logarithmic) String() string { return "log " + l.inner.String() }

// observe replaces a value that is not positive with the expected value.
func (l logarithmic) observe(y float64) {
	if y > 0 {
		l.inner.observe(math.Log(y))
		return
	}
	var next [1]float64
	l.inner.ahead(next[:])
	l.inner.observe(next[0])
}

func (l logarithmic) ahead(out []float64) {
	l.inner.ahead(out)
	for h := range out {
		out[h] = math.Exp(min(out[h], 700))
	}
}
