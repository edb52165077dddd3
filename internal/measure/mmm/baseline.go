package mmm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/civil"
	"assay/internal/fault"
)

// TrendKind is the shape of the baseline's trend.
type TrendKind string

// The trend shapes.
const (
	NoTrend     TrendKind = "none"
	LinearTrend TrendKind = "linear"
	KnotTrend   TrendKind = "knots" // piecewise linear: the slope may change at each knot
)

// Trend is a shape and, for knots, the number of periods between them.
type Trend struct {
	Kind  TrendKind `json:"kind"`
	Every int       `json:"every,omitempty"`
}

// ParseTrend parses "none", "linear" or "knots:26".
func ParseTrend(s string) (Trend, error) {
	kind, every, hasEvery := strings.Cut(s, ":")
	t := Trend{Kind: TrendKind(kind)}
	switch {
	case (t.Kind == NoTrend || t.Kind == LinearTrend) && !hasEvery:
		return t, nil
	case t.Kind == KnotTrend && hasEvery:
		n, err := strconv.Atoi(every)
		t.Every = n
		if err == nil && t.known() {
			return t, nil
		}
	}
	return Trend{}, fault.Invalid("unknown trend %q (want none, linear, or knots:N with N of at least 2 periods)", s)
}

func (t Trend) known() bool {
	switch t.Kind {
	case NoTrend, LinearTrend:
		return true
	case KnotTrend:
		return t.Every >= 2
	}
	return false
}

// term is one column of the baseline with its coefficient's name and prior. Terms can share a group; the group's name
// is a key in [Spec.Priors].
type term struct {
	name, group string
	prior       Prior
	values      []float64
	pooled      bool // the group's controls share a hierarchical prior
}

// controls is the prior group of control terms that have no other group.
const controls = "control"

// baseline returns all linear terms of the mean, intercept first. Columns have a size of about one, so coefficients are
// fractions of the largest target.
func baseline(d Data, s Spec) []term {
	n := len(d.Dates)
	intercept := Prior{NormalPrior, 0.5, 0.5}
	if s.Likelihood == LogNormal {
		intercept = Prior{NormalPrior, -0.5, 1}
	}
	terms := []term{{name: "intercept", prior: intercept, values: series(n, func(int) float64 { return 1 })}}
	terms = append(terms, s.Trend.terms(n)...)
	yearly := func(day civil.Date) float64 { return float64(day.YearDay()) / 365.25 }
	weekly := func(day civil.Date) float64 { return float64(day.Weekday()) / 7 }
	terms = append(terms, fourier("yearly", s.Yearly, d.Dates, yearly)...)
	terms = append(terms, fourier("weekly", s.Weekly, d.Dates, weekly)...)
	for i := range terms {
		terms[i].values = slices.Repeat(terms[i].values, max(len(d.Geos), 1))
	}
	for _, c := range d.Controls {
		scale := largest(c.Values)
		values := series(len(c.Values), func(t int) float64 { return c.Values[t] / scale })
		t := term{name: c.Name, group: controls, prior: Prior{NormalPrior, 0, 0.5}, values: values}
		if c.Group != "" {
			t.group, t.pooled = c.Group, true
		}
		terms = append(terms, t)
	}
	return terms
}

func series(n int, f func(t int) float64) []float64 {
	out := make([]float64, n)
	for t := range out {
		out[t] = f(t)
	}
	return out
}

// largest returns the largest absolute value, or 1 when all values are zero.
func largest(values []float64) float64 {
	size := 0.0
	for _, v := range values {
		size = math.Max(size, math.Abs(v))
	}
	if size == 0 {
		return 1
	}
	return size
}

// terms returns the trend's columns over n periods: a line from 0 to 1 and, for each knot, a line that starts there.
func (t Trend) terms(n int) []term {
	if t.Kind == NoTrend {
		return nil
	}
	prior := Prior{NormalPrior, 0, 0.5}
	terms := []term{{
		name: "trend", prior: prior,
		values: series(n, func(i int) float64 { return float64(i) / float64(n) }),
	}}
	if t.Kind == LinearTrend {
		return terms
	}
	// A knot closer to the end than half the spacing of knots has too few periods for an estimate.
	for at := t.Every; at <= n-max(t.Every/2, 2); at += t.Every {
		values := series(n, func(i int) float64 { return math.Max(0, float64(i-at)) / float64(n) })
		terms = append(terms, term{name: fmt.Sprintf("knot.%d", at), group: "knot", prior: prior, values: values})
	}
	return terms
}

// fourier returns the sine and cosine terms of a cycle, up to the given number of pairs.
func fourier(group string, pairs int, dates []civil.Date, phase func(civil.Date) float64) []term {
	prior := Prior{NormalPrior, 0, 0.2}
	n := len(dates)
	var terms []term
	for k := 1; k <= pairs; k++ {
		angle := func(t int) float64 { return 2 * math.Pi * float64(k) * phase(dates[t]) }
		timeVarying := func(name string, of func(float64) float64) term {
			return term{
				name: fmt.Sprintf("%s.%s%d", group, name, k), group: group, prior: prior,
				values: series(n, func(t int) float64 { return of(angle(t)) }),
			}
		}
		terms = append(terms, timeVarying("sin", math.Sin), timeVarying("cos", math.Cos))
	}
	return terms
}
