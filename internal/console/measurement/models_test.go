package measurement_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"assay/internal/answer"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/console/measurement"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
	"assay/internal/money"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

// modelSite is a site with tools that answer from its model.
type modelSite struct {
	*consoletest.Site
	recent map[measure.Channel]float64 // current spend per window; nil: the window's spend
	rates  map[measure.Channel]float64 // contribution per revenue; nil: unknown
}

func newModelSite(t *testing.T) *modelSite {
	t.Helper()
	m := &modelSite{}
	m.Site = consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = m.answer })
	return m
}

// answer returns the answer of the tool optimization or optimize_budget for the model of the test.
func (m *modelSite) answer(_ context.Context, _ auth.Principal, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	var asked struct {
		Total       float64                        `json:"total_budget"`
		Constraints map[measure.Channel]mmm.Bounds `json:"constraints"`
	}
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return nil, err
	}
	model := m.Models.Current.Model
	metrics, info := toolkit.PlanMetrics{BoundsPct: 30, Advice: "hold"}, toolkit.ModelInfo{Start: model.Window.First, End: model.Window.Last}
	start := toolkit.PlanStart{Current: m.recent, Rates: m.rates}
	var result any
	if tool == tools.Optimization.Name {
		plan, err := model.Plan(start.Ask(mix.Ask{Budget: model.Spend()}))
		if err != nil {
			return nil, err
		}
		metrics.Budget, metrics.CurrentSpend = answer.Money(model.Spend()/model.Months()), answer.Money(model.Spend()/model.Months())
		a := &tools.OptimizationAnswer{Metrics: metrics, Model: info}
		a.Currency, a.Rows, result = "USD", start.MixRows(model, plan, 1/model.Months()), a
	} else {
		plan, err := model.Plan(start.Ask(mix.Ask{Budget: asked.Total, Bounds: asked.Constraints}))
		if err != nil {
			return nil, err
		}
		metrics.Budget, metrics.CurrentSpend, metrics.Lift = answer.Money(asked.Total), answer.Money(model.Spend()), toolkit.Posterior[answer.Money](plan.Lift, 1)
		metrics.BetterPct, metrics.GapPct = answer.Percent(100*plan.BeatsCurrent), new(answer.Percent(100*plan.Certificate.Gap()))
		a := &tools.OptimizeBudgetAnswer{Metrics: metrics, Model: info}
		a.Currency, result = "USD", a
		for _, one := range plan.Allocations {
			a.Rows = append(a.Rows, tools.AllocationRow{
				Channel: one.Channel, Current: answer.Money(one.Current / plan.Times), Proposed: answer.Money(one.Proposed), MarginalROAS: answer.Ratio(one.MarginalROAS),
			})
		}
	}
	text, err := json.Marshal(result)
	return json.RawMessage(`{"content":[],"structuredContent":` + string(text) + `}`), err
}

// trained returns a model of a simulated store.
var trained = sync.OnceValues(func() (*mix.Model, error) {
	r := rand.New(rand.NewPCG(4, 2))
	s := mix.Store{
		Days: civil.Range{First: civil.MustParse("2025-01-06"), Last: civil.MustParse("2026-11-15")}, Revenue: map[civil.Date]float64{},
		Spend: map[measure.Channel]map[civil.Date]float64{"facebook": {}, "google": {}},
	}
	for day := s.Days.First; day.Before(s.Days.Last); day = day.AddDays(7) {
		facebook, google := 500*r.Float64(), 300*r.Float64()
		for k := range 7 {
			d := day.AddDays(k)
			s.Spend["facebook"][d], s.Spend["google"][d] = facebook, google
			s.Revenue[d] = 4000 + 300*r.NormFloat64() + 2000*math.Tanh(facebook/500) + 300*math.Tanh(google/300)
		}
	}
	return mix.Train(s, mix.Training{Seed: 1, Settings: "USD"})
})

// hasModel gives the site the model and returns it.
func (m *modelSite) hasModel() *mix.Model {
	m.T.Helper()
	model, err := trained()
	if err != nil || model.Status != mix.Active {
		m.T.Fatalf("the model of the test: %v, %v", model, err)
	}
	m.Models.Current = measurement.ModelState{Held: mix.Held{Model: model}, Status: mix.Active}
	return model
}

