package plot_test

import (
	"flag"
	"fmt"
	"html/template"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/civil"
	"assay/internal/console/frame/plot"
)

var update = flag.Bool("update", false, "rewrite the drawings in testdata")

// some returns pointers to the values, with nil for a negative value.
func some(values ...float64) []*float64 {
	out := make([]*float64, len(values))
	for i, v := range values {
		if v >= 0 {
			out[i] = new(v)
		}
	}
	return out
}

func dollars(x float64) string { return fmt.Sprintf("$%g", x) }

// month returns the days of June 2026 with revenue that rises by 10 per day, and four anomalies, two of them on
// successive days.
func month() plot.Days {
	d := plot.Days{
		Label: "Revenue", Name: "Revenue", Earlier: "May", Axis: dollars, Value: dollars, Title: civil.Date.Words, Tick: civil.Date.Short,
		Notes: []plot.Note{
			{Date: civil.New(2026, time.May, 31), Label: "before the first day"},
			{Date: civil.New(2026, time.June, 10), Label: "free shipping for all orders over 50"},
			{Date: civil.New(2026, time.June, 11), Label: "no room"},
			{Date: civil.New(2026, time.June, 29), Label: "last price of the year"},
		},
	}
	for i := range 30 {
		d.Points = append(d.Points, plot.Day{Date: civil.New(2026, time.June, 1+i), Value: new(float64(100 + 10*i)), Before: new(float64(90 + 5*i))})
	}
	for _, i := range []int{3, 4, 20, 28} {
		d.Points[i].Anomaly, d.Points[i].Expected = true, new(float64(90+11*i))
	}
	d.Points[20].Expected = nil
	d.Points[28].Value = new(5.0)
	d.Points[29].Partial = true
	return d
}

