package warehousetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// at sets the clock.
func (on trial) at(text string) { *on.now = instant(text) }

// file returns the specification of an import of the file with this name.
func file(name string) warehouse.ImportSpec {
	return warehouse.ImportSpec{Source: "test", File: name, FileHash: name}
}

// sold returns an order of the online store on a day.
func sold(key, day string, charged int64) warehouse.Order {
	return warehouse.Order{
		OrderRef: ref(key), At: instant(day + "T17:00:00Z"), Day: date(day), Surface: measure.OnlineStore, Charged: charged, Units: 1,
	}
}

func ordersOf(orders ...warehouse.Order) warehouse.Batch { return warehouse.Batch{Orders: orders} }

func (on trial) changes() []measure.DayChange {
	on.t.Helper()
	return answer[[]measure.DayChange](on.t)(on.w.DayChanges(on.t.Context(), shop, 0, 0))
}

// lateChanges imports an order with two corrections and a report with a day that becomes empty, and forgets a customer.
func lateChanges(on trial) {
	t, w := on.t, on.w
	on.at("2026-01-12T09:00:00Z")
	first := sold("1", "2026-01-10", 100_00)
	first.Customer = "c1"
	again := sold("2", "2026-01-11", 20_00)
	again.Customer = "c1"
	window := warehouse.AdWindow{Source: "googleads", Platform: measure.Google, Account: "123", Days: period("2026-01-10", "2026-01-11")}
	report := file("report.csv")
	report.Replace = []warehouse.AdWindow{window}
	load(t, w, file("orders.csv"), ordersOf(first, again))
	load(t, w, report, warehouse.Batch{AdDays: []warehouse.AdDay{ad("g1", "Brand", "2026-01-10", 10_00, 1_500_000, 90_00), ad("g1", "Brand", "2026-01-11", 5_00, 0, 0)}})
	same(t, "changes of what came once", 0, len(on.changes()))

	on.at("2026-01-14T09:00:00Z")
	first.Charged, first.UpdatedAt = 90_00, instant("2026-01-13T00:00:00Z")
	load(t, w, file("orders-2.csv"), ordersOf(first, again))
	on.at("2026-01-20T09:00:00Z")
	first.Charged, first.UpdatedAt = 70_00, instant("2026-01-19T00:00:00Z")
	load(t, w, file("orders-3.csv"), ordersOf(first, again))
	report.File, report.FileHash = "report-2.csv", "report-2.csv"
	load(t, w, report, warehouse.Batch{AdDays: []warehouse.AdDay{ad("g1", "Brand", "2026-01-10", 10_00, 1_500_000, 90_00)}})
	got := on.changes()
	if len(got) != 2 {
		t.Fatalf("%d changes, want the report of the 11th and the order of the 10th: %+v", len(got), got)
	}
	same(t, "newest first", []measure.DayPart{
		{Day: date("2026-01-11"), Kind: measure.SpendTotals, Name: "google"}, {Day: date("2026-01-10"), Kind: measure.OrderTotals, Name: "online_store"},
	}, []measure.DayPart{got[0].First.DayPart, got[1].Now.DayPart})
	same(t, "the report is gone", []any{int64(5_00), false, true, "report-2.csv"}, []any{got[0].First.Spend, got[0].First.Gone, got[0].Now.Gone, got[0].Now.File})
	same(t, "the order", []any{int64(100_00), int64(70_00), 2, "orders.csv", "orders-3.csv"},
		[]any{got[1].First.Sums.Charged, got[1].Now.Sums.Charged, got[1].Changes, got[1].First.File, got[1].Now.File})
	same(t, "when", instant("2026-01-20T09:00:00Z"), got[1].Now.At.UTC())
	page := answer[[]measure.DayChange](t)(w.DayChanges(t.Context(), shop, 1, 1))
	same(t, "the second page of one", got[1:], page)

	for _, c := range []struct {
		at   string
		want []int64
	}{{"2026-01-12T08:59:59Z", nil}, {"2026-01-12T09:00:00Z", []int64{100_00, 20_00}}, {"2026-01-14T09:00:00Z", []int64{90_00, 20_00}}, {"2026-03-01T00:00:00Z", []int64{70_00, 20_00}}} {
		var charged []int64
		for _, v := range answer[[]measure.DayVersion](t)(w.DaysAsOf(t.Context(), shop, january, instant(c.at))) {
			if v.Kind == measure.OrderTotals {
				charged = append(charged, v.Sums.Charged)
			}
		}
		same(t, "charged as of "+c.at, c.want, charged)
	}
	for imported, want := range map[civil.Range][]any{
		period("2026-01-20", "2026-01-20"): {2, period("2026-01-10", "2026-01-11"), error(nil)},
		period("2026-01-12", "2026-01-14"): {1, period("2026-01-10", "2026-01-10"), error(nil)},
		period("2026-01-15", "2026-01-19"): {0, civil.Range{}, error(nil)},
		period("2026-01-21", "2026-01-31"): {0, civil.Range{}, error(nil)},
	} {
		parts, days, err := w.LateChanges(t.Context(), shop, imported)
		same(t, "changed by imports of "+imported.First.String(), want, []any{parts, days, err})
	}

	on.at("2026-01-21T09:00:00Z")
	if _, err := w.Forget(t.Context(), shop, "USD", "c1"); err != nil {
		t.Fatal(err)
	}
	after := on.changes()
	if len(after) != 2 {
		t.Fatalf("%d changes after the customer is forgotten, want 2: %+v", len(after), after)
	}
	same(t, "a customer who is forgotten takes no history along", got[1].First, after[1].First)
	same(t, "an anonymous order is no customer's first", []any{whole(1), int64(0), "forget"},
		[]any{after[1].First.Sums.NewOrders, after[1].Now.Sums.NewOrders, after[1].Now.Source})
}

