package lab_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/lab"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// twoChannels returns 60 weeks of a store. The return of search is above 3; the return of tv is slightly below 1.
func twoChannels() string {
	random := stats.Stream(11, 0)
	var text strings.Builder
	text.WriteString("week,sales,search,tv,price\n")
	for t := range 60 {
		search, tv := 100*(1+random.Float64()), 200*random.Float64()
		if t%9 < 4 {
			tv = 0
		}
		price := math.Floor(2 * random.Float64())
		sales := 2000 + 1200*search/(200+search) + 0.9*tv - 150*price + 25*random.NormFloat64()
		fmt.Fprintf(&text, "%d,%.3f,%.3f,%.3f,%.0f\n", t, sales, search, tv, price)
	}
	return text.String()
}

func ask() lab.MMM {
	return lab.MMM{
		Date: "week", Target: "sales", Media: []string{"search", "tv"}, Controls: []string{"price"},
		Spec: mmm.Spec{Saturation: mmm.MichaelisMenten, Trend: mmm.Trend{Kind: mmm.NoTrend}, Adstock: mmm.Adstock{
			Kind: mmm.Immediately, Lags: 1,
		}},
		Sampling: mmm.Sampling{Seed: 1, Warmup: 300, Draws: 400},
	}
}

func fitted(t *testing.T) (*lab.MMMReport, string) {
	t.Helper()
	report, err := ask().Run(table(t, twoChannels()))
	if err != nil || !report.Reportable() {
		t.Fatalf("%+v, %v", report, err)
	}
	dir := t.TempDir()
	if err := report.Save(dir); err != nil {
		t.Fatal(err)
	}
	return report, dir
}