func TestModelsPageExplainsTrainingWithoutModel(t *testing.T) {
	t.Parallel()
	s := newModelSite(t)
	s.Member(consoletest.Email, control.RoleAnalyst)
	s.Member("vera@acme.example", control.RoleViewer)
	page := s.SignedIn(consoletest.Email).Get("/models?workspace=acme")
	for _, want := range []string{"No model yet", "assay train mmm --workspace acme", "Train model", "at least 40 weeks"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("an analyst's page lacks %q", want)
		}
	}
	viewer := s.SignedIn("vera@acme.example")
	if page := viewer.Get("/models?workspace=acme"); strings.Contains(page.Body, `value="train"`) || !strings.Contains(page.Body, "owners, admins and analysts only") {
		t.Error("a viewer's page has a button, or does not state who may train")
	}
	if page := viewer.Form("/models", "action", "train"); page.Status != http.StatusForbidden {
		t.Errorf("a viewer trains: %d", page.Status)
	}
	for _, path := range []string{"/models/chart.svg?workspace=acme&of=fit", "/models/export.csv?workspace=acme", "/models?workspace=other"} {
		if page := viewer.Get(path); page.Status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, page.Status)
		}
	}
}

func TestTrainingIsStartedWatchedAndCanceled(t *testing.T) {
	t.Parallel()
	s := newModelSite(t)
	s.Member(consoletest.Email, control.RoleAnalyst)
	s.Member("vera@acme.example", control.RoleViewer)
	b, viewer := s.SignedIn(consoletest.Email), s.SignedIn("vera@acme.example")
	if page := b.Form("/models", "action", "train"); page.Status != http.StatusSeeOther {
		t.Fatalf("train: %d %s", page.Status, page.Body)
	}
	<-s.Models.Began
	page := b.Get("/models?workspace=acme")
	if !strings.Contains(page.Body, "40% done") || !strings.Contains(page.Body, ">Cancel<") || !strings.Contains(page.Body, "A canceled training does not change the current model.") {
		t.Errorf("the page does not show the progress: %s", page.Body)
	}
	if seen := viewer.Get("/models?workspace=acme"); !strings.Contains(seen.Body, "40% done") || strings.Contains(seen.Body, ">Cancel<") {
		t.Error("a viewer's page has no progress, or a button")
	}
	job := page.Field("job")
	if p := viewer.Form("/jobs", "job", job, "from", "/models"); p.Status != http.StatusSeeOther {
		t.Errorf("a viewer cancels: %d", p.Status)
	}
	if p := b.Form("/models", "action", "train"); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, "already running") {
		t.Errorf("a second training: %d", p.Status)
	}
	if p := b.Form("/jobs", "job", job, "from", "/models"); p.Status != http.StatusSeeOther || p.Header.Get("Location") != "/models?workspace=acme" {
		t.Errorf("cancel: %d to %q", p.Status, p.Header.Get("Location"))
	}
	if ws := <-s.Models.Ended; ws != "acme" {
		t.Errorf("the training of %q was canceled, want acme", ws)
	}
}

