package demo_test

import (
	"math"
	"slices"
	"testing"

	"assay/internal/civil"
	"assay/internal/ingest/demo"
	"assay/internal/warehouse"
)

// The orders show the lift of three experiments. An A/A test in states that the preflight selects has a true lift of
// exactly 0.
func TestExperimentsShowInTheTreatedStates(t *testing.T) {
	t.Parallel()
	score, n := 0.0, 0
	for seed := uint64(1); seed <= 3; seed++ {
		truth, orders := ordersByDay(t, size{seed, 730, 60_000})
		if len(truth.Experiments) != 4 {
			t.Fatalf("seed %d: %d experiments, want 4", seed, len(truth.Experiments))
		}
		null := truth.Experiments[0]
		if null.ID != "search-null" || null.TrueLift != 0 || null.Factor != 1 || len(null.Treated) < 2 {
			t.Errorf("seed %d: A/A test %+v", seed, null)
		}
		for _, e := range truth.Experiments[1:] {
			lift, se := differenceInDifferences(orders, e)
			if math.Abs(math.Log1p(e.TrueLift)) < 0.05 {
				t.Errorf("seed %d: %s has a true lift of only %.3f", seed, e.ID, e.TrueLift)
			}
			// With nine comparisons, an excess of 3.5 standard errors occurs by chance once in 240 runs.
			if math.Abs(lift-math.Log1p(e.TrueLift)) > 3.5*se {
				t.Errorf("seed %d: %s shows a log lift of %.3f ± %.3f, true %.3f", seed, e.ID, lift, se, math.Log1p(e.TrueLift))
			}
			score += math.Copysign(lift/se, lift*e.TrueLift)
			n++
		}
	}
	if z := score / math.Sqrt(float64(n)); z < 4 {
		t.Errorf("all experiments together are %.1f standard errors from nothing, want at least 4", z)
	}
}

// stateDay identifies a state on a day.
type stateDay struct {
	state string
	day   civil.Date
}

// ordersByDay counts a store's orders without storing the rows.
func ordersByDay(t *testing.T, s size) (demo.Truth, map[stateDay]float64) {
	t.Helper()
	orders := map[stateDay]float64{}
	truth, err := demo.Generate(options(t, s), func(b *warehouse.Batch) error {
		for _, o := range b.Orders {
			orders[stateDay{o.Region, o.Day}]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return truth, orders
}

// differenceInDifferences compares treated with other states, during the experiment and in the eight weeks before it,
// by the logarithm of orders. The standard error assumes that orders are Poisson distributed.
func differenceInDifferences(orders map[stateDay]float64, e demo.ExperimentTruth) (lift, se float64) {
	before := civil.Range{First: e.Start.AddDays(-56), Last: e.Start.AddDays(-1)}
	during := civil.Range{First: e.Start, Last: e.End}
	var sums [2][2]float64
	for at, n := range orders {
		treated, when := 0, 0
		if slices.Contains(e.Treated, at.state) {
			treated = 1
		}
		switch {
		case during.Contains(at.day):
			when = 1
		case !before.Contains(at.day):
			continue
		}
		sums[treated][when] += n
	}
	lift = math.Log(sums[1][1]/sums[1][0]) - math.Log(sums[0][1]/sums[0][0])
	return lift, math.Sqrt(1/sums[0][0] + 1/sums[0][1] + 1/sums[1][0] + 1/sums[1][1])
}

func TestAnomaliesDifferFromNeighboringDays(t *testing.T) {
	t.Parallel()
	for size, n := range map[size]int{full: 6, {1, 365, 30_000}: 5, {2, 365, 30_000}: 5} {
		s := generated(t, size)
		if len(s.truth.Anomalies) != n {
			t.Errorf("%v: %d anomalies, want %d", size, len(s.truth.Anomalies), n)
		}
		recent := 0
		for _, a := range s.truth.Anomalies {
			if a.Date.After(s.truth.LastDay.AddDays(-90)) {
				recent++
			}
			ratio, z := against(s.series(a.Metric), a.Date)
			if math.Abs(z) < 2.5 || (z > 0) != (a.Factor > 1) {
				t.Errorf("%v: %s on %v has z = %.1f, planted factor %.2f", size, a.Metric, a.Date, z, a.Factor)
			}
			// Daily revenue varies by about a sixth.
			if math.Abs(math.Log(ratio/a.Factor)) > 0.75 {
				t.Errorf("%v: %s on %v is %.2f of its neighbours, planted %.2f", size, a.Metric, a.Date, ratio, a.Factor)
			}
		}
		if recent < 2 {
			t.Errorf("%v: %d anomalies in the last 90 days, want at least 2", size, recent)
		}
	}
}

// series returns a metric by day.
func (s *store) series(metric string) map[civil.Date]float64 {
	days := map[civil.Date]float64{}
	if metric == "spend" {
		for _, row := range s.rows.AdDays {
			days[row.Day] += float64(row.Spend)
		}
		for _, row := range s.rows.ChannelSpend {
			days[row.Day] += float64(row.Spend)
		}
		return days
	}
	touched := s.touched()
	for _, o := range s.rows.Orders {
		switch {
		case o.Cancelled || o.Test:
		case metric == "revenue":
			days[o.Day] += float64(o.Charged)
		case touched[o.Key]:
			days[o.Day]++
		}
	}
	return days
}

// touched returns the keys of orders with a conversion path.
func (s *store) touched() map[string]bool {
	keys := map[string]bool{}
	for _, touch := range s.rows.Touches {
		keys[touch.Key] = true
	}
	return keys
}

// against compares a day with the two weeks before and after, on the log scale.
func against(days map[civil.Date]float64, day civil.Date) (ratio, z float64) {
	var logs []float64
	for k := -14; k <= 14; k++ {
		if x := days[day.AddDays(k)]; k != 0 && x > 0 {
			logs = append(logs, math.Log(x))
		}
	}
	mean, squares := 0.0, 0.0
	for _, x := range logs {
		mean += x / float64(len(logs))
	}
	for _, x := range logs {
		squares += (x - mean) * (x - mean)
	}
	distance := math.Log(days[day]) - mean
	return math.Exp(distance), distance / math.Sqrt(squares/float64(len(logs)-1))
}
