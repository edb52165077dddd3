package toolkit_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/answer"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/reportlag"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

var today = civil.MustParse("2026-03-10")

func day(text string) civil.Date { return civil.MustParse(text) }

func days(first, last string) civil.Range { return civil.Range{First: day(first), Last: day(last)} }

// callOf is a call on a store with orders from January 1 to March 9 and the reports of two platforms.
func callOf() *toolkit.Call {
	return &toolkit.Call{
		Snapshot: &snapshot.Snapshot{
			State: snapshot.State{Today: today, Workspace: control.Workspace{ID: "shop", Currency: "USD", Zone: "UTC"}},
			Store: snapshot.Contents{
				Coverage: warehouse.Coverage{Orders: 9, OrderDays: days("2026-01-01", "2026-03-09"), AdDays: days("2026-01-01", "2026-03-09"), Version: 7},
				Channels: []warehouse.ChannelVolume{
					{Channel: "facebook", Credited: 1, SpendDays: 3}, {Channel: "email", Credited: 1}, {Channel: measure.Unattributed, Credited: 1},
				},
				Sources: []warehouse.SourceState{
					{Source: "shopify_orders", Kind: snapshot.FromOrders, Rows: 9, Days: days("2026-01-01", "2026-03-09")},
					{Source: "meta_ads", Kind: snapshot.FromAds, Platform: measure.Facebook, Rows: 8, Days: days("2026-01-01", "2026-03-09")},
					{Source: "google_ads", Kind: snapshot.FromAds, Platform: measure.Google, Rows: 7, Days: days("2026-01-01", "2026-03-09")},
				},
			},
		},
		Writer:    answer.Writer{Figures: answer.Figures{Currency: "USD"}},
		Principal: auth.Principal{Scopes: []control.Scope{control.ScopeRead}},
		Tools:     []toolkit.Spec{{Name: "performance"}, {Name: "diagnose"}, {Name: "discover"}},
	}
}

func codes(a answer.Closing) (codes []answer.WarningCode) {
	for _, w := range a.Warnings {
		codes = append(codes, w.Code)
	}
	return codes
}

// warned returns the codes of the warnings that a function adds.
func warned(warn func(*answer.Closing)) []answer.WarningCode {
	var a answer.Closing
	warn(&a)
	return codes(a)
}

func check(t *testing.T, what string, want, got []answer.WarningCode) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: warnings %q, want %q", what, got, want)
	}
}

// A report is stale when it ends inside the window and more than two days before today.
func TestStaleReports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		last   string // last day of both reports
		window civil.Range
		stale  bool
	}{
		{"2026-03-07", days("2026-03-01", "2026-03-10"), true},
		{"2026-03-08", days("2026-03-01", "2026-03-10"), false},
		{"2026-03-04", days("2026-03-01", "2026-03-05"), true},
		{"2026-03-05", days("2026-03-01", "2026-03-05"), false},
		{"2026-03-01", days("2026-03-01", "2026-03-05"), true},
		{"2026-02-28", days("2026-03-01", "2026-03-05"), false}, // the report ends before the window
	} {
		call := callOf()
		for i := range call.Store.Sources {
			call.Store.Sources[i].Days.Last = day(c.last)
		}
		var a answer.Closing
		call.WarnStale(&a, c.window)
		want := []answer.WarningCode{answer.WarnSourceStale}
		if !c.stale {
			want = nil
		}
		check(t, c.last+" in "+c.window.String(), want, codes(a))
		if c.stale && (!strings.Contains(a.Warnings[0].Text, "meta_ads ("+c.last) || !strings.Contains(a.Warnings[0].Text, "google_ads") || strings.Contains(a.Warnings[0].Text, "shopify")) {
			t.Errorf("%q does not name the two reports", a.Warnings[0].Text)
		}
	}
}

