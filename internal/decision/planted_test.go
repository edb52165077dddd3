package decision_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/decision"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/measure/detect"
	"assay/internal/money"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/tools"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

var today = civil.MustParse("2026-10-20")

// fault is a problem that the test plants in a store's facts.
type fault struct {
	kind    detect.Kind
	subject string // part of the subject of its insight; "": any
	plant   func(b *warehouse.Batch)
	also    detect.Kind // a true finding that follows from the fault
}

func since(day civil.Date, days int) bool {
	return day.Before(today) && !day.Before(today.AddDays(-days))
}

// chosen reports whether an order is in a fixed subset that contains the given percentage of the orders.
func chosen(ref warehouse.OrderRef, percent int) bool {
	sum := 7
	for _, r := range ref.Key {
		sum = (sum*31 + int(r)) % 10_007
	}
	return sum%100 < percent
}

// without removes the orders that the function gone selects, with their lines, touchpoints, refunds and coupons.
func without(b *warehouse.Batch, gone func(warehouse.Order) bool) {
	refs := map[warehouse.OrderRef]bool{}
	b.Orders = slices.DeleteFunc(b.Orders, func(o warehouse.Order) bool {
		if gone(o) {
			refs[o.OrderRef] = true
		}
		return refs[o.OrderRef]
	})
	b.Lines = slices.DeleteFunc(b.Lines, func(l warehouse.OrderLine) bool { return refs[l.OrderRef] })
	b.Touches = slices.DeleteFunc(b.Touches, func(t warehouse.Touch) bool { return refs[t.OrderRef] })
	b.Refunds = slices.DeleteFunc(b.Refunds, func(r warehouse.Refund) bool { return refs[r.OrderRef] })
	b.Coupons = slices.DeleteFunc(b.Coupons, func(c warehouse.OrderCoupon) bool { return refs[c.OrderRef] })
}

func spendOf(b *warehouse.Batch, p measure.Platform, days int, factor float64, conversions bool) {
	for i := range b.AdDays {
		d := &b.AdDays[i]
		if d.Platform != p || !since(d.Day, days) {
			continue
		}
		if conversions {
			d.Conversions, d.Value = int64(factor*float64(d.Conversions)), int64(factor*float64(d.Value))
			continue
		}
		d.Spend, d.Original.Minor = int64(factor*float64(d.Spend)), int64(factor*float64(d.Original.Minor))
	}
}

// idle adds a campaign with spend and no orders.
func idle(b *warehouse.Batch) {
	row := b.AdDays[0]
	row.Platform, row.Channel, row.CampaignID, row.CampaignName, row.AdSetID, row.AdID, row.Conversions, row.Value = measure.Google, "google", "idle", "Idle", "", "", 0, 0
	row.Country, row.Region, row.Spend, row.Original = "", "", 20_000, money.Amount{Minor: 20_000, Currency: "USD"}
	for i := range 28 {
		row.Day = today.AddDays(-1 - i)
		b.AdDays = append(b.AdDays, row)
	}
}

// untouched removes the touchpoints and the channels of most orders of the last days.
func untouched(b *warehouse.Batch) {
	lost := map[warehouse.OrderRef]bool{}
	for i := range b.Orders {
		if o := &b.Orders[i]; since(o.Day, 6) && chosen(o.OrderRef, 75) {
			o.Channel, lost[o.OrderRef] = "", true
		}
	}
	b.Touches = slices.DeleteFunc(b.Touches, func(t warehouse.Touch) bool { return lost[t.OrderRef] })
}

func discounted(b *warehouse.Batch) {
	for i := range b.Orders {
		if o := &b.Orders[i]; since(o.Day, 28) {
			cut := o.Charged / 5
			o.Charged, o.Original.Minor, o.Discounts = o.Charged-cut, o.Original.Minor-cut, o.Discounts+cut
		}
	}
}