func drawings() map[string]template.HTML {
	scale := plot.NewScale([]float64{0.5, 3.1}, 1.5, 212)
	cut := plot.NewScale([]float64{9}, 1, 212)
	forest := plot.NewForest([]float64{-0.7, 0.2}, []float64{1.3, 2.4}, 1, 212)
	short, gaps, ahead := days(), days(), days()
	short.Points = short.Points[:1]
	gaps.Points[5].Value, gaps.Points[0].Before = nil, nil
	ahead.Ahead, ahead.Band, ahead.Goal = "Forecast", "90% interval", "Target"
	for _, i := range []int{0, 1, 4, 5} {
		v := float64(100 * i)
		p := &ahead.Points[i]
		p.Ahead, p.Low, p.High, p.Inner, p.Goal, p.Title = &v, new(v-50), new(v+900), &[2]float64{v - 5, v + 5}, &v, fmt.Sprint("day ", i)
	}
	fall := plot.Waterfall{
		Label: "Profit", Axis: dollars, Value: dollars, Total: plot.Step{Name: "Contribution", Note: "30%", Value: 30, Color: "owned"},
		Steps: []plot.Step{{Name: "Revenue of all channels", Note: "100%", Value: 100, Color: "other"}, {Name: "Costs", Value: -65, Color: "bad"}, {Name: "Fees", Value: -5, Color: "bad"}},
	}
	power := plot.Power{
		Label: "Power", Most: 0.4, Wanted: 80, Marker: 0.1, MarkerName: "assumed", Across: "true effect",
		Lines: []plot.PowerLine{{Name: "4 weeks", Values: []float64{5, 50, 90}}, {Name: "6 weeks", Chosen: true, Values: []float64{5, 60, 95}}, {Name: "8 weeks", Values: []float64{5, 70, 99}}, {Name: "none"}, {Name: "1 week", Values: []float64{20}}},
	}
	outside := power
	outside.Marker, outside.Most = 0.4, 0.3
	atEnd := power
	atEnd.Marker = 0.4
	return map[string]template.HTML{
		"sparkline":                        plot.Sparkline(some(1, 3, -1, 2, 5), some(2, 2, 4), "accent"),
		"sparkline that ends unknown":      plot.Sparkline(some(1, 3, -1), nil, "good"),
		"sparkline of one known value":     plot.Sparkline(some(1, -1), nil, "good"),
		"sparkline of earlier values":      plot.Sparkline(some(1), some(4), "good"),
		"axis":                             scale.Axis(),
		"axis that leaves out the largest": cut.Axis(),
		"axis without values":              plot.NewScale(nil, 0, 100).Axis(),
		"axis of effects":                  forest.Axis(),
		"axis of no effects":               plot.NewForest(nil, nil, 0, 100).Axis(),
		"axis of large effects":            plot.NewForest([]float64{-40}, []float64{70}, 0, 300).Axis(),
		"empty row":                        forest.Empty(),
		"empty row with a marker":          scale.Empty(),
		"whisker":                          forest.Whisker(0.5, -0.2, 1.2, "accent"),
		"whisker over the edge":            forest.Whisker(0.5, -9, 9, "accent"),
		"gap":                              scale.Gap(new(0.8), 2.2, "accent"),
		"gap to the right":                 scale.Gap(new(2.6), 2.2, "accent"),
		"gap of an unknown value":          scale.Gap(nil, 2.2, "accent"),
		"gap over the edge":                scale.Gap(new(77.0), 99, "accent"),
		"pair":                             scale.Pair(1.1, 0.6, 1.9, 0.9, "accent"),
		"pair at the edge":                 scale.Pair(3.2, 0.6, 3.2, 3.2, "accent"),
		"pair over the edge":               scale.Pair(3.3, 0.6, 3.3, 3.3, "accent"),
		"interval":                         scale.Interval(1.1, 0.6, 1.9, "accent"),
		"interval at the edge":             scale.Interval(3.2, 0.6, 3.2, "accent"),
		"interval over the edge":           scale.Interval(3.3, 0.6, 3.3, "accent"),
		"bar":                              plot.Bar(30, 40, 120, false, "good"),
		"bar of nothing":                   plot.Bar(0, 0, 120, false, "good"),
		"bar of half the largest of one":   plot.Bar(0.5, 1, 120, false, "good"),
		"bar to the right":                 plot.Bar(30, 40, 120, true, "good"),
		"bar to the left":                  plot.Bar(-30, 40, 120, true, "bad"),
		"bar in the middle":                plot.Bar(0, 40, 120, true, "bad"),
		"shift":                            plot.Shift(20, 35, 10, 45, 50, 120, "accent"),
		"shift without a range":            plot.Shift(20, 35, 10, 10, 50, 120, "accent"),
		"shift to the largest":             plot.Shift(20, 50, 10, 50, 50, 120, "accent"),
		"shift over the largest":           plot.Shift(0, 90, 10, 60, 50, 120, "accent"),
		"level":                            plot.Level(64, 80, 150, "good"),
		"level of zero":                    plot.Level(0, 80, 150, "bad"),
		"level over 100":                   plot.Level(140, 80, 150, "good"),
		"range":                            plot.Range(5, -10, 20, 300, dollars),
		"range of gains":                   plot.Range(5, 2, 20, 300, dollars),
		"range of losses":                  plot.Range(-5, -20, -2, 300, dollars),
		"range from zero":                  plot.Range(5, 0, 20, 300, dollars),
		"range of one value":               plot.Range(0, 0, 0, 300, dollars),
		"narrow range":                     plot.Range(5, 2, 20, 150, dollars),
		"progress":                         plot.Progress(30, 60, 90, 80, 100, 200),
		"progress without a target":        plot.Progress(30, 60, 90, 0, 100, 200),
		"days":                             days().Draw(350),
		"wide days":                        days().Draw(724),
		"one day":                          short.Draw(350),
		"days with gaps":                   gaps.Draw(350),
		"forecast":                         ahead.Draw(612),
		"month":                            month().Draw(724),
		"narrow month":                     month().Draw(350),
		"waterfall":                        fall.Draw(612),
		"narrow waterfall":                 fall.Draw(220),
		"rows of a waterfall":              fall.Rows(350),
		"power":                            power.Draw(612),
		"power with the marker outside":    outside.Draw(612),
		"power with the marker at the end": atEnd.Draw(612),
	}
}

// TestDrawingsMatchTheReviewedOnes compares every kind of drawing with the reviewed drawing in testdata. A reviewed
// drawing has one element per line.
func TestDrawingsMatchTheReviewedOnes(t *testing.T) {
	t.Parallel()
	const file = "testdata/drawings.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := drawings()
	if len(a.Files) != len(all) {
		t.Errorf("%d drawings, %d in %s", len(all), len(a.Files), file)
	}
	for i, f := range a.Files {
		got := strings.ReplaceAll(string(all[f.Name]), "><", ">\n<") + "\n"
		wellFormed(t, got)
		if *update {
			a.Files[i].Data = []byte(got)
		} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
