package tools

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// The fixture's clock is 02:00 UTC on the 11th. In the store's time zone this is the 10th, so code that ignores the
// zone fails. Daylight saving time started two days earlier.
var (
	fixtureNow   = time.Date(2026, 3, 11, 2, 0, 0, 0, time.UTC)
	fixtureToday = civil.MustParse("2026-03-10")
	fixtureFirst = civil.MustParse("2025-06-01")
)

const fixtureZone = "America/New_York"

func fixtureClock() time.Time { return fixtureNow }

func newWorkspace(id measure.WorkspaceID) control.Workspace {
	return control.Workspace{ID: id, Name: "Fixture", Currency: "USD", Zone: fixtureZone, WeekStart: time.Monday, Version: 1}
}

// reader is a read-only key.
func reader(w control.Workspace) auth.Principal {
	return auth.Principal{Workspace: w, Actor: "key:k1", Kind: auth.ByKey, Scopes: []control.Scope{control.ScopeRead}}
}

// fixture opens the service over the fixed store. The workspace "full" has all data. The orders of "untouched" and
// "orders" have no channel, and the customers of "loyal" return. The orders of "tested" come from 16 regions with an
// experiment in four of them. The workspace "empty" has no data. The store is created once, because tests only read it.
var fixture = sync.OnceValues(func() (toolkit.Deps, error) {
	ctx := context.Background()
	w, err := openFacts(ctx, fixtureDir)
	if err != nil {
		return toolkit.Deps{}, err
	}
	deps, budgets, err := newFixture(ctx, w, sqlstore.Options{Path: filepath.Join(fixtureDir, "control.db")})
	fixtureBudgets = budgets
	return deps, err
})

// newFixture fills the fixed store.
func newFixture(ctx context.Context, w *warehouse.Warehouse, database sqlstore.Options) (toolkit.Deps, *simulated, error) {
	//nolint:contextcheck // batches have no context
	for ws, b := range map[measure.WorkspaceID]*warehouse.Batch{"full": fixtureBatch(), "untouched": untouchedBatch(true), "orders": untouchedBatch(false), "loyal": loyalBatch(), "tested": testedBatch()} {
		if err := load(ctx, w, ws, b); err != nil {
			return toolkit.Deps{}, nil, err
		}
	}
	budgets, err := newSimulated(database) //nolint:contextcheck // the simulators outlive the call
	if err != nil {
		return toolkit.Deps{}, nil, err
	}
	deps := plainDeps(w, fixtureClock)
	deps.Models, deps.Experiments, deps.Keys = fixtureModels{}, fixtureExperiments{}, fixtureKeys{}
	deps.Budgets, deps.Records = budgets, &storedRecords{Store: budgets.store}
	return deps, budgets, nil
}

// plainDeps are the dependencies of a service that has only data and one clock.
func plainDeps(facts snapshot.Facts, clock func() time.Time) toolkit.Deps {
	return toolkit.Deps{
		Sources: snapshot.Sources{Facts: facts, Models: toolkittest.Nothing{}, Experiments: toolkittest.Nothing{}, Clock: clock, Now: clock},
		Keys:    toolkittest.Nothing{}, Hooks: toolkittest.Nothing{}, Accounts: toolkittest.Nothing{}, Calls: toolkittest.Nothing{}, Callers: toolkittest.Nothing{},
		Log: slog.New(slog.DiscardHandler),
	}
}

// fixtureDeps returns the dependencies of the service over the fixed store.
func fixtureDeps(tb testing.TB) toolkit.Deps {
	tb.Helper()
	deps, err := fixture()
	if err != nil {
		tb.Fatal(err)
	}
	return deps
}

var fixtureOnce = sync.OnceValues(func() (*toolkit.Service, error) {
	deps, err := fixture()
	if err != nil {
		return nil, err
	}
	return toolkit.NewService(deps, All())
})