func leaked(b *warehouse.Batch) {
	for _, o := range b.Orders {
		if chosen(o.OrderRef, 1) && o.Day.Before(today.AddDays(-14)) || since(o.Day, 14) && chosen(o.OrderRef, 15) {
			b.Coupons = append(b.Coupons, warehouse.OrderCoupon{OrderRef: o.OrderRef, Code: "PARTNER20", Discount: o.Charged / 5})
		}
	}
}

// fewerNew removes 60% of the first orders of the last days.
func fewerNew(b *warehouse.Batch) {
	seen := map[string]bool{}
	without(b, func(o warehouse.Order) bool {
		if o.Customer == "" || seen[o.Customer] {
			return false
		}
		if since(o.Day, 28) && chosen(o.OrderRef, 60) {
			return true
		}
		seen[o.Customer] = true
		return false
	})
}

// soldOut removes the lines of the product with the most units from the orders of the last days.
func soldOut(b *warehouse.Batch) {
	day, units := map[warehouse.OrderRef]civil.Date{}, map[string]int64{}
	for _, o := range b.Orders {
		day[o.OrderRef] = o.Day
	}
	best := ""
	for _, l := range b.Lines {
		if since(day[l.OrderRef], 90) {
			if units[l.SKU] += l.Quantity; units[l.SKU] > units[best] {
				best = l.SKU
			}
		}
	}
	b.Lines = slices.DeleteFunc(b.Lines, func(l warehouse.OrderLine) bool { return l.SKU == best && since(day[l.OrderRef], 7) })
}

// refunded refunds a tenth of the orders in full. The refunds are in the last four weeks.
func refunded(b *warehouse.Batch) {
	for _, o := range b.Orders {
		if back := o.Day.AddDays(3); since(back, 28) && chosen(o.OrderRef, 10) && !o.Cancelled {
			b.Refunds = append(b.Refunds, warehouse.Refund{OrderRef: o.OrderRef, Refund: "planted", At: o.At.Add(72 * time.Hour), Day: back, Amount: o.Charged})
		}
	}
}

// tired removes six in ten clicks of one Facebook ad in the last two weeks. It is the ad with the most spend in this
// time among the ads older than six weeks.
func tired(b *warehouse.Batch) {
	first, spend := map[string]civil.Date{}, map[string]int64{}
	for _, d := range b.AdDays {
		if f, ok := first[d.AdID]; d.Platform == measure.Facebook && (!ok || d.Day.Before(f)) {
			first[d.AdID] = d.Day
		}
	}
	best := ""
	for _, d := range b.AdDays {
		if f, ok := first[d.AdID]; ok && since(d.Day, 14) && f.Before(today.AddDays(-42)) {
			if spend[d.AdID] += d.Spend; spend[d.AdID] > spend[best] {
				best = d.AdID
			}
		}
	}
	for i := range b.AdDays {
		if d := &b.AdDays[i]; d.AdID == best && since(d.Day, 14) {
			d.Clicks = d.Clicks * 2 / 5
		}
	}
}

// cappedCampaign cuts the spend of one Google campaign to a third for four weeks and sets its daily budget to this
// spend. It chooses the campaign with the most touchpoints in these weeks.
func cappedCampaign(b *warehouse.Batch) {
	clicks := map[string]int{}
	best := ""
	for _, t := range b.Touches {
		if t.Platform == measure.Google && since(civil.DayOf(t.At, time.UTC), 28) {
			if clicks[t.Campaign]++; clicks[t.Campaign] > clicks[best] {
				best = t.Campaign
			}
		}
	}
	spend, account, name := int64(0), "", ""
	for i := range b.AdDays {
		d := &b.AdDays[i]
		if d.CampaignID != best || !since(d.Day, 28) {
			continue
		}
		d.Spend, d.Original.Minor = d.Spend/3, d.Original.Minor/3
		if account, name = d.Account, d.CampaignName; since(d.Day, 7) {
			spend += d.Spend
		}
	}
	at := today.AddDays(-30).UTC()
	b.AdStates = append(b.AdStates, measure.AdState{
		Platform: measure.Google, Level: measure.AdCampaign, ID: best, Since: at, Read: at, Account: account, Name: name, Status: measure.AdActive, Told: "ENABLED",
		Budget: measure.AdBudget{Value: spend / 7, Unit: measure.BudgetMinor, Per: measure.PerDay},
	})
}

