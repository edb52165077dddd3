package decision_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/decision"
	failure "assay/internal/fault"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/tools"
	"assay/internal/training"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// followedDays is the number of days for which a plan is followed.
const followedDays = 90

// past are the completed experiments of a demo store.
type past []control.Experiment

func (p past) Experiments(context.Context, measure.WorkspaceID) ([]control.Experiment, error) {
	return p, nil
}

// followed is the result of a plan that is followed in the simulator.
type followed struct {
	Seed   uint64             `json:"seed"`
	Status mix.Status         `json:"model"`
	Moves  int                `json:"moves"`
	Broken []string           `json:"broken_guardrails"`
	Ratio  map[string]float64 `json:"ratio"` // spend of a channel at the end, relative to its recent spend
	Gain   float64            `json:"gain"`  // gain in contribution after spend in 90 days, relative to unchanged budgets
	Alone  float64            `json:"alone"`
	Plan   float64            `json:"plan"`
	Why    string             `json:"why"`
}

// future is a demo store. The simulator can compute its next days for other budgets.
type future struct {
	opt       demo.Options
	truth     demo.Truth
	simulated demo.Responses
	model     mix.Status // "" without a model
	call      func(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error)
	rate      float64 // contribution per revenue
	// current is the mean daily spend of each channel of the ad platforms in the last 30 days.
	current map[measure.Channel]float64
}