func TestModelsPageComparesExperimentsWithTheObservationalFit(t *testing.T) {
	t.Parallel()
	s := newModelSite(t)
	s.Member(consoletest.Email, control.RoleViewer)
	b := s.SignedIn(consoletest.Email)
	known := *s.hasModel()
	if page := b.Get("/models/diagnostics?workspace=acme"); strings.Contains(page.Body, `id="tests">Geo experiments<`) {
		t.Error("a model without tests has a section on them")
	}
	test := mix.Test{
		ID: "t", Channel: "facebook", Days: civil.Range{First: civil.MustParse("2026-08-03"), Last: civil.MustParse("2026-08-30")},
		Lift: &mmm.Lift{Channel: "facebook", X: 1750, DeltaX: 3500, DeltaY: 7000, Sigma: 1000},
	}
	unused := mix.Test{ID: "u", Channel: "google<b>", Days: test.Days, Why: "its effect has no interval"}
	weeks := stats.Summary{Mean: 1750, SD: 400, Q05: 1050, Q95: 2450}
	known.Tests = []mix.Calibration{{Test: unused}, {Test: test, Observational: &mix.Observational{Change: weeks, ZScore: 4.9, ROAS: stats.Summary{Mean: 0.9, Q05: 0.7, Q95: 1.1}}}}
	s.Models.Current.Model = &known
	page := b.Get("/models/diagnostics?workspace=acme")
	for _, want := range []string{`id="tests">Geo experiments<`, "1.53 – 2.47", "0.30 – 0.70", "0.70 – 1.10", "differs from the observational fit by 4.9 standard deviations", "The model does not use the experiment: its effect has no interval", "Google&lt;b&gt;"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	s.Models.Current.Status, s.Models.Current.Why = mix.Stale, []string{"the test of tiktok from 2026-09-01 to 2026-09-28 is completed, and the model does not know it"}
	if page := b.Get("/models?workspace=acme"); !strings.Contains(page.Body, "The model is stale: the test of tiktok") {
		t.Error("the page does not name the test that the model does not use")
	}
}

func TestOnlyAdminsChangeTheSchedule(t *testing.T) {
	t.Parallel()
	s := newModelSite(t)
	s.Member(consoletest.Email, control.RoleOwner)
	s.Member("ana@acme.example", control.RoleAnalyst)
	form := []string{"action", "schedule", "cadence", "weekly", "hour", "5"}
	if page := s.SignedIn("ana@acme.example").Form("/models", form...); page.Status != http.StatusForbidden {
		t.Errorf("an analyst: %d, want 403", page.Status)
	}
	owner := s.SignedIn(consoletest.Email)
	if page := owner.Form("/models", form...); page.Status != http.StatusSeeOther {
		t.Errorf("an owner: %d %s", page.Status, page.Body)
	}
	w, err := s.Store.Workspace(t.Context(), "acme")
	if want := (control.Retrain{Cadence: control.Weekly, Hour: 5}); err != nil || w.Retrain != want {
		t.Errorf("stored %+v, %v; want %+v", w.Retrain, err, want)
	}
	for _, wrong := range [][]string{{"cadence", "hourly", "hour", "5"}, {"cadence", "weekly", "hour", "24"}, {"cadence", "weekly", "hour", "x"}} {
		if page := owner.Form("/models", append([]string{"action", "schedule"}, wrong...)...); page.Status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d, want 422", wrong, page.Status)
		}
	}
}

func TestModelsPageShowsSentencesAndCharts(t *testing.T) {
	t.Parallel()
	s := newModelSite(t)
	s.Member(consoletest.Email, control.RoleViewer)
	m := s.hasModel()
	refused, err := mix.Train(mix.Store{}, mix.Training{})
	if err != nil {
		t.Fatal(err)
	}
	refused.Version = 2
	s.Models.Current.Attempt, s.Models.Current.Status, s.Models.Current.Why = refused, mix.Stale, []string{"40 days of sales follow its window"}
	b := s.SignedIn(consoletest.Email)
	for path, wants := range map[string][]string{
		"/models": {
			"The model is stale: 40 days of sales follow its window", "Model 1 remains in use. The newer model 2 was rejected:", "needs at least 40",
			"<bdi>Facebook Ads</bdi>", "ROAS by channel", `class="waterfall"`, "Advertising generates",
		},
		"/models/fit":           {"The model explains", `class="ahead"`, "Out-of-sample error"},
		"/models/contributions": {"generates the most incremental revenue", "of=parts", "Saturation"},
		"/models/curves":        {"of=curve", "channel=google", "Marginal ROAS is below the break-even ROAS in"},
		"/models/diagnostics": {
			"The sampler converged", "Holdout: a fit without the last 8 weeks", "Only an experiment can measure the effect of spend", "how abruptly the response curve saturates", "narrower",
		},
	} {
		page := b.Get(path + "?workspace=acme")
		for _, want := range wants {
			if !strings.Contains(page.Body, want) {
				t.Errorf("%s: %d, the page lacks %q", path, page.Status, want)
			}
		}
		if strings.Count(page.Body, `aria-current="page"`) != 1 || strings.Count(page.Body, `aria-current="true"`) != 1 || strings.Contains(page.Body, " style=") || strings.Contains(page.Body, "<script>") {
			t.Errorf("%s: not one current page and one current tab, or an inline style or script", path)
		}
	}
	for _, of := range []string{"of=parts", "of=curve&channel=google", "of=curve&channel=google&plan=3000&size=narrow&theme=dark"} {
		picture := b.Get("/models/chart.svg?workspace=acme&" + of)
		if picture.Status != http.StatusOK || picture.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(picture.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %d %v", of, picture.Status, picture.Header)
		}
		if err := xml.NewDecoder(strings.NewReader(picture.Body)).Decode(new(struct{})); err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("%s is not XML: %v", of, err)
		}
	}
	for _, path := range []string{"/models/chart.svg?workspace=acme&of=else", "/models/chart.svg?workspace=acme&of=curve&channel=radio", "/models/export.csv?workspace=acme&of=else", "/models/export.csv?workspace=acme&of=plan&budget=x"} {
		if page := b.Get(path); page.Status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, page.Status)
		}
	}
	table, err := csv.NewReader(strings.NewReader(b.Get("/models/export.csv?workspace=acme&of=weeks").Body)).ReadAll()
	if err != nil || len(table) != m.Weeks+1 {
		t.Fatalf("%d rows of weeks, %v; want %d", len(table), err, m.Weeks+1)
	}
	for _, row := range table[1:] {
		var sum float64
		for _, cell := range row[3:] {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += v
		}
		if expected, _ := strconv.ParseFloat(row[2], 64); math.Abs(sum-expected) > 0.001*expected {
			t.Errorf("%s: base and channels sum to %.2f, expected is %s", row[0], sum, row[2])
		}
	}
}

