package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/internal/answer"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/creator"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// shop returns orders of consecutive days up to yesterday, n per day. The function edit changes each order.
func shop(days, n int, edit func(i int, o *warehouse.Order)) *warehouse.Batch {
	b := &warehouse.Batch{}
	for d := range days {
		for i := range n {
			at := d*n + i
			day := fixtureToday.AddDays(d - days)
			o := warehouse.Order{
				OrderRef: warehouse.OrderRef{Source: "shop", Key: fmt.Sprint(at)}, Day: day, At: day.UTC().Add(17 * 3_600_000_000_000),
				Surface: measure.OnlineStore, Customer: fmt.Sprintf("c%d", at), Charged: 2000, Units: 1,
			}
			if edit != nil {
				edit(at, &o)
			}
			b.Orders = append(b.Orders, o)
			b.Lines = append(b.Lines, warehouse.OrderLine{OrderRef: o.OrderRef, Line: 1, SKU: "A", Title: "A", Quantity: 1, Net: o.Charged, Cost: 500, CostKnown: true})
			b.Touches = append(b.Touches, warehouse.Touch{OrderRef: o.OrderRef, Seq: 1, At: o.At, Channel: "facebook", Platform: measure.Facebook, Campaign: "c", Kind: "click"})
			b.Surveys = append(b.Surveys, warehouse.SurveyResponse{
				Source: "survey", Key: o.Key, OrderRef: o.OrderRef, At: o.At, Day: o.Day, Question: "discovery_channel", Answer: "an ad", Channel: "facebook",
			})
		}
	}
	return b
}

// advertised adds an ad report for each of the 60 days before the current day.
func advertised(b *warehouse.Batch, spend, conversions int64) *warehouse.Batch {
	for d := range 60 {
		day := fixtureToday.AddDays(d - 60)
		b.AdDays = append(b.AdDays, warehouse.AdDay{
			Source: "facebook_ads", Platform: measure.Facebook, Account: "a", Channel: "facebook", Day: day, CampaignID: "c", CampaignName: "C", Spend: spend,
			Conversions: conversions, Value: conversions,
		})
	}
	return b
}

// refunded adds a full refund of each order.
func refunded(b *warehouse.Batch) *warehouse.Batch {
	for _, o := range b.Orders {
		b.Refunds = append(b.Refunds, warehouse.Refund{OrderRef: o.OrderRef, Refund: "1", Day: o.Day, At: o.At, Amount: o.Charged})
	}
	return b
}

// loyalAs returns the orders of the store "loyal" with other amounts.
func loyalAs(charged func(i int) int64) *warehouse.Batch {
	b := loyalBatch()
	for i := range b.Orders {
		b.Orders[i].Charged = charged(i)
		b.Lines[i].Net = b.Orders[i].Charged
	}
	return b
}

