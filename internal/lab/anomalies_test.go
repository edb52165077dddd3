package lab_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/lab"
)

// days returns a file of 120 days with a weekly cycle and one low day.
func days(odd int) string {
	var csv strings.Builder
	csv.WriteString("day,revenue\n")
	first := civil.MustParse("2024-01-01")
	for i := range 120 {
		y := 1000 + 200*math.Sin(float64(i)*2*math.Pi/7) + 30*math.Sin(float64(i*i))
		if i == odd {
			y /= 3
		}
		fmt.Fprintf(&csv, "%s,%.2f\n", first.AddDays(i), y)
	}
	return csv.String()
}

func TestALowDayIsFlaggedAndActionable(t *testing.T) {
	t.Parallel()
	for _, odd := range []int{0, 5, 60, 119} {
		report, err := lab.Anomalies{Date: "day", Value: "revenue", Threshold: 2}.Run(table(t, days(odd)))
		if err != nil || !report.Reportable() || report.Season != 7 || report.Judged != 120 {
			t.Fatalf("%+v, %v", report, err)
		}
		want := civil.MustParse("2024-01-01").AddDays(odd).String()
		var actionable []string
		for _, f := range report.Flags {
			if math.Abs(f.Z) < 2 {
				t.Errorf("%s is a flag with z = %v", f.Date, f.Z)
			}
			if f.Actionable {
				actionable = append(actionable, f.Date)
				if f.Z > -4 || f.Expected < 700 || f.Expected > 1300 {
					t.Errorf("%+v, want a value of about 1000 expected and z far below", f)
				}
			}
		}
		if len(actionable) != 1 || actionable[0] != want {
			t.Errorf("actionable are %v, want %s", actionable, want)
		}
	}
}

func TestShortSeriesAreNotReportable(t *testing.T) {
	t.Parallel()
	good := lab.Anomalies{Date: "d", Value: "v", Threshold: 2}
	without := good
	without.Threshold = 0
	cases := []struct {
		ask        lab.Anomalies
		text, want string
	}{
		{good, "d,v\n2024-01-01,5\n2024-01-01,6\n", `t.csv:3: column "d": "2024-01-01" appears twice`},
		{good, "d,v\n2024-01-01,x\n", `t.csv:2: column "v": "x" is not a number`},
		{without, "d,v\n2024-01-01,5\n", "the threshold is 0, want a number above 0"},
	}
	for _, c := range cases {
		if _, err := c.ask.Run(table(t, c.text)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	report, err := good.Run(table(t, "d,v\n2024-01-01,5\n2024-01-02,6\n"))
	if err != nil || report.Reportable() || len(report.Reasons) == 0 {
		t.Errorf("%+v, %v; want a report that is not reportable", report, err)
	}
}

// The data are hourly prices of an ad exchange from the Numenta benchmark. The labeled week must have actionable flags.
// The file repeats one hour.
func TestLabelledPricesOfAnAdExchangeAreActionable(t *testing.T) {
	t.Parallel()
	report, err := lab.Anomalies{
		Date: "timestamp", Value: "value", Threshold: 2,
	}.Run(shared(t, "anomaly/exchange-2_cpm_results.csv"))
	if err != nil || !report.Reportable() || report.Season != 24 {
		t.Fatalf("%+v, %v", report, err)
	}
	actionable, labelled := 0, 0
	for _, f := range report.Flags {
		if f.Actionable {
			actionable++
			if f.Date >= "2011-07-24" && f.Date < "2011-07-28" {
				labelled++
			}
		}
	}
	t.Logf("%d points, %d flags, %d actionable, %d of them labelled, %d changes",
		report.Judged, len(report.Flags), actionable, labelled, len(report.Changes))
	if labelled == 0 || len(report.Flags) > report.Judged/10 {
		t.Errorf("%d flags, %d actionable of %d points, %d labelled", len(report.Flags), actionable, report.Judged, labelled)
	}
}