func TestFiguresNextToTheReturnsOfTheModelHaveTheirBasis(t *testing.T) {
	t.Parallel()
	s := &modelSite{Site: consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) {
		o.Ask = consoletest.Recorded(t, "optimization/tested.txtar")
	})}
	s.Member(consoletest.Email, control.RoleViewer)
	s.hasModel()
	b := s.SignedIn(consoletest.Email)
	page := b.Get("/models?workspace=acme")
	// In the mean month of the window, spend of 7,137 + 5,012 generates incremental revenue of 27,433 + 4,955.
	for _, want := range []string{"<dd>$32,388</dd>", "<dd>$12,149</dd>", "<dd>2.67</dd>"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the key facts lack %s", want)
		}
	}
	if page := b.Get("/models/contributions?workspace=acme"); !strings.Contains(page.Body, "$7,137") || strings.Contains(page.Body, "$2,922") {
		t.Error("the spend is not the spend that generates the incremental revenue next to it")
	}
	if page := b.Get("/models/curves?workspace=acme"); !strings.Contains(page.Body, "now=2922") {
		t.Error("the curves do not mark the current spend")
	}
}

func TestOptimizerComputesAWeeklyPlan(t *testing.T) {
	t.Parallel()
	s := newModelSite(t)
	s.Member(consoletest.Email, control.RoleViewer)
	m := s.hasModel()
	b := s.SignedIn(consoletest.Email)
	first := m.Window.Last.AddDays(8)
	query := "budget=9000&weeks=8&first=" + first.String() + "&step_facebook=5&group1=brand&group1_of=facebook&group1_min=5000"
	page := b.Get("/optimizer?workspace=acme&" + query)
	// USD 9,000 per month of 30.4375 days is USD 16,558.52 in 56 days.
	for _, want := range []string{
		"Total spend is $16,558.52 (Nov 23, 2026 – Jan 17, 2027)", "keep weekly spend constant", "and for constant weekly spend",
		"Compared with the best possible weekly allocation within the spend limits, the expected result of this allocation is lower", "Later weeks", "Weekly allocation (CSV)", "Jan 11, 2027",
	} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the allocation lacks %q", want)
		}
	}
	for _, slider := range regexp.MustCompile(`<input type="range"[^>]*>`).FindAllString(page.Body, -1) {
		if strings.Contains(slider, " name=") { // the form sends the typed limits
			t.Errorf("the form sends a slider: %s", slider)
		}
	}
	for _, of := range []string{"of=schedule", "of=schedule-revenue&theme=dark&size=narrow"} {
		if picture := b.Get("/models/chart.svg?workspace=acme&" + query + "&" + of); picture.Status != http.StatusOK {
			t.Errorf("%s: %d", of, picture.Status)
		}
	}
	table, err := csv.NewReader(strings.NewReader(b.Get("/models/export.csv?workspace=acme&of=schedule&" + query).Body)).ReadAll()
	if err != nil || len(table) != 10 || table[1][0] != first.String() || table[9][0] != "after" {
		t.Fatalf("weekly allocation: %v, %v", table, err)
	}
	cents := func(text string) (n int) {
		n, err := strconv.Atoi(strings.Replace(text, ".", "", 1))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var sum, facebook int
	for i, row := range table[1:9] {
		sum += cents(row[1])
		facebook += cents(row[2])
		if cents(row[1]) != cents(row[2])+cents(row[3]) {
			t.Errorf("week %s: %s and %s are not %s", row[0], row[2], row[3], row[1])
		}
		// The limit is 5% of the average weekly spend on facebook, USD 250, plus a cent for rounding.
		if i > 0 && math.Abs(float64(cents(row[2])-cents(table[i][2]))) > 5*m.Posterior().Spend("facebook")/float64(m.Weeks)+2 {
			t.Errorf("week %s: facebook goes from %s to %s", row[0], table[i][2], row[2])
		}
	}
	if want := int(math.Ceil(5000 / 30.4375 * 56 * 100)); sum != 1655852 || facebook < want {
		t.Errorf("the weeks sum to %d cents, facebook's to %d of at least %d", sum, facebook, want)
	}
	for _, path := range []string{"/models/chart.svg?workspace=acme&of=schedule", "/models/export.csv?workspace=acme&of=schedule&budget=9000&weeks=0"} {
		if page := b.Get(path); page.Status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, page.Status)
		}
	}
}