// oddStores returns stores in which a total is zero or a group has at most one member.
func oddStores() map[measure.WorkspaceID]*warehouse.Batch {
	creators := &warehouse.Batch{}
	creators.Creators = []warehouse.Creator{{Source: "creators", ID: "5c1f2a34-0000-4000-8000-000000000001", Name: "Mira"}}
	creators.CreatorCodes = []warehouse.CreatorCode{{Creator: creators.Creators[0].ID, Code: "MIRA"}}
	free := func(_ int, o *warehouse.Order) { o.Charged = 0 }
	return map[measure.WorkspaceID]*warehouse.Batch{
		"one order":            shop(1, 1, nil),
		"one customer":         shop(60, 2, func(_ int, o *warehouse.Order) { o.Customer = "c" }),
		"guests":               shop(60, 2, func(_ int, o *warehouse.Order) { o.Customer = "" }),
		"one day":              shop(1, 50, nil),
		"one day with ads":     advertised(shop(1, 50, nil), 1000, 1_000_000),
		"all refunded":         refunded(advertised(shop(60, 4, nil), 1000, 1_000_000)),
		"no spend":             advertised(shop(60, 4, nil), 0, 0),
		"free orders":          advertised(shop(60, 4, free), 1000, 1_000_000),
		"free and no spend":    advertised(shop(60, 4, free), 0, 0),
		"cancelled":            shop(60, 2, func(_ int, o *warehouse.Order) { o.Cancelled = true }),
		"ads only":             advertised(&warehouse.Batch{}, 1000, 0),
		"ads without spend":    advertised(&warehouse.Batch{}, 0, 0),
		"creators only":        creators,
		"regulars":             shop(200, 3, func(i int, o *warehouse.Order) { o.Customer = fmt.Sprintf("c%d", i%250) }),
		"returning for free":   loyalAs(func(int) int64 { return 0 }),
		"returning, one price": loyalAs(func(int) int64 { return 2500 }),
		"returning, one paid":  loyalAs(func(i int) int64 { return int64(1 / (i + 1) * 2500) }),
		"returning, one whale": loyalAs(func(i int) int64 { return 1 + int64(1/(i+1))*1_000_000_000_000 }),
		"returning, refunded":  refunded(loyalBatch()),
		"surface totals": {SurfaceDays: []warehouse.SurfaceDayTotal{
			{Source: "till", Day: fixtureToday.AddDays(-3), Surface: measure.Retail, Orders: 0, Charged: 0},
			{Source: "till", Day: fixtureToday.AddDays(-2), Surface: measure.Retail, Orders: 3, NewOrders: 1, Charged: 1000, Refunds: 1000},
		}},
		"one message": {Messages: []warehouse.MessageDay{
			{Source: "mailer", Channel: "email", Entity: "campaign", EntityID: "1", EntityName: "A", MessageID: "1", Day: fixtureToday.AddDays(-2)},
		}},
		"refund alone": {Refunds: []warehouse.Refund{
			{OrderRef: warehouse.OrderRef{Source: "shop", Key: "gone"}, Refund: "1", Day: fixtureToday.AddDays(-2), Amount: 100},
		}},
	}
}

// oddService is the service over the odd stores. [oddSession] loads each store when a test needs it.
var oddService = sync.OnceValues(func() (*toolkit.Service, error) {
	facts, err := openFacts(context.Background(), fixtureDir+"/odd")
	if err != nil {
		return nil, err
	}
	for _, name := range oddNames() {
		oddLoads[name] = sync.OnceValue(func() error { return load(context.Background(), facts, oddID(name), oddStores()[name]) })
	}
	return toolkit.NewService(plainDeps(facts, fixtureClock), All())
})

// oddLoads loads a store by its name. [oddService] fills it.
var oddLoads = map[measure.WorkspaceID]func() error{}

// oddSession loads the store and returns a session of its reader.
func oddSession(t *testing.T, name measure.WorkspaceID) mcp.Session {
	t.Helper()
	service, err := oddService()
	if err != nil {
		t.Fatal(err)
	}
	if err := oddLoads[name](); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return service.Session(reader(newWorkspace(oddID(name))), "r1")
}

func oddNames() []measure.WorkspaceID { return slices.Sorted(maps.Keys(oddStores())) }

// oddID returns the workspace of a store: the position of its name in the sorted names.
func oddID(name measure.WorkspaceID) measure.WorkspaceID {
	return measure.WorkspaceID(fmt.Sprintf("odd%d", slices.Index(oddNames(), name)))
}

// notNumbers matches the text that Go writes for infinite and undefined floats.
var notNumbers = regexp.MustCompile(`\bNaN\b|[+-]?\bInf\b`)