// growingDay imports sales throughout a day in New York, which ends after midnight in UTC.
func growingDay(on trial) {
	t, w := on.t, on.w
	feed := warehouse.ImportSpec{Feed: true, Zone: fixedZone(-5)}
	for i, at := range []string{"2026-01-10T15:00:00Z", "2026-01-10T18:00:00Z", "2026-01-11T03:30:00Z"} {
		on.at(at)
		load(t, w, feed, ordersOf(sold(fmt.Sprint(i), "2026-01-10", 10_00)))
	}
	same(t, "changes of a day that is not over", 0, len(on.changes()))
	on.at("2026-01-11T08:00:00Z")
	load(t, w, feed, ordersOf(sold("late", "2026-01-10", 7_00)))
	got := on.changes()
	if len(got) != 1 {
		t.Fatalf("%d changes, want 1: %+v", len(got), got)
	}
	same(t, "the day", []any{int64(30_00), int64(37_00), 1, date("2026-01-10"), date("2026-01-11")},
		[]any{got[0].First.Sums.Charged, got[0].Now.Sums.Charged, got[0].Changes, got[0].First.Seen, got[0].Now.Seen})
	versions := answer[[]measure.DayVersion](t)(w.DayVersions(t.Context(), shop, period("2026-01-10", "2026-01-10")))
	same(t, "versions", 4, len(versions))
}

