package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/ingest/demo"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// conversation is a question of a store owner and the calls that answer it.
type conversation struct {
	question string
	calls    []replayedCall
}

type replayedCall struct{ tool, arguments string }

func conversations(t *testing.T) (all []conversation) {
	t.Helper()
	text, err := os.ReadFile("testdata/conversations.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if question, ok := strings.CutPrefix(line, "> "); ok {
			all = append(all, conversation{question: question})
		} else if tool, arguments, ok := strings.Cut(line, " "); ok && tool != "#" {
			last := &all[len(all)-1]
			last.calls = append(last.calls, replayedCall{tool, arguments})
		}
	}
	return all
}

// replayedStore is a demo store with its experiments and a model of its two largest channels. Tests compare the figures
// of answers with the facts, which replayedStore also contains.
type replayedStore struct {
	session mcp.Session
	facts   warehouse.Batch
	truth   demo.Truth
	model   *mix.Model
}

// MMM returns the model, which is trained after the store is created.
func (r *replayedStore) MMM(context.Context, control.Workspace) (mix.Held, error) {
	return mix.Held{Model: r.model}, nil
}

// replayedToday is the day of the conversations.
var replayedToday = civil.MustParse("2026-11-18")

func newReplayedStore(t *testing.T) *replayedStore {
	t.Helper()
	r := &replayedStore{}
	r.session, r.truth = demoStoreWith(t, demo.Options{Seed: 7, Days: 730, Orders: 30_000}, func(b *warehouse.Batch) warehouse.Batch {
		r.facts.Orders = append(r.facts.Orders, b.Orders...)
		r.facts.AdDays = append(r.facts.AdDays, b.AdDays...)
		r.facts.ChannelSpend = append(r.facts.ChannelSpend, b.ChannelSpend...)
		r.facts.Messages = append(r.facts.Messages, b.Messages...)
		r.facts.Surveys = append(r.facts.Surveys, b.Surveys...)
		r.facts.Targets = append(r.facts.Targets, b.Targets...)
		return *b
	}, func(truth demo.Truth) toolkit.Deps {
		deps := plainDeps(nil, nil)
		deps.Experiments, deps.Models = &storedExperiments{demo.Experiments(truth)}, r
		return deps
	})
	r.train(t)
	return r
}

func (r *replayedStore) train(t *testing.T) {
	t.Helper()
	last := replayedToday.AddDays(-1)
	s := mix.Store{
		Days: civil.Range{First: last.AddDays(-727), Last: last}, Revenue: map[civil.Date]float64{},
		Spend: map[measure.Channel]map[civil.Date]float64{"facebook": {}, "google": {}},
	}
	for _, o := range r.facts.Orders {
		if !o.Test {
			s.Revenue[o.Day] += float64(o.Charged) / 100
		}
	}
	for _, d := range r.facts.AdDays {
		if of := s.Spend[d.Channel]; of != nil {
			of[d.Day] += float64(d.Spend) / 100
		}
	}
	w := newWorkspace("demo")
	model, err := mix.Train(s, mix.Training{Seed: 1, Settings: w.ModelSettings()})
	if err != nil {
		t.Fatal(err)
	}
	r.model = model
}

// maxReplayedCalls is the maximum number of tool calls for the questions with figures that the test checks.
const maxReplayedCalls = 30