// choices lists the calls of a tool with each value of each enum parameter.
func choices(t *testing.T, tool toolkit.Tool) (calls []map[string]any) {
	t.Helper()
	var schema struct {
		Properties map[string]struct {
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(tool.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	calls = []map[string]any{{}}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if name == "detail_level" || name == "format" {
			continue
		}
		for _, value := range schema.Properties[name].Enum {
			calls = append(calls, map[string]any{name: value})
		}
	}
	switch tool.Name {
	case Performance.Name:
		for _, model := range append(measure.Models(), measure.Fitted()...) {
			calls = append(calls, map[string]any{"model": string(model)})
		}
	case Compare.Name:
		calls = append(calls, map[string]any{"include_channels": true})
	}
	return calls
}

// In an odd store, some totals are too small or too uniform to divide by. Every tool still answers with numbers.
func TestOddStoresHaveAnswersInNumbers(t *testing.T) {
	t.Parallel()
	for i, name := range oddNames() {
		if testing.Short() && i%48 > 0 {
			continue
		}
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			s := oddSession(t, name)
			for _, tool := range All() {
				if tool.Writes {
					continue
				}
				for _, choice := range choices(t, tool) {
					for _, format := range []string{"json", "csv"} {
						choice["detail_level"], choice["format"] = "debug", format
						args := argumentsOf(tool.Name, choice)
						r := callAs(t, s, tool.Name, args)
						text := r.Content[0].Text
						if notNumbers.MatchString(text) || r.IsError && strings.Contains(text, "internal error") {
							t.Errorf("%s %s: %s", tool.Name, args, text)
						}
					}
				}
			}
		})
	}
}

func TestSummariesOfOddStoresAreSentences(t *testing.T) {
	t.Parallel()
	day := func(before int) string { return fixtureToday.AddDays(-before).String() }
	compared := fmt.Sprintf(`{"period1_start":%q,"period1_end":%q,"period2_start":%q,"period2_end":%q}`, day(2), day(2), day(1), day(1))
	for _, c := range []struct {
		store      measure.WorkspaceID
		tool, args string
		want, not  string
	}{
		{"free orders", "omnichannel", `{}`, "1 surface had revenue of", "of this revenue"},
		{"refund alone", "lifecycle", `{}`, "No orders were placed", "0.0%"},
		{"one order", "performance", `{}`, "(1 order)", "1 orders"},
		{"one order", "compare", compared, " (1 day)", "1 days"},
		{"one order", "customers", `{"view":"journeys"}`, "1 order ", "1 orders"},
		{"one order", "customers", `{}`, " of 1 order ", "1 orders"},
	} {
		var a struct{ Summary string }
		if err := json.Unmarshal(callAs(t, oddSession(t, c.store), c.tool, c.args).StructuredContent, &a); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(a.Summary, c.want) || strings.Contains(a.Summary, c.not) {
			t.Errorf("%s of the store %q: %q, want it with %q and without %q", c.tool, c.store, a.Summary, c.want, c.not)
		}
	}
}

func TestTitlesStartWithACapitalLetter(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"": "", "new": "New", "360 Magazine": "360 Magazine", "Podcast": "Podcast", "écoute": "Écoute"} {
		if got := title(word); got != want {
			t.Errorf("title of %q is %q, want %q", word, got, want)
		}
	}
}

func TestCreatorIntervalsOfNegativeRevenueAreOrdered(t *testing.T) {
	t.Parallel()
	// An order with the creator's code has revenue of $20 and a refund of $100. Its value is -$80 net of refunds.
	e := snapshot.CreatorEstimate{Revenue: -160_00, Value: -80_00}
	e.Orders.Value, e.Orders.Low, e.Orders.High = 2, 1, 4
	e.Cost, e.CostKnown = 100_00, true
	call := &toolkit.Call{}
	call.Figures = answer.Figures{Currency: "USD"}
	row := creatorRowOf(call, creator.Rates{}, e)
	if *row.RevenueLow != -320 || *row.RevenueHigh != -80 {
		t.Errorf("interval of the revenue is %v to %v, want -320 to -80", *row.RevenueLow, *row.RevenueHigh)
	}
	if *row.ROILow > *row.ROI || *row.ROI > *row.ROIHigh {
		t.Errorf("ROI is %v with the interval %v to %v, want it inside", *row.ROI, *row.ROILow, *row.ROIHigh)
	}
}