func TestDaysThatAreNotOverOrMissing(t *testing.T) {
	t.Parallel()
	call := callOf()
	for window, want := range map[civil.Range][]answer.WarningCode{
		days("2026-03-01", "2026-03-10"): {answer.WarnPartialDay}, days("2026-03-01", "2026-03-09"): nil, days("2026-03-11", "2026-03-12"): nil,
	} {
		check(t, "partial "+window.String(), want, warned(func(a *answer.Closing) { call.WarnPartial(a, window) }))
	}
	for window, want := range map[civil.Range][]answer.WarningCode{
		days("2026-01-31", "2026-03-01"): nil,                    // the previous 30 days begin on January 1
		days("2026-01-30", "2026-02-28"): {answer.WarnDataStart}, // the previous 30 days begin a day before January 1
		days("2025-12-01", "2026-01-01"): {answer.WarnDataStart}, // the window ends on the store's first day
		days("2025-12-01", "2025-12-31"): nil,                    // the window ends before the store's first day
	} {
		check(t, "start "+window.String(), want, warned(func(a *answer.Closing) { call.WarnBefore(a, window, false) }))
	}
	for last, want := range map[string][]answer.WarningCode{
		"2026-03-09": nil, "2026-03-08": {answer.WarnDataEnd}, "2026-03-01": {answer.WarnDataEnd}, "2026-02-28": {answer.WarnDataEnd},
	} {
		call.Store.OrderDays.Last = day(last)
		check(t, "end "+last, want, warned(func(a *answer.Closing) { call.WarnDays(a, days("2026-03-01", "2026-03-09"), 0, false) }))
	}
	call.Store.OrderDays.Last = day("2026-03-08")
	check(t, "end of a past window", nil, warned(func(a *answer.Closing) { call.WarnDays(a, days("2026-03-01", "2026-03-08"), 0, false) }))
	check(t, "end before today alone", []answer.WarningCode{answer.WarnPartialDay}, warned(func(a *answer.Closing) {
		call.WarnDays(a, days("2026-03-10", "2026-03-10"), 0, false)
	}))
	call.Store.OrderDays = civil.Range{}
	check(t, "no orders", nil, warned(func(a *answer.Closing) {
		call.WarnDays(a, days("2026-03-01", "2026-03-08"), 0, false)
		call.WarnBefore(a, days("2026-03-01", "2026-03-08"), false)
	}))
	full := callOf()
	check(t, "an explicit window", []answer.WarningCode{answer.WarnPartialDay, answer.WarnProvisional, answer.WarnUndatedRefunds}, warned(func(a *answer.Closing) {
		full.WarnDays(a, days("2026-03-01", "2026-03-10"), 5, true)
	}))
	check(t, "an explicit window without ads", []answer.WarningCode{answer.WarnPartialDay}, warned(func(a *answer.Closing) {
		full.WarnDays(a, days("2026-03-01", "2026-03-10"), 0, false)
	}))
}

// Platforms may restate their latest days. The warning names a platform that was observed to need longer.
func TestDaysThatPlatformsMayRestate(t *testing.T) {
	t.Parallel()
	call := callOf()
	first := measure.Facebook.FirstProvisional(today)
	if google := measure.Google.FirstProvisional(today); google.Before(first) {
		first = google
	}
	for window, want := range map[civil.Range][]answer.WarningCode{
		{First: day("2026-01-01"), Last: first}:             {answer.WarnProvisional},
		{First: day("2026-01-01"), Last: first.AddDays(-1)}: nil,
	} {
		check(t, "restated "+window.String(), want, warned(func(a *answer.Closing) { call.WarnProvisional(a, window) }))
	}
	late := callOf()
	late.Store.Sources = nil
	settled := 60
	facebook := measure.Facebook.FirstProvisional(today)
	for _, c := range []struct {
		curve reportlag.Curve
		last  civil.Date
		warns bool
	}{
		{reportlag.Curve{Name: "facebook", Settled: &settled, Shares: []reportlag.Share{{Age: 90}}}, today.AddDays(-59), true},
		{reportlag.Curve{Name: "facebook", Settled: &settled, Shares: []reportlag.Share{{Age: 90}}}, today.AddDays(-60), false},
		{reportlag.Curve{Name: "facebook", Shares: []reportlag.Share{{Age: 1}, {Age: 90}}}, today.AddDays(-89), true},
		{reportlag.Curve{Name: "facebook", Shares: []reportlag.Share{{Age: 1}, {Age: 90}}}, today.AddDays(-90), false},
	} {
		late.Store.Late = []reportlag.Curve{c.curve}
		want := []answer.WarningCode{answer.WarnProvisional}
		if !c.warns {
			want = nil
		}
		check(t, "late until "+c.last.String(), want, warned(func(a *answer.Closing) { late.WarnProvisional(a, civil.Range{First: day("2025-01-01"), Last: c.last}) }))
	}
	check(t, "days within the documented window", nil, warned(func(a *answer.Closing) {
		late.WarnProvisional(a, civil.Range{First: facebook, Last: today})
	}))
}