// TestConversationsStayInTheirBudget replays conversations. An answer has one token for each four bytes of its text
// ([answer.BytesPerToken]). Every answer stays below the budget of its level with default arguments. The first
// questions are answered in at most 30 calls, and the answers contain the requested figures.
func TestConversationsStayInTheirBudget(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: 40 conversations")
	}
	r, all := newReplayedStore(t), conversations(t)
	if len(all) < 40 {
		t.Errorf("%d conversations, want 40", len(all))
	}
	tokens := map[answer.Level][]int{}
	for i, c := range all {
		var answers []any
		for _, call := range c.calls {
			for _, level := range []answer.Level{answer.AnalystLevel, answer.SummaryLevel} {
				arguments := map[string]any{"detail_level": level}
				if err := json.Unmarshal([]byte(call.arguments), &arguments); err != nil {
					t.Fatalf("%s %s: %v", call.tool, call.arguments, err)
				}
				text := r.call(t, call.tool, arguments)
				stated := answer.Level(fmt.Sprint(arguments["detail_level"]))
				size := len(text) / answer.BytesPerToken
				if size > answer.Budgets[stated] {
					t.Errorf("%s %s at %s: %d tokens, want at most %d", call.tool, call.arguments, stated, size, answer.Budgets[stated])
				}
				tokens[stated] = append(tokens[stated], size)
				if level == answer.SummaryLevel {
					answers = append(answers, parsed(t, text))
				}
			}
		}
		if i < len(replayChecks) {
			r.check(t, c, replayChecks[i], answers)
		}
	}
	calls := 0
	for _, c := range all[:len(replayChecks)] {
		calls += len(c.calls)
	}
	if calls > maxReplayedCalls {
		t.Errorf("the first %d questions have %d calls, want at most %d", len(replayChecks), calls, maxReplayedCalls)
	}
	t.Logf("%d conversations; the first %d have %d calls", len(all), len(replayChecks), calls)
	for level, sizes := range tokens {
		slices.Sort(sizes)
		t.Logf("%s: %d answers, median %d tokens, maximum %d of %d", level, len(sizes), sizes[len(sizes)/2], sizes[len(sizes)-1], answer.Budgets[level])
	}
}

func (r *replayedStore) call(t *testing.T, tool string, arguments map[string]any) string {
	t.Helper()
	encoded, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	result := callAs(t, r.session, tool, string(encoded))
	if result.IsError {
		t.Fatalf("%s %s: %s", tool, encoded, result.Content[0].Text)
	}
	return result.Content[0].Text
}

func (r *replayedStore) check(t *testing.T, c conversation, check func(*replayedStore, []any) []checkedFigure, answers []any) {
	t.Helper()
	for _, f := range check(r, answers) {
		if math.IsNaN(f.got) || math.Abs(f.got-f.want) > f.within {
			t.Errorf("%q: %s is %v, want %v", c.question, f.name, f.got, f.want)
		}
	}
}

func parsed(t *testing.T, text string) (a any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return a
}

// checkedFigure is a figure of an answer and the same figure from another source.
type checkedFigure struct {
	name              string
	got, want, within float64
}

// at returns the number at a path of member names and indexes, or NaN.
func at(a any, path ...any) float64 {
	for _, p := range path {
		switch key := p.(type) {
		case string:
			object, _ := a.(map[string]any)
			a = object[key]
		case int:
			list, _ := a.([]any)
			if key < 0 || key >= len(list) {
				return math.NaN()
			}
			a = list[key]
		}
	}
	if n, ok := a.(float64); ok {
		return n
	}
	return math.NaN()
}

// rowOf returns the index of the first row with a value, or -1.
func rowOf(a any, key, value string) int {
	return slices.IndexFunc(rowsOf(a), func(row any) bool { return row.(map[string]any)[key] == value })
}

func rowsOf(a any) []any {
	rows, _ := a.(map[string]any)["rows"].([]any)
	return rows
}

// holds returns a figure that is 1 if a statement is true, and 0 otherwise.
func holds(name string, is bool) checkedFigure {
	f := checkedFigure{name: name, want: 1}
	if is {
		f.got = 1
	}
	return f
}

func summaryOf(a any) string { return fmt.Sprint(a.(map[string]any)["summary"]) }

func days(first, last string) civil.Range {
	return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
}

// sold returns the revenue of a period in whole currency units, and its number of orders.
func (r *replayedStore) sold(in civil.Range) (revenue, orders float64) {
	for _, o := range r.facts.Orders {
		if in.Contains(o.Day) && !o.Test && !o.Cancelled {
			revenue += float64(o.Charged) / 100
			orders++
		}
	}
	return revenue, orders
}

