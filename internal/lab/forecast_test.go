package lab_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/internal/lab"
)

// months returns a file of two series of 48 months with a season; the second series lacks a month.
func months() string {
	var csv strings.Builder
	csv.WriteString("id,month,units\n")
	for i := range 48 {
		for _, id := range []string{"a", "b"} {
			if id == "b" && i == 20 {
				continue
			}
			fmt.Fprintf(&csv, "%s,%d-%02d-01,%.3f\n", id, 2020+i/12, i%12+1, 100+10*math.Sin(float64(i)*math.Pi/6)+float64(i)/10+
				float64(i*i%7)/5)
		}
	}
	return csv.String()
}

func TestSeriesAreForecastWithTheirSeason(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"auto", "ets", "arima", "theta", "pool"} {
		report, err := lab.Forecast{
			ID: "id", Date: "month", Value: "units", Horizon: 12, Season: 12, Levels: []int{80, 95}, Model: model,
		}.Run(table(t, months()))
		if err != nil || !report.Reportable() || len(report.Series) != 2 {
			t.Fatalf("%s: %+v, %v", model, report, err)
		}
		for _, s := range report.Series {
			for h := range 12 {
				i := 48 + h
				// The sine and the trend line explain the values up to an error of 1.2.
				if want := 100 + 10*math.Sin(float64(i)*math.Pi/6) + float64(i)/10 + .6; math.Abs(s.Forecast[h]-want) > 2.5 {
					t.Errorf("%s (%s), series %s, step %d: %.2f, want about %.2f", model, s.Model, s.ID, h+1, s.Forecast[h], want)
				}
				if !(s.Lower["95"][h] <= s.Lower["80"][h] && s.Lower["80"][h] < s.Forecast[h] && s.Forecast[h] < s.Upper["80"][h] &&
					s.Upper["80"][h] <= s.Upper["95"][h]) {
					t.Errorf("%s, series %s, step %d: the intervals do not contain the forecast", model, s.ID, h+1)
				}
			}
			if filled := len(s.Notes) == 1; filled != (s.ID == "b") {
				t.Errorf("series %s has the notes %q", s.ID, s.Notes)
			}
		}
	}
}

func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(months()), "\n")
	turned := []string{lines[0]}
	for i := len(lines) - 1; i > 0; i-- {
		turned = append(turned, lines[i])
	}
	ask := lab.Forecast{ID: "id", Date: "month", Value: "units", Horizon: 3, Season: 12, Levels: []int{80}, Model: "pool"}
	one, err := ask.Run(table(t, months()))
	if err != nil {
		t.Fatal(err)
	}
	two, err := ask.Run(table(t, strings.Join(turned, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range one.Series {
		for _, r := range two.Series {
			if s.ID == r.ID && (s.Forecast[2] != r.Forecast[2] || s.Upper["80"][2] != r.Upper["80"][2]) {
				t.Errorf("series %s: %v and %v", s.ID, s.Forecast, r.Forecast)
			}
		}
	}
}

func TestImpossibleForecastsHaveAReason(t *testing.T) {
	t.Parallel()
	good := lab.Forecast{ID: "i", Date: "d", Value: "v", Horizon: 2, Season: 7, Levels: []int{80}, Model: "auto"}
	twice := good
	twice.Levels = []int{100}
	unknown := good
	unknown.Model = "prophet"
	cases := []struct {
		ask        lab.Forecast
		text, want string
	}{
		{good, "i,d,v\na,1,5\na,2,6\na,1,7\n", `t.csv:4: column "d": "1" appears twice in series "a"`},
		{good, "i,d,v\na,1,5\na,2,\n", `t.csv:3: column "v": "" is not a number`},
		{
			func() lab.Forecast { a := good; a.Horizon = 0; return a }(), "i,d,v\na,1,5\na,2,6\na,3,7\n",
			"series \"a\": the horizon is 0 points",
		},
		{
			good, "i,d,v\na,2024-01-01,5\na,spring,6\n",
			`t.csv:3: column "d": "spring" is not a day or a time, as the first record is`,
		},
		{twice, "i,d,v\na,1,5\na,2,6\na,3,7\n", `series "a": level of the interval is 1`},
		{unknown, "i,d,v\na,1,5\n", `unknown forecasting model "prophet"`},
	}
	for _, c := range cases {
		if _, err := c.ask.Run(table(t, c.text)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	report, err := good.Run(table(t, "i,d,v\na,1,5\na,2,6\nb,1,5\nb,2,5\nb,3,5\nb,4,5\n"))
	if err != nil || report.Reportable() || len(report.Series) != 1 {
		t.Fatalf("%+v, %v; want one series forecast and one too short", report, err)
	}
	if b := report.Series[0]; b.Forecast[0] != 5 || b.Lower["80"][0] != 5 || len(b.Notes) == 0 {
		t.Errorf("the constant series is forecast as %+v", b)
	}
	document(t, report)
}
