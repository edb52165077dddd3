package decision

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/detect"
	"assay/internal/measure/mix"
	"assay/internal/money"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/warehouse"
)

// asking returns a planner. Its caller may call every tool that steps suggest.
func asking(today string) *planner {
	p := plannerWith(control.Guardrails{}, today)
	p.Principal = auth.Principal{Scopes: []control.Scope{control.ScopeRead, control.ScopeWrite}}
	p.Writer = answer.Writer{Figures: answer.Figures{Currency: "USD"}}
	for _, name := range []string{
		"propose_budget_shift", "pause_campaign", "performance", "manage", "geo_experiment_preflight", "experiments", "explain", "campaigns", "trends", "diagnose",
		"optimization", "lifecycle", "products", "customers", "surveys", "forecasting", "influencers", "omnichannel",
	} {
		p.Tools = append(p.Tools, toolkit.Spec{Name: name})
	}
	return p
}

// called returns the tool and the arguments of a step's call.
func called(t *testing.T, n *answer.Next) string {
	t.Helper()
	if n == nil {
		return ""
	}
	arguments, err := json.Marshal(n.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	return n.Tool + " " + string(arguments)
}

func TestABudgetStepNamesTheChangeAndItsCall(t *testing.T) {
	t.Parallel()
	const estimated = " The current budget is estimated from recent spend."
	for _, c := range []struct {
		platform measure.Platform
		known    bool
		hours    control.Hours
		moved    float64
		step     string
		call     string
	}{
		{measure.Facebook, true, control.Hours{}, 20, "Increase the daily budget of a campaign on facebook by 20.0%.", `propose_budget_shift {"new_budget_value":12000,"platform":"facebook","platform_campaign_id":"1"}`},
		{measure.Facebook, true, control.Hours{}, -15, "Decrease the daily budget of a campaign on facebook by 15.0%.", `propose_budget_shift {"new_budget_value":8500,"platform":"facebook","platform_campaign_id":"1"}`},
		{measure.Google, false, control.Hours{}, 10, "Increase the daily budget of a campaign on google by 10.0%." + estimated, `propose_budget_shift {"new_budget_value":110000000,"platform":"google_ads","platform_campaign_id":"1"}`},
		{measure.TikTok, true, control.Hours{From: 9, To: 17}, 5, "Increase the daily budget of a campaign on tiktok by 5.0%. The guardrails allow changes from 9:00 to 17:00.", `propose_budget_shift {"new_budget_value":105,"platform":"tiktok","platform_campaign_id":"1"}`},
		{"pinterest", true, control.Hours{}, 5, "Increase the daily budget of a campaign on pinterest by 5.0%.", ""},
	} {
		p := asking("2026-03-10")
		p.Guardrails.Hours = c.hours
		b := dailyBudget{id: "1", name: "Brand", daily: 100, known: c.known}
		got := p.budgetStep(p.Today, c.platform, &b, c.moved)
		if got.Step != c.step || called(t, got.Call) != c.call {
			t.Errorf("%s by %v: %q, call %s; want %q, %s", c.platform, c.moved, got.Step, called(t, got.Call), c.step, c.call)
		}
		if *got.From != 100 || *got.To != answer.Money(100+c.moved) || b.daily != 100+c.moved || got.Campaign != "Brand" || got.Kind != BudgetStep || got.Day != p.Today {
			t.Errorf("%s by %v: %+v; the next step starts from %v", c.platform, c.moved, got, b.daily)
		}
	}
}

// stored sets the campaigns that the planner knows: two on Google, one of them without recent spend, and one on Pinterest.
func (p *planner) stored() {
	p.found.Store.Campaigns = []detect.Campaign{
		{ID: "small", Name: "Small", Channel: "google", RecentSpend: 10},
		{ID: "large", Name: "Large", Channel: "google", RecentSpend: 30, DailyBudget: 40},
		{ID: "idle", Channel: "google", DailyBudget: 90},
		{ID: "pin", Channel: "pinterest", RecentSpend: 5},
	}
}

func TestPlansChangeTheLargestCampaignsOfAChannel(t *testing.T) {
	t.Parallel()
	p := asking("2026-03-10")
	p.stored()
	all, spend := p.campaignsOf("google")
	if want := []dailyBudget{{"large", "Large", 40, true}, {"small", "Small", 10, false}}; !slices.Equal(all, want) || spend != 40 {
		t.Errorf("campaigns of Google: %+v with spend %v; want %+v with 40", all, spend, want)
	}
	running := func(s control.ExperimentStatus) []control.Experiment {
		return []control.Experiment{{Channel: "google", Status: s}}
	}
	for _, c := range []struct {
		name    string
		channel measure.Channel
		change  func()
		want    bool
	}{
		{"campaigns with spend", "google", func() {}, true},
		{"a platform without changes", "pinterest", func() {}, false},
		{"no campaign", "facebook", func() {}, false},
		{"the plan tests it", "google", func() { p.tested = "google" }, false},
		{"a planned experiment", "google", func() { p.Experiments = running(control.ExperimentPlanned) }, false},
		{"a running experiment", "google", func() { p.Experiments = running(control.ExperimentRunning) }, false},
		{"a completed experiment", "google", func() { p.Experiments = running(control.ExperimentCompleted) }, true},
	} {
		p.tested, p.Experiments = "", nil
		c.change()
		if got := p.movable(c.channel); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}

// The plan from Tuesday, March 10, to March 24 has a preflight on the second working day. The experiment starts on the
// Monday after the preflight.
func TestAPlanHasAnExperimentAndReviews(t *testing.T) {
	t.Parallel()
	p := asking("2026-03-10")
	p.found.findings = []detect.Finding{
		{Kind: detect.Headroom, Channel: "google"},
		{Kind: detect.Untested, Channel: "tv", Value: &measure.Estimate{Value: 100}},
		{Kind: detect.Untested, Channel: "facebook", Value: &measure.Estimate{Value: 50}},
	}
	p.Store = snapshot.Contents{Coverage: warehouse.Coverage{Orders: 1, OrderDays: civil.Range{First: civil.MustParse("2026-01-01"), Last: civil.MustParse("2026-03-09")}}}
	p.experiments()
	p.add(Step{Day: civil.MustParse("2026-03-18"), Kind: BudgetStep})
	p.add(Step{Day: civil.MustParse("2026-03-12"), Kind: BudgetStep})
	p.reviews()
	var got []string
	for _, s := range p.plan.Steps {
		got = append(got, fmt.Sprint(s.Day, " ", s.Kind, " ", called(t, s.Call)))
	}
	want := []string{
		`2026-03-12 experiment geo_experiment_preflight {"channel":"tv"}`,
		`2026-03-16 experiment manage {"action":"create_experiment","params":{"channel":"tv","end_date":"2026-04-12","start_date":"2026-03-16"}}`,
		"2026-03-18 budget ", "2026-03-12 budget ",
		`2026-03-24 review performance {"end_date":"2026-03-24","start_date":"2026-03-10"}`,
		`2026-03-18 review performance {"end_date":"2026-03-18","start_date":"2026-03-10"}`,
	}
	if !slices.Equal(got, want) || p.tested != "tv" {
		t.Errorf("steps %q, want %q; tested %s", got, want, p.tested)
	}
	if n := p.plan.Counts(); n != (StepCounts{Moves: 2, Experiments: 2, Reviews: 2}) {
		t.Errorf("counts %+v", n)
	}

	short := asking("2026-03-10")
	short.found.findings, short.Days = p.found.findings, 5
	short.experiments()
	short.reviews() // a store without data has none
	if len(short.plan.Steps) != 1 || short.tested != "" {
		t.Errorf("a plan up to Sunday has the steps %+v and tests %q", short.plan.Steps, short.tested)
	}
}

func TestChecksAreTheUrgentInsights(t *testing.T) {
	t.Parallel()
	p := asking("2026-03-13") // a Friday
	var insights []Insight
	for i, severity := range []detect.Severity{detect.Notice, detect.Alarm, detect.Warning, detect.Warning, detect.Notice, detect.Alarm, detect.Alarm} {
		insights = append(insights, Insight{Finding: fmt.Sprint("f", i, "."), Action: "a.", severity: severity})
	}
	p.checks(insights)
	var got []string
	for _, s := range p.plan.Steps {
		got = append(got, fmt.Sprint(s.Day, " ", s.Kind, " ", s.Step))
	}
	want := []string{"2026-03-16 check f1. a.", "2026-03-16 check f2. a.", "2026-03-16 check f3. a.", "2026-03-16 check f5. a."}
	if !slices.Equal(got, want) {
		t.Errorf("checks %q, want %q", got, want)
	}
}

func TestDecisionsAboutTheModelAndItsFactors(t *testing.T) {
	t.Parallel()
	c := asking("2026-03-10").Call
	if got := modelDecisions(c); got != nil {
		t.Errorf("an empty store: %+v", got)
	}
	c.Store = snapshot.Contents{Coverage: warehouse.Coverage{Orders: 1, OrderDays: civil.Range{First: civil.MustParse("2026-01-01"), Last: civil.MustParse("2026-03-09")}}}
	got := modelDecisions(c)
	if len(got) != 1 || got[0].Decision != "Train a media mix model: assay train mmm --workspace w" || got[0].Area != Calibration || called(t, got[0].Call) != `explain {"query":"train model"}` {
		t.Errorf("a store without a model: %+v", got)
	}
	c.MMM.Training = true
	if got := modelDecisions(c); got != nil {
		t.Errorf("during a training: %+v", got)
	}
	c.MMM = mix.Held{Model: &mix.Model{Status: mix.Active}}
	if got := modelDecisions(c); got != nil {
		t.Errorf("a store with a model: %+v", got)
	}

	completed := control.Experiment{Status: control.ExperimentCompleted}
	applied := control.Experiment{Status: control.ExperimentCompleted, Applied: true}
	for _, e := range []struct {
		all  []control.Experiment
		want string
	}{
		{nil, ""},
		{[]control.Experiment{applied, {Status: control.ExperimentRunning}}, ""},
		{[]control.Experiment{applied, completed}, "1 completed experiment has no applied incrementality factor, so the results do not correct last-touch ROAS."},
		{[]control.Experiment{completed, applied, completed}, "2 completed experiments have no applied incrementality factor, so the results do not correct last-touch ROAS."},
	} {
		c.Experiments = e.all
		why := ""
		for _, d := range factorDecisions(c) {
			why += d.Why
		}
		if why != e.want {
			t.Errorf("%+v: %q, want %q", e.all, why, e.want)
		}
	}
	state := State(c, []Decision{{Area: Readiness}, {Area: Action}, {Area: Readiness}})
	if want := (Readable{Decisions: 3, Readiness: 2, Model: state.Model, Tests: 3, Applied: 1}); state != want || state.Model == "" {
		t.Errorf("state %+v, want %+v", state, want)
	}
}

// Critical decisions are first. The others are sorted by area and then by priority.
func TestRanksOfDecisions(t *testing.T) {
	t.Parallel()
	inOrder := []Insight{
		{Kind: detect.Headroom, Priority: Critical},
		{Kind: dataProblem, Priority: High},
		{Kind: detect.Outage, Priority: Low},
		{Kind: detect.Untested, Priority: Medium},
		{Kind: detect.Headroom, Priority: High},
		{Kind: detect.NoEffect, Priority: Low},
	}
	var ranks []int
	for _, i := range inOrder {
		ranks = append(ranks, decisionOf(i).rank())
	}
	if want := []int{0, 11, 13, 32, 41, 43}; !slices.Equal(ranks, want) {
		t.Errorf("ranks %v, want %v", ranks, want)
	}
	if n := Counted(inOrder); n != (InsightCounts{Critical: 1, High: 2, Medium: 1, Low: 2}) {
		t.Errorf("counts %+v", n)
	}
	if all, low := OfPriority(inOrder, ""), OfPriority(inOrder, Low); len(all) != 6 || len(low) != 2 || low[0].Kind != detect.Outage || low[1].Kind != detect.NoEffect {
		t.Errorf("%d insights, of them low: %+v", len(all), low)
	}
}

func TestUnitsOfValues(t *testing.T) {
	t.Parallel()
	if got := unitOf(nil); got != "The gains are revenue, because costs are unknown." {
		t.Error(got)
	}
	if got := unitOf(new(0.425)); got != "The gains are contribution, computed as 42.5% of revenue." {
		t.Error(got)
	}
	for _, c := range []struct {
		platform measure.Platform
		budget   float64
		currency money.Currency
		want     json.Number
	}{
		{measure.Facebook, 12.34, "USD", "1234"},
		{measure.Facebook, 1234, "JPY", "1234"},
		{measure.Google, 12.34, "USD", "12340000"},
		{measure.TikTok, 12.34, "USD", "12.34"},
		{"pinterest", 12, "USD", ""},
	} {
		if got := unitsOf(c.platform, c.budget, c.currency); got != c.want {
			t.Errorf("%v %s on %s: %q, want %q", c.budget, c.currency, c.platform, got, c.want)
		}
	}
}

// The test checks the sentence and the call of each kind of finding.
func TestWordsOfFindings(t *testing.T) {
	t.Parallel()
	c := asking("2026-03-10").Call
	since := civil.MustParse("2026-03-01")
	evidence := func(pairs ...any) (all []detect.Figure) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, detect.Figure{Name: pairs[i].(string), Value: pairs[i+1].(float64)})
		}
		return all
	}
	for _, x := range []struct {
		f          detect.Finding
		want, call string
	}{
		{
			detect.Finding{Kind: detect.Discounting, Evidence: evidence("discount_share", 0.125, "earlier_discount_share", 0.05)},
			"Discounts as a share of sales have risen from 5.0% to 12.5% since 2026-03-01.", `products {"view":"coupons"}`,
		},
		{
			detect.Finding{Kind: detect.SpendShift, Channel: "google", Evidence: evidence("daily_spend", 120.0, "usual_daily_spend", 40.5)},
			"Spend on google has been USD 120.00 per day since 2026-03-01, compared with USD 40.50 per day before.", `campaigns {"end_date":"2026-03-09","platform":"google","start_date":"2026-02-10"}`,
		},
		{
			detect.Finding{Kind: detect.NoEffect, Channel: "google", Subject: "7", Evidence: evidence("spend", 500.0, "orders", 1.0, "claimed_orders", 2.0, "break_even_orders", 9.0)},
			"A campaign on google spent USD 500.00 in the last 28 days for 1 last-touch and 2 platform-reported orders. Break-even requires 9 orders.", `pause_campaign {"platform":"google_ads","platform_campaign_id":"7"}`,
		},
		{
			detect.Finding{Kind: detect.NoEffect, Channel: "tv"},
			"A campaign on tv spent USD 0.00 in the last 28 days for 0 last-touch and 0 platform-reported orders. Break-even requires 0 orders.", `campaigns {"end_date":"2026-03-09","start_date":"2026-02-10"}`,
		},
		{
			detect.Finding{Kind: detect.Outage, Evidence: evidence("orders", 3.0, "days", 1.0, "expected_orders", 41.0)},
			"Only 3 orders arrived in 1 day, starting on 2026-03-01. About 41 orders were expected.", `trends {"end_date":"2026-03-09","metric":"orders","start_date":"2026-01-27"}`,
		},
		{
			detect.Finding{Kind: detect.TrackingBreak, Evidence: evidence("earlier_unattributed_share", 0.1, "unattributed_share", 0.8)},
			"The share of orders without a channel has risen from 10.0% to 80.0% since 2026-03-01.", `diagnose {}`,
		},
		{
			detect.Finding{Kind: detect.TrackingBreak, Channel: "google", Evidence: evidence("earlier_order_share", 0.3, "order_share", 0.02)},
			"The share of orders from google has fallen from 30.0% to 2.0% since 2026-03-01, although spend on the channel continued.", `diagnose {}`,
		},
		{
			detect.Finding{Kind: detect.PixelLoss, Channel: "google", Evidence: evidence("credited_per_answer", 0.41, "earlier_credited_per_answer", 0.9)},
			"For google, last touch attributes 41 orders per 100 survey answers that name the channel, compared with 90 before.", `surveys {}`,
		},
		{
			detect.Finding{Kind: detect.PacingRisk, Subject: "revenue", Evidence: evidence("target", 100.0, "expected", 80.0, "expected_low", 70.0, "expected_high", 90.0, "probability", 0.95)},
			"The forecast of revenue (from 2026-03-01) is USD 80.00 (90% interval USD 70.00 to USD 90.00), below the target of USD 100.00. The probability of missing the target is 95.0%.", `forecasting {"aspect":"pacing"}`,
		},
		{
			detect.Finding{Kind: detect.PacingRisk, Subject: "spend", Evidence: evidence("target", 100.0, "expected", 130.0, "expected_low", 120.0, "expected_high", 140.0, "probability", 0.95)},
			"The forecast of spend (from 2026-03-01) is USD 130.00 (90% interval USD 120.00 to USD 140.00), above the target of USD 100.00. The probability of exceeding the target is 95.0%.", `forecasting {"aspect":"pacing"}`,
		},
		{
			detect.Finding{Kind: detect.SeasonAhead, Name: "Easter", Evidence: evidence("last_year_ratio", 1.5)},
			"Easter starts on 2026-03-01, and there is no target for that month. In the previous year, daily revenue was 1.50 times the mean of the preceding four weeks.", `forecasting {"aspect":"pacing"}`,
		},
		{detect.Finding{Kind: detect.SeasonAhead, Name: "Easter"}, "Easter starts on 2026-03-01, and there is no target for that month.", `forecasting {"aspect":"pacing"}`},
		{
			detect.Finding{Kind: detect.Fatigue, Channel: "facebook", Evidence: evidence("earlier_click_rate", 0.02, "click_rate", 0.011, "age_days", 60.0)},
			"The click rate of an ad on facebook fell from 2.0% to 1.1%. The ad has run for at least 60 days.", `campaigns {"end_date":"2026-03-09","level":"creative","platform":"facebook","start_date":"2026-02-10"}`,
		},
	} {
		x.f.Since = since
		i := insightOf(c, detect.Store{}, x.f)
		if i.Finding != x.want || called(t, i.Call) != x.call {
			t.Errorf("%s: %q, call %s; want %q, %s", x.f.Kind, i.Finding, called(t, i.Call), x.want, x.call)
		}
	}
}