func TestChannelsOfTheStore(t *testing.T) {
	t.Parallel()
	call := callOf()
	for name, want := range map[string]measure.Channel{"": "", "facebook": "facebook", "Facebook": "facebook", "unattributed": measure.Unattributed} {
		if got, err := call.Channel(name); err != nil || got != want {
			t.Errorf("%q is %q (%v), want %q", name, got, err, want)
		}
	}
	for name, part := range map[string]string{"podcast": "facebook, email, unattributed"} {
		if _, err := call.Channel(name); fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v, want the channels %s", name, err, part)
		}
	}
	call.Store.Channels = nil
	for _, name := range []string{"facebook", "unattributed"} {
		if _, err := call.Channel(name); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%q of an empty store: %v", name, err)
		}
	}
}

func TestUnknownRevenueAndSpend(t *testing.T) {
	t.Parallel()
	call := callOf()
	var a answer.Closing
	call.WarnUntouched(&a, days("2026-03-01", "2026-03-02"), "facebook")
	if len(a.Next) != 1 || a.Next[0].Tool != "performance" {
		t.Fatalf("next %+v", a.Next)
	}
	if diff := cmp.Diff(map[string]any{"start_date": "2026-03-01", "end_date": "2026-03-02", "model": "platform_reported", "channel": "facebook"}, a.Next[0].Arguments); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a = answer.Closing{}
	if call.WarnUntouched(&a, days("2026-03-01", "2026-03-02"), ""); len(a.Next[0].Arguments) != 3 {
		t.Errorf("without a channel the arguments are %v", a.Next[0].Arguments)
	}
	known, unknown := snapshot.Total{SpendKnown: true, Spend: 1234}, snapshot.Total{}
	if one, other := call.UnknownRevenueSummary("facebook", days("2026-03-01", "2026-03-02"), known), call.UnknownRevenueSummary("facebook", days("2026-03-01", "2026-03-02"), unknown); one == other || !strings.Contains(one, "12.34") {
		t.Errorf("with spend %q, without %q", one, other)
	}
	for _, c := range []struct {
		total   snapshot.Total
		channel measure.Channel
		warns   bool
	}{{known, "", false}, {unknown, "", true}, {unknown, "facebook", true}, {unknown, "email", false}, {unknown, "podcast", false}} {
		if got := len(warned(func(a *answer.Closing) { call.WarnSpend(a, c.total, c.channel) })) == 1; got != c.warns {
			t.Errorf("spend known %t of %q: warns %t", c.total.SpendKnown, c.channel, got)
		}
	}
	call.Store.AdDays = civil.Range{}
	a = answer.Closing{}
	if call.WarnUntouched(&a, days("2026-03-01", "2026-03-02"), ""); len(a.Next) != 0 || len(a.Warnings) != 1 {
		t.Errorf("without reports: next %+v, warnings %+v", a.Next, a.Warnings)
	}
	if toolkit.RoasOf(call.Figures, snapshot.Total{SpendKnown: true, Spend: 100, RevenueUnknown: true}) != nil || toolkit.RoasOf(call.Figures, unknown) != nil {
		t.Error("ROAS is known without revenue or spend")
	}
	if roas := toolkit.RoasOf(call.Figures, snapshot.Total{Sums: measure.Sums{Charged: 300}, Spend: 100, SpendKnown: true}); roas == nil || *roas != 3 {
		t.Errorf("ROAS %v, want 3", roas)
	}
}

