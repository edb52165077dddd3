package lab_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"assay/internal/lab"
)

var cities = lab.GeoPanel{Unit: "location", Time: "date", Outcome: "Y"}

func TestWalkthroughMatchesGeoLift(t *testing.T) {
	t.Parallel()
	l := shared(t, "causal/geolift_test.csv")
	ask := lab.GeoFit{
		GeoPanel: cities, Treated: []string{"chicago", "portland"}, Start: "2021-04-01", End: "2021-04-15",
		Inference: "conformal-iid", Alpha: .05, Seed: 1,
	}
	cases := []struct {
		method, demean                 string
		att, incremental, l2, scaledL2 float64
	}{
		{"sc", "on", 155.556, 4667, 909.489, .1636},
		{"asc", "", 156.805, 4704, 903.525, .1626},
	}
	for _, c := range cases {
		ask.Method, ask.Demean = c.method, c.demean
		r, err := ask.Run(l)
		if err != nil || !r.Reportable() {
			t.Fatalf("%s: %+v, %v", c.method, r, err)
		}
		for name, pair := range map[string][3]float64{ // tolerances: half a unit of the last printed digit
			"att": {r.ATT, c.att, 5e-4}, "incremental": {r.Incremental, c.incremental, .5},
			"l2": {r.L2, c.l2, 5e-4}, "scaled_l2": {*r.ScaledL2, c.scaledL2, 5e-5}, "p": {r.PValue, .012, 3.3e-3},
		} {
			if !(math.Abs(pair[0]-pair[1]) <= pair[2]) {
				t.Errorf("%s: %s is %v, want %v", c.method, name, pair[0], pair[1])
			}
		}
		if r.PMethod != "conformal-iid" || r.Placebo == nil || r.Placebo.N == 0 || r.IROAS != nil ||
			math.Abs(r.Weights["cincinnati"]-.2272) > 2e-4 {
			t.Errorf("%s: %+v", c.method, r)
		}
	}
}

