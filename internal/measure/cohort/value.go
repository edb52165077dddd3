package cohort

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
	"assay/internal/panics"
)

// Member is a customer with the revenue or margin since the first order.
type Member struct {
	Channel measure.Channel // channel that acquired the customer
	AgeDays int             // days from the first order to the end of the observation period
	Gains   []Gain
}

// Gain is revenue or margin of a customer on one day, negative for a refund.
type Gain struct {
	Day    int   // days after the first order: 0 is the day of the first order itself
	Amount int64 // in minor units
}

// LongestAge is a hundred years in days. A larger age is a data error.
const LongestAge = 36_525

// Curve is the observed lifetime value of a channel's customers.
type Curve struct {
	Channel   measure.Channel
	Customers int
	Points    []Point // points of day 0, 1, 2, …
}

// Point is the value per customer up to and including a day, counted from the first order.
type Point struct {
	AtRisk           int // customers observed through that day
	measure.Estimate     // per customer, in minor units
}

// At returns the point of a day. It returns false if too few customers were observed up to that day.
func (c Curve) At(day int) (Point, bool) {
	if day < 0 || day >= len(c.Points) {
		return Point{}, false
	}
	return c.Points[day], true
}

// Curves returns the observed lifetime value by channel, sorted by channel. A curve ends on the last day with at
// least n observed customers, where n is smallest; 0 means [SmallestCohort].
//
// A curve includes each customer for the days on which the customer is observed. Let S_d be the amount of day d and n_d
// the number of customers observed through day d. Then
//
//	LTV(t) = Σ_(d ≤ t) S_d / n_d,   Var LTV(t) = Σ_i [ Σ_(d ≤ t, d ≤ age_i) (m_id - S_d/n_d) / n_d ]²,
//
// the mean cumulative function and its robust variance (Nelson 2003, "Recurrent events data analysis", chapters 3 and
// 4; Lawless and Nadeau 1995). The interval uses Student's t with n_t - 1 degrees of freedom. It assumes that recent
// customers behave like earlier customers at the same age. Curves rejects an age below zero or above a hundred years.
// It also rejects a gain outside the observed days and an empty channel. The error names the customer's index.
func Curves(members []Member, smallest int, level float64) ([]Curve, error) {
	if smallest == 0 {
		smallest = SmallestCohort
	}
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	byChannel := map[measure.Channel][]Member{}
	for i, m := range members {
		if m.AgeDays < 0 || m.AgeDays > LongestAge || m.Channel == "" {
			return nil, fault.Invalid("customer %d has an age of %d days and the channel %q; want a valid age and a channel", i, m.AgeDays, m.Channel)
		}
		for _, g := range m.Gains {
			if g.Day < 0 || g.Day > m.AgeDays {
				return nil, fault.Invalid("customer %d has a gain on day %d, but the customer was observed for %d days", i, g.Day, m.AgeDays)
			}
		}
		byChannel[m.Channel] = append(byChannel[m.Channel], m)
	}
	channels := slices.Sorted(maps.Keys(byChannel))
	curves := make([]Curve, len(channels))
	var work panics.Group
	for i, ch := range channels {
		work.Go(func() {
			curves[i] = Curve{
				Channel: ch, Customers: len(byChannel[ch]), Points: pointsOf(byChannel[ch], max(2, smallest), level),
			}
		})
	}
	work.Wait()
	return curves, nil
}

// dated is a gain with its customer.
type dated struct {
	day, member int
	amount      float64
}

// pointsOf returns the points of a curve, computed in one pass over the days. Let a_i = Σ m_id / n_d for each observed
// customer and c = Σ S_d / n_d². The sum of squares in the variance is Σ (a_i - c)², computed from Σ a_i² and Σ a_i.
func pointsOf(members []Member, smallest int, level float64) []Point {
	gains, byAge := chronicle(members)
	a := make([]float64, len(members))
	var points []Point
	var value, c, sumA, sumSquares, gone float64
	watched, left := len(members), 0
	for day := 0; ; day++ {
		for ; left < len(byAge) && members[byAge[left]].AgeDays < day; left++ {
			mine := a[byAge[left]]
			gone += (mine - c) * (mine - c)
			sumA, sumSquares = sumA-mine, sumSquares-mine*mine
			watched--
		}
		if watched < smallest {
			return points
		}
		n := float64(watched)
		var total float64
		for ; len(gains) > 0 && gains[0].day == day; gains = gains[1:] {
			g := gains[0]
			total += g.amount
			before := a[g.member]
			a[g.member] += g.amount / n
			sumA += g.amount / n
			sumSquares += a[g.member]*a[g.member] - before*before
		}
		value += total / n
		c += total / n / n
		variance := max(0, gone+sumSquares-2*c*sumA+n*c*c)
		half := studentQuantile(level, n-1) * math.Sqrt(variance)
		points = append(points, Point{AtRisk: watched, Estimate: measure.Estimate{
			Value: value, Interval: measure.Interval{Low: value - half, High: value + half, Level: level},
			Method: measure.CumulativeMean, Basis: measure.Attributed,
		}})
	}
}

// chronicle returns all gains sorted by day, and the members' indices sorted by age. Equal days and ages keep the
// members' order. It uses a counting sort, because there are few days and many gains.
func chronicle(members []Member) (gains []dated, byAge []int) {
	oldest := 0
	for _, m := range members {
		oldest = max(oldest, m.AgeDays)
	}
	ofAge, ofDay := make([]int, oldest+2), make([]int, oldest+2) // number of entries of earlier ages and days
	for _, m := range members {
		ofAge[m.AgeDays+1]++
		for _, g := range m.Gains {
			ofDay[g.Day+1]++
		}
	}
	for d := range oldest + 1 {
		ofAge[d+1] += ofAge[d]
		ofDay[d+1] += ofDay[d]
	}
	byAge, gains = make([]int, len(members)), make([]dated, ofDay[oldest+1])
	for i, m := range members {
		byAge[ofAge[m.AgeDays]] = i
		ofAge[m.AgeDays]++
		for _, g := range m.Gains {
			gains[ofDay[g.Day]] = dated{day: g.Day, member: i, amount: float64(g.Amount)}
			ofDay[g.Day]++
		}
	}
	return gains, byAge
}

// studentQuantile returns the two-sided quantile of Student's t. Above a thousand degrees of freedom, it returns the
// normal quantile, which agrees to three digits.
func studentQuantile(level, freedom float64) float64 {
	if freedom > 1000 {
		return distuv.UnitNormal.Quantile((1 + level) / 2)
	}
	return stats.Student(level, freedom)
}