func TestWhyAnAnswerIsEmpty(t *testing.T) {
	t.Parallel()
	empty, past, none := callOf(), callOf(), callOf()
	empty.Store = snapshot.Contents{}
	texts := map[string]bool{}
	for window, call := range map[civil.Range]*toolkit.Call{
		days("2026-03-01", "2026-03-02"): none, days("2020-01-01", "2020-01-02"): past, days("2021-01-01", "2021-01-02"): empty,
	} {
		var a answer.Closing
		texts[call.ExplainEmpty(&a, window)] = true
		check(t, window.String(), []answer.WarningCode{answer.WarnNoData}, codes(a))
		if len(a.Next) != 1 || a.Next[0].Tool != "diagnose" {
			t.Errorf("next %+v", a.Next)
		}
	}
	if len(texts) != 3 {
		t.Errorf("reasons %v, want three", texts)
	}
}

func TestSourcesOfAnAnswer(t *testing.T) {
	t.Parallel()
	call := callOf()
	var a answer.Closing
	call.Describe(&a, answer.DataQuality{}, snapshot.FromAds)
	if len(a.Sources) != 2 || a.Sources[0].Source != "meta_ads" || a.Sources[0].Rows != 8 || a.DataQuality.DataVersion != 7 || a.StoreDataRange.Start != day("2026-01-01") || a.StoreDataRange.AdEnd != day("2026-03-09") {
		t.Errorf("%+v", a)
	}
	if call.Describe(&a, answer.DataQuality{}); len(a.Sources) != 3 {
		t.Errorf("without kinds %d sources, want all", len(a.Sources))
	}
	call.View.DetailLevel = answer.SummaryLevel
	call.Store.Sources = append(call.Store.Sources, call.Store.Sources[1], warehouse.SourceState{Source: "tiktok_ads", Kind: snapshot.FromAds, Days: days("2026-01-01", "2026-03-08")})
	call.Describe(&a, answer.DataQuality{})
	var names []string
	for _, s := range a.Sources {
		names = append(names, s.Source)
	}
	if !slices.Equal(names, []string{"shopify_orders", "meta_ads, google_ads", "tiktok_ads"}) {
		t.Errorf("a summary lists %q", names)
	}
	q := call.Quality(measure.LastTouch, snapshot.Total{})
	if q.UndatedRefund != nil || q.Model != measure.LastTouch {
		t.Errorf("%+v", q)
	}
	for kind, want := range map[snapshot.Metric][]string{
		snapshot.Spend: {snapshot.FromAds, snapshot.FromSpend}, snapshot.ROAS: {snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend}, snapshot.Revenue: {snapshot.FromOrders},
		snapshot.AOV: {snapshot.FromOrders}, snapshot.Orders: {snapshot.FromOrders},
	} {
		if got := toolkit.KindsOf(kind); !slices.Equal(got, want) {
			t.Errorf("%s comes from %q, want %q", kind, got, want)
		}
	}
}

