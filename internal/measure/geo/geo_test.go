package geo_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure/geo"
	"assay/internal/measure/stats"
)

const causal = "../../../../shared/data/causal/"

// table returns the records of a reference file without its header.
func table(t testing.TB, file string, comma rune) [][]string {
	t.Helper()
	f, err := os.Open(causal + file)
	if err != nil {
		t.Skip("the causal reference data are not next to the project")
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = comma
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines[1:]
}

func row(t testing.TB, region, period, value string) geo.Row {
	t.Helper()
	r := geo.Row{Region: geo.Region(region), Period: geo.Period{Label: period}}
	var err error
	if r.Value, err = strconv.ParseFloat(value, 64); err != nil {
		t.Fatal(err)
	}
	if d, err := civil.Parse(period); err == nil {
		r.Period = geo.Day(d)
	} else if r.Period.At, err = strconv.ParseFloat(period, 64); err != nil {
		t.Fatal(err)
	}
	return r
}

func panel(t testing.TB, rows []geo.Row) *geo.Panel {
	t.Helper()
	p, err := geo.NewPanel(rows, geo.Refuse)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// geoLift returns a panel of GeoLift's walkthrough: 40 cities, days from 2021-01-01.
func geoLift(t testing.TB, file string) *geo.Panel {
	t.Helper()
	var rows []geo.Row
	for _, line := range table(t, file, ',') {
		rows = append(rows, row(t, line[0], line[1], line[2]))
	}
	return panel(t, rows)
}

// walkthrough returns the panel of GeoLift's walkthrough, including the test period, and the test.
func walkthrough(t testing.TB) (*geo.Panel, geo.Test) {
	t.Helper()
	return geoLift(t, "geolift_test.csv"), geo.Test{Treated: []geo.Region{"chicago", "portland"}, Start: 90, End: 104}
}

func walkthroughSelection() geo.SelectionOptions {
	return geo.SelectionOptions{
		Sizes: []int{2, 3, 4, 5}, Durations: []int{10, 15}, Effects: []float64{0, .05, .10, .15, .20},
		Include: []geo.Region{"chicago"}, Exclude: []geo.Region{"honolulu"}, CostEach: 7.5,
	}
}

// proposition99 returns cigarette sales in 39 states from 1970 to 2000, and California's tax of 1988 as a test.
func proposition99(t testing.TB) (*geo.Panel, geo.Test) {
	t.Helper()
	var rows []geo.Row
	for _, line := range table(t, "california_prop99.csv", ';') {
		rows = append(rows, row(t, line[0], line[1], line[2]))
	}
	return panel(t, rows), geo.Test{Treated: []geo.Region{"California"}, Start: 19, End: 30}
}

// market is a simulated store with regions of very different sizes. The regions share a trend and a few autocorrelated
// factors. Each region has its own strength of weekly seasonality and its own noise.
type market struct {
	regions, periods int
	autocorrelation  float64 // autocorrelation of a region's own noise
}

// noise is the standard deviation of a region's own daily noise for a region of size 1; smaller regions have more
// noise.
const noise = .08

func simulate(m market, seed uint64) *geo.Panel {
	rng := stats.Stream(seed, 0)
	const tastes = 3
	common := make([][tastes]float64, m.periods)
	for t := range common {
		for f := range tastes {
			common[t][f] = .02 * rng.NormFloat64()
			if t > 0 {
				common[t][f] += .95 * common[t-1][f]
			}
		}
	}
	p := &geo.Panel{}
	start := civil.MustParse("2025-01-01")
	for t := range m.periods {
		p.Periods = append(p.Periods, geo.Day(start.AddDays(t)))
	}
	for r := range m.regions {
		p.Regions = append(p.Regions, geo.Region(fmt.Sprintf("r%03d", r)))
		size := math.Exp(rng.NormFloat64())
		own := noise / math.Sqrt(math.Sqrt(size))
		var load [tastes]float64
		for f := range tastes {
			load[f] = rng.Float64()
		}
		week := .1 + .05*rng.NormFloat64()
		y := make([]float64, m.periods)
		var e float64
		for t := range y {
			u := rng.NormFloat64()
			if t == 0 {
				e = u
			} else {
				e = m.autocorrelation*e + math.Sqrt(1-m.autocorrelation*m.autocorrelation)*u
			}
			log := math.Log(1000*size) + .0003*float64(t) + week*math.Sin(2*math.Pi*float64(t)/7) + own*e
			for f := range tastes {
				log += load[f] * common[t][f]
			}
			y[t] = math.Exp(log)
		}
		p.Values = append(p.Values, y)
	}
	return p
}

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s is %.10g, want %.10g ± %g", what, got, want, tolerance)
	}
}