func TestAnInsightHasTheNameTheValueAndTheEvidence(t *testing.T) {
	t.Parallel()
	c := asking("2026-03-10").Call
	i := insightOf(c, detect.Store{}, detect.Finding{
		Kind: detect.SalesStopped, Subject: "CUP", Name: "Cup", Confidence: 0.875, Effort: detect.Medium, Severity: detect.Alarm, Value: &measure.Estimate{Value: 12},
		Evidence: []detect.Figure{{Name: "a", Value: 0.123456, Unit: detect.Share}, {Name: "b", Value: 2.345678, Unit: detect.Ratio}},
	})
	if i.Subject != "Cup" || i.SubjectID != "CUP" || *i.Certainty != 87.5 || i.Effort != "medium" || i.Value.Value != 12 || i.Priority != High || i.severity != detect.Alarm {
		t.Errorf("%+v", i)
	}
	if want := []Figure{{"a", 0.1235, detect.Share}, {"b", 2.35, detect.Ratio}}; !slices.Equal(i.Evidence, want) {
		t.Errorf("evidence %+v, want %+v", i.Evidence, want)
	}
	same := insightOf(c, detect.Store{}, detect.Finding{Kind: detect.SalesStopped, Subject: "CUP", Name: "CUP"})
	if same.Subject != "CUP" || same.SubjectID != "" || same.Value != nil {
		t.Errorf("a subject with its ID as name: %+v", same)
	}
	if upper("") != "" || upper("a b") != "A b" {
		t.Error("sentences do not start with a capital letter")
	}
	c.Tools = nil
	if i := insightOf(c, detect.Store{}, detect.Finding{Kind: detect.SalesStopped}); i.Call != nil {
		t.Errorf("a call of a missing tool: %+v", i.Call)
	}
}