// withFuture generates a demo store, trains its model with its experiments, and passes it to the function use. The
// folder dir contains the model.
func withFuture(t *testing.T, dir string, seed uint64, use func(f future)) {
	t.Helper()
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.Close(context.Background()) }()
	facts := warehouse.New(engine)
	load, err := facts.Begin(t.Context(), warehouse.ImportSpec{Workspace: "w", Source: "demo", Base: demo.StoreCurrency})
	if err != nil {
		t.Fatal(err)
	}
	defer load.Abort()
	f := future{opt: demo.Options{
		Seed: seed, Days: 730, Orders: 20_000, Today: today, Zone: zone, Currency: demo.StoreCurrency, HashKey: []byte("k"), Future: followedDays,
	}}
	if f.truth, err = demo.Generate(f.opt, func(b *warehouse.Batch) error { return load.Add(t.Context(), b) }); err != nil {
		t.Fatal(err)
	}
	if _, err := load.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.simulated, err = demo.NewResponses(f.opt); err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return today.UTC().Add(17 * time.Hour) }
	w := control.NewWorkspace("W")
	w.Currency, w.Zone = demo.StoreCurrency, demo.StoreZone
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(dir, fmt.Sprintf("model-%d", seed), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if w, err = store.CreateWorkspace(t.Context(), w, control.By{At: time.Unix(1, 0)}); failure.KindOf(err) == failure.KindConflict {
		w, err = store.Workspace(t.Context(), "w") // the workspace of an earlier run
	}
	if err != nil {
		t.Fatal(err)
	}
	tests := past(demo.Experiments(f.truth))
	for i := range tests {
		tests[i].Workspace = w.ID
	}
	keeper := training.New(training.Options{
		Store: store, Facts: facts, Experiments: tests, Now: clock,
		Today: func(control.Workspace) civil.Date { return today }, Log: slog.New(slog.DiscardHandler),
	})
	held, err := keeper.MMM(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if held.Model == nil && held.Attempt == nil {
		if _, err := keeper.Train(t.Context(), w, mix.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	if held, err = keeper.MMM(t.Context(), w); err == nil && held.Model != nil {
		f.model = held.Model.Status
	}
	service, err := toolkit.NewService(toolkit.Deps{
		Sources: snapshot.Sources{Facts: facts, Models: keeper, Experiments: tests, Clock: clock, Now: clock},
		Keys:    toolkittest.Nothing{}, Hooks: toolkittest.Nothing{}, Accounts: toolkittest.Nothing{}, Calls: toolkittest.Nothing{}, Callers: toolkittest.Nothing{},
		Log: slog.New(slog.DiscardHandler),
	}, tools.All())
	if err != nil {
		t.Fatal(err)
	}
	f.call = service.Session(auth.Principal{Workspace: w, Actor: "key:k", Kind: auth.ByKey, Scopes: []control.Scope{control.ScopeRead, control.ScopeWrite}}, "r1").CallTool
	f.rate, f.current = contributionRate(t, f.call), spendPerDay(t, f.opt, 30)
	use(f)
}

// contribution returns the true contribution after spend of the next days. The spend of each channel is its current
// daily spend times the factor of the day. It replaces the spend that the simulator plans, which would change over
// time.
func (f future) contribution(factor func(channel measure.Channel, day int) float64) float64 {
	revenue, spend := f.simulated.Ahead(func(channel measure.Channel, day int, planned float64) float64 {
		if current, ok := f.current[channel]; ok {
			planned = current
		}
		return planned * factor(channel, day)
	})
	return f.rate*revenue - spend
}

func unchanged(measure.Channel, int) float64 { return 1 }

// follow asks for a plan of 30 days and applies its moves to the days after today in the simulator.
func (f future) follow(t *testing.T, risk string) followed {
	t.Helper()
	arguments := json.RawMessage(fmt.Sprintf(`{"riskTolerance":%q,"horizonDays":30,"detail_level":"debug"}`, risk))
	encoded, err := f.call(t.Context(), tools.AutopilotPlan.Name, arguments)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := tools.AutopilotPlan.Result(encoded)
	if err != nil {
		t.Fatal(err)
	}
	out := followed{Seed: f.opt.Seed, Status: f.model, Ratio: map[string]float64{}}
	for _, n := range plan.Warnings {
		out.Why += n.Text + " "
	}
	steps := slices.DeleteFunc(slices.Clone(plan.Rows), func(s decision.Step) bool { return s.Kind != decision.BudgetStep })
	channels := channelsOf(t, f.opt)
	out.Moves, out.Broken = len(steps), brokenGuardrails(steps, channels)
	usual := spendPerDay(t, f.opt, 7) // plans refer to it
	factor := func(channel measure.Channel, day int) float64 {
		more := 0.0
		for _, s := range steps {
			if channels[string(s.Campaign)] == channel && s.Day.Sub(today) <= day {
				more += float64(*s.To - *s.From)
			}
		}
		if more == 0 {
			return 1
		}
		return 1 + more/usual[channel]
	}
	for channel := range f.truth.Channels {
		if x := factor(channel, followedDays); x != 1 {
			out.Ratio[string(channel)] = math.Round(1000*x) / 1000
		}
	}
	out.Alone, out.Plan = f.contribution(unchanged), f.contribution(factor)
	out.Gain = out.Plan/out.Alone - 1
	return out
}

// channelsOf returns the channels of a demo store's campaigns by name.
func channelsOf(t *testing.T, opt demo.Options) map[string]measure.Channel {
	t.Helper()
	all, err := demo.Campaigns(opt)
	if err != nil {
		t.Fatal(err)
	}
	channels := map[string]measure.Channel{}
	for _, c := range all {
		channels[c.Name] = measure.Channel(c.Platform)
	}
	return channels
}

// brokenGuardrails lists the moves that a new workspace's guardrails reject: more than 20% at once, or a campaign that
// changes twice in a week.
func brokenGuardrails(steps []decision.Step, channels map[string]measure.Channel) (broken []string) {
	last := map[string]civil.Date{}
	for _, s := range steps {
		key := string(s.Campaign)
		step := math.Abs(float64(*s.To)/float64(*s.From) - 1)
		if before, ok := last[key]; step > 0.2+1e-9 || ok && s.Day.Sub(before) < 7 || channels[key] == "" {
			broken = append(broken, fmt.Sprintf("%s %s %.3f", s.Day, key, step))
		}
		last[key] = s.Day
	}
	return broken
}

// spendPerDay returns a channel's mean daily spend on ad platforms in the last days.
func spendPerDay(t *testing.T, opt demo.Options, days int) map[measure.Channel]float64 {
	t.Helper()
	spend := map[measure.Channel]float64{}
	_, err := demo.Generate(opt, func(b *warehouse.Batch) error {
		for _, d := range b.AdDays {
			if since(d.Day, days) {
				spend[d.Channel] += float64(d.Spend) / 100 / float64(days)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return spend
}

// contributionRate returns the store's contribution per unit of revenue in the last 90 days.
func contributionRate(t *testing.T, call func(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error)) float64 {
	t.Helper()
	arguments := fmt.Sprintf(`{"start_date":%q,"end_date":%q,"detail_level":"debug"}`, today.AddDays(-90), today.AddDays(-1))
	encoded, err := call(t.Context(), tools.Performance.Name, json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	a, err := tools.Performance.Result(encoded)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range a.Rows {
		if row.Channel == "google" && row.AfterSpend != nil && row.Spend != nil {
			return float64(*row.AfterSpend+*row.Spend) / float64(row.Revenue)
		}
	}
	t.Fatal("the store has no contribution rate")
	return 0
}

// TestFollowedPlansGain follows plans in the simulator for 90 days. ASSAY_FOLLOWED names a folder that has one file per
// finished store and its model, so an interrupted run continues. ASSAY_FOLLOWED_SEEDS is the number of stores.
func TestFollowedPlansGain(t *testing.T) {
	dir := os.Getenv("ASSAY_FOLLOWED")
	if dir == "" {
		t.Skip("each simulated store and its model take a minute; ASSAY_FOLLOWED=DIR runs them")
	}
	moved, gained, lost := 0, 0, 0
	var broken []string
	for seed := range uint64(number(os.Getenv("ASSAY_FOLLOWED_SEEDS"), 2)) {
		o := resumed(t, filepath.Join(dir, fmt.Sprintf("store-%d.json", seed+1)), func() (out followed) {
			withFuture(t, dir, seed+1, func(f future) { out = f.follow(t, "balanced") })
			return out
		})
		t.Logf("%+v", o)
		broken = append(broken, o.Broken...)
		switch {
		case o.Moves == 0:
			continue
		case o.Gain > 0:
			gained++
		default:
			lost++
		}
		moved++
	}
	t.Logf("%d plans have moves; %d have a higher contribution than leaving budgets alone, %d a lower one", moved, gained, lost)
	if 5*gained < 4*moved {
		t.Errorf("%d of %d plans with moves gain, want 0.8", gained, moved)
	}
	if len(broken) > 0 {
		t.Errorf("broken guardrails: %s", strings.Join(broken, "; "))
	}
}

// advised contains the advice of optimize_budget and its true effect in the simulator.
type advised struct {
	Seed   uint64     `json:"seed"`
	Status mix.Status `json:"model"`
	Advice string     `json:"advice"` // advice for current spend
	Better float64    `json:"better"` // stated probability of more revenue, in percent
	Pays   float64    `json:"pays"`   // stated probability of a higher contribution, in percent
	Gain   float64    `json:"gain"`   // true contribution of the next days with the reallocation, relative to the contribution without it
	More   budgeted   `json:"more"`   // advice on 20% more budget
	Less   budgeted   `json:"less"`   // advice on 20% less budget
}

// budgeted is the advice on a budget that differs from current spend.
type budgeted struct {
	Advice toolkit.BudgetAdvice `json:"advice"`
	Pays   float64              `json:"pays"`  // stated probability of a higher contribution, in percent
	Value  float64              `json:"value"` // expected change of contribution over the model's window
	Low    float64              `json:"low"`
	True   float64              `json:"true"` // change of the contribution of the next days
}

// changes reports whether the tool recommends raising or lowering the budget.
func (b budgeted) changes() bool {
	return b.Advice == toolkit.RaiseBudget || b.Advice == toolkit.LowerBudget
}

// advise asks for the allocations of current spend, of 20% more and of 20% less, and applies them to the days after today.
func (f future) advise(t *testing.T) advised {
	t.Helper()
	ask := func(budget float64) *tools.OptimizeBudgetAnswer {
		encoded, err := f.call(t.Context(), tools.OptimizeBudget.Name, json.RawMessage(fmt.Sprintf(`{"total_budget":%.2f,"detail_level":"debug"}`, budget)))
		if err != nil {
			t.Fatal(err)
		}
		a, err := tools.OptimizeBudget.Result(encoded)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	out := advised{Seed: f.opt.Seed, Status: f.model}
	if f.model == "" {
		return out
	}
	current := float64(ask(1000).Metrics.CurrentSpend)
	after := func(a *tools.OptimizeBudgetAnswer) float64 {
		ratio := map[measure.Channel]float64{}
		for _, row := range a.Rows {
			if row.Current > 0 {
				ratio[row.Channel] = float64(row.Proposed / row.Current)
			}
		}
		return f.contribution(func(channel measure.Channel, _ int) float64 {
			if x, ok := ratio[channel]; ok {
				return x
			}
			return 1
		})
	}
	same := ask(current)
	alone := f.contribution(unchanged)
	out.Advice, out.Gain, out.Better = same.Metrics.Advice, after(same)/alone-1, float64(same.Metrics.BetterPct)
	if pays := same.Metrics.PaysPct; pays != nil {
		out.Pays = float64(*pays)
	}
	changed := func(times float64) budgeted {
		a := ask(times * current)
		b := budgeted{Advice: a.Metrics.BudgetAdvice, True: after(a) - after(same)}
		if p := a.Metrics.PlanProfit; p.Budget != nil {
			b.Pays, b.Value, b.Low = float64(*p.BudgetPays), float64(p.Budget.Value), float64(p.Budget.Low)
		}
		return b
	}
	out.More, out.Less = changed(1.2), changed(0.8)
	return out
}

// TestAdvisedBudgetsGain compares the advice of optimize_budget with the simulator. Like [TestFollowedPlansGain], it
// continues an interrupted run, and it uses the same models.
func TestAdvisedBudgetsGain(t *testing.T) {
	dir := os.Getenv("ASSAY_FOLLOWED")
	if dir == "" {
		t.Skip("each simulated store and its model take a minute; ASSAY_FOLLOWED=DIR runs them")
	}
	shifts, gained := 0, 0
	var more, less tally
	for seed := range uint64(number(os.Getenv("ASSAY_FOLLOWED_SEEDS"), 2)) {
		o := resumed(t, filepath.Join(dir, fmt.Sprintf("advice-%d.json", seed+1)), func() (out advised) {
			withFuture(t, dir, seed+1, func(f future) { out = f.advise(t) })
			return out
		})
		t.Logf("%+v", o)
		if o.Advice == string(decide.Shift) {
			shifts++
			if o.Gain > 0 {
				gained++
			}
		}
		more.add(o.More)
		less.add(o.Less)
	}
	t.Logf("%d of %d advised reallocations gain; 20%% more budget: %v; 20%% less: %v", gained, shifts, more, less)
	if 5*gained < 4*shifts {
		t.Errorf("%d of %d advised reallocations gain, want 0.8", gained, shifts)
	}
	if loses := more.losses + more.avoided; 10*more.avoided < 9*loses {
		t.Errorf("%d of %d larger budgets that lose money are not advised, want 0.9", more.avoided, loses)
	}
	for _, of := range []tally{more, less} {
		if advised := of.gains + of.losses; 5*of.gains < 4*advised {
			t.Errorf("%d of %d advised budgets gain, want 0.8", of.gains, advised)
		}
	}
}

// tally counts budgets by the advice and their true effect.
type tally struct {
	gains, missed   int // budgets that gain: advised, not advised
	losses, avoided int // budgets that lose money: advised, not advised
}

func (c *tally) add(b budgeted) {
	switch {
	case b.True > 0 && b.changes():
		c.gains++
	case b.True > 0:
		c.missed++
	case b.True < 0 && b.changes():
		c.losses++
	case b.True < 0:
		c.avoided++
	}
}

func (c tally) String() string {
	return fmt.Sprintf("%d of %d advised budgets gain, %d of %d that lose money are not advised, %d of %d that gain are not advised",
		c.gains, c.gains+c.losses, c.avoided, c.avoided+c.losses, c.missed, c.missed+c.gains)
}
