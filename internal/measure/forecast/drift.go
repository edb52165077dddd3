package forecast

import (
	"math"

	"assay/internal/fault"
)

// Alarm is a small but persistent deviation of a series from its expectation.
type Alarm struct {
	At     int     // point at which the alarm is raised
	Since  int     // point after which the shift most likely began
	Up     bool    // the shift is upward
	Excess float64 // mean error since the shift, in standard deviations
}

// quietShift is the reference value k of the CUSUM: half of the smallest relevant shift, in standard deviations.
const quietShift = 0.5

// Alarms returns the alarms of a CUSUM (Page 1954, "Continuous inspection schemes"). The CUSUM monitors one-step errors
// in standard deviations, such as [Expectation.Z], for shifts in either direction. runLength is the average number of
// points between false alarms. For each side, the threshold h solves Siegmund's approximation (1985, "Sequential
// analysis", section 2.6)
//
//	2 · runLength = (exp(2k b) - 2k b - 1) / (2k²),  b = h + 1.166,  k = 1/2.
//
// The approximation assumes independent errors with standard deviation 1. Errors are clipped to ±3, so a single point
// raises no alarm. NaN marks a point without an error. Such a point does not change the sums. Both sums restart after
// an alarm.
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

// side is the one-sided cumulative sum since its last zero.
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

// alarmLimit returns the decision interval h of the CUSUM for the average run length of one side.
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

// Lasting merges alarms in the same direction that follow each other within a gap. The sums restart after each alarm,
// so a lasting shift raises several alarms. In the result, At is from the last alarm and Since is from the first alarm.
// Excess is the mean, weighted by the number of points.
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
