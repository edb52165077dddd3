package snapshot

import (
	"maps"
	"math"
	"slices"

	"assay/internal/measure"
)

// NamedSeries is a series of a chart.
type NamedSeries struct {
	Name measure.Channel // "" for a total
	Series
}

// NamedSorted returns the series sorted by name.
func NamedSorted(found map[measure.Channel]Series) []NamedSeries {
	out := make([]NamedSeries, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, NamedSeries{name, found[name]})
	}
	return out
}

// SumOf returns the total of the series.
func SumOf(all []NamedSeries) (sum Series) {
	for _, d := range all {
		sum = sum.Plus(d.Series)
	}
	return sum
}

// Weight returns the size of a series: its total, or the denominator of a ratio. NaN means that a chart cannot show the
// series.
func Weight(c *Snapshot, metric Metric, t Total) float64 {
	switch metric {
	case ROAS:
		metric = Spend
		if t.RevenueUnknown {
			return math.NaN()
		}
	case AOV:
		metric = Orders
	case Revenue, Orders, Spend:
	}
	return KnownValue(c, metric, Point{Total: t})
}

// KnownValue returns the metric of a point, or NaN if it is unknown.
func KnownValue(c *Snapshot, metric Metric, p Point) float64 {
	if p.RevenueUnknown && metric != Spend {
		return math.NaN()
	}
	return c.Value(metric, p)
}