// firstOfDay imports an order of January 10 repeatedly. Days are in the time zone of New York.
func firstOfDay(on trial) {
	t, w := on.t, on.w
	webhooks := warehouse.ImportSpec{Feed: true, Zone: fixedZone(-5), File: warehouse.WebhooksFile}
	run := warehouse.ImportSpec{Feed: true, Zone: fixedZone(-5), File: warehouse.TapRunFile}
	file := warehouse.ImportSpec{Zone: fixedZone(-5), File: warehouse.TapRunFile}
	order := ordersOf(sold("1", "2026-01-10", 10_00))
	on.at("2026-01-10T15:00:00Z")
	load(t, w, webhooks, order)
	for _, c := range []struct {
		at           string
		spec         warehouse.ImportSpec
		batches      []warehouse.Batch
		more         uint64
		webhook, run string
	}{
		{"2026-01-11T04:59:00Z", webhooks, []warehouse.Batch{order}, 0, "2026-01-11T04:59:00Z", ""},
		{"2026-01-11T05:00:00Z", webhooks, []warehouse.Batch{order}, 1, "2026-01-11T05:00:00Z", ""},
		{"2026-01-11T05:01:00Z", webhooks, []warehouse.Batch{order}, 0, "2026-01-11T05:01:00Z", ""},
		{"2026-01-11T05:02:00Z", run, nil, 1, "2026-01-11T05:01:00Z", "2026-01-11T05:02:00Z"},
		{"2026-01-11T05:03:00Z", run, nil, 0, "2026-01-11T05:01:00Z", "2026-01-11T05:03:00Z"},
		{"2026-01-11T05:04:00Z", file, []warehouse.Batch{order}, 0, "2026-01-11T05:01:00Z", "2026-01-11T05:03:00Z"},
	} {
		before := version(t, w)
		on.at(c.at)
		load(t, w, c.spec, c.batches...)
		same(t, "versions at "+c.at, c.more, version(t, w)-before)
		coverage := answer[warehouse.Coverage](t)(w.Coverage(t.Context(), shop))
		same(t, "last webhook at "+c.at, instant(c.webhook), coverage.LastWebhook.UTC())
		if c.run == "" {
			same(t, "last run at "+c.at, time.Time{}, coverage.LastTapRun)
			continue
		}
		same(t, "last run at "+c.at, instant(c.run), coverage.LastTapRun.UTC())
	}
}

func feedWithinAnHour(on trial) {
	t, w := on.t, on.w
	feed := warehouse.ImportSpec{Feed: true}
	charged := func() (of []int64) {
		t.Helper()
		for _, v := range answer[[]measure.DayVersion](t)(w.DayVersions(t.Context(), shop, january)) {
			of = append(of, v.Sums.Charged)
		}
		return of
	}
	order := sold("1", "2026-01-10", 10_00)
	change := func(at string, to int64, spec warehouse.ImportSpec) {
		t.Helper()
		on.at(at)
		order.Charged, order.UpdatedAt = to, instant(at)
		load(t, w, spec, ordersOf(order))
	}
	change("2026-01-12T09:05:00Z", 10_00, feed)
	change("2026-01-12T09:10:00Z", 11_00, feed)
	same(t, "an hour", []int64{11_00}, charged())
	change("2026-01-12T10:10:00Z", 12_00, feed)
	change("2026-01-12T10:20:00Z", 11_00, feed)
	same(t, "an hour after which the day is as before", []int64{11_00}, charged())
	change("2026-01-12T10:30:00Z", 13_00, file("a.csv"))
	change("2026-01-12T10:40:00Z", 14_00, feed)
	change("2026-01-12T10:50:00Z", 15_00, feed)
	same(t, "a file between the messages of an hour", []int64{11_00, 13_00, 15_00}, charged())
	on.at("2026-01-12T10:55:00Z")
	order.Cancelled, order.UpdatedAt = true, instant("2026-01-12T10:55:00Z")
	load(t, w, feed, ordersOf(order, sold("2", "2026-01-11", 5_00)))
	gone := sold("2", "2026-01-11", 5_00)
	gone.Cancelled, gone.UpdatedAt = true, instant("2026-01-12T10:56:00Z")
	load(t, w, feed, ordersOf(gone))
	same(t, "a day that came and went within the hour has no history", []int64{11_00, 13_00, 0}, charged())
}