// spent returns the total spend of a period, and the spend and platform-reported revenue of each campaign.
func (r *replayedStore) spent(in civil.Range) (sum float64, campaigns map[string][2]float64) {
	campaigns = map[string][2]float64{}
	for _, d := range r.facts.AdDays {
		if in.Contains(d.Day) {
			sum += float64(d.Spend) / 100
			c := campaigns[d.CampaignID]
			campaigns[d.CampaignID] = [2]float64{c[0] + float64(d.Spend)/100, c[1] + float64(d.Value)/100}
		}
	}
	for _, d := range r.facts.ChannelSpend {
		if in.Contains(d.Day) {
			sum += float64(d.Spend) / 100
		}
	}
	return sum, campaigns
}

// The periods in the conversations are last month, the default period of 31 days, and the default period of 91 days.
var (
	lastMonth = days("2026-10-01", "2026-10-31")
	lastDays  = days("2026-10-19", "2026-11-18")
	quarter   = days("2026-08-20", "2026-11-18")
)

// replayChecks compare the figures of the first conversations with other sources, in the order of the conversations. No
// tool has a forecast of a month that has not begun (the ninth conversation) or new customers by product (the twelfth).
// The checks use the nearest figures: this month's forecast and all customers.
var replayChecks = []func(r *replayedStore, a []any) []checkedFigure{
	lastMonthIsThatOfTheFacts, theChannelThatChangedMostIsNamed, bestAndWorstCampaignsAreThoseOfTheFacts, newCustomersHaveTheirCost,
	facebooksEffectIsThatOfItsFactor, moreBudgetIsAllocated, lessSpendOnGoogleHasAnEffect, theTargetIsPaced, theMonthHasAForecast,
	creatorsAreRankedByROI, answersAreComparedWithLastTouch, productsSumToTheirOrders, ltvAfter90DaysIsByChannel, experimentsHaveResults,
	gapsOfTheDataAreFound, emailIsThatOfTheFacts,
}

func lastMonthIsThatOfTheFacts(r *replayedStore, a []any) []checkedFigure {
	revenue, orders := r.sold(lastMonth)
	before, ordersBefore := r.sold(days("2026-08-31", "2026-09-30"))
	spend, _ := r.spent(lastMonth)
	return []checkedFigure{
		{"revenue", at(a[0], "metrics", "revenue", "value"), revenue, 1},
		{"orders", at(a[0], "metrics", "orders", "value"), orders, 0},
		{"spend", at(a[0], "metrics", "spend", "value"), spend, 1},
		{"change of revenue", at(a[0], "metrics", "revenue", "change_pct"), 100 * (revenue/before - 1), 0.06},
		{"change of orders", at(a[0], "metrics", "orders", "change_pct"), 100 * (orders/ordersBefore - 1), 0.06},
	}
}

func theChannelThatChangedMostIsNamed(_ *replayedStore, a []any) []checkedFigure {
	most := slices.MaxFunc(rowsOf(a[0]), func(x, y any) int {
		change := func(row any) float64 { return math.Abs(at(row, "revenue") - at(row, "revenue_previous")) }
		return cmp.Compare(change(x), change(y))
	}).(map[string]any)
	change := at(most, "revenue") - at(most, "revenue_previous")
	return []checkedFigure{
		holds("named channel", strings.Contains(summaryOf(a[0]), fmt.Sprintf("The largest change in revenue by channel is in %s (", most["channel"]))),
		{"change in percent", at(most, "revenue_change_pct"), 100 * change / at(most, "revenue_previous"), 0.06},
		holds("the channel's weeks", len(rowsOf(a[1])) > 0),
	}
}

func bestAndWorstCampaignsAreThoseOfTheFacts(r *replayedStore, a []any) []checkedFigure {
	_, campaigns := r.spent(lastDays)
	best, worst := 0.0, math.Inf(1)
	for _, c := range campaigns {
		if c[0] > 0 {
			best, worst = max(best, c[1]/c[0]), min(worst, c[1]/c[0])
		}
	}
	return []checkedFigure{{"best ROAS", at(a[0], "rows", 0, "roas"), best, 0.006}, {"worst ROAS", at(a[1], "rows", len(rowsOf(a[1]))-1, "roas"), worst, 0.006}}
}