func TestTheChannelWithTheLargestChange(t *testing.T) {
	t.Parallel()
	call := callOf()
	total := func(channel measure.Channel, charged int64) warehouse.ChannelTotal {
		var c warehouse.ChannelTotal
		c.Channel, c.Sums.Charged = channel, charged
		return c
	}
	for _, c := range []struct {
		now, before []warehouse.ChannelTotal
		want        string
	}{
		{[]warehouse.ChannelTotal{total("facebook", 500), total("email", 100)}, []warehouse.ChannelTotal{total("facebook", 100), total("email", 600)}, "The largest change in revenue by channel is in email (down USD 5.00). The largest opposite change is in facebook (up USD 4.00)."},
		{[]warehouse.ChannelTotal{total("facebook", 800), total("email", 100)}, []warehouse.ChannelTotal{total("facebook", 100), total("email", 600)}, "The largest change in revenue by channel is in facebook (up USD 7.00). The largest opposite change is in email (down USD 5.00)."},
		{[]warehouse.ChannelTotal{total("a", 300), total("b", 100), total("c", 150)}, []warehouse.ChannelTotal{total("a", 700), total("d", 100), total("c", 50)}, "The largest change in revenue by channel is in a (down USD 4.00). The largest opposite change is in b (up USD 1.00)."},
		{[]warehouse.ChannelTotal{total("a", 300), total("b", 100)}, []warehouse.ChannelTotal{total("a", 100), total("b", 300)}, "The largest changes in revenue by channel are in a (up USD 2.00) and b (down USD 2.00)."},
		{[]warehouse.ChannelTotal{total("a", 300)}, []warehouse.ChannelTotal{total("a", 100)}, "The largest change in revenue by channel is in a (up USD 2.00)."},
		{[]warehouse.ChannelTotal{total("facebook", 100)}, []warehouse.ChannelTotal{total("facebook", 100)}, ""},
		{[]warehouse.ChannelTotal{total("facebook", 100)}, nil, ""},
	} {
		if got := call.BiggestMover(warehouse.Pair[[]warehouse.ChannelTotal]{Recent: c.now, Earlier: c.before}); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	ordered := toolkit.ByRevenue(call.Figures, []warehouse.ChannelTotal{total("b", 1), total("a", 1), total("c", 2)})
	if ordered[0].Channel != "c" || ordered[1].Channel != "a" || ordered[2].Channel != "b" {
		t.Errorf("order %+v", ordered)
	}
}

func TestOrders(t *testing.T) {
	t.Parallel()
	type item struct {
		id    string
		value float64
		known bool
	}
	items := []item{{"b", 1, true}, {"x", 9, false}, {"a", 1, true}, {"c", 2, true}, {"w", 8, false}}
	ids := func(all []item) (ids string) {
		for _, i := range all {
			ids += i.id
		}
		return ids
	}
	largest := slices.Clone(items)
	toolkit.LargestFirst(largest, func(i item) (float64, bool) { return i.value, i.known }, func(i item) string { return i.id })
	if got := ids(largest); got[:3] != "cab" || !strings.ContainsAny(got[3:], "wx") {
		t.Errorf("largest first is %s, want cab and then the unknown ones", got)
	}
	smallest := slices.Clone(items)
	toolkit.SortBy(smallest, func(i item) float64 { return i.value })
	if got := ids(smallest); got != "bacwx" {
		t.Errorf("smallest first is %s", got)
	}
}

func TestPeriodsSayWhatTheyCover(t *testing.T) {
	t.Parallel()
	call := callOf()
	if p := call.Period(days("2026-03-01", "2026-03-10")); p.Days != 10 || !p.Partial || p.Timezone != "UTC" {
		t.Errorf("%+v", p)
	}
	if p := call.Period(days("2026-03-01", "2026-03-09")); p.Partial {
		t.Errorf("%+v", p)
	}
}

func TestMetricsOfTwoWindows(t *testing.T) {
	t.Parallel()
	call, earlier := callOf(), days("2026-02-01", "2026-02-28")
	total := func(charged, refunds, orders, first, spend int64) snapshot.Total {
		return snapshot.Total{Sums: measure.Sums{Charged: charged, Refunds: refunds, Orders: orders * 1e6, NewOrders: first * 1e6}, Spend: spend, SpendKnown: true}
	}
	m := call.StoreMetrics(total(10000, 500, 4, 3, 2000), total(5000, 100, 1, 1, 1000), earlier)
	if m.Revenue.Value == nil || *m.Revenue.Value != 100 || *m.Orders.Value != 4 || *m.AOV.Value != 25 || *m.Spend.Value != 20 || *m.ROAS.Value != 5 || *m.Refunds.Value != 5 || *m.NetRevenue.Value != 95 || *m.NewOrders.Value != 3 {
		t.Errorf("%+v", m)
	}
	unknown := call.StoreMetrics(snapshot.Total{}, snapshot.Total{}, earlier)
	if unknown.Spend.Value != nil || unknown.ROAS.Value != nil || unknown.AOV.Value != nil {
		t.Errorf("%+v", unknown)
	}
	for metric, want := range map[snapshot.Metric]float64{snapshot.Revenue: 1.24, snapshot.ROAS: 1.24, snapshot.AOV: 1.24} {
		if got := call.Rounding(metric)(1.236); got == nil || *got != want {
			t.Errorf("%s is rounded to %v, want %v", metric, got, want)
		}
	}
	if got := call.Rounding(snapshot.Revenue)(math.NaN()); got != nil {
		t.Errorf("NaN is %v", *got)
	}
}

func TestCreatorsOfAPlatform(t *testing.T) {
	t.Parallel()
	creator := func(id, platform string) snapshot.Creator {
		var c snapshot.Creator
		c.ID, c.Platform = id, platform
		return c
	}
	all := []snapshot.Creator{creator("A", "TikTok"), creator("b", "instagram"), creator("c", ""), creator("d", "tiktok"), creator("e", "TikTok")}
	if got := len(toolkit.OfPlatform(all, "tiktok")); got != 3 {
		t.Errorf("%d creators of TikTok, want 3", got)
	}
	if got := len(toolkit.OfPlatform(all, "")); got != 5 {
		t.Errorf("%d creators, want all", got)
	}
	if got := toolkit.Platforms(all); !slices.Equal(got, []string{"TikTok", "instagram", "tiktok"}) {
		t.Errorf("platforms %q", got)
	}
	if c, err := toolkit.CreatorByID(all, "id", "a"); err != nil || c.ID != "A" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := toolkit.CreatorByID(all, "id", "z"); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("an unknown creator: %v", err)
	}
	for _, has := range []bool{true, false} {
		var a answer.Closing
		text := toolkit.NoCreators(callOf(), &a, has)
		if text == "" || len(a.Next) != 1 || a.Next[0].Tool != "discover" || !slices.Equal(codes(a), []answer.WarningCode{answer.WarnNoData}) {
			t.Errorf("has %t: %q, %+v", has, text, a)
		}
	}
	for p, want := range map[measure.Platform]bool{measure.Facebook: true, measure.Snapchat: true, measure.Pinterest: false, "": false} {
		if toolkit.ListedPlatform(p) != want {
			t.Errorf("%q is listed: %t", p, !want)
		}
	}
	for first, warns := range map[string]bool{"2026-01-01": true, "2026-03-31": true, "2026-04-01": false} {
		if got := len(warned(func(a *answer.Closing) { toolkit.WarnFirstDays(callOf(), a, days(first, "2026-05-01")) })) == 1; got != warns {
			t.Errorf("customers since %s: warns %t", first, got)
		}
	}
}

// If the data start inside a window, the figures of this window are incomplete, not only those of the previous window.
func TestDataThatStartInsideTheWindow(t *testing.T) {
	t.Parallel()
	for first, inside := range map[string]bool{"2026-02-20": true, "2026-02-10": false} {
		call := callOf()
		for i := range call.Store.Sources {
			if s := &call.Store.Sources[i]; s.Kind == snapshot.FromAds {
				s.Days.First = day(first)
			}
		}
		var a answer.Closing
		call.WarnBefore(&a, days("2026-02-10", "2026-03-09"), true)
		if len(a.Warnings) != 1 || strings.Contains(a.Warnings[0].Text, "of this period may be incomplete: before "+first) != inside {
			t.Errorf("reports from %s: %v, want a sentence about this period: %t", first, a.Warnings, inside)
		}
	}
}