func TestAPlanOmitsIncreasesThatLoseContribution(t *testing.T) {
	t.Parallel()
	m := toolkittest.Model(t, "google")
	for _, c := range []struct {
		name     string
		rate     float64
		proposed float64
		steps    bool
		losing   []string
	}{
		{"an increase that pays", 9, 1200, true, nil},
		{"an increase that loses", 0.1, 1200, false, []string{"google"}},
		{"a decrease that saves more than it loses", 0.1, 600, true, nil},
		{"a decrease for the increase of another channel", 9, 600, true, nil},
	} {
		p := asking("2026-03-10")
		p.stored()
		start := toolkit.PlanStart{Rates: map[measure.Channel]float64{"google": c.rate}}
		p.move(m, start, decide.Allocation{Channel: "google", Current: 800, Proposed: c.proposed})
		if got := len(p.plan.Steps) > 0; got != c.steps || !slices.Equal(p.losing, c.losing) {
			t.Errorf("%s: %d steps, losing %v; want steps: %t, %v", c.name, len(p.plan.Steps), p.losing, c.steps, c.losing)
		}
		for _, s := range p.plan.Steps {
			if s.Effect == nil || (*s.To > *s.From && s.Effect.Value <= 0) {
				t.Errorf("%s: a step from %v to %v has the effect %+v", c.name, *s.From, *s.To, s.Effect)
			}
		}
	}
}

