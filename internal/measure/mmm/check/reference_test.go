package check

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
)

// example returns PyMC-Marketing's example: 179 weeks, two channels, two events and the number of the week. Published
// data sets are in a folder next to the repository.
func example(t *testing.T) mmm.Data {
	t.Helper()
	file, err := os.Open("../../../../../shared/data/mmm/pymc_mmm_example.csv")
	if err != nil {
		t.Skipf("the published data sets are not next to the repository: %v", err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) []float64 {
		at := slices.Index(rows[0], name)
		return series(len(rows)-1, func(i int) float64 {
			v, err := strconv.ParseFloat(rows[i+1][at], 64)
			if err != nil {
				t.Fatalf("%s in line %d: %v", name, i+2, err)
			}
			return v
		})
	}
	d := mmm.Data{Target: column("y")}
	for _, row := range rows[1:] {
		d.Dates = append(d.Dates, civil.MustParse(row[slices.Index(rows[0], "date_week")]))
	}
	for _, name := range []string{"x1", "x2"} {
		d.Media = append(d.Media, mmm.Media{Channel: measure.Channel(name), Exposure: column(name)})
	}
	for _, name := range []string{"event_1", "event_2", "t"} {
		d.Controls = append(d.Controls, mmm.Control{Name: name, Values: column(name)})
	}
	return d
}

// additive returns PyMC-Marketing's model of its example. PyMC-Marketing does not scale controls, but package mmm does.
// The control t goes up to 178.
func additive() mmm.Spec {
	normal := func(mean, sd float64) mmm.Prior { return mmm.Prior{Family: mmm.NormalPrior, A: mean, B: sd} }
	halfNormal := func(sd float64) mmm.Prior { return mmm.Prior{Family: mmm.HalfNormalPrior, A: sd} }
	return mmm.Spec{
		Trend: mmm.Trend{Kind: mmm.NoTrend}, Yearly: 2,
		Priors: map[string]mmm.Prior{
			"intercept": normal(0.5, 0.2), "control": normal(0, 0.05), "t": normal(0, 0.05*178),
			"yearly": {Family: mmm.LaplacePrior, A: 0, B: 0.2}, "sigma": halfNormal(0.5),
			"x1.beta": halfNormal(1.2634045580774809), "x2.beta": halfNormal(0.736595441922519),
		},
	}
}

// The expected values are the reference's exact leave-future-out scores. Each week from 104 to 152 is predicted from
// the weeks before it.
func TestForecastScoresMatchTheReference(t *testing.T) {
	t.Parallel()
	d := example(t)
	if os.Getenv("ASSAY_NIGHTLY") != "1" {
		t.Skip("98 fits; set ASSAY_NIGHTLY=1 to run them")
	}
	log := additive()
	log.Likelihood, log.Priors = mmm.LogNormal, map[string]mmm.Prior{"yearly": {Family: mmm.LaplacePrior, A: 0, B: 0.2}}
	// The reference's scores are for y divided by its maximum. The first week of event_2 is excluded, because only the
	// prior informs its effect. The target is six prior standard deviations away, and the mean density depends on a few
	// draws.
	const first, firstEvent, weeks = 104, 128, 153
	unit := math.Log(slices.Max(d.Target))
	// The Monte Carlo error of the score of 49 fits is about 0.1. The reference scales the data differently, which adds
	// small differences. For the log-normal model, only the score is published, not the priors.
	for name, c := range map[string]struct {
		spec            mmm.Spec
		want, tolerance float64
	}{"additive": {additive(), 98.74, 1}, "log": {log, 94.15, 3 * 5.29}} {
		b, err := Backtested(until(d, weeks), c.spec, mmm.Sampling{Seed: 1}, Slices{First: first, Horizon: 1, Step: 1})
		if err != nil {
			t.Fatal(err)
		}
		if b.Rows != 49 {
			t.Fatalf("%s: %d of 49 weeks are not reportable", name, b.Refused)
		}
		event := b.Slices[firstEvent-first].Rows[0].LogScore + unit
		all := b.ELPD + 49*unit
		t.Logf("%s: 49 weeks %.2f (%.2f), the first event %.2f, without it %.2f", name, all, b.SE, event, all-event)
		if name == "additive" {
			all -= event
		}
		if math.Abs(all-c.want) > c.tolerance {
			t.Errorf("%s: log score %v, want %v", name, all, c.want)
		}
	}
}
