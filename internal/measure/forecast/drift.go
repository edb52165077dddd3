package forecast

import (
	"math"

	"assay/internal/fault"
)

// Alarm says that a series has moved away from what was expected of it, by little but for long.
type Alarm struct {
	At     int     // the point at which it is raised
	Since  int     // the point after which the move most likely began
	Up     bool    // which way
	Excess float64 // mean of the errors since then, in standard deviations
}

// quietShift is what an alarm does not wait for: half of the smallest move, in standard deviations, that matters.
const quietShift = 0.5

// Alarms watches one-step errors in standard deviations, such as [Expectation.Z], for moves to either side by cumulative
// sums (Page 1954, "Continuous inspection schemes"). runLength is how many points without any move there are between two
// false alarms on average, and so states the rate of false alarms: one in runLength points. The threshold h solves
// Siegmund's approximation (1985, "Sequential analysis", section 2.6) for each side
//
//	2 · runLength = (exp(2k b) - 2k b - 1) / (2k²),  b = h + 1.166,  k = 1/2.
//
// It holds for independent errors of standard deviation 1. Errors are held to ±3, so that one day raises no alarm; NaN
// stands for a point that was not judged and changes nothing. After an alarm both sums begin anew.
func Alarms(errors []float64, runLength float64) ([]Alarm, error) {
	if !(runLength >= 10) || runLength > 1e6 {
		return nil, fault.Invalid("the run length is %v points, want 10 to a million", runLength)
	}
	limit := alarmLimit(2 * runLength)
	var alarms []Alarm
	sides := [2]side{{sign: 1}, {sign: -1}}
	for t, e := range errors {
		if math.IsNaN(e) {
			continue
		}
		e = max(-3, min(3, e))
		for i := range sides {
			if s := &sides[i]; s.add(t, e) > limit {
				alarms = append(alarms, Alarm{At: t, Since: s.since, Up: s.sign > 0, Excess: s.total / s.points})
				sides = [2]side{{sign: 1}, {sign: -1}}
				break
			}
		}
	}
	return alarms, nil
}

// side is the cumulative sum towards one side since it last was zero.
type side struct {
	sign, sum     float64
	since         int
	total, points float64
}

func (s *side) add(t int, e float64) float64 {
	if s.sum == 0 {
		s.since, s.total, s.points = t-1, 0, 0
	}
	s.total += e
	s.points++
	s.sum = max(0, s.sum+s.sign*e-quietShift)
	return s.sum
}

// alarmLimit returns h for the run length of one side.
func alarmLimit(runLength float64) float64 {
	low, high := 0.0, 60.0
	for range 60 {
		b := (low + high) / 2
		if u := 2 * quietShift * b; (math.Exp(u)-u-1)/(2*quietShift*quietShift) < runLength {
			low = b
		} else {
			high = b
		}
	}
	return max(0, low-1.166)
}

// Lasting joins alarms to the same side that follow each other within a gap of points: after an alarm the sums begin
// anew, so a move that lasts raises several. At is that of the last one, Since that of the first, the excess the mean of
// theirs weighted by their points.
func Lasting(alarms []Alarm, gap int) []Alarm {
	var moves []Alarm
	for _, a := range alarms {
		if n := len(moves); n > 0 && moves[n-1].Up == a.Up && a.Since-moves[n-1].At <= gap {
			last := &moves[n-1]
			before, now := float64(last.At-last.Since), float64(a.At-a.Since)
			last.Excess = (before*last.Excess + now*a.Excess) / (before + now)
			last.At = a.At
			continue
		}
		moves = append(moves, a)
	}
	return moves
}