// looks imports unchanged data again. No figure changes, but the history records that the import contained the days.
func looks(on trial) {
	t, w := on.t, on.w
	on.at("2026-01-12T09:00:00Z")
	report := warehouse.ImportSpec{Replace: []warehouse.AdWindow{{Source: "googleads", Platform: measure.Google, Account: "123", Days: period("2026-01-01", "2026-01-11")}}}
	ads := warehouse.Batch{AdDays: []warehouse.AdDay{ad("g1", "Brand", "2026-01-10", 10_00, 0, 0)}}
	orders := ordersOf(sold("1", "2026-01-10", 10_00), sold("2", "2026-01-11", 5_00))
	all := func(kind measure.TotalsKind) []measure.Look {
		versions, looks, err := w.Settling(t.Context(), shop, kind, january)
		if err != nil {
			t.Fatal(err)
		}
		if len(versions) == 0 || versions[0].Seen != date("2026-01-12") {
			t.Errorf("versions of %s: %+v", kind, versions)
		}
		return looks
	}
	load(t, w, report, ads)
	load(t, w, warehouse.ImportSpec{}, orders)
	same(t, "looks at what is new", 0, len(all(measure.OrderTotals))+len(all(measure.SpendTotals)))
	on.at("2026-02-01T09:00:00Z")
	load(t, w, report, ads)
	load(t, w, report, ads)
	load(t, w, warehouse.ImportSpec{}, orders)
	seen := date("2026-02-01")
	same(t, "a report", []measure.Look{{Kind: measure.SpendTotals, Name: "google", Seen: seen, Days: period("2026-01-01", "2026-01-11")}}, all(measure.SpendTotals))
	same(t, "an export", []measure.Look{{Kind: measure.OrderTotals, Name: "online_store", Seen: seen, Days: period("2026-01-10", "2026-01-11")}}, all(measure.OrderTotals))
	load(t, w, warehouse.ImportSpec{Feed: true}, ordersOf(sold("3", "2026-02-01", 5_00)))
	same(t, "a message", []measure.Look{{Kind: measure.OrderTotals, Name: "online_store", Seen: seen, Days: period("1900-01-01", "2199-12-31")}}, all(measure.OrderTotals))
	renamed := warehouse.Batch{AdDays: []warehouse.AdDay{ad("g1", "Brand, renamed", "2026-01-10", 10_00, 0, 0)}}
	same(t, "rows of a campaign renamed", int64(1), load(t, w, report, renamed).Tables["ad_days"].Updated)
	same(t, "changes", 0, len(on.changes()))
}

// platformDay identifies the report of a platform for a day.
type platformDay struct {
	platform measure.Platform
	day      civil.Date
}

// snapshot contains the totals of the store after an import.
type snapshot struct {
	at    time.Time
	feed  bool
	state map[measure.DayPart]measure.DayTotals
}

// historyReplayed makes random imports of every kind at random times and records the roll-ups after each import. At the
// end, the history must return each recorded state.
func historyReplayed(on trial) {
	if testing.Short() {
		on.t.Skip("a long series")
	}
	t, w := on.t, on.w
	rng := rand.New(rand.NewPCG(5, 9))
	store := newRandomStore(5, 60)
	store.rest.AdDays = nil
	reports := map[platformDay]measure.DayTotals{}
	*on.now = instant("2026-02-01T00:30:00Z")
	var taken []snapshot
	take := func(spec warehouse.ImportSpec, b warehouse.Batch) {
		t.Helper()
		load(t, w, spec, b)
		taken = append(taken, snapshot{at: *on.now, feed: spec.Feed, state: rolledUp(on, reports)})
		*on.now = on.now.Add([]time.Duration{0, time.Minute, 13 * time.Minute, 5 * time.Hour, 40 * time.Hour}[rng.IntN(5)])
	}
	take(file("all"), store.batch())
	for i := range 9 {
		spec := file(fmt.Sprint("file ", i))
		if rng.IntN(2) == 0 {
			spec = warehouse.ImportSpec{Feed: true}
		}
		switch kind := rng.IntN(6); kind {
		case 0, 1, 2:
			take(spec, store.change(1+rng.IntN(4)))
		case 3, 4:
			window, b := randomReport(rng, store.days, reports)
			spec.Feed, spec.Replace = false, []warehouse.AdWindow{window}
			take(spec, b)
		default:
			if _, err := w.Forget(t.Context(), shop, "USD", fmt.Sprintf("c%d", rng.IntN(100))); err != nil {
				t.Fatal(err)
			}
			taken = append(taken, snapshot{at: *on.now, state: rolledUp(on, reports)})
			*on.now = on.now.Add(time.Minute)
		}
	}
	compared := 0
	for i, s := range taken {
		if outlived(taken, i) {
			continue
		}
		compared++
		got := map[measure.DayPart]measure.DayTotals{}
		for _, v := range answer[[]measure.DayVersion](t)(w.DaysAsOf(t.Context(), shop, everyDay, s.at)) {
			got[v.DayPart] = v.DayTotals
		}
		same(t, fmt.Sprintf("days as of import %d, %s", i, s.at), s.state, got)
	}
	if compared < 5 {
		t.Errorf("only %d of %d states could be compared", compared, len(taken))
	}
}