func fixtureService(tb testing.TB) *toolkit.Service {
	tb.Helper()
	s, err := fixtureOnce()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// fixtureKeys are the keys of every workspace.
type fixtureKeys struct{}

func (fixtureKeys) Keys(context.Context, measure.WorkspaceID) ([]control.Key, error) {
	return []control.Key{
		{ID: "k1", Name: "assistant", Scopes: []control.Scope{control.ScopeRead}, ExpiresAt: fixtureNow.AddDate(0, 2, 0)},
		{ID: "k2", Name: "nightly job", Scopes: []control.Scope{control.ScopeRead}, ExpiresAt: fixtureNow.AddDate(0, 0, 3)},
	}, nil
}

func load(ctx context.Context, w *warehouse.Warehouse, ws measure.WorkspaceID, b *warehouse.Batch) error {
	i, err := w.Begin(ctx, warehouse.ImportSpec{Workspace: ws, Source: "fixture", File: "fixture.csv", FileHash: "f1", Base: "USD"})
	if err != nil {
		return err
	}
	defer i.Abort()
	if err := i.Add(ctx, b); err != nil {
		return err
	}
	_, err = i.Commit(ctx)
	return err
}

// fixtureBatch is nine months of data: several orders per day with weekly seasonality from four channels, and
// unattributed orders. It also contains reports of three platforms, coupons, refunds, an anomaly, and rows that must
// not be counted.
func fixtureBatch() *warehouse.Batch {
	b := &warehouse.Batch{}
	for day := fixtureFirst; !day.After(fixtureToday); day = day.AddDays(1) {
		n := day.Sub(fixtureFirst)
		for i := range fixtureOrders(day) {
			addOrder(b, day, n, i)
		}
		addReports(b, day, n)
	}
	addStates(b)
	addOddities(b)
	addAnswers(b)
	addMessages(b)
	addCreators(b)
	b.Targets = fixtureTargets()
	b.CouponMap = []warehouse.CouponChannel{{Code: "MIRA10", Channel: "influencer", Creator: "5c1f2a34-0000-4000-8000-000000000001"}}
	return b
}

// fixtureTargets returns past, current and future targets of every metric and period type.
func fixtureTargets() []warehouse.Target {
	goal := func(metric, period, start string, channel measure.Channel, value float64) warehouse.Target {
		return warehouse.Target{Metric: metric, Period: period, Start: civil.MustParse(start), Channel: channel, Value: value}
	}
	return []warehouse.Target{
		goal("revenue", "monthly", "2026-01-01", "", 14_000), goal("revenue", "monthly", "2026-02-01", "", 16_000),
		goal("revenue", "monthly", "2026-03-01", "", 15_000), goal("revenue", "monthly", "2026-04-01", "", 16_000),
		goal("revenue", "quarterly", "2026-01-01", "", 60_000), goal("orders", "weekly", "2026-03-09", "", 50),
		goal("orders", "daily", "2026-03-10", "", 7), goal("roas", "monthly", "2026-03-01", "", 3),
		goal("spend", "monthly", "2026-02-01", "facebook", 2_500), goal("spend", "monthly", "2026-03-01", "facebook", 2_000),
	}
}

var outlier = civil.MustParse("2026-02-20")

// fixtureOrders returns the number of orders on a day: weekly seasonality with noise.
func fixtureOrders(day civil.Date) int {
	n := day.Sub(fixtureFirst)
	count := []int{7, 6, 6, 8, 9, 11, 5}[int(day.Weekday())] + []int{0, 1, 0, 2, 1}[n%5]
	switch day {
	case outlier:
		return 3 * count
	case fixtureToday:
		return 2
	}
	return count
}

var fixtureChannels = []struct {
	channel  measure.Channel
	platform measure.Platform
	campaign string
}{
	{"facebook", measure.Facebook, "fb-1"},
	{"facebook", measure.Facebook, "fb-2"},
	{"google", measure.Google, "g-1"},
	{"email", "", ""},
	{"google", measure.Google, "g-2"},
	{"organic_search", "", ""},
	{"facebook", measure.Facebook, "fb-1"},
	{},
}

func addOrder(b *warehouse.Batch, day civil.Date, n, i int) {
	zone, err := time.LoadLocation(fixtureZone)
	if err != nil {
		panic(err)
	}
	ref := warehouse.OrderRef{Source: "shop", Key: fmt.Sprintf("%s-%02d", day, i)}
	at := civil.StartOf(day, zone).Add(time.Duration(8+i%12) * time.Hour)
	units := int64(1 + (n+i)%3)
	product := (n + 2*i) % len(fixtureProducts)
	net := units * fixtureProducts[product].Price
	var discount int64
	if (n+i)%9 == 0 {
		discount = net / 10
		code := "WELCOME"
		if n%2 == 0 {
			code = "MIRA10"
		}
		b.Coupons = append(b.Coupons, warehouse.OrderCoupon{OrderRef: ref, Code: code, Discount: discount})
	}
	charged := net - discount + net/20 + 500
	b.Orders = append(b.Orders, warehouse.Order{
		OrderRef: ref, Name: "#" + ref.Key, At: at, Day: day, Surface: measure.OnlineStore, Customer: fmt.Sprintf("c%03d", (n*7+i*13)%600),
		Charged: charged, Tax: net / 20, Shipping: 500, Discounts: discount, Original: money.Amount{Minor: charged, Currency: "USD"},
		Status: "paid", Country: "US", Region: "NY", Units: units,
	})
	b.Lines = append(b.Lines, warehouse.OrderLine{
		OrderRef: ref, Line: 1, SKU: fixtureProducts[product].SKU, Title: fixtureProducts[product].Title, Quantity: units,
		Net: net - discount, Discount: discount, Cost: units * fixtureProducts[product].Price / 3, CostKnown: product != 3,
	})
	if from := fixtureChannels[(n+3*i)%len(fixtureChannels)]; from.channel != "" {
		b.Touches = append(b.Touches, warehouse.Touch{
			OrderRef: ref, Seq: 1, At: at.Add(-time.Hour), Channel: from.channel, Platform: from.platform, Campaign: from.campaign, Kind: "click",
		})
	}
	if (n+i)%40 == 7 {
		b.Refunds = append(b.Refunds, warehouse.Refund{
			OrderRef: ref, Refund: "1", At: at.Add(72 * time.Hour), Day: earlier(day.AddDays(3), fixtureToday), Amount: charged / 2,
		})
	}
}

func earlier(a, b civil.Date) civil.Date {
	if b.Before(a) {
		return b
	}
	return a
}

var fixtureProducts = []warehouse.Product{
	{Source: "shop", SKU: "TEA-01", Title: "Green tea", Price: 1450},
	{Source: "shop", SKU: "TEA-02", Title: "Black tea", Price: 1290},
	{Source: "shop", SKU: "POT-01", Title: "Teapot, \"small\"", Price: 3900},
	{Source: "shop", SKU: "CUP-01", Title: "=CUP(1)", Price: 890},
	{Source: "shop", SKU: "BOX-01", Title: "Gift box", Price: 5200},
}

var fixtureCampaigns = []struct {
	platform measure.Platform
	id, name string
	ads      int
	spend    int64
}{
	{measure.Facebook, "fb-1", "Prospecting | broad", 2, 5200},
	{measure.Facebook, "fb-2", "Retargeting", 1, 2100},
	{measure.Google, "g-1", "Brand search", 1, 1800},
	{measure.Google, "g-2", "=SUM(1,2) shopping\nlist", 2, 3300},
	{measure.TikTok, "t-1", "Spark", 1, 1500},
}

var tiktokEnds = civil.MustParse("2026-03-01")

func addReports(b *warehouse.Batch, day civil.Date, n int) {
	for at, c := range fixtureCampaigns {
		if !day.Before(fixtureToday) || c.platform == measure.TikTok && day.After(tiktokEnds) {
			continue
		}
		for ad := range c.ads {
			spend := (c.spend + int64(n%7)*100) / int64(c.ads)
			b.AdDays = append(b.AdDays, warehouse.AdDay{
				Source: string(c.platform) + "_ads", Platform: c.platform, Account: "acc-1", Channel: measure.Channel(c.platform), Day: day,
				CampaignID: c.id, CampaignName: c.name, AdSetID: c.id + "-s", AdSetName: "All", AdID: fmt.Sprintf("%s-a%d", c.id, ad),
				AdName: fmt.Sprintf("Creative %d", ad+1), Country: "US", Impressions: spend * 2, Clicks: spend / 50, Spend: spend,
				Original: money.Amount{Minor: spend, Currency: "USD"}, Conversions: int64(1+at%2) * measure.Millionths,
				Value: spend * int64(2+at%3), Attribution: "7d_click",
			})
		}
	}
	if day.Weekday() == time.Monday {
		b.ChannelSpend = append(b.ChannelSpend, warehouse.ChannelSpend{Source: "manual", Channel: "podcast", Day: day, Spend: 20000})
	}
}

// addStates adds versions of campaigns and of an ad set. They contain a budget increase in the last 30 days, a pause,
// an older increase, and a campaign with only a status.
func addStates(b *warehouse.Batch) {
	add := func(platform measure.Platform, level measure.AdLevel, id, name, since, told string, status measure.AdStatus, budget measure.AdBudget) {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			panic(err)
		}
		s := measure.AdState{Platform: platform, Level: level, ID: id, Since: at, Account: "acc-1", Name: name, Told: told, Status: status, Budget: budget}
		if level != measure.AdCampaign {
			s.Campaign = "fb-1"
		}
		b.AdStates = append(b.AdStates, s)
	}
	daily := func(minor int64) measure.AdBudget {
		return measure.AdBudget{Value: minor, Unit: measure.BudgetMinor, Per: measure.PerDay}
	}
	add(measure.Facebook, measure.AdCampaign, "fb-1", "Prospecting | broad", "2026-01-01T06:00:00Z", "ACTIVE", measure.AdActive, daily(40_00))
	add(measure.Facebook, measure.AdCampaign, "fb-1", "Prospecting | broad", "2026-01-20T06:00:00Z", "ACTIVE", measure.AdActive, daily(50_00))
	add(measure.Facebook, measure.AdCampaign, "fb-1", "Prospecting | broad", "2026-02-24T15:30:00Z", "ACTIVE", measure.AdActive, daily(60_00))
	add(measure.Facebook, measure.AdCampaign, "fb-2", "Retargeting", "2026-01-01T06:00:00Z", "ACTIVE", measure.AdActive, daily(20_00))
	add(measure.Facebook, measure.AdCampaign, "fb-2", "Retargeting", "2026-03-02T09:00:00Z", "PAUSED", measure.AdPaused, daily(20_00))
	add(measure.Facebook, measure.AdSet, "fb-1-s", "All", "2026-01-01T06:00:00Z", "ACTIVE", measure.AdActive, measure.AdBudget{Per: measure.NoBudget})
	add(measure.Facebook, measure.AdSet, "fb-1-s", "All, but\nmail pat@example.com", "2026-03-01T09:00:00Z", "ACTIVE", measure.AdActive, measure.AdBudget{Per: measure.NoBudget})
	add(measure.Google, measure.AdCampaign, "g-1", "Brand search", "2026-02-01T00:00:00Z", "ENABLED", measure.AdActive, measure.AdBudget{})
}

