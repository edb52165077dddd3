package pacing

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/snapshot"
)

// judged returns a record of 25 forecasts of one day each, of which 10 share no day.
func judged(change func(*control.ForecastRecord)) control.ForecastRecord {
	r := control.ForecastRecord{
		Metric: "revenue", Points: 1, Judged: 25, Separate: 10, Inside: [3]int{20, 22, 25}, Error: -50, Size: 200, Actual: 1000, MASE: 0.8, Scaled: 25, Days: march,
	}
	if change != nil {
		change(&r)
	}
	return r
}

func TestAccuracyNeedsEnoughForecasts(t *testing.T) {
	t.Parallel()
	full := Accuracy{
		Metric: snapshot.Revenue, Days: 1, Judged: 25, Separate: 10, Enough: true, Inside80: new(answer.Percent(80)), Inside90: new(answer.Percent(88)),
		Inside95: new(answer.Percent(100)), Error: new(answer.Percent(20)), Bias: new(answer.Percent(-5)), MASE: new(answer.Ratio(0.8)), Start: march.First, End: march.Last,
	}
	few := Accuracy{Metric: snapshot.Revenue, Days: 1, Judged: 25, Separate: 10, Start: march.First, End: march.Last}
	for name, c := range map[string]struct {
		change func(*control.ForecastRecord)
		want   func() Accuracy
	}{
		"enough": {nil, func() Accuracy { return full }},
		"the smallest sufficient number": {
			func(r *control.ForecastRecord) {
				r.Judged, r.Separate, r.Inside = MinJudged, MinSeparate, [3]int{10, 15, 20}
			},
			func() Accuracy {
				a := full
				a.Judged, a.Separate = MinJudged, MinSeparate
				a.Inside80, a.Inside90, a.Inside95 = new(answer.Percent(50)), new(answer.Percent(75)), new(answer.Percent(100))
				return a
			},
		},
		"too few": {
			func(r *control.ForecastRecord) { r.Judged = MinJudged - 1 },
			func() Accuracy { a := few; a.Judged = MinJudged - 1; return a },
		},
		"too many that share days": {
			func(r *control.ForecastRecord) { r.Separate = MinSeparate - 1 },
			func() Accuracy { a := few; a.Separate = MinSeparate - 1; return a },
		},
		"no actual values": {
			func(r *control.ForecastRecord) { r.Actual = 0 },
			func() Accuracy { a := full; a.Error, a.Bias = nil, nil; return a },
		},
		"no scaled errors": {
			func(r *control.ForecastRecord) { r.Scaled = 0 },
			func() Accuracy { a := full; a.MASE = nil; return a },
		},
		"backtests of the rest of a period": {
			func(r *control.ForecastRecord) { r.BackMade, r.Points = true, 0 },
			func() Accuracy { a := full; a.Afterwards, a.Days = true, 0; return a },
		},
	} {
		got := Past([]control.ForecastRecord{judged(c.change)}, "", []Row{{Metric: snapshot.Revenue}})
		if diff := cmp.Diff([]Accuracy{c.want()}, got, cmpopts.EquateComparable(civil.Date{}), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAccuracyIsOfTheRowsMetricsAndChannel(t *testing.T) {
	t.Parallel()
	of := func(metric string, channel measure.Channel, points int, backtest bool) control.ForecastRecord {
		return judged(func(r *control.ForecastRecord) {
			r.Metric, r.Channel, r.Points, r.BackMade = metric, channel, points, backtest
		})
	}
	records := []control.ForecastRecord{
		of("spend", "", 7, false), of("orders", "", 1, true), of("revenue", "", 28, true), of("revenue", "facebook", 1, false), of("orders", "", 28, false),
		of("revenue", "", 7, false), of("orders", "", 7, false), of("revenue", "", 1, true),
	}
	type found struct {
		metric   snapshot.Metric
		days     int
		backtest bool
	}
	for name, c := range map[string]struct {
		channel measure.Channel
		rows    []Row
		want    []found
	}{
		"no rows": {"", nil, nil},
		"one metric": {"", []Row{{Metric: snapshot.Revenue}}, []found{
			{snapshot.Revenue, 7, false}, {snapshot.Revenue, 1, true}, {snapshot.Revenue, 28, true},
		}},
		"revenue first, and backtests last": {"", []Row{{Metric: snapshot.Spend}, {Metric: snapshot.Orders}, {Metric: snapshot.Revenue}}, []found{
			{snapshot.Revenue, 7, false},
			{snapshot.Revenue, 1, true},
			{snapshot.Revenue, 28, true},
			{snapshot.Orders, 7, false},
			{snapshot.Orders, 28, false},
			{snapshot.Orders, 1, true},
			{snapshot.Spend, 7, false},
		}},
		"a channel":                   {"facebook", []Row{{Metric: snapshot.Revenue}, {Metric: snapshot.Orders}}, []found{{snapshot.Revenue, 1, false}}},
		"a channel without forecasts": {"google", []Row{{Metric: snapshot.Revenue}}, nil},
	} {
		var got []found
		for _, p := range Past(records, c.channel, c.rows) {
			if p.Channel != c.channel {
				t.Errorf("%s: the accuracy of channel %q", name, p.Channel)
			}
			got = append(got, found{p.Metric, p.Days, p.Afterwards})
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(found{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOverlapNamesTheForecastsWithoutCommonDays(t *testing.T) {
	t.Parallel()
	for p, want := range map[Accuracy]string{{Judged: 25, Separate: 10}: " (10 without overlap)", {Judged: 10, Separate: 10}: ""} {
		if got := p.Overlap(); got != want {
			t.Errorf("%d forecasts, %d without overlap: %q, want %q", p.Judged, p.Separate, got, want)
		}
	}
}