var everyDay = period("2025-11-01", "2026-06-30")

// outlived reports whether the history cannot return the state after import i. This is the case if another import is at
// the same instant, or if a feed changed the state again within the hour.
func outlived(taken []snapshot, i int) bool {
	hour := func(s snapshot) time.Time { return s.at.Truncate(time.Hour) }
	feeding := slices.ContainsFunc(taken[:i+1], func(s snapshot) bool { return s.feed && hour(s).Equal(hour(taken[i])) })
	return slices.ContainsFunc(taken[i+1:], func(s snapshot) bool {
		return s.at.Equal(taken[i].at) || feeding && s.feed && hour(s).Equal(hour(taken[i]))
	})
}

// randomReport creates a report of a platform for a few days, some of them empty, and records its content.
func randomReport(rng *rand.Rand, days civil.Range, reports map[platformDay]measure.DayTotals) (warehouse.AdWindow, warehouse.Batch) {
	platform := []measure.Platform{measure.Google, measure.TikTok}[rng.IntN(2)]
	first := days.First.AddDays(rng.IntN(days.Days() - 8))
	window := warehouse.AdWindow{Source: "test", Platform: platform, Account: "1", Days: civil.Range{First: first, Last: first.AddDays(rng.IntN(8))}}
	var b warehouse.Batch
	for day := window.Days.First; !day.After(window.Days.Last); day = day.AddDays(1) {
		at := platformDay{platform, day}
		delete(reports, at)
		for i := range rng.IntN(3) {
			a := ad(fmt.Sprint(i), "Brand", day.String(), rng.Int64N(3)*1000, rng.Int64N(3)*500_000, rng.Int64N(3)*700)
			a.Source, a.Platform, a.Account, a.Channel = window.Source, platform, window.Account, measure.Channel(platform)
			b.AdDays = append(b.AdDays, a)
			reported := reports[at]
			reports[at] = measure.DayTotals{
				Spend: reported.Spend + a.Spend, Impressions: reported.Impressions + a.Impressions, Clicks: reported.Clicks + a.Clicks,
				Claimed: reported.Claimed + a.Conversions, ClaimedSum: reported.ClaimedSum + a.Value,
			}
		}
	}
	return window, b
}

// rolledUp returns the totals of all days from the roll-ups of orders and the latest reports.
func rolledUp(on trial, reports map[platformDay]measure.DayTotals) map[measure.DayPart]measure.DayTotals {
	on.t.Helper()
	state := map[measure.DayPart]measure.DayTotals{}
	for _, d := range answer[[]measure.SalesDay](on.t)(on.w.SurfaceDays(on.t.Context(), shop, everyDay)) {
		state[measure.DayPart{Day: d.Day, Kind: measure.OrderTotals, Name: string(d.Surface)}] = measure.DayTotals{Sums: d.Sums}
	}
	for at, reported := range reports {
		state[measure.DayPart{Day: at.day, Kind: measure.SpendTotals, Name: string(at.platform)}] = reported
	}
	return state
}