func TestDesignMatchesGeoLiftsBestMarkets(t *testing.T) {
	t.Parallel()
	cpic := 7.5
	r, err := lab.GeoDesign{
		GeoPanel: cities, Sizes: []int{2, 3, 4, 5}, Durations: []int{10, 15}, Effects: []float64{0, .05, .1, .15, .2},
		Include: []string{"chicago"}, Exclude: []string{"honolulu"}, Lookback: 1, Alpha: .1, CostEach: &cpic, Seed: 1,
	}.Run(shared(t, "causal/geolift_pretest.csv"))
	if err != nil || !r.Reportable() {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, c := range r.Candidates {
		if i > 0 && c.Rank < r.Candidates[i-1].Rank {
			t.Errorf("candidate %d has rank %d after %d", i, c.Rank, r.Candidates[i-1].Rank)
		}
		if len(c.Treated) == 2 && c.Treated[1] == "portland" && c.Duration == 15 {
			if c.MDE != .1 || c.Power != 1 || math.Abs(c.ScaledL2-.1738778) > 1e-6 || math.Abs(*c.Investment-64563.75) > .005 ||
				c.AbsLiftInZero != .001 {
				t.Errorf("chicago and portland: %+v", c)
			}
			return
		}
	}
	t.Error("chicago and portland for 15 days are not a candidate")
}

func TestInvalidPanelsAreRejected(t *testing.T) {
	t.Parallel()
	var whole strings.Builder
	whole.WriteString("u,t,y\n")
	for _, row := range []string{"a,2012,1", "a,2012.25,2", "b,2012,3"} {
		whole.WriteString(row + "\n")
	}
	ask := lab.GeoFit{
		GeoPanel: lab.GeoPanel{Unit: "u", Time: "t", Outcome: "y"}, Treated: []string{"a"}, Start: "2012.25",
		Method: "default", Inference: "placebo", Alpha: .05,
	}
	cases := []struct {
		text string
		edit func(*lab.GeoFit)
		want string
	}{
		{whole.String(), nil, `t.csv: region "b" has no row in period 2012.25`},
		{whole.String() + "a,2012.0,7\n", nil, `t.csv:5: column "t": "2012.0" appears twice for unit "a"`},
		{"u,t,y\na,2012,1\na,2012.0,2\nb,2012.25,3\n", nil, `t.csv:3: column "t": "2012.0" appears twice for unit "a"`},
		{whole.String() + "b,2012.25,many\n", nil, `t.csv:5: column "y": "many" is not a number`},
		{whole.String() + "b,2012.25,4\n", func(g *lab.GeoFit) { g.Start = "2011" }, "--start: no period 2011"},
		{whole.String() + "b,2012.25,4\n", nil, "1 periods before the test"},
		{
			whole.String() + "b,2012.25,4\n", func(g *lab.GeoFit) { g.Start, g.End = "2012.25", "2012" },
			"the test ends before it starts",
		},
		{
			whole.String() + "b,2012.25,4\n", func(g *lab.GeoFit) { g.Treated = []string{"c"} },
			`the treated region "c" is not among`,
		},
		{whole.String() + "b,2012.25,4\n", func(g *lab.GeoFit) { g.Method = "magic" }, `unknown method "magic"`},
		{
			whole.String() + "b,2012.25,4\n", func(g *lab.GeoFit) { g.Method, g.Demean = "did", "on" },
			"--demean does not apply",
		},
		{whole.String() + "b,2012.25,4\n", func(g *lab.GeoFit) { g.Demean = "perhaps" }, `--demean is "perhaps"`},
	}
	for _, c := range cases {
		g := ask
		if c.edit != nil {
			c.edit(&g)
		}
		if _, err := g.Run(table(t, c.text)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestEffectOfCaliforniasTaxIsEstimatedWithNumericYears(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../shared/data/causal/california_prop99.csv")
	if err != nil {
		t.Skip("the causal reference data are not next to the project")
	}
	r, err := lab.GeoFit{
		GeoPanel: lab.GeoPanel{Unit: "State", Time: "Year", Outcome: "PacksPerCapita"},
		Treated:  []string{"California"}, Start: "1989",
		Method: "sdid", Inference: "placebo", Alpha: .1,
	}.Run(table(t, strings.ReplaceAll(string(text), ";", ",")))
	if err != nil || math.Abs(r.ATT+15.60540) > 1e-5 || len(r.CI) != 2 || r.Placebo.N != 38 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A complete panel with an invalid test results in an error that names the mistake, or in results without NaN.
func TestInvalidTestsAreNamed(t *testing.T) {
	t.Parallel()
	var whole strings.Builder
	whole.WriteString("u,t,y\n")
	for day := range 40 {
		for unit, level := range map[string]int{"a": 10, "b": 12, "c": 9, "zero": 0} {
			fmt.Fprintf(&whole, "%s,%d,%d\n", unit, day, level*(100+day*7%13))
		}
	}
	text := whole.String()
	ask := lab.GeoFit{
		GeoPanel: lab.GeoPanel{Unit: "u", Time: "t", Outcome: "y"}, Treated: []string{"a"}, Start: "35",
		Method: "default", Inference: "placebo", Alpha: .1,
	}
	for want, edit := range map[string]func(*lab.GeoFit){
		`the outcome of region "zero" is zero in every period`: func(g *lab.GeoFit) { g.Treated = []string{"zero"} },
		`the treated region "a" is named twice`:                func(g *lab.GeoFit) { g.Treated = []string{"a", "a"} },
		"the test has no treated region":                       func(g *lab.GeoFit) { g.Treated = nil },
		"the test ends before it starts":                       func(g *lab.GeoFit) { g.End = "30" },
		"1 periods before the test":                            func(g *lab.GeoFit) { g.Start = "1" },
	} {
		for _, method := range []string{"default", "sc", "asc", "sdid", "did", "tbr"} {
			g := ask
			g.Method = method
			edit(&g)
			if r, err := g.Run(table(t, text)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %+v, %v", method, want, r, err)
			}
		}
	}
	for _, method := range []string{"default", "sc", "asc", "sdid", "did", "tbr"} {
		g := ask
		g.Method, g.Treated = method, []string{"a", "b", "c"}
		without := strings.Join(
			slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "zero,") }),
			"\n")
		if r, err := g.Run(table(t, without)); err == nil || !strings.Contains(err.Error(), "there are no donors") {
			t.Errorf("%s without a donor: %+v, %v", method, r, err)
		}
	}
}