func TestWeeklyAllocationStartsFromCurrentSpend(t *testing.T) {
	t.Parallel()
	s := newModelSite(t)
	s.Member(consoletest.Email, control.RoleViewer)
	m := s.hasModel()
	total := m.Spend()
	s.recent = map[measure.Channel]float64{"facebook": 0.2 * total, "google": 0.8 * total} // in the window google has 3/8
	b := s.SignedIn(consoletest.Email)
	budget := strconv.FormatFloat(total/m.Months(), 'f', 0, 64)
	query := "&budget=" + budget + "&weeks=8&first=" + m.Window.Last.AddDays(8).String()
	table, err := csv.NewReader(strings.NewReader(b.Get("/models/export.csv?workspace=acme&of=schedule" + query).Body)).ReadAll()
	if err != nil || len(table) != 10 {
		t.Fatalf("%v, %v", table, err)
	}
	var all, google float64
	for _, row := range table[1:9] { // week, spend, facebook, google
		week, _ := strconv.ParseFloat(row[1], 64)
		part, _ := strconv.ParseFloat(row[3], 64)
		all, google = all+week, google+part
	}
	if google < 0.7*0.8*all-1 {
		t.Errorf("google has %.0f%% of the weekly allocation, want at least 56%%: its current share is 80%%", 100*google/all)
	}
	first, _ := strconv.ParseFloat(table[1][3], 64)
	for address, want := range map[string]string{
		"": money.Display(first, 2, "USD")[1:], "&add=group": "currently " + money.Display(0.8*total/m.Months(), 0, "USD")[1:],
	} {
		if page := b.Get("/optimizer?workspace=acme" + query + address); !strings.Contains(page.Body, want) {
			t.Errorf("%q: the page of the allocation does not contain %q", address, want)
		}
	}
}

