package tools

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/measure"
	"assay/internal/measure/stats"
	"assay/internal/money"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// BenchmarkPreflight calls the tool on a store with a year of orders from 210 regions and warm caches. The call reads
// the panel, runs the check and writes the answer. A useful 95th percentile needs about 100 runs (-benchtime 100x).
func BenchmarkPreflight(b *testing.B) {
	facts, err := openFacts(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	if err := load(b.Context(), facts, "wide", wideBatch(210)); err != nil {
		b.Fatal(err)
	}
	deps := plainDeps(facts, fixtureClock)
	deps.Deadline = time.Hour // a busy machine does not end the run
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		b.Fatal(err)
	}
	named := make([]string, 10)
	for i := range named {
		named[i] = fmt.Sprintf("%q", regionOf(3+i))
	}
	for _, c := range []struct{ name, args string }{
		{"searched", `{"channel":"facebook"}`},
		{"named", `{"channel":"facebook","treatmentRegions":[` + strings.Join(named, ",") + `]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newWorkspace("wide")
			var took []time.Duration
			for b.Loop() {
				w.Version++ // bypasses the answer cache
				before := b.Elapsed()
				answer, err := s.Session(reader(w), "r1").CallTool(b.Context(), "geo_experiment_preflight", []byte(c.args))
				if err != nil || !strings.Contains(string(answer), "readiness_score") {
					b.Fatalf("%s, %v", answer, err)
				}
				took = append(took, b.Elapsed()-before)
			}
			slices.Sort(took)
			b.ReportMetric(took[(len(took)*95+99)/100-1].Seconds(), "p95-s")
		})
	}
}

func regionOf(i int) string { return fmt.Sprintf("R%03d", i) }

// wideBatch is a year of orders, one per day and region. All regions share yearly and weekly seasonality; size and
// noise differ by region.
func wideBatch(regions int) *warehouse.Batch {
	b, chance := &warehouse.Batch{}, stats.Stream(7, 7)
	size, noise := make([]float64, regions), make([]float64, regions)
	for i := range size {
		size[i] = math.Exp(chance.NormFloat64())
	}
	for day := range 365 {
		date := fixtureToday.AddDays(day - 365)
		common := 1 + .2*math.Sin(2*math.Pi*float64(day)/365) + .1*math.Sin(2*math.Pi*float64(day)/7)
		for i := range regions {
			noise[i] = .5*noise[i] + .1*chance.NormFloat64()
			charged := int64(100_000 * size[i] * common * math.Exp(noise[i]))
			ref := warehouse.OrderRef{Source: "shop", Key: fmt.Sprintf("%d-%d", day, i)}
			b.Orders = append(b.Orders, warehouse.Order{
				OrderRef: ref, Name: ref.Key, At: date.UTC().Add(17 * time.Hour), Day: date, Surface: measure.OnlineStore, Customer: ref.Key, Charged: charged,
				Original: money.Amount{Minor: charged, Currency: "USD"}, Status: "paid", Country: "US", Region: regionOf(i), Units: 1,
			})
		}
	}
	return b
}
