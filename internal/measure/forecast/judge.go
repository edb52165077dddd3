package forecast

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/fault"
)

// Judged is a point of a series with gaps. Of one that is not known, and of all where there are too few, nothing is said.
type Judged struct {
	Oddity
	Known bool
}

// Judge judges every known point of a series, as [Oddities] does. NaN stands for a point that is not known, or not over:
// it is bridged, so that its neighbours can be judged, and says nothing itself. Q is not set: see [Among].
func Judge(values []float64, season int) ([]Judged, error) {
	out := make([]Judged, len(values))
	first := slices.IndexFunc(values, known)
	if first < 0 {
		return out, nil
	}
	last := len(values)
	for !known(values[last-1]) {
		last--
	}
	all, err := Oddities(Filled(values[first:last], season), season)
	if fault.KindOf(err) == fault.KindNotReady {
		return out, nil // nothing can be said, which is an answer
	}
	if err != nil {
		return nil, err
	}
	for i, o := range all {
		if known(values[first+i]) {
			o.Q, o.Actionable = 0, false
			out[first+i] = Judged{Oddity: o, Known: true}
		}
	}
	return out, nil
}

func known(x float64) bool { return !math.IsNaN(x) }

// Among returns the points with Q and what follows from it: the share of false ones is that among the points that are
// looked at together, such as those of a window.
func Among(points []Judged) []Judged {
	var all []Oddity
	for _, p := range points {
		if p.Known {
			all = append(all, p.Oddity)
		}
	}
	discover(all)
	out, at := slices.Clone(points), 0
	for i := range out {
		if out[i].Known {
			out[i].Oddity = all[at]
			at++
		}
	}
	return out
}

// Beyond returns the positions of the points with |Z| of at least the threshold, the furthest off first.
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