// groups lists the faults of each simulated store. The faults of one store do not hide one another.
var groups = map[string][]fault{
	"clean": nil,
	"sales": {
		{detect.Outage, "", func(b *warehouse.Batch) {
			without(b, func(o warehouse.Order) bool { return o.Day == today.AddDays(-3) && chosen(o.OrderRef, 95) })
		}, ""},
		{detect.SpendShift, "tiktok", func(b *warehouse.Batch) { spendOf(b, measure.TikTok, 3, 8, false) }, ""},
		{detect.NoEffect, "idle", idle, ""},
		{detect.CouponLeak, "PARTNER20", leaked, ""},
	},
	"tracking": {
		{detect.TrackingBreak, "", untouched, ""},
		{detect.Discounting, "", discounted, ""},
		{detect.SeasonAhead, "Black Friday", func(b *warehouse.Batch) {
			b.Targets = slices.DeleteFunc(b.Targets, func(t warehouse.Target) bool { return t.Start.After(today) })
		}, ""},
	},
	"efficiency": {
		{detect.ClaimsBreak, "facebook", func(b *warehouse.Batch) { spendOf(b, measure.Facebook, 8, 3, true) }, ""},
		{detect.CACDrift, "google", func(b *warehouse.Batch) { spendOf(b, measure.Google, 28, 3, false) }, ""},
	},
	"customers": {
		{detect.FewerNew, "", fewerNew, detect.CACDrift},
		{detect.SalesStopped, "", soldOut, ""},
		{detect.PacingRisk, "monthly revenue", func(b *warehouse.Batch) {
			for i := range b.Targets {
				if t := &b.Targets[i]; t.Metric == "revenue" && t.Period == "monthly" && t.Start == civil.ByMonth.Start(today) {
					t.Value *= 1.5
				}
			}
		}, ""},
	},
	"value": {
		{detect.PaybackDrift, "", func(b *warehouse.Batch) {
			for _, p := range []measure.Platform{measure.Facebook, measure.Google, measure.TikTok, measure.Snapchat, measure.Amazon} {
				spendOf(b, p, 56, 2.5, false)
			}
		}, detect.CACDrift},
		{detect.RefundRate, "", refunded, ""},
		{detect.Fatigue, "", tired, ""},
		{detect.Rebooking, "", func(b *warehouse.Batch) {
			for i := range b.CreatorCosts {
				b.CreatorCosts[i].Amount /= 20
			}
			b.CreatorCosts = slices.DeleteFunc(b.CreatorCosts, func(c warehouse.CreatorCost) bool { return since(c.Day, 45) })
		}, ""},
	},
	"sources": {
		{detect.PixelLoss, "facebook", func(b *warehouse.Batch) {
			b.Touches = slices.DeleteFunc(b.Touches, func(t warehouse.Touch) bool {
				return t.Channel == "facebook" && since(civil.DayOf(t.At, time.UTC), 35) && chosen(t.OrderRef, 85)
			})
		}, detect.TrackingBreak},
		{detect.CappedWinner, "", cappedCampaign, ""},
		{"data_problem", "tiktok", func(b *warehouse.Batch) {
			b.AdDays = slices.DeleteFunc(b.AdDays, func(d warehouse.AdDay) bool { return d.Platform == measure.TikTok && since(d.Day, 12) })
		}, ""},
		{detect.Untested, "google", func(*warehouse.Batch) {}, ""}, // no store has an experiment
	},
}

