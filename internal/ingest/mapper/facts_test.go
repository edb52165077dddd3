package mapper_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/civil"
	"assay/internal/ingest/ingesttest"
	"assay/internal/ingest/mapper"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

func reader(t *testing.T, name string) source.Reader {
	t.Helper()
	return ingesttest.Reader(t, name, mapper.Common(), mapper.Exports())
}

func read(t *testing.T, name, table string) ingesttest.Reading {
	t.Helper()
	o := ingesttest.ReaderOptions()
	o.Rates = ingesttest.Rates{"2026-09-01 EURUSD": "2"}
	return ingesttest.Read(t, reader(t, name), o, table)
}

// lines returns the columns of rejected rows by line.
func lines(all []error) map[int]string {
	found := map[int]string{}
	for _, err := range all {
		if bad, ok := errors.AsType[*source.RowError](err); ok {
			found[bad.Line] = bad.Column
		}
	}
	return found
}

func check(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(civil.Date{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Clicks, orders, revenue and costs of the same creator, link and day are summed, in the workspace's currency.
func TestCreatorsUseAndCostsAreSums(t *testing.T) {
	t.Parallel()
	got := read(t, "creators", `creator id,creator,handle,platform,code,link,link kind,date,clicks,orders,revenue,fee,commission,gift,currency
1,Ada,@ada,TikTok,ada10,l,vanity,2026-09-01,1,2,3.00,4.00,5.00,6.00,USD
1,Ada,,,ada10,l,vanity,2026-09-01,10,20,30.00,40.00,50.00,60.00,EUR
1,Ada,,,,l,,2026-09-01,1,0,0,0,0,0,USD
1,Ada,,,,l,vanity,2026-09-02,0,1,0,0,0,0,USD
1,Ada,,,,m,vanity,2026-09-02,0,0,1.00,0,0,0,USD
1,Ada,,,,,,,,,,,,,
2,Ben,,,,,,,1,,,,,,
2,Ben,,,,,,,,1,,,,,
2,Ben,,,,,,,,,1.00,,,,
2,Ben,,,,,,,,,,1.00,,,
2,Ben,,,,,,,,,,,1.00,,
2,Ben,,,,,,,,,,,,1.00,
2,Ben,,,,,,2026-09-20,,,,,,1.00,EUR
2,Ben,,,,,,2026-09-20,-1,,,,,,USD
2,,,,,,,2026-09-20,1,,,,,,USD
`)
	check(t, "rejected", map[int]string{8: "date", 9: "date", 10: "date", 11: "date", 12: "date", 13: "date", 14: "", 15: "clicks", 16: "creator"}, lines(got.Errors))
	if c := got.Batch.Creators; len(c) != 1 || c[0].Name != "Ada" || c[0].Handle != "@ada" || c[0].Platform != "tiktok" {
		t.Errorf("creators %+v, want Ada with what earlier rows say of her", c)
	}
	if m := got.Batch.CouponMap; len(m) != 1 || m[0].Code != "ADA10" || m[0].Channel != "influencer" || m[0].Creator != got.Batch.Creators[0].ID {
		t.Errorf("coupons %+v", m)
	}
	type use struct {
		link, kind              string
		day                     int
		clicks, orders, revenue int64
	}
	var used []use
	for _, d := range got.Batch.LinkDays {
		used = append(used, use{d.Link, d.Kind, d.Day.Day(), d.Clicks, d.Orders, d.Revenue})
	}
	want := []use{{"l", "vanity", 1, 11, 22, 6300}, {"l", "referral", 1, 1, 0, 0}, {"l", "vanity", 2, 0, 1, 0}, {"m", "vanity", 2, 0, 0, 100}}
	if !slices.Equal(used, want) {
		t.Errorf("use %+v, want %+v", used, want)
	}
	costs := map[string]int64{}
	for _, c := range got.Batch.CreatorCosts {
		costs[c.Kind] += c.Amount
	}
	check(t, "costs", map[string]int64{"fee": 8400, "commission": 10500, "product": 12600}, costs)
	if n := len(got.Batch.CreatorCosts); n != 3 {
		t.Errorf("%d costs, want one of each kind", n)
	}
}

// A creator has the same ID in every file with the same description.
func TestIDsOfCreators(t *testing.T) {
	t.Parallel()
	id := func(id, name, handle, platform string) string {
		got := read(t, "creators", "creator id,creator,handle,platform\n"+strings.Join([]string{id, name, handle, platform}, ",")+"\n")
		if len(got.Batch.Creators) != 1 {
			t.Fatalf("%d creators, %v", len(got.Batch.Creators), got.Errors)
		}
		return got.Batch.Creators[0].ID
	}
	const uuid = "0123ABCD-4567-89ab-cdef-0123456789AB"
	if got := id(uuid, "Ada", "", ""); got != strings.ToLower(uuid) {
		t.Errorf("a UUID becomes %s", got)
	}
	same := [][2]string{
		{id("", "Ada L", "", ""), id("", " ada  l ", "", "")}, {id("", "Ada", "@ada", "TikTok"), id("", "Ben", "ADA", "tiktok")}, {id("7", "Ada", "", ""), id("7", "Ben", "b", "x")},
	}
	for i, pair := range same {
		if pair[0] != pair[1] || len(pair[0]) != 36 || pair[0][14] != '8' || !strings.ContainsRune("89ab", rune(pair[0][19])) {
			t.Errorf("pair %d: %q, want equal UUIDs of version 8", i, pair)
		}
	}
	all := []string{same[0][0], same[1][0], same[2][0], id("", "Ada", "@ada", "instagram"), id(uuid[:35]+"x", "Ada", "", ""), id(strings.Replace(uuid, "-", "0", 1), "Ada", "", "")}
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 6 {
		t.Errorf("%d of 6 different creators differ", n)
	}
}

// A bounce rate is a share of sent messages. Other rates are shares of delivered messages.
func TestCountsFromRates(t *testing.T) {
	t.Parallel()
	const header = "date,entity,entity name,message id,delivered,recipients,bounces,unsubscribes,spam complaints,unsubscribe rate,complaint rate,bounce rate\n"
	for row, want := range map[string]struct {
		warehouse.MessageDay
		computed bool
	}{
		"950,,,,,1%,0.2%,5%":        {warehouse.MessageDay{Delivered: 950, Bounces: 50, Unsubscribes: 10, Spam: 2, Recipients: 1000}, true},
		"950,,,,,0.01,0.002,0.05":   {warehouse.MessageDay{Delivered: 950, Bounces: 50, Unsubscribes: 10, Spam: 2, Recipients: 1000}, true},
		"100,120,7,8,9,50%,50%,50%": {warehouse.MessageDay{Delivered: 100, Bounces: 7, Unsubscribes: 8, Spam: 9, Recipients: 120}, false},
		"100,,,,,0%,0%,0%":          {warehouse.MessageDay{Delivered: 100, Recipients: 100}, false},
		"100,,,,,100%,100%,100%":    {warehouse.MessageDay{Delivered: 100, Unsubscribes: 100, Spam: 100, Recipients: 100}, true},
		"100,,,,,,,":                {warehouse.MessageDay{Delivered: 100, Recipients: 100}, false},
	} {
		got := read(t, "messages", header+"2026-09-01,flow,Welcome,m,"+row+"\n")
		if len(got.Batch.Messages) != 1 {
			t.Errorf("%s: %v", row, got.Errors)
			continue
		}
		m := got.Batch.Messages[0]
		if m.Delivered != want.Delivered || m.Bounces != want.Bounces || m.Unsubscribes != want.Unsubscribes || m.Spam != want.Spam || m.Recipients != want.Recipients {
			t.Errorf("%s: %+v, want %+v", row, m, want)
		}
		if noted := slices.Contains(got.Codes(), "counts_from_rates"); noted != want.computed {
			t.Errorf("%s: notes %q", row, got.Codes())
		}
	}
	for _, rate := range []string{"100.01%", "1.01", "-1%", "much"} {
		if got := read(t, "messages", header+"2026-09-01,flow,Welcome,m,1,,,,,,,"+rate+"\n"); lines(got.Errors)[2] != "bounce rate" {
			t.Errorf("a bounce rate of %s: %v", rate, got.Errors)
		}
	}
}

func TestMessagesOfTheSameDayAreSums(t *testing.T) {
	t.Parallel()
	got := read(t, "messages", `date,message channel,entity,entity name,entity id,message id,recipients,delivered,opens,clicks,conversions,revenue,unsubscribes,spam complaints,bounces,since send
2026-09-01,,campaign,Spring,1,a,100,90,50,10,3,7.00,1,2,4,true
2026-09-01,Email,campaign,Spring,1,a,1,1,1,1,1,1.00,1,1,1,true
2026-09-01,text message,flow,Welcome,,b,1,1,1,1,1,1.00,1,1,1,
2026-09-01,push,flow,Welcome,,b,1,1,1,1,1,1.00,1,1,1,
,email,flow,Welcome,,b,1,1,1,1,1,1.00,1,1,1,
2026-09-01,email,series,Welcome,,b,1,1,1,1,1,1.00,1,1,1,
2026-09-01,email,flow,,,b,1,1,1,1,1,1.00,1,1,1,
2026-09-01,email,flow,Welcome,,b,1,-1,1,1,1,1.00,1,1,1,
2026-09-02,email,campaign,Spring,1,a,1,1,1,1,1,1.00,1,1,1,
`)
	day := func(d int) civil.Date { return civil.New(2026, 9, d) }
	check(t, "messages", []warehouse.MessageDay{
		{Source: "messages", Channel: "email", Entity: "campaign", EntityID: "1", EntityName: "Spring", MessageID: "a", Day: day(1), Recipients: 101, Delivered: 91, Opens: 51, Clicks: 11, Conversions: 4, Revenue: 800, Unsubscribes: 2, Spam: 3, Bounces: 5, SinceSend: true},
		{Source: "messages", Channel: "sms", Entity: "flow", EntityID: "Welcome", EntityName: "Welcome", MessageID: "b", Day: day(1), Recipients: 1, Delivered: 1, Opens: 1, Clicks: 1, Conversions: 1, Revenue: 100, Unsubscribes: 1, Spam: 1, Bounces: 1},
		{Source: "messages", Channel: "email", Entity: "campaign", EntityID: "1", EntityName: "Spring", MessageID: "a", Day: day(2), Recipients: 1, Delivered: 1, Opens: 1, Clicks: 1, Conversions: 1, Revenue: 100, Unsubscribes: 1, Spam: 1, Bounces: 1},
	}, got.Batch.Messages)
	check(t, "rejected", map[int]string{7: "entity", 8: "entity name", 9: "delivered"}, lines(got.Errors))
	for _, code := range []string{"messages_not_sent", "send_channel_unknown", "rows_added"} {
		if !slices.Contains(got.Codes(), code) {
			t.Errorf("notes %q, want %s", got.Codes(), code)
		}
	}
}

// A day with a time and an offset is the day in the workspace's time zone.
func TestADayWithAnOffsetIsConverted(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"2026-09-01 23:30:00 -0400": "2026-09-02", "2026-09-01T23:30:00Z": "2026-09-01", "2026-09-02 00:30:00 +0200": "2026-09-01", "2026-09-01 23:30:00": "2026-09-01",
		"2026-09-01": "2026-09-01",
	} {
		got := read(t, "messages", "date,entity,entity name,delivered\n"+cell+",flow,Welcome,1\n")
		if len(got.Batch.Messages) != 1 || got.Batch.Messages[0].Day.String() != want {
			t.Errorf("%s: %+v (%v), want %s", cell, got.Batch.Messages, got.Errors, want)
		}
	}
}

// A run is a sequence of consecutive rows of one order. A later run with the same rows is a copy and adds no lines. A
// later run with different rows adds its lines to the order.
func TestARepeatedRunOfLinesIsACopy(t *testing.T) {
	t.Parallel()
	const a, b, other = "1,2026-09-01,USD,1,A,1.00\n", "1,2026-09-01,USD,1,B,2.00\n", "2,2026-09-01,USD,1,C,4.00\n"
	for rows, want := range map[string][]string{
		a + b + other:                     {"A", "B", "C"},
		a + b + other + a + b:             {"A", "B", "C"},
		a + b + other + a:                 {"A", "B", "A", "C"},
		a + other + a + other + a:         {"A", "C"},
		a + other + b + other + a + other: {"A", "B", "C"},
		a + a + other:                     {"A", "A", "C"},
	} {
		got := read(t, "order_lines", "order id,date,currency,quantity,title,price\n"+rows)
		var titles []string
		for _, l := range got.Batch.Lines {
			titles = append(titles, l.Title)
		}
		check(t, rows, want, titles)
		if len(got.Errors) > 0 || len(got.Batch.Orders) != 2 {
			t.Errorf("%q: %d orders, %v", rows, len(got.Batch.Orders), got.Errors)
		}
	}
}

// A file of order lines needs a column of prices or amounts, in any position.
func TestOrderLinesNeedAPriceOrAnAmount(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"order id,date,currency,quantity,title,price": true, "price,order id,date,currency,quantity,title": true, "order id,date,currency,quantity,title": false,
	} {
		h, _ := ingesttest.Table(t, header+"\n")
		if got := reader(t, "order_lines").Fit(h); got.OK() != want {
			t.Errorf("%q: %+v, want %t", header, got, want)
		}
	}
}

func TestFieldsHaveTitles(t *testing.T) {
	t.Parallel()
	for _, f := range mapper.OrderLines.Fields() {
		if f.Name == "" || f.Title == "" || f.Title[0] < 'A' || f.Title[0] > 'Z' || len(f.Title) > 1 && strings.EqualFold(f.Title[:1], f.Title[1:2]) {
			t.Errorf("field %q has the title %q", f.Name, f.Title)
		}
	}
}

// Numbers of orders are stored in millionths, so an ID in their column would overflow the sums.
func TestNumbersOfOrdersHaveALimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ table, column string }{
		"surface_days": {"date,surface,revenue,orders\n2026-09-01,retail,1.00,%s\n", "orders"},
		"creators":     {"creator,date,orders\nAda,2026-09-01,%s\n", "orders"},
	} {
		if got := read(t, name, strings.Replace(c.table, "%s", "1000000000", 1)); len(got.Errors) > 0 {
			t.Errorf("%s: the largest number is rejected: %v", name, got.Errors)
		}
		got := read(t, name, strings.Replace(c.table, "%s", "5000000000000", 1))
		want := []error{&source.RowError{
			Line: 2, Column: c.column, Value: "5000000000000",
			Reason: `"5000000000000" is implausibly large: the maximum is 1,000,000,000`,
		}}
		check(t, name, want, got.Errors)
	}
}
