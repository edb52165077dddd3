package lab

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/fault"
)

func TestMissingStepsOfTheUsualLength(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		steps []float64
		want  []int
	}{
		{nil, nil},
		{[]float64{3}, []int{0}},
		{[]float64{1, 1, 2, 1}, []int{0, 0, 1, 0}},
		{[]float64{7, 7, 21}, []int{0, 0, 2}},
		{[]float64{31, 28, 31, 61}, []int{0, 0, 0, 1}}, // months
		{[]float64{1, 2}, []int{0, 0}},                 // the usual step is the upper median
		{[]float64{2, 2, 3}, []int{0, 0, 1}},           // 1.5 is rounded to 2
		{[]float64{2, 2, 2.9}, []int{0, 0, 0}},
		{[]float64{0, 0, 1}, []int{0, 0, 0}},
		{[]float64{1, 1, 1e9}, []int{0, 0, 1_000_000}},
	} {
		if got := gaps(c.steps); !slices.Equal(got, c.want) {
			t.Errorf("steps %v: %v, want %v", c.steps, got, c.want)
		}
	}
}

func axis(t *testing.T, text string) (axisSeries, error) {
	t.Helper()
	table, err := Read("t.csv", strings.NewReader("i,d,v\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Forecast{ID: "i", Date: "d", Value: "v", Season: 1}.read(table)
	if err != nil {
		return axisSeries{}, err
	}
	return all[0], nil
}

func TestMissingPeriodsAreInterpolated(t *testing.T) {
	t.Parallel()
	const nine = "a,1,10\na,2,20\na,3,30\na,4,40\na,5,50\na,6,60\na,7,70\na,8,80\n"
	for name, c := range map[string]struct {
		text    string
		values  []float64
		records []int
		notes   []string
	}{
		"complete": {nine, []float64{10, 20, 30, 40, 50, 60, 70, 80}, []int{0, 1, 2, 3, 4, 5, 6, 7}, []string{}},
		"one of 10 periods is missing": {
			nine + "a,10,100\n",
			[]float64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100},
			[]int{0, 1, 2, 3, 4, 5, 6, 7, -1, 8},
			[]string{"1 of 10 periods are missing in the file and were interpolated."},
		},
		"two of 11 periods are missing": {
			nine + "a,11,110\n",
			[]float64{10, 20, 30, 40, 50, 60, 70, 80, 110},
			[]int{0, 1, 2, 3, 4, 5, 6, 7, 8},
			[]string{"The steps between records differ, so the records are treated as consecutive periods."},
		},
		"records in another order": {"a,2,20\na,1,10\na,3,30\n", []float64{10, 20, 30}, []int{1, 0, 2}, []string{}},
		"a repeated hour": {
			"a,2026-10-25 01:00,1\na,2026-10-25 02:00,2\na,2026-10-25 02:00,3\na,2026-10-25 03:00,4\n",
			[]float64{1, 2, 3, 4},
			[]int{0, 1, 2, 3},
			[]string{"1 records repeat a time; they keep the order of the file."},
		},
		"one record": {"a,1,10\n", []float64{10}, []int{0}, []string{}},
	} {
		got, err := axis(t, c.text)
		if diff := cmp.Diff(c.values, got.values, cmpopts.EquateApprox(0, 1e-9)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		if diff := cmp.Diff(c.notes, got.notes); diff != "" || !slices.Equal(c.records, got.records) {
			t.Errorf("%s: records %v (-want +got):\n%s", name, got.records, diff)
		}
	}
	for _, text := range []string{"a,2026-10-25,1\na,2026-10-25,2\n", "a,7,1\na,7,2\n"} {
		if _, err := axis(t, text); err == nil || !strings.Contains(err.Error(), `appears twice in series "a"`) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFormsOfMomentsAndNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"1970-01-02": 1, "1970-01-02 12:00:00": 1.5, "1970-01-02T06:00:00": 1.25, "1970-01-02 18:00": 1.75, "1970-01-02T00:00": 1,
		"1970-01-02T00:00:00+06:00": 0.75, "1900-01-01 00:00": -25_567, "2199-12-31 00:00": 84_005,
	} {
		if got, ok := moment(text); !ok || got != want {
			t.Errorf("%s is %v, %t, want %v days", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "1899-12-31 23:59", "2200-01-01 00:00", "1970-13-01", "1970-01-02 24:00", "7"} {
		if got, ok := moment(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
	for _, text := range []string{"0x1p4", "1_000", "NaN", "Inf", "-Infinity", "", "1,5", "1e999"} {
		if got, ok := number(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// The largest sum that keeps its digits is below 2^52 = 4,503,599,627,370,496.
func TestUnitsOfWholeAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amounts []float64
		unit    float64
		whole   []int64
	}{
		{nil, 1, []int64{}},
		{[]float64{7, -3}, 1, []int64{7, -3}},
		{[]float64{0.5, -0.25}, 100, []int64{50, -25}},
		{[]float64{1.0 / 3}, 1e12, []int64{333_333_333_333}},
		{[]float64{1.5e-6}, 1e7, []int64{15}},
		{[]float64{450_359_962_737_049.5}, 10, []int64{4_503_599_627_370_495}},
		{[]float64{450_359_962_737_049.75}, 1, []int64{450_359_962_737_050}},
		{[]float64{-450_359_962_737_050.5}, 1, []int64{-450_359_962_737_051}},
		{[]float64{1.0000001}, 1, []int64{1}},
		{[]float64{1.00001}, 1e5, []int64{100_001}},
	} {
		whole, unit := InWhole(c.amounts)
		if unit != c.unit || !slices.Equal(whole, c.whole) {
			t.Errorf("%v: %v in units of 1/%v, want %v and %v", c.amounts, whole, unit, c.whole, c.unit)
		}
	}
}

func TestVerdictsOnErrors(t *testing.T) {
	t.Parallel()
	few := fault.NotReady("too few weeks")
	for name, c := range map[string]struct {
		err     error
		status  Status
		reasons []string
	}{
		"no error":         {nil, OK, []string{}},
		"too few data":     {few, NotReportable, []string{"too few weeks"}},
		"with advice":      {few.WithHint("use 40 weeks"), NotReportable, []string{"too few weeks", "use 40 weeks"}},
		"an invalid value": {fault.Invalid("no"), "", nil},
	} {
		got, err := VerdictOn(c.err)
		if diff := cmp.Diff(Verdict{Status: c.status, Reasons: c.reasons}, got); diff != "" || (err != nil) != (c.status == "") {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		if got.Reportable() != (c.status == OK) {
			t.Errorf("%s: reportable is %t", name, got.Reportable())
		}
	}
	var clock Clock
	if clock.Took(1500 * time.Millisecond); clock.Seconds != 1.5 {
		t.Errorf("%v seconds", clock.Seconds)
	}
	var out bytes.Buffer
	if err := Write(&out, &ForecastReport{Verdict: Refused("<2 weeks"), Series: []SeriesForecast{}}); err != nil ||
		out.String() != "{\n \"status\": \"not_reportable\",\n \"reasons\": [\n  \"<2 weeks\"\n ],\n \"series\": [],\n \"seconds\": 0\n}\n" {
		t.Errorf("%s, %v", out.String(), err)
	}
}

func TestColumnsOfATable(t *testing.T) {
	t.Parallel()
	table, err := Read("t.csv", strings.NewReader("\ufeffa, b \n1,\xff\n2,x\n"))
	if err != nil || table.Len() != 2 || !slices.Equal(table.Columns(), []string{"a", "b"}) {
		t.Fatalf("%+v, %v", table, err)
	}
	if _, err := table.Texts("b"); err == nil || err.Error() != `t.csv:2: column "b": "\xff" is not UTF-8` {
		t.Errorf("bytes: %v", err)
	}
	_, err = table.Texts("c")
	if _, hint, _ := fault.Public(err); hint != "the file has a, b" {
		t.Errorf("%v, hint %q", err, hint)
	}
	if got, err := table.Amounts("a"); err != nil || !slices.Equal(got, []float64{1, 2}) {
		t.Errorf("%v, %v", got, err)
	}
	if err := table.Refuse(1, "c", "is missing"); err.Error() != `t.csv:3: column "c": "" is missing` {
		t.Errorf("%v", err)
	}
	if _, err := Open("no-such-file.csv"); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("%v", err)
	}
	failed := errors.New("the disk failed")
	if _, err := Read("t.csv", iotest.ErrReader(failed)); err == nil || err.Error() != "t.csv: the disk failed" {
		t.Errorf("%v", err)
	}
	zero, err := Read("t.csv", strings.NewReader("b\n0\n-0.001\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zero.Amounts("b"); err == nil || err.Error() != `t.csv:3: column "b": "-0.001" is not a number of at least 0` {
		t.Errorf("%v", err)
	}
}

func TestAllTasksAreDoneOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 100} {
		done := make([]int, n)
		onAllCores(n, func(i int) { done[i]++ })
		if slices.ContainsFunc(done, func(times int) bool { return times != 1 }) {
			t.Errorf("%d tasks are done %v times", n, done)
		}
	}
}

func TestCLVIsCheckedFirst(t *testing.T) {
	t.Parallel()
	const header = "c,d,v\n"
	valid := CLV{Customer: "c", Date: "d", Value: "v", Model: "bgnbd", HorizonDays: 1}
	for name, c := range map[string]struct {
		change func(*CLV)
		text   string
		want   string
	}{
		"no days":           {func(c *CLV) { c.HorizonDays = 0 }, "a,2026-01-01,1\n", "the horizon is 0 days, want at least 1"},
		"unknown model":     {func(c *CLV) { c.Model = "nbd" }, "a,2026-01-01,1\n", `unknown model "nbd"`},
		"no values":         {func(c *CLV) { c.Model, c.Value = "gammagamma", "" }, "a,2026-01-01,1\n", "gammagamma needs a column of values"},
		"a negative value":  {func(*CLV) {}, "a,2026-01-01,-1\n", `t.csv:2: column "v": "-1" is not a number of at least 0`},
		"no day":            {func(*CLV) {}, "a,x,1\n", `t.csv:2: column "d": "x" is not a day written YYYY-MM-DD`},
		"no customer":       {func(*CLV) {}, " ,2026-01-01,1\n", `t.csv:2: column "c": " " is empty`},
		"nothing in time":   {func(c *CLV) { c.CalibrationEnd = epoch }, "a,2026-01-01,1\n", "there are no purchases up to the end of the calibration period, 1970-01-01"},
		"a missing column":  {func(c *CLV) { c.Customer = "x" }, "a,2026-01-01,1\n", `t.csv:1: there is no column "x"`},
		"no column of days": {func(c *CLV) { c.Date = "x" }, "a,2026-01-01,1\n", `t.csv:1: there is no column "x"`},
	} {
		table, err := Read("t.csv", strings.NewReader(header+c.text))
		if err != nil {
			t.Fatal(err)
		}
		ask := valid
		c.change(&ask)
		if _, err := ask.Run(table); fault.KindOf(err) != fault.KindInvalid || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	table, err := Read("t.csv", strings.NewReader(header+"a,2026-01-01,2\na,2026-01-08,29.5\na,2026-01-15,30\nb,2026-01-08,7\n"))
	if err != nil {
		t.Fatal(err)
	}
	buyers, err := valid.read(table)
	if err != nil || len(buyers) != 2 {
		t.Fatalf("%+v, %v", buyers, err)
	}
	// Customer a bought again after 1 and 2 weeks, for a mean of 29.75. The file ends on that day.
	if a := buyers[0]; a.Customer != "a" || a.Repeats != 2 || a.Recency != 2 || a.Age != 2 || a.MeanSpend != 29.75 || buyers[1].Age != 1 {
		t.Errorf("%+v", buyers)
	}
}