func newCustomersHaveTheirCost(r *replayedStore, a []any) []checkedFigure {
	spend, _ := r.spent(lastDays)
	n := at(a[0], "metrics", "new_customers", "value")
	return []checkedFigure{
		holds("new customers", n > 100 && n < 1311), {"CAC", at(a[0], "metrics", "cac", "value"), spend / n, 0.01},
	}
}

func facebooksEffectIsThatOfItsFactor(r *replayedStore, a []any) []checkedFigure {
	spend, revenue := 0.0, at(a[0], "rows", 0, "incremental_revenue", "value")
	for _, d := range r.facts.AdDays {
		if d.Channel == "facebook" && quarter.Contains(d.Day) {
			spend += float64(d.Spend) / 100
		}
	}
	credited := at(a[0], "rows", 0, "last_touch_revenue")
	return []checkedFigure{
		{"spend", at(a[0], "rows", 0, "spend"), spend, 1},
		{"incremental ROAS", at(a[0], "rows", 0, "incremental_roas", "value"), revenue / spend, 0.006},
		{"factor", at(a[0], "rows", 0, "factor", "value"), revenue / credited, 0.006},
	}
}

func moreBudgetIsAllocated(_ *replayedStore, a []any) []checkedFigure {
	var sum float64
	for i := range rowsOf(a[1]) {
		sum += at(a[1], "rows", i, "proposed_spend")
	}
	return []checkedFigure{holds("marginal ROAS", at(a[0], "rows", 0, "marginal_roas", "value") > 0), {"allocated budget", sum, 24441, 2}}
}

func lessSpendOnGoogleHasAnEffect(r *replayedStore, a []any) []checkedFigure {
	google := rowOf(a[0], "channel", "google")
	saving := at(a[0], "rows", google, "monthly_spend") / 5
	summary := strings.ReplaceAll(summaryOf(a[0]), ",", "")
	return []checkedFigure{holds("effect on revenue", strings.Contains(summary, "google -USD ")), holds("saving", strings.Contains(summary, fmt.Sprintf("saving USD %.0f", saving)))}
}

func theTargetIsPaced(r *replayedStore, a []any) []checkedFigure {
	soFar, _ := r.sold(days("2026-11-01", "2026-11-17"))
	i := slices.IndexFunc(r.facts.Targets, func(g warehouse.Target) bool {
		return g.Metric == "revenue" && g.Period == "monthly" && g.Start == civil.MustParse("2026-11-01") && g.Channel == ""
	})
	return []checkedFigure{
		{"revenue so far", at(a[0], "rows", 0, "actual"), soFar, 1},
		{"target", at(a[0], "rows", 0, "target"), r.facts.Targets[i].Value, 0.5},
		holds("probability", at(a[0], "rows", 0, "chance_pct") >= 0),
	}
}

func theMonthHasAForecast(_ *replayedStore, a []any) []checkedFigure {
	low, high := at(a[0], "rows", 0, "low"), at(a[0], "rows", 0, "high")
	expected := at(a[0], "rows", 0, "expected")
	return []checkedFigure{holds("forecast in its interval", low < expected && expected < high)}
}

func creatorsAreRankedByROI(_ *replayedStore, a []any) (all []checkedFigure) {
	for i := range rowsOf(a[0]) {
		cost := at(a[0], "rows", i, "cost")
		roi := at(a[0], "rows", i, "roi")
		all = append(all, checkedFigure{"ROI", roi, at(a[0], "rows", i, "total_revenue")/cost - 1, 0.011})
		if i > 0 {
			all = append(all, holds("order by ROI", roi <= at(a[0], "rows", i-1, "roi")))
		}
	}
	return append(all, holds("creators", len(all) > 0))
}