// keys returns the keys of an object in order.
func keys(t *testing.T, object any) []string {
	t.Helper()
	members, ok := object.(map[string]any)
	if !ok {
		t.Fatalf("%v is not an object", object)
	}
	var out []string
	for name := range members {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func TestMixModelIsFittedSavedAndOptimized(t *testing.T) {
	t.Parallel()
	report, dir := fitted(t)
	printed := document(t, report)
	channel := printed["channels"].([]any)[0].(map[string]any)
	for what, c := range map[string]struct {
		object any
		want   []string
	}{
		"report": {printed, []string{"channels", "diagnostics", "fit", "leave_one_out", "reasons", "status"}},
		"fit":    {printed["fit"], []string{"holdout", "mape", "r2", "wmape"}},
		"channel": {channel, []string{
			"adstock", "channel", "contribution", "marginal_roas", "roas", "saturation", "share", "spend",
		}},
		"share": {channel["share"], []string{"mean", "q05", "q25", "q50", "q75", "q95", "sd"}},
		"kappa": {channel["saturation"].(map[string]any)["kappa"], []string{"mean", "q05", "q25", "q50", "q75", "q95", "sd"}},
	} {
		if got := keys(t, c.object); !slices.Equal(got, c.want) {
			t.Errorf("%s has the keys %v, want %v", what, got, c.want)
		}
	}
	// The true ROAS of tv is 0.9. The data cannot separate the effect of search from the baseline.
	if tv := report.Channels[1].ROAS; tv.Q05 > 0.9 || tv.Q95 < 0.9 {
		t.Errorf("interval of tv's return %+v excludes 0.9", tv)
	}

	curves := rows(t, filepath.Join(dir, "curves.csv"))
	draws := rows(t, filepath.Join(dir, "draws.csv"))
	contributions := rows(t, filepath.Join(dir, "contributions.csv"))
	if len(draws) != 1+4*400 || len(contributions) != 1+2*60 ||
		strings.Join(contributions[0], ",") != "date,channel,mean,q05,q95" {
		t.Errorf("%d rows of draws, %d of contributions headed %v", len(draws), len(contributions), contributions[0])
	}

	spend := report.Channels[0].Spend + report.Channels[1].Spend
	for _, risk := range []string{"conservative", "balanced", "aggressive"} {
		ask := lab.Optimize{Model: dir, Budget: spend, Risk: risk, Seed: 1}
		plan, err := ask.Run()
		if err != nil {
			t.Fatal(err)
		}
		var proposed, response float64
		for _, a := range plan.Allocations {
			proposed += a.Proposed
			response += interpolated(t, curves, string(a.Channel), a.Proposed)
		}
		if math.Abs(proposed-spend) > 1e-9*spend || plan.Certificate.Gap > 1e-3 || plan.Certificate.Gap < 0 {
			t.Errorf("%s: spends %v of %v with gap %v", risk, proposed, spend, plan.Certificate.Gap)
		}
		// Linear interpolation between 41 points is up to 0.001 below the curve.
		if risk == "aggressive" && math.Abs(plan.Certificate.Objective/response-1) > 2e-3 {
			t.Errorf("the objective %v is not the response %v on the curves", plan.Certificate.Objective, response)
		}
		again, err := ask.Run()
		if err != nil {
			t.Fatal(err)
		}
		if a, b := text(t, plan), text(t, again); a != b {
			t.Errorf("%s: two runs differ: %s and %s", risk, a, b)
		}
	}
}

func text(t *testing.T, r lab.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := lab.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func rows(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// interpolated reads a channel's mean response from curves.csv.
func interpolated(t *testing.T, curves [][]string, channel string, spend float64) float64 {
	t.Helper()
	var x, y float64
	for _, row := range curves[1:] {
		toX, _ := strconv.ParseFloat(row[1], 64)
		toY, _ := strconv.ParseFloat(row[2], 64)
		if row[0] == channel && toX >= spend && toX > 0 {
			return y + (toY-y)*(spend-x)/(toX-x)
		}
		x, y = toX, toY
	}
	t.Fatalf("the curve of %s ends below %v", channel, spend)
	return 0
}

func TestInfeasiblePlansAreRejected(t *testing.T) {
	t.Parallel()
	report, dir := fitted(t)
	spend := report.Channels[0].Spend + report.Channels[1].Spend
	for _, c := range []struct {
		bounds, risk, want string
		budget             float64
	}{
		{"", "reckless", `unknown risk "reckless"`, spend},
		{"", "balanced", "the budget is 0", 0},
		{"", "balanced", "the channels' maximum spends add up to", 2 * spend},
		{`{"tv": {"min": 90, "max": 80}}`, "balanced", "channel tv: minimum spend 90 exceeds maximum 80", spend},
		{`{"radio": {"min": 0, "max": 80}}`, "balanced", `bounds for "radio"`, spend},
		{`{"tv": {"least": 0}}`, "balanced", "bounds.json: byte", spend},
		{`{"search": {"min": 0, "max": 10}, "tv": {"min": 0, "max": 10}}`, "balanced", "add up to 20", spend},
	} {
		ask := lab.Optimize{Model: dir, Budget: c.budget, Risk: c.risk}
		if c.bounds != "" {
			ask.Bounds = filepath.Join(t.TempDir(), "bounds.json")
			if err := os.WriteFile(ask.Bounds, []byte(c.bounds), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ask.Run(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v %s: %v, want %s", c.risk, c.budget, c.bounds, err, c.want)
		}
	}
	if _, err := (lab.Optimize{Model: t.TempDir(), Budget: 1, Risk: "balanced"}).Run(); err == nil {
		t.Error("a directory without a model was accepted")
	}
	held := lab.Optimize{Model: dir, Budget: spend, Risk: "balanced", Bounds: filepath.Join(t.TempDir(), "held.json")}
	same, err := json.Marshal(
		map[measure.Channel]mmm.Bounds{"tv": {Min: &report.Channels[1].Spend, Max: &report.Channels[1].Spend}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(held.Bounds, same, 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := held.Run()
	if err != nil || plan.Allocations[1].Proposed != report.Channels[1].Spend || plan.Advice.Action != "hold" {
		t.Errorf("a held channel: %+v, %v", plan, err)
	}
}

func TestPlansMeetGroupBounds(t *testing.T) {
	t.Parallel()
	report, dir := fitted(t)
	search := report.Channels[0].Spend
	spend := search + report.Channels[1].Spend
	ask := lab.Optimize{Model: dir, Budget: spend, Risk: "aggressive", Groups: filepath.Join(t.TempDir(), "groups.json")}
	for text, want := range map[string]string{
		fmt.Sprintf(`{"paid": {"channels": ["search"], "max": %v}}`, 0.9*search): "",
		`{"paid": {"channels": ["search"], "min": 1e9}}`:                         `in group "paid" add up to`,
		`{"paid": {"channels": ["radio"], "min": 1}}`:                            `unknown channel "radio"`,
		`{"paid": {"channels": [], "min": 1}}`:                                   "a group needs channels",
		`{"paid": {"channel": ["search"]}}`:                                      "groups.json: byte",
	} {
		if err := os.WriteFile(ask.Groups, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		plan, err := ask.Run()
		if want != "" {
			said, hint, _ := fault.Public(err)
			if !strings.Contains(said+hint, want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
			continue
		}
		if err != nil || math.Abs(plan.Allocations[0].Proposed-0.9*search) > 1e-6*search {
			t.Errorf("%s: %+v, %v", text, plan, err)
		}
	}
}

func TestAPlanOverTimeSpendsTheBudgetInProportion(t *testing.T) {
	t.Parallel()
	report, dir := fitted(t)
	spend := report.Channels[0].Spend + report.Channels[1].Spend
	ask := lab.Optimize{
		Model: dir, Budget: spend, Risk: "balanced", Periods: 12, Change: filepath.Join(t.TempDir(), "change.json"),
	}
	if err := os.WriteFile(ask.Change, []byte(`{"tv": 0.1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := ask.Run()
	if err != nil {
		t.Fatal(err)
	}
	s := plan.Schedule
	var all, before float64
	for i, period := range s.Periods {
		all += period.Total
		if by := math.Abs(period.Spend["tv"] - before); i > 0 && by > 0.1*report.Channels[1].Spend/60*(1+1e-6) {
			t.Errorf("period %d: tv changes by %v", period.Period, by)
		}
		before = period.Spend["tv"]
	}
	if want := spend * 12 / 60; len(s.Periods) != 12 || math.Abs(all-want) > 1e-6*want || s.Budget != want {
		t.Errorf("%d periods spend %v, want %v", len(s.Periods), all, want)
	}
	// The model has no adstock and its curves are concave, so constant spend is optimal.
	if !s.Proven || s.Certificate.Gap > 1e-5 || s.After.Mean != 0 ||
		math.Abs(s.Lift.Mean) > 1e-3*s.Periods[0].Brings.Mean {
		t.Errorf("schedule %+v", s)
	}
	if got := keys(t, document(t, plan)["schedule"]); !slices.Equal(
		got, []string{"after", "budget", "certificate", "lift_over_steady", "p_better", "periods", "proven", "steady"}) {
		t.Errorf("a schedule has the keys %v", got)
	}
	again, err := ask.Run()
	if err != nil {
		t.Fatal(err)
	}
	if a, b := text(t, plan), text(t, again); a != b {
		t.Error("two runs differ")
	}
	ask.Periods = 0
	if _, err := ask.Run(); err == nil || !strings.Contains(err.Error(), "limits on changes need a plan") {
		t.Errorf("changes without periods: %v", err)
	}
	ask.Change = ""
	if plan, err := ask.Run(); err != nil || slices.Contains(keys(t, document(t, plan)), "schedule") {
		t.Errorf("schedule without a request: %v", err)
	}
}

func TestInvalidPeriodsAreRejected(t *testing.T) {
	t.Parallel()
	whole := twoChannels()
	for name, c := range map[string]struct {
		change func(*lab.MMM) string
		want   string
	}{
		"a week twice": {
			func(*lab.MMM) string { return strings.Replace(whole, "\n7,", "\n6,", 1) },
			`t.csv:9: column "week": "6" appears twice`,
		},
		"a gap": {
			func(*lab.MMM) string { return strings.Replace(whole, "\n59,", "\n77,", 1) },
			`t.csv:61: column "week": "77" has a different distance from 58`,
		},
		"half a week": {
			func(*lab.MMM) string { return strings.Replace(whole, "\n7,", "\n7.5,", 1) },
			`t.csv:9: column "week": "7.5" is not a whole`,
		},
		"no such channel": {
			func(m *lab.MMM) string { m.Media[1] = "radio"; return whole },
			`t.csv:1: there is no column "radio"`,
		},
		"spend of nothing": {
			func(m *lab.MMM) string { m.Spend = map[string]string{"price": "tv"}; return whole },
			`spend for "price"`,
		},
		"a channel twice": {
			func(m *lab.MMM) string { m.Media[1] = "search"; return whole },
			`"search" is empty or used twice`,
		},
		"a negative spend": {
			func(*lab.MMM) string { return strings.Replace(whole, ",0.000,", ",-1,", 1) },
			`t.csv:2: column "tv": "-1" is not a number of at least 0`,
		},
		"no priors": {func(m *lab.MMM) string { m.Priors = "absent.json"; return whole }, "absent.json"},
	} {
		m := ask()
		csv := c.change(&m)
		if _, err := m.Run(table(t, csv)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestNotReportableFitsHaveReasonsAndAreNotSaved(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(twoChannels(), "\n")
	report, err := ask().Run(table(t, strings.Join(lines[:11], "")))
	if err != nil || report.Reportable() || len(report.Reasons) != 1 ||
		!strings.Contains(report.Reasons[0], "10 periods") {
		t.Fatalf("%+v, %v", report, err)
	}
	dir := filepath.Join(t.TempDir(), "model")
	if err := report.Save(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a model without numbers was saved")
	}
	if got := keys(t, document(t, report)["diagnostics"]); !slices.Equal(got, []string{"seconds"}) {
		t.Errorf("diagnostics without sampling: %v", got)
	}
}

func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(strings.TrimSuffix(twoChannels(), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	reversed := slices.Clone(lines[1:])
	slices.Reverse(reversed)
	m := ask()
	m.Sampling.Warmup, m.Sampling.Draws = 50, 20
	one, err := m.Run(table(t, strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.Run(table(t, lines[0]+strings.Join(reversed, "")))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := text(t, one), text(t, other); a != b {
		t.Errorf("sorted %s, reversed %s", a, b)
	}
}

// threeTowns returns the weeks of [twoChannels] in three geos of different sizes, ordered by week.
func threeTowns() string {
	var text strings.Builder
	text.WriteString("town,people,week,sales,search,tv\n")
	random := stats.Stream(12, 0)
	for t := range 40 {
		for i, size := range []float64{1, 4, 2} {
			search, tv := 100*size*(1+random.Float64()), 200*size*random.Float64()
			own := 0.9 + 0.1*float64(i) // geos differ
			sales := size*(2000*own+30*random.NormFloat64()) + 3*own*search + 0.9*tv
			fmt.Fprintf(&text, "town%d,%.0f,%d,%.3f,%.3f,%.3f\n", i, 1000*size, t, sales, search, tv)
		}
	}
	return text.String()
}

func towns() lab.MMM {
	m := ask()
	m.Geo, m.Population, m.Controls = "town", "people", nil
	m.Spec.Saturation = mmm.Unsaturated
	m.Sampling = mmm.Sampling{Seed: 1, Warmup: 300, Draws: 500}
	return m
}

// divideTowns optimizes the budget of [threeTowns] by geo. Search has a higher return in town2 than in town0, and tv
// gets the smallest budget.
func divideTowns(t *testing.T, report *lab.MMMReport, dir string) {
	t.Helper()
	spend := report.Channels[0].Spend + report.Channels[1].Spend
	ask := lab.Optimize{
		Model: dir, Budget: spend, Risk: "aggressive", ByGeo: true, Groups: filepath.Join(t.TempDir(), "groups.json"),
	}
	plan := func(groups string) (*lab.OptimizeReport, error) {
		if err := os.WriteFile(ask.Groups, []byte(groups), 0o600); err != nil {
			t.Fatal(err)
		}
		return ask.Run()
	}
	free, err := plan(`{}`)
	if err != nil {
		t.Fatal(err)
	}
	if len(free.Allocations) != 6 || free.Certificate.Gap < 0 || free.Certificate.Gap > 1e-3 {
		t.Fatalf("allocation by town: %+v", free)
	}
	var all, returned float64
	for _, a := range free.Allocations {
		all += a.Proposed
		if a.Channel == "search" && a.Geo == "town2" && a.Proposed <= a.Current {
			t.Errorf("search in town2 gets %v of %v now", a.Proposed, a.Current)
		}
		returned += a.MarginalROAS * a.Proposed
	}
	if math.Abs(all-spend) > 1e-9*spend {
		t.Errorf("the towns get %v of %v", all, spend)
	}
	// Effects are proportional to spend here, so an allocation's response is the sum of spend times return.
	if math.Abs(returned/free.Certificate.Objective-1) > 1e-3 {
		t.Errorf("the allocation's response is %v, the sum of its parts %v", free.Certificate.Objective, returned)
	}
	held, err := plan(fmt.Sprintf(`{"north": {"geos": ["town0", "town1"], "max": %v}, `+
		`"search there": {"channels": ["search"], "geos": ["town2"], "max": 14000}}`, 0.68*spend))
	if err != nil {
		t.Fatal(err)
	}
	var north float64
	for _, a := range held.Allocations {
		if a.Geo != "town2" {
			north += a.Proposed
		} else if a.Channel == "search" && a.Proposed > 14000*(1+1e-9) {
			t.Errorf("search in town2 gets %v, above 14000", a.Proposed)
		}
	}
	if north > 0.68*spend*(1+1e-9) {
		t.Errorf("two towns get %v, above %v", north, 0.68*spend)
	}
	for groups, want := range map[string]string{
		`{"a": {"geos": ["town7"], "max": 1}}`: `geo "town7"`, `{"a": {"channels": ["radio"], "max": 1}}`: `channel "radio"`,
		`{"a": {"geos": ["town0"], "max": 1e9}, "b": {"channels": ["tv"], "max": 1e9}}`: "is in two groups",
	} {
		if _, err := plan(groups); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", groups, err, want)
		}
	}
}

func TestGeosAreFittedTogether(t *testing.T) {
	t.Parallel()
	report, err := towns().Run(table(t, threeTowns()))
	if err != nil || !report.Reportable() {
		t.Fatalf("%+v, %v", report, err)
	}
	dir := t.TempDir()
	if err := report.Save(dir); err != nil {
		t.Fatal(err)
	}
	divideTowns(t, report, dir)
	for i, want := range []float64{3, 0.9} {
		if r := report.Channels[i].ROAS; r.Q05 > want || r.Q95 < want {
			t.Errorf("%s: return %v to %v misses %v", report.Channels[i].Channel, r.Q05, r.Q95, want)
		}
	}
	contributions := rows(t, filepath.Join(dir, "contributions.csv"))
	if strings.Join(contributions[0], ",") != "date,geo,channel,mean,q05,q95" || len(contributions) != 1+2*3*40 ||
		contributions[41][1] != "town1" {
		t.Errorf("%d rows headed %v", len(contributions), contributions[0])
	}
	spend := report.Channels[0].Spend + report.Channels[1].Spend
	plan, err := lab.Optimize{Model: dir, Budget: spend, Risk: "aggressive", Seed: 1}.Run()
	if err != nil || plan.Certificate.Gap > 1e-3 || plan.Allocations[0].Proposed <= plan.Allocations[0].Current {
		t.Errorf("plan %+v, %v", plan, err)
	}
}

func TestInconsistentGeosAreRejected(t *testing.T) {
	t.Parallel()
	whole := threeTowns()
	lines := strings.SplitAfter(whole, "\n")
	for name, c := range map[string]struct {
		change func(*lab.MMM) string
		want   string
	}{
		"an absent week": {
			func(*lab.MMM) string { return strings.Join(slices.Delete(slices.Clone(lines), 8, 9), "") },
			`of town1 is in the place of 2 of town1`,
		},
		"an absent end": {
			func(*lab.MMM) string { return strings.Join(lines[:120], "") },
			`is the last period of town2, which lacks 39`,
		},
		"a week twice": {
			func(*lab.MMM) string { return strings.Replace(whole, "town1,4000,2,", "town1,4000,1,", 1) },
			`t.csv:9: column "week": "1" appears twice in town1`,
		},
		"no geos": {
			func(m *lab.MMM) string { m.Geo = ""; m.Population = ""; return whole },
			"a file with several geos needs the geo column",
		},
		"only people": {func(m *lab.MMM) string {
			m.Geo = ""
			return strings.Join(append([]string{lines[0]}, lines[1]), "")
		}, "needs a geo column"},
		"another size": {
			func(*lab.MMM) string { return strings.Replace(whole, "town1,4000,2,", "town1,4001,2,", 1) },
			`column "people": "4001" differs from the population`,
		},
		"one town": {
			func(*lab.MMM) string { return strings.NewReplacer("town1", "town0", "town2", "town0").Replace(whole) },
			"appears twice in town0",
		},
	} {
		m := towns()
		csv := c.change(&m)
		if _, err := m.Run(table(t, csv)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestChecksOfAModelAreReported(t *testing.T) {
	t.Parallel()
	m := ask()
	m.Checks, m.Slices = []lab.MMMCheck{lab.PriorCheck, lab.SlicesCheck, lab.PlaceboCheck, lab.WorldsCheck}, "50:10:10"
	if testing.Short() {
		m.Checks = m.Checks[:2]
	}
	report, err := m.Run(table(t, twoChannels()))
	if err != nil || !report.Reportable() {
		t.Fatalf("%+v, %v", report, err)
	}
	checks := report.Checks
	if checks.Prior.Inside < 0.8 || checks.Prior.Channels[0].Share.SD <= report.Channels[0].Share.SD {
		t.Errorf("before the data: %+v", checks.Prior)
	}
	if checks.Slices.Rows != 10 || checks.Slices.Refused != 0 || checks.Slices.Accuracy.WMAPE > 0.05 {
		t.Errorf("slices: %+v", checks.Slices)
	}
	if testing.Short() {
		return
	}
	if of := checks.Placebo[0]; of.Of != "search" || of.Status != mmm.OK || of.Passes > 0.1 {
		t.Errorf("placebo: %+v", of)
	}
	if checks.DataSets.DataSets != 20 || checks.DataSets.Channels[1].Inside < 12 {
		t.Errorf("worlds: %+v", checks.DataSets)
	}
}

func TestFrequencyAndTimeVaryingEffectsAreReported(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	random := stats.Stream(12, 0)
	text.WriteString("week,sales,reach,times\n")
	for t := range 80 {
		reach, times := 100*random.Float64(), 1+5*random.Float64()
		fmt.Fprintf(&text, "%d,%.3f,%.3f,%.3f\n", t, 2000+10*reach*times/(2+times)+20*random.NormFloat64(), reach, times)
	}
	m := ask()
	m.Media, m.Controls, m.Frequency, m.Spec.TimeVarying = []string{"reach"}, nil, map[string]string{"reach": "times"}, 20
	report, err := m.Run(table(t, text.String()))
	if err != nil || !report.Reportable() {
		t.Fatalf("%+v, %v", report, err)
	}
	if f := report.Frequencies; len(f) != 1 || f[0].Best.Mean > 2 {
		t.Errorf("frequencies %+v: with a concave curve the first impression has the largest effect", f)
	}
	if v := report.TimeVarying; len(v) != 1 || len(v[0].Periods) != 80 || v[0].Periods[79].Date != "79" ||
		v[0].Periods[40].Q05 > 1 || v[0].Periods[40].Q95 < 1 {
		t.Errorf("changes %+v", v)
	}
}

// dated returns [twoChannels] with dates, an event that occurs twice, and sales on the weekend after Thanksgiving.
func dated(t *testing.T) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(twoChannels()), "\n")
	first := civil.MustParse("2023-10-02")
	for i, line := range lines[1:] {
		cells := strings.Split(line, ",")
		sales, err := strconv.ParseFloat(cells[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		day := first.AddDays(7 * i)
		switch day.String() {
		case "2023-11-20":
			sales += 900
		case "2024-02-05", "2024-07-01":
			sales += 400
		}
		cells[0], cells[1] = day.String(), strconv.FormatFloat(sales, 'f', 3, 64)
		lines[i+1] = strings.Join(cells, ",")
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestHolidaysAndEventsAreReported(t *testing.T) {
	t.Parallel()
	ask := ask()
	ask.Holidays = []string{"us"}
	ask.Events = filepath.Join(t.TempDir(), "events.csv")
	if err := os.WriteFile(ask.Events,
		[]byte("name,first,last\nclearance,2024-02-05,2024-02-11\nclearance,2024-07-01,2024-07-07\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := ask.Run(table(t, dated(t)))
	if err != nil || !report.Reportable() {
		t.Fatalf("%+v, %v", report, err)
	}
	found := map[string]mmm.ControlEffect{}
	for _, e := range report.Events {
		found[e.Name] = e
	}
	for name, want := range map[string]float64{"event.clearance": 800, "holiday.labor_day": 0} {
		e, ok := found[name]
		if !ok || math.Abs(e.Contribution.Mean-want) > 3*e.Contribution.SD {
			t.Errorf("contribution of %s is %v (standard deviation %v), want %v", name, e.Contribution.Mean, e.Contribution.SD, want)
		}
	}
	if e := found["shopping.cyber_weekend"]; e.Group != "shopping" || e.Contribution.Q05 < 600 ||
		e.Contribution.Q95 > 1600 {
		t.Errorf("the weekend after Thanksgiving is %+v, want some 1,000 of the batch shopping", e)
	}
	if _, ok := found["holiday.bastille"]; ok {
		t.Error("a holiday of another country is in the model")
	}
}