// addOddities adds a refund without a date, a canceled order, a test order and an order with two codes.
func addOddities(b *warehouse.Batch) {
	day := civil.MustParse("2026-02-25")
	at := day.UTC().Add(17 * time.Hour)
	for i, key := range []string{"odd-refund", "odd-cancelled", "odd-test", "odd-coupons"} {
		ref := warehouse.OrderRef{Source: "shop", Key: key}
		b.Orders = append(b.Orders, warehouse.Order{
			OrderRef: ref, Name: "#" + key, At: at, Day: day, Surface: measure.Retail, Customer: "odd" + key, Charged: 10000, Tax: 500,
			Original: money.Amount{Minor: 10000, Currency: "USD"}, Status: "paid", Cancelled: i == 1, Test: i == 2, Units: 1,
		})
	}
	b.Refunds = append(b.Refunds, warehouse.Refund{
		OrderRef: warehouse.OrderRef{Source: "shop", Key: "odd-refund"}, Refund: "total", Day: day, Amount: 4000, DateUnknown: true,
	})
	for _, code := range []string{"WELCOME", "MIRA10"} {
		b.Coupons = append(b.Coupons, warehouse.OrderCoupon{OrderRef: warehouse.OrderRef{Source: "shop", Key: "odd-coupons"}, Code: code, Discount: 100})
	}
}