func answersAreComparedWithLastTouch(r *replayedStore, a []any) []checkedFigure {
	named := 0.0
	cancelled := map[warehouse.OrderRef]bool{}
	for _, o := range r.facts.Orders {
		cancelled[o.OrderRef] = o.Cancelled || o.Test
	}
	for _, s := range r.facts.Surveys {
		if s.Question == "discovery_channel" && s.Channel == "google" && quarter.Contains(s.Day) && !cancelled[s.OrderRef] {
			named++
		}
	}
	google := rowOf(a[0], "channel", "google")
	return []checkedFigure{{"answers", at(a[0], "rows", google, "answers"), named, 0}, holds("last touch", at(a[0], "rows", google, "last_touch_pct") > 0)}
}

func productsSumToTheirOrders(r *replayedStore, a []any) []checkedFigure {
	_, orders := r.sold(lastDays)
	return []checkedFigure{{"orders", at(a[0], "metrics", "orders", "value"), orders, 0}, {"AOV", at(a[0], "metrics", "aov", "value"), at(a[0], "metrics", "revenue", "value") / orders, 0.01}}
}

func ltvAfter90DaysIsByChannel(_ *replayedStore, a []any) (all []checkedFigure) {
	for i := range rowsOf(a[0]) {
		value := at(a[0], "rows", i, "ltv_90d", "value")
		if math.IsNaN(value) {
			continue // a channel without customers
		}
		all = append(all, holds("LTV in its interval, below that of a year", at(a[0], "rows", i, "ltv_90d", "low") <= value &&
			value <= at(a[0], "rows", i, "ltv_90d", "high") && !(value > at(a[0], "rows", i, "ltv_365d", "value"))))
	}
	return append(all, holds("channels", len(all) > 5))
}

func experimentsHaveResults(r *replayedStore, a []any) []checkedFigure {
	all := []checkedFigure{{"experiments", at(a[0], "metrics", "experiments"), float64(len(r.truth.Experiments)), 0}}
	for _, e := range r.truth.Experiments {
		i := rowOf(a[0], "experiment_id", e.ID)
		if i < 0 {
			continue // a summary shows as many as fit
		}
		low, high := at(a[0], "rows", i, "lift_pct", "low"), at(a[0], "rows", i, "lift_pct", "high")
		all = append(all, holds("lift of "+e.ID+" in its interval", low <= 100*e.TrueLift && 100*e.TrueLift <= high))
	}
	return append(all, holds("at least three results", len(all) > 3))
}

func gapsOfTheDataAreFound(r *replayedStore, a []any) []checkedFigure {
	days, first, last := map[civil.Date]bool{}, replayedToday, civil.Date{}
	for _, d := range r.facts.AdDays {
		if d.Source == "amazon_ads" {
			days[d.Day] = true
			first = earlier(first, d.Day)
			if d.Day.After(last) {
				last = d.Day
			}
		}
	}
	missing := 0
	for day := first; !day.After(last); day = day.AddDays(1) {
		if !days[day] {
			missing++
		}
	}
	i := rowOf(a[0], "check", "source amazon_ads (ads)")
	return []checkedFigure{holds("gaps", i >= 0 && strings.HasPrefix(fmt.Sprint(rowsOf(a[0])[i].(map[string]any)["finding"]), fmt.Sprintf("%d days are missing", missing)))}
}

func emailIsThatOfTheFacts(r *replayedStore, a []any) []checkedFigure {
	var revenue, orders float64
	for _, m := range r.facts.Messages {
		if m.Channel == "email" && lastDays.Contains(m.Day) {
			revenue += float64(m.Revenue) / 100
			orders += float64(m.Conversions)
		}
	}
	return []checkedFigure{
		{"reported revenue", at(a[0], "metrics", "revenue", "value"), revenue, 1},
		{"conversions", at(a[0], "metrics", "conversions", "value"), orders, 0},
		holds("last-touch revenue", at(a[0], "metrics", "credited_revenue", "value") > 0),
	}
}