// outcome is the result of one store.
type outcome struct {
	Store   string   `json:"store"`
	Planted []string `json:"planted"`
	Found   []string `json:"found"`
	False   []string `json:"false_high"` // insights of high priority without a planted cause, over a month
}

// simulate returns all facts of a demo store without anomalies.
func simulate(t *testing.T, seed uint64, orders int) *warehouse.Batch {
	t.Helper()
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		t.Fatal(err)
	}
	var all warehouse.Batch
	whole := reflect.ValueOf(&all).Elem()
	_, err = demo.Generate(demo.Options{
		Seed: seed, Days: 730, Orders: orders, Today: today, Zone: zone, Currency: demo.StoreCurrency, HashKey: []byte("k"), Quiet: true,
	}, func(b *warehouse.Batch) error {
		for i := range whole.NumField() {
			whole.Field(i).Set(reflect.AppendSlice(whole.Field(i), reflect.ValueOf(b).Elem().Field(i)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return &all
}

// stored returns a warehouse with the facts of workspace w.
func stored(t *testing.T, b *warehouse.Batch) *warehouse.Warehouse {
	t.Helper()
	return storedAt(t, b, today)
}

// storedAt is [stored] with a day of the import.
func storedAt(t *testing.T, b *warehouse.Batch, imported civil.Date) *warehouse.Warehouse {
	t.Helper()
	clock := func() time.Time { return imported.UTC().Add(16 * time.Hour) }
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close(context.Background()) })
	facts := warehouse.New(engine)
	load, err := facts.Begin(t.Context(), warehouse.ImportSpec{Workspace: "w", Source: "demo", Base: demo.StoreCurrency})
	if err != nil {
		t.Fatal(err)
	}
	defer load.Abort()
	if err := load.Add(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if _, err := load.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return facts
}

// evaluate plants the faults of a group in a store, and reads the insights on four days of a month.
func evaluate(t *testing.T, seed uint64, orders int, group string) outcome {
	t.Helper()
	all := simulate(t, seed, orders)
	out := outcome{Store: fmt.Sprintf("%s %d", group, seed)}
	for _, f := range groups[group] {
		f.plant(all)
		out.Planted = append(out.Planted, string(f.kind))
	}
	facts := stored(t, all)
	for week := range 4 {
		out.add(insightsOf(t, facts, today.AddDays(-7*week)), groups[group], week == 0)
	}
	return out
}

// add records which planted faults a day's insights find, and the false insights. Only the last day has the planted
// faults in its recent windows.
func (o *outcome) add(all []decision.Insight, planted []fault, last bool) {
	for _, i := range all {
		name := string(i.Kind)
		at := slices.IndexFunc(planted, func(f fault) bool {
			return f.kind == i.Kind && strings.Contains(strings.ToLower(string(i.Subject)), strings.ToLower(f.subject))
		})
		follows := slices.ContainsFunc(planted, func(f fault) bool { return f.also == i.Kind })
		switch {
		case at >= 0:
			if last && !slices.Contains(o.Found, name) {
				o.Found = append(o.Found, name)
			}
		case !follows && (i.Priority == decision.High || i.Priority == decision.Critical) && !slices.Contains(o.False, string(i.ID)):
			o.False = append(o.False, string(i.ID))
		}
	}
}

func insightsOf(t *testing.T, facts *warehouse.Warehouse, day civil.Date) []decision.Insight {
	t.Helper()
	clock := func() time.Time { return day.UTC().Add(17 * time.Hour) }
	service, err := toolkit.NewService(toolkit.Deps{
		Sources: snapshot.Sources{Facts: facts, Models: toolkittest.Nothing{}, Experiments: toolkittest.Nothing{}, Clock: clock, Now: clock},
		Keys:    toolkittest.Nothing{}, Hooks: toolkittest.Nothing{}, Accounts: toolkittest.Nothing{}, Calls: toolkittest.Nothing{}, Callers: toolkittest.Nothing{},
		Log: slog.New(slog.DiscardHandler),
	}, tools.All())
	if err != nil {
		t.Fatal(err)
	}
	w := control.Workspace{ID: "w", Currency: demo.StoreCurrency, Zone: demo.StoreZone, Version: 1}
	p := auth.Principal{Workspace: w, Actor: "key:k", Kind: auth.ByKey, Scopes: []control.Scope{control.ScopeRead}}
	encoded, err := service.Session(p, "r1").CallTool(t.Context(), "insights", json.RawMessage(`{"limit":100,"detail_level":"debug"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := tools.Insights.Result(encoded)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range answer.Rows {
		t.Logf("%s: %s %s %s: %s", day, i.Priority, i.Kind, i.Subject, i.Finding)
	}
	return answer.Rows
}

func TestAPlantedOutageAndAMistypedBudgetAreFound(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it simulates a store")
	}
	o := evaluate(t, 3, 30_000, "sales")
	if missed := missing(o); len(missed) > 0 {
		t.Errorf("missed %v; found %v", missed, o.Found)
	}
}

// The last day has a tenth of its usual orders. If its orders were imported on the same day, the import contains a part
// of them, and there is no outage.
func TestADayIsIncompleteWhenItsOrdersAreImported(t *testing.T) {
	t.Parallel()
	last := today.AddDays(-1)
	var b warehouse.Batch
	for i := range 30 * 40 {
		at := last.AddDays(-i / 40).UTC().Add(12 * time.Hour)
		if i < 36 {
			continue
		}
		ref := warehouse.OrderRef{Source: "csv", Key: fmt.Sprintf("o-%04d", i)}
		b.Orders = append(b.Orders, warehouse.Order{
			OrderRef: ref, Name: ref.Key, At: at, Day: civil.DayOf(at, time.UTC), Surface: measure.OnlineStore, Customer: ref.Key, Charged: 5000,
			Original: money.Amount{Minor: 5000, Currency: demo.StoreCurrency}, Status: "paid", Country: "US", Region: "CA", Units: 1,
		})
	}
	for imported, want := range map[civil.Date]bool{last: false, today: true} {
		facts := storedAt(t, &b, imported)
		got := slices.ContainsFunc(insightsOf(t, facts, today), func(i decision.Insight) bool { return i.Kind == detect.Outage })
		if got != want {
			t.Errorf("imported on %s: outage %v, want %v", imported, got, want)
		}
	}
}

// In this small store, last touch attributes 3 of 4 orders to the channel that customers name in the survey. In the
// last 28 days, last touch attributes only one of 14 orders to this channel. Half of the customers also answer a
// question that is not about channels.
func TestALostPixelIsFoundBySurveyAnswers(t *testing.T) {
	t.Parallel()
	var b warehouse.Batch
	for i := range 4 * 112 {
		at := today.AddDays(-i/4 - 1).UTC().Add(12 * time.Hour)
		ref := warehouse.OrderRef{Source: "csv", Key: fmt.Sprintf("o-%04d", i)}
		b.Orders = append(b.Orders, warehouse.Order{
			OrderRef: ref, Name: ref.Key, At: at, Day: civil.DayOf(at, time.UTC), Surface: measure.OnlineStore, Customer: ref.Key, Charged: 5000,
			Original: money.Amount{Minor: 5000, Currency: demo.StoreCurrency}, Status: "paid", Country: "US", Region: "CA", Units: 1,
		})
		credited := i%4 != 0
		if i < 4*28 {
			credited = i%14 == 1
		}
		if credited {
			b.Touches = append(b.Touches, warehouse.Touch{OrderRef: ref, Seq: 1, At: at.Add(-time.Hour), Channel: "podcast", Kind: "click"})
		}
		answer := func(question, text string, channel measure.Channel) {
			b.Surveys = append(b.Surveys, warehouse.SurveyResponse{
				Source: "csv", Key: ref.Key + question, OrderRef: ref, At: at, Day: civil.DayOf(at, time.UTC), Question: question, Answer: text, Channel: channel,
			})
		}
		answer("discovery_channel", "A podcast", "podcast")
		if i%2 == 0 {
			answer("size", "Large", "")
		}
	}
	for _, i := range insightsOf(t, stored(t, &b), today) {
		if i.Kind != detect.PixelLoss {
			continue
		}
		got := map[string]float64{}
		for _, e := range i.Evidence {
			got[e.Name] = float64(e.Value)
		}
		want := map[string]float64{"answers": 112, "credited": 8}
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s is %v, want %v", name, got[name], value)
			}
		}
		return
	}
	t.Error("the lost touchpoints are not found")
}

func missing(o outcome) (missed []string) {
	for _, kind := range o.Planted {
		if !slices.Contains(o.Found, kind) {
			missed = append(missed, kind)
		}
	}
	return missed
}

// TestPlantedFaultsAreFound reports recall by kind and false insights of high priority. ASSAY_PLANTED names a folder that
// has one file per finished store, so an interrupted run continues. ASSAY_PLANTED_SEEDS and ASSAY_PLANTED_CLEAN are the
// numbers of seeds of faulty and clean stores. ASSAY_PLANTED_FIRST is the first seed: after a change of a detector, use
// seeds that were not used for the change.
func TestPlantedFaultsAreFound(t *testing.T) {
	dir := os.Getenv("ASSAY_PLANTED")
	switch {
	case dir == "" && os.Getenv("ASSAY_NIGHTLY") != "1":
		t.Skip("50 simulated stores take ten minutes; ASSAY_NIGHTLY=1 or ASSAY_PLANTED=DIR runs them")
	case dir == "":
		dir = t.TempDir()
	}
	planted, found := map[string]int{}, map[string]int{}
	wrong, stores := map[bool]int{}, map[bool]int{} // the key is true for clean stores
	first := number(os.Getenv("ASSAY_PLANTED_FIRST"), 1)
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		clean := group == "clean"
		seeds := number(os.Getenv("ASSAY_PLANTED_SEEDS"), 5)
		if clean {
			seeds = number(os.Getenv("ASSAY_PLANTED_CLEAN"), 20)
		}
		for n := range seeds {
			seed := uint64(first + n)
			o := resumed(t, filepath.Join(dir, fmt.Sprintf("%s-%d.json", group, seed)), func() outcome { return evaluate(t, seed, 20_000, group) })
			for _, kind := range o.Planted {
				planted[kind]++
			}
			for _, kind := range o.Found {
				found[kind]++
			}
			wrong[clean] += len(o.False)
			stores[clean]++
			t.Logf("%s: missed %v, false %s", o.Store, missing(o), strings.Join(o.False, " "))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(planted)) {
		t.Logf("%s: found %d of %d", kind, found[kind], planted[kind])
		if 5*found[kind] < 4*planted[kind] {
			t.Errorf("%s: found in %d of %d stores, want 0.8", kind, found[kind], planted[kind])
		}
	}
	for _, clean := range []bool{false, true} {
		t.Logf("clean %t: %d false insights of high priority in %d store-months", clean, wrong[clean], stores[clean])
		if wrong[clean] > stores[clean] {
			t.Errorf("clean %t: %d false insights of high priority in %d store-months, want at most one per store-month", clean, wrong[clean], stores[clean])
		}
	}
}

// number reads a number of seeds.
func number(text string, usual int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return usual
}

// resumed returns the outcome that is stored in a file. Without a stored outcome, it calls run and writes the outcome
// to the file.
func resumed[T any](t *testing.T, file string, run func() T) (o T) {
	t.Helper()
	if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &o) == nil {
		return o
	}
	o = run()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return o
}
