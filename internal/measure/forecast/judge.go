package forecast

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/fault"
)

// Judged is the result for one point of a series with gaps. Unknown points, and all points of a short series, have no
// result.
type Judged struct {
	Anomaly
	Known bool
}

// Judge tests every known point of a series with [Anomalies]. NaN marks an unknown or incomplete point. Such a point
// has no result. Judge interpolates it to predict its neighbors. Zeros before the first nonzero value have no result,
// because the series had not begun; see [Begun]. Q is not set; see [Among].
func Judge(values []float64, season int) ([]Judged, error) {
	out := make([]Judged, len(values))
	first := slices.IndexFunc(values, func(y float64) bool { return known(y) && y != 0 })
	if first < 0 {
		return out, nil
	}
	last := len(values)
	for !known(values[last-1]) {
		last--
	}
	all, err := Anomalies(Filled(values[first:last], season), season)
	if fault.KindOf(err) == fault.KindNotReady {
		return out, nil // too short for a result
	}
	if err != nil {
		return nil, err
	}
	for i, o := range all {
		if known(values[first+i]) {
			o.Q, o.Actionable = 0, false
			out[first+i] = Judged{Anomaly: o, Known: true}
		}
	}
	return out, nil
}

func known(x float64) bool { return !math.IsNaN(x) }

// amongPoints is the number of nearest points that determine a point's false discovery rate. With daily data, these
// points are about three months.
const amongPoints = 90

// Among returns the points with Q and Actionable set. The false discovery rate of a point is computed from the 90 known
// points nearest to it. The rate does not depend on the window that a caller displays.
func Among(points []Judged) []Judged {
	var all []Anomaly
	for _, p := range points {
		if p.Known {
			all = append(all, p.Anomaly)
		}
	}
	out, at := slices.Clone(points), 0
	near := make([]Anomaly, 0, amongPoints)
	for i := range out {
		if out[i].Known {
			from := max(0, min(len(all)-amongPoints, at-amongPoints/2))
			near = append(near[:0], all[from:min(len(all), from+amongPoints)]...)
			discover(near)
			out[i].Anomaly = near[at-from]
			at++
		}
	}
	return out
}

// Beyond returns the positions of points with |Z| of at least the threshold, largest |Z| first.
func Beyond(points []Judged, threshold float64) []int {
	var found []int
	for i, p := range points {
		if p.Known && math.Abs(p.Z) >= threshold {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(math.Abs(points[b].Z), math.Abs(points[a].Z)) })
	return found
}