// untouchedBatch returns one order per day for ten weeks, without a channel, as some shops export orders. If the
// parameter ads is true, the batch also has campaign-level reports with a gap of two days.
func untouchedBatch(ads bool) *warehouse.Batch {
	b := &warehouse.Batch{}
	for day := fixtureToday.AddDays(-69); !day.After(fixtureToday); day = day.AddDays(1) {
		ref := warehouse.OrderRef{Source: "shop", Key: day.String()}
		b.Orders = append(b.Orders, warehouse.Order{
			OrderRef: ref, Name: "#" + ref.Key, At: day.UTC().Add(17 * time.Hour), Day: day, Surface: measure.OnlineStore, Customer: ref.Key,
			Charged: 5000, Original: money.Amount{Minor: 5000, Currency: "USD"}, Status: "paid", Units: 1,
		})
		if n := day.Sub(fixtureToday); !ads || n == 0 || n == -50 || n == -51 {
			continue
		}
		for _, platform := range []measure.Platform{measure.Facebook, measure.Google} {
			b.AdDays = append(b.AdDays, warehouse.AdDay{
				Source: string(platform) + "_ads", Platform: platform, Account: "acc-1", Channel: measure.Channel(platform), Day: day,
				CampaignID: string(platform) + "-1", CampaignName: "Always on", Impressions: 1000, Clicks: 20, Spend: 1000,
				Original: money.Amount{Minor: 1000, Currency: "USD"}, Conversions: measure.Millionths, Value: 2500,
			})
		}
	}
	return b
}

// openFacts opens a warehouse on a directory.
func openFacts(ctx context.Context, dir string) (*warehouse.Warehouse, error) {
	engine, err := duckdb.Open(ctx, duckdb.Options{Dir: dir, Clock: fixtureClock})
	if err != nil {
		return nil, err
	}
	return warehouse.New(engine), nil
}