// Two campaigns on Google have daily budgets of 40 and 10. A step changes a budget by at most a fifth. A later step has
// the effect of a change after the earlier steps.
func TestAPlanMovesAChannelStepByStep(t *testing.T) {
	t.Parallel()
	m := toolkittest.Model(t, "google")
	type step struct {
		day      string
		campaign answer.Foreign
		from, to answer.Money
		before   float64 // change by the earlier steps
	}
	for _, c := range []struct {
		name              string
		current, proposed float64
		want              []step
	}{
		{"a change that one campaign can take", 800, 880, []step{{"2026-03-11", "Large", 40, 44, 0}}},
		{"a change that both campaigns can take", 800, 1000, []step{{"2026-03-11", "Large", 40, 48, 0}, {"2026-03-11", "Small", 10, 12, 8}}},
		{"a change in two steps", 800, 1080, []step{
			{"2026-03-11", "Large", 40, 48, 0}, {"2026-03-11", "Small", 10, 12, 8}, {"2026-03-18", "Large", 48, 52, 10},
		}},
		{"a decrease up to the last day", 800, 400, []step{
			{"2026-03-11", "Large", 40, 32, 0}, {"2026-03-11", "Small", 10, 8, -8}, {"2026-03-18", "Large", 32, 26, -10}, {"2026-03-18", "Small", 8, 7, -16},
		}},
		{"the smallest change", 100_000, 103_000, []step{{"2026-03-11", "Large", 40, 41, 0}}},
		{"a change that is too small", 100_000, 102_999, nil},
		{"a decrease that is too small", 100_000, 97_001, nil},
		{"no current spend", 0, 500, nil},
	} {
		p := asking("2026-03-10")
		p.stored()
		start := toolkit.PlanStart{Rates: map[measure.Channel]float64{"google": 9}}
		p.move(m, start, decide.Allocation{Channel: "google", Current: c.current, Proposed: c.proposed})
		var got []step
		for i, s := range p.plan.Steps {
			at := step{day: s.Day.String(), campaign: s.Campaign, from: *s.From, to: *s.To}
			if i < len(c.want) {
				at.before = c.want[i].before
			}
			got = append(got, at)
			shift, ok := start.Shift(m, "google", at.before, float64(at.to-at.from))
			if want := toolkit.Posterior[answer.Money](shift.Profit.Change, 1/m.Months()); !ok || s.Effect == nil || *s.Effect != want {
				t.Errorf("%s: step %d has the effect %+v, want %+v", c.name, i, s.Effect, want)
			}
			if !strings.HasSuffix(s.Stop, stopBelowEffect) {
				t.Errorf("%s: step %d has the stop rule %q", c.name, i, s.Stop)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: steps %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestAPlanDoesNotMoveAChannelThatItTests(t *testing.T) {
	t.Parallel()
	p := asking("2026-03-10")
	p.stored()
	p.tested = "google"
	p.move(toolkittest.Model(t, "google"), toolkit.PlanStart{}, decide.Allocation{Channel: "google", Current: 800, Proposed: 1000})
	if len(p.plan.Steps) != 0 || len(p.losing) != 0 {
		t.Errorf("steps %+v, losing %v; want none", p.plan.Steps, p.losing)
	}
}

func TestAPlanWithoutBudgetChangesHasAReason(t *testing.T) {
	t.Parallel()
	hold := &decide.Advice{Action: decide.Hold, Reasons: []string{"the current allocation is already optimal within the bounds"}}
	for _, c := range []struct {
		name   string
		advice *decide.Advice
		fixed  int
		want   string
	}{
		{"tools can change two channels", hold, 1, hold.Reasons[0]},
		{"tools can change one channel", hold, 2, "tools can change campaigns of at most one channel, so no budget can move between channels"},
		{"the allocation changes", &decide.Advice{Action: decide.Shift, Reasons: []string{"a note"}}, 2, ""},
	} {
		plan := &mix.Plan{Plan: decide.Plan{Allocations: make([]decide.Allocation, 3)}, Advice: c.advice}
		if got := whyHold(plan, c.fixed); got != c.want {
			t.Errorf("%s: the reason is %q, want %q", c.name, got, c.want)
		}
	}
}
