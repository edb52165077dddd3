package lab_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/lab"
)

// cdnow returns the purchases of the CDNOW sample as a CSV.
func cdnow(t testing.TB) *lab.Table {
	t.Helper()
	text, err := os.ReadFile("../../../shared/data/clv/cdnow_sample.txt")
	if err != nil {
		t.Skip("the CDNOW reference data are not next to the project")
	}
	var csv strings.Builder
	csv.WriteString("customer,date,usd\n")
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		fmt.Fprintf(&csv, "%s,%s-%s-%s,%s\n", f[1], f[2][:4], f[2][4:6], f[2][6:], f[4])
	}
	return table(t, csv.String())
}

func TestModelsOfCDNOWMatchThePublishedParameters(t *testing.T) {
	t.Parallel()
	l := cdnow(t)
	// The expected values are in the README next to the data. They come from customer summaries with weeks rounded to
	// two decimals. In this test, weeks are not rounded.
	const rounding = 1e-3
	cases := map[string]map[string]float64{
		"bgnbd":      {"r": .24259292, "alpha": 4.41353191, "a": .79288637, "b": 2.42575421},
		"paretonbd":  {"r": .5532755, "alpha": 10.5776116, "s": .6062138, "beta": 11.6679166},
		"gammagamma": {"p": 6.2488019, "q": 3.7445887, "v": 15.4477507},
	}
	for model, params := range cases {
		report, err := lab.CLV{
			Customer: "customer", Date: "date", Value: "usd", Model: model,
			CalibrationEnd: civil.MustParse("1997-09-30"), HorizonDays: 39 * 7,
		}.Run(l)
		if err != nil || !report.Reportable() {
			t.Fatalf("%s: %+v, %v", model, report, err)
		}
		for name, want := range params {
			if got := report.Params[name]; !(math.Abs(got-want) <= rounding*want) {
				t.Errorf("%s %s is %.7f, want %v", model, name, got, want)
			}
		}
		if len(report.Params) != len(params) {
			t.Errorf("%s: parameters %v", model, report.Params)
		}
		e := report.Expected
		if len(e.Customers) != 2357 || e.HorizonDays != 273 || e.Total < 1000 || e.Total > 3000 {
			t.Errorf("%s: %d customers are expected to buy %v times in %d days", model, len(e.Customers), e.Total, e.HorizonDays)
		}
		first := e.Customers[0] // Excel note of Fader, Hardie and Lee: 1.226 at the published parameters
		if first.Repeats != 2 || math.Abs(first.Recency-30.43) > .005 || model == "bgnbd" &&
			math.Abs(first.Purchases-1.226) > .002 {
			t.Errorf("%s: the first customer is %+v", model, first)
		}
		if has := e.TotalValue != nil; has != (model == "gammagamma") {
			t.Errorf("%s: a value is expected: %v", model, has)
		}
	}
}

func TestCustomersWithoutRepeatPurchasesAreNotReportable(t *testing.T) {
	t.Parallel()
	report, err := lab.CLV{
		Customer: "c", Date: "d", Model: "bgnbd", HorizonDays: 30,
	}.Run(table(t, "c,d\na,2024-01-01\nb,2024-01-09\n"))
	if err != nil || report.Reportable() || report.Expected != nil {
		t.Errorf("%+v, %v; want a report that is not reportable", report, err)
	}
}

func TestInvalidPurchasesAreRejected(t *testing.T) {
	t.Parallel()
	const text = "c,d,v\na,2024-01-01,5\na,2024-02-01,-5\n"
	cases := []struct {
		ask  lab.CLV
		want string
	}{
		{
			lab.CLV{Customer: "c", Date: "d", Value: "v", Model: "gammagamma", HorizonDays: 1},
			`t.csv:3: column "v": "-5" is not a number of at least 0`,
		},
		{lab.CLV{Customer: "c", Date: "d", Model: "gammagamma", HorizonDays: 1}, "gammagamma needs a column of values"},
		{lab.CLV{Customer: "c", Date: "d", Model: "nbd", HorizonDays: 1}, `unknown model "nbd"`},
		{lab.CLV{Customer: "c", Date: "d", Model: "bgnbd"}, "the horizon is 0 days"},
		{
			lab.CLV{Customer: "c", Date: "d", Model: "bgnbd", HorizonDays: 1, CalibrationEnd: civil.MustParse("2023-01-01")},
			"there are no purchases up to the end of the calibration period, 2023-01-01",
		},
	}
	for _, c := range cases {
		if _, err := c.ask.Run(table(t, text)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.ask, err, c.want)
		}
	}
}