func TestOptimizerAllocatesTheBudgetAndRejectsInvalidInput(t *testing.T) {
	t.Parallel()
	s := newModelSite(t)
	s.Member(consoletest.Email, control.RoleViewer)
	s.hasModel()
	b := s.SignedIn(consoletest.Email)
	page := b.Get("/optimizer?workspace=acme&budget=9,000&min_google=4000&max_google=4500")
	for _, want := range []string{
		"Compared with the best possible allocation within the spend limits, the risk-adjusted expected result of this allocation is lower", "Probability of more revenue", `value="9,000"`, `value="4000"`, "Allocation (CSV)",
		`step="100" value="4000" aria-label="Minimum of Google Ads, slider">`, `value="4500" aria-label="Maximum of Google Ads, slider">`,
	} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the allocation lacks %q", want)
		}
	}
	table, err := csv.NewReader(strings.NewReader(b.Get("/models/export.csv?workspace=acme&of=plan&budget=9000&min_google=4000&max_google=4500").Body)).ReadAll()
	if err != nil || len(table) != 3 {
		t.Fatalf("plan: %v, %v", table, err)
	}
	var sum float64
	for _, row := range table[1:] {
		v, _ := strconv.ParseFloat(row[2], 64)
		sum += v
		if row[0] == "google" && (v < 4000 || v > 4500) {
			t.Errorf("google gets %v, want 4000 to 4500", v)
		}
	}
	if math.Abs(sum-9000) > 0.01 {
		t.Errorf("the allocation spends %v, want 9000", sum)
	}
	together := "budget=9000&min_google=0&max_google=9000&min_facebook=0&max_facebook=9000&group1=Paid+search&group1_of=google&group1_min=7000"
	if page := b.Get("/optimizer?workspace=acme&" + together); !strings.Contains(page.Body, "The proposed combined spend of Paid search is $7,000 per month.") || !strings.Contains(page.Body, `value="Paid search"`) {
		t.Error("the group's least is not kept, or the form forgets the group")
	}
	if body := b.Get("/models/export.csv?workspace=acme&of=plan&" + together).Body; !strings.Contains(body, ",7000.0000,") {
		t.Errorf("the export does not contain the group: %s", body)
	}
	for query, want := range map[string][2]string{ // text that the form then contains and does not contain
		"add=group": {`name="group2_min"`, `name="group3"`}, "drop=1": {"Add group", "Paid search"}, "drop=7": {"Paid search", `name="group2"`},
	} {
		page := b.Get("/optimizer?workspace=acme&" + together + "&" + query)
		if !strings.Contains(page.Body, want[0]) || strings.Contains(page.Body, want[1]) || strings.Contains(page.Body, "Allocation (CSV)") {
			t.Errorf("%s: the form lacks %q, has %q, or computed an allocation", query, want[0], want[1])
		}
	}
	for query, want := range map[string]string{
		"budget=9000&weeks=x":                                                       "Weekly allocation: The number of weeks is not a whole number from 1 to 104",
		"budget=9000&weeks=12&first=soon":                                           "Weekly allocation: The first day of the weekly allocation is not a calendar date",
		"budget=9000&weeks=12&first=2026-11-15":                                     "Weekly allocation: The first day 2026-11-15 is not in the two years after 20",
		"budget=9000&weeks=12&step_google=much":                                     "Weekly allocation: The weekly change of Google Ads is not zero or a positive number",
		"budget=9000&group1=brand&group1_min=5":                                     "Brand has no channels",
		"budget=9000&group1=brand&group1_of=google":                                 "Brand has neither a minimum nor a maximum",
		"budget=9000&group1_of=google&group1_min=x":                                 "The minimum of group 1 is not zero or a positive number",
		"budget=9000&group1_of=google&group1_min=8000":                              "below the group&#39;s minimum of 8000. Lower the group&#39;s minimum",
		"budget=9000&group1_of=google&group1_min=3&group2_of=google&group2_max=900": "is in two groups",
		"budget=9000&group1_of=google&group1_min=3&group1_max=2":                    "The minimum of group 1 exceeds its maximum",
		"budget=9000,50":              "The budget is not zero or a positive number",
		"budget=9000&min_google=12,5": "The minimum of Google Ads is not zero or a positive number",
		"budget=x":                    "The budget is not zero or a positive number", "budget=": "The budget is missing", "budget=-5": "not zero or a positive number", "budget=0": "The budget",
		"budget=9000&min_google=5&max_google=4": "The minimum of Google Ads exceeds its maximum", "budget=9000&min_google=1e400": "not zero or a positive number",
		"budget=100&min_google=5000": "The minimums of the channels add up to $5,000, more than the monthly budget of $100", "budget=1e300": "too large to optimize",
	} {
		page := b.Get("/optimizer?workspace=acme&" + query)
		if page.Status != http.StatusOK || !strings.Contains(page.Body, `role="alert"`) || !strings.Contains(page.Body, want) {
			t.Errorf("%s: %d, without %q", query, page.Status, want)
		}
	}
}

func TestOptimizerShowsTheFiguresOfTheTool(t *testing.T) {
	t.Parallel()
	s := newModelSite(t)
	s.Member(consoletest.Email, control.RoleViewer)
	m := s.hasModel()
	b := s.SignedIn(consoletest.Email)
	page := b.Get("/optimizer?workspace=acme&budget=9000&min_google=4000&max_google=4500")
	total := math.Round(9000 * m.Months())
	arguments, err := json.Marshal(map[string]any{"total_budget": total, "constraints": map[string]any{"google": map[string]float64{"min": 4000 * m.Months(), "max": 4500 * m.Months()}}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.answer(t.Context(), auth.Principal{}, tools.OptimizeBudget.Name, arguments)
	if err != nil {
		t.Fatal(err)
	}
	a, err := tools.OptimizeBudget.Result(text)
	if err != nil || len(a.Rows) != 2 {
		t.Fatalf("the tool's answer: %v, %v", a, err)
	}
	whole := func(x answer.Money) string { return money.Display(float64(x)/m.Months(), 0, "USD") }
	for _, row := range a.Rows {
		for _, want := range []string{whole(row.Current), "<strong>" + whole(row.Proposed) + "</strong>"} {
			if !strings.Contains(page.Body, want) {
				t.Errorf("%s: the page does not contain %q", row.Channel, want)
			}
		}
	}
	for _, want := range []string{whole(a.Metrics.Lift.Low), whole(a.Metrics.Lift.High), `value="4500"`, "&#34;total_budget&#34;: " + strconv.FormatFloat(total, 'f', 0, 64)} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}
