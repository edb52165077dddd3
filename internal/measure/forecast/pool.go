package forecast

import (
	"math"

	"assay/internal/fault"
	"assay/internal/panics"
)

// Kind names a model or a way of choosing one.
type Kind string

// The kinds.
const (
	Auto  Kind = "auto"  // the pool
	ETS   Kind = "ets"   // exponential smoothing, the form by AICc
	ARIMA Kind = "arima" // orders found stepwise by AICc
	Theta Kind = "theta" // the standard method of two lines, with a test for the season
	Pool  Kind = "pool"  // point by point the median of ETS, ARIMA, Theta and the dynamic optimised Theta
)

// Kinds lists the kinds in the order in which they are shown.
func Kinds() []Kind { return []Kind{Auto, ETS, ARIMA, Theta, Pool} }

// ParseKind returns the kind of that name.
func ParseKind(s string) (Kind, error) {
	switch k := Kind(s); k {
	case Auto, ETS, ARIMA, Theta, Pool:
		return k, nil
	}
	return "", fault.Invalid("there is no forecasting model %q", s).WithHint("use auto, ets, arima, theta or pool")
}

// fit returns the model of the kind after the values. A season that fits less than twice into them is dropped. Its searches
// begin where those of the trail ended, and leave one.
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
	// longSeason is the longest cycle whose places are states of a model.
	longSeason = 24
	// strong is the strength of a season above which it is believed.
	strong = 0.64
)

// unlessLong fits a model with its season, and takes a long season out before: by STL when it is strong, and otherwise
// it is not believed, because weekly figures that vary have a pattern of 52 numbers always.
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

// fitPool fits the members. The orders of ARIMA are searched on logarithms where all values are positive.
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

// together does things that do not depend on each other, on as many cores as there are.
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

// observe takes a value that is not positive for the expected one: its logarithm says nothing.
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
