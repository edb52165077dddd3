package warehousetest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// answerKey is the natural key of an answer.
type answerKey struct{ source, key, question string }

// addAnswers adds answers about stored orders, about orders that are imported later, and without an order.
func (s *random) addAnswers(r *rand.Rand, n int) {
	questions := []string{"discovery_channel", "purchase_trigger"}
	for i := range n {
		a := warehouse.SurveyResponse{
			Source: "survey", Key: fmt.Sprintf("a%d", r.IntN(2*n)), Question: questions[r.IntN(2)], Day: s.days.First.AddDays(r.IntN(s.days.Days())),
			Answer: []string{"Facebook", "a FRIEND", "100% sure", "under_score", ""}[r.IntN(5)],
		}
		a.At = a.Day.UTC()
		if a.Question == questions[0] && r.IntN(3) > 0 {
			a.Channel = channels[r.IntN(len(channels))]
		}
		switch {
		case i%9 == 0:
		case i%7 == 0 || len(s.orders) == 0:
			a.OrderRef = ref(fmt.Sprintf("n%d-%06d", 1+r.IntN(3), r.IntN(20)))
		default:
			a.OrderRef = s.orders[r.IntN(len(s.orders))].OrderRef
		}
		s.rest.Surveys = append(s.rest.Surveys, a)
	}
}

// addMessages adds results of emails and text messages.
func (s *random) addMessages(r *rand.Rand, n int) {
	for i := range n {
		s.rest.Messages = append(s.rest.Messages, warehouse.MessageDay{
			Source: "mailer", Channel: []measure.Channel{"email", "sms"}[i%2], Entity: []string{"campaign", "flow"}[r.IntN(2)],
			EntityID: fmt.Sprint(r.IntN(5)), EntityName: "Entity", MessageID: fmt.Sprint(i), Day: s.days.First.AddDays(r.IntN(s.days.Days())),
			Recipients: r.Int64N(1000), Delivered: r.Int64N(900), Opens: r.Int64N(300), Clicks: r.Int64N(50), Conversions: r.Int64N(9),
			Revenue: r.Int64N(100_000), Unsubscribes: r.Int64N(4), Spam: r.Int64N(2), Bounces: r.Int64N(9), SinceSend: i%11 == 0,
		})
	}
}

// credited returns the order's last-touch channel.
func (r *reference) credited(of warehouse.OrderRef) measure.Channel {
	path := r.path(of)
	if len(path) == 0 {
		return r.fallback(of)
	}
	for _, channel := range slices.Backward(path) {
		if channel != "direct" {
			return channel
		}
	}
	return "direct"
}

// path returns the channels of an order's touchpoints, with repetitions.
func (r *reference) path(of warehouse.OrderRef) (path []measure.Channel) {
	for _, t := range r.journey(of) {
		path = append(path, t.Channel)
	}
	return path
}

func (r *reference) journey(of warehouse.OrderRef) []warehouse.Touch {
	touches := slices.Clone(r.touches[of])
	slices.SortFunc(touches, func(a, b warehouse.Touch) int { return cmp.Compare(a.Seq, b.Seq) })
	return touches
}

// segment returns the segment of an order. It is new if the order is its customer's first order.
func (r *reference) segment(of warehouse.OrderRef, first map[string]warehouse.Order) warehouse.Segment {
	switch o, known := r.orders[of]; {
	case !known || o.Customer == "":
		return warehouse.UnknownCustomers
	case first[o.Customer].OrderRef == of:
		return warehouse.NewCustomers
	}
	return warehouse.ReturningCustomers
}

// comparePeople compares the warehouse's customers, journeys, answers and messages with the reference.
func comparePeople(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, want *reference) {
	t.Helper()
	days := period("2025-12-10", "2026-03-10")
	for _, channel := range []measure.Channel{"", "google", "amazon", measure.Unattributed} {
		got := answer[warehouse.Pair[warehouse.SegmentTotals]](t)(w.SegmentTotals(t.Context(), ws, channel, warehouse.Windows{Recent: days, Earlier: days.Previous()}))
		same(t, "segments of "+string(channel), warehouse.Pair[warehouse.SegmentTotals]{
			Recent: want.segments(channel, days), Earlier: want.segments(channel, days.Previous()),
		}, got)
		cohorts := answer[[]warehouse.CohortMonth](t)(w.Cohorts(t.Context(), ws, channel, period("2025-12-01", "2026-01-31")))
		same(t, "cohorts of "+string(channel), want.cohorts(channel, period("2025-12-01", "2026-01-31")), cohorts, cmpopts.EquateEmpty())
	}
	byChannel := answer[map[measure.Channel]warehouse.SegmentTotals](t)(w.SegmentChannels(t.Context(), ws, days))
	last := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), ws, measure.LastTouch, warehouse.Windows{Recent: days}))
	for channel, sums := range credits(last.Recent) {
		same(t, "all segments of "+string(channel), sums, byChannel[channel].Of(""))
	}
	for _, segment := range []warehouse.Segment{"", warehouse.NewCustomers, warehouse.ReturningCustomers} {
		paths := answer[warehouse.Pair[[]warehouse.PathTotal]](t)(w.Paths(t.Context(), ws, segment, warehouse.Windows{Recent: days}))
		same(t, "paths "+string(segment), want.paths(segment, days), paths.Recent, cmpopts.EquateEmpty())
		compareTopPaths(t, w, ws, segment, days, paths.Recent)
		journeys := answer[[]warehouse.JourneyCount](t)(w.Journeys(t.Context(), ws, segment, days))
		same(t, "journeys "+string(segment), want.journeys(segment, days), journeys, cmpopts.EquateEmpty())
	}
	comparePanel(t, w, ws, want)
	compareAnswers(t, w, ws, want)
	compareMessages(t, w, ws, want)
}

// compareTopPaths compares a page of the most frequent paths, and the totals of all paths, with individually counted
// paths.
func compareTopPaths(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, segment warehouse.Segment, days civil.Range, paths []warehouse.PathTotal) {
	t.Helper()
	for _, channel := range []measure.Channel{"", "google", "oogle"} {
		var want warehouse.PathRanking
		var ranked []warehouse.PathTotal
		for _, p := range paths {
			if channel != "" && !slices.Contains(p.Channels, channel) {
				continue
			}
			total := &want.Totals.Recent
			total.Orders, total.Touches = total.Orders+p.Sums.Orders, total.Touches+p.Touches
			if p.Sums.Orders != 0 {
				ranked = append(ranked, p)
			}
		}
		slices.SortStableFunc(ranked, func(a, b warehouse.PathTotal) int { return cmp.Compare(b.Sums.Orders, a.Sums.Orders) })
		want.Ranked = int64(len(ranked))
		if len(ranked) > 0 {
			want.First, want.Paths = ranked[0], ranked[1:min(3, len(ranked))]
		}
		of := warehouse.PathsOf{Windows: warehouse.Windows{Recent: days}, Segment: segment, Channel: channel, Limit: 2, Offset: 1}
		got := answer[warehouse.PathRanking](t)(w.TopPaths(t.Context(), ws, of))
		same(t, "commonest paths "+string(segment)+" of "+string(channel), want, got, cmpopts.EquateEmpty())
		of.Offset = 0
		if got := answer[warehouse.PathRanking](t)(w.TopPaths(t.Context(), ws, of)); len(ranked) > 0 {
			same(t, "the commonest path "+string(segment)+" of "+string(channel), ranked[0], got.First)
			same(t, "the first of the commonest "+string(segment)+" of "+string(channel), ranked[:min(2, len(ranked))], got.Paths)
		}
	}
}

func (r *reference) segments(channel measure.Channel, days civil.Range) (totals warehouse.SegmentTotals) {
	first := r.firsts()
	for _, e := range r.events() {
		if !days.Contains(e.day) || channel != "" && r.credited(e.ref) != channel {
			continue
		}
		switch r.segment(e.ref, first) {
		case warehouse.NewCustomers:
			totals.New = totals.New.Add(e.order)
		case warehouse.ReturningCustomers:
			totals.Returning = totals.Returning.Add(e.order)
		case warehouse.UnknownCustomers:
			totals.Unknown = totals.Unknown.Add(e.order)
		}
	}
	return totals
}

// counted returns the orders that figures of customers include.
func (r *reference) counted() (out []warehouse.Order) {
	for _, o := range r.orders {
		if o.Customer != "" && !o.Cancelled && !o.Test {
			out = append(out, o)
		}
	}
	return out
}

func (r *reference) cohorts(channel measure.Channel, months civil.Range) (out []warehouse.CohortMonth) {
	type cell struct{ cohort, month civil.Date }
	customers, orders := map[cell]map[string]bool{}, map[cell]int64{}
	first := r.firsts()
	for _, o := range r.counted() {
		start := first[o.Customer]
		at := cell{civil.ByMonth.Start(start.Day), civil.ByMonth.Start(o.Day)}
		if !months.Contains(at.cohort) || channel != "" && r.credited(start.OrderRef) != channel {
			continue
		}
		if customers[at] == nil {
			customers[at] = map[string]bool{}
		}
		customers[at][o.Customer] = true
		orders[at]++
	}
	for at, who := range customers {
		out = append(out, warehouse.CohortMonth{Cohort: at.cohort, Month: at.month, Active: int64(len(who)), Orders: orders[at]})
	}
	slices.SortFunc(out, func(a, b warehouse.CohortMonth) int {
		return cmp.Or(a.Cohort.Compare(b.Cohort), a.Month.Compare(b.Month))
	})
	return out
}

func (r *reference) paths(segment warehouse.Segment, days civil.Range) (out []warehouse.PathTotal) {
	first, totals := r.firsts(), map[string]warehouse.PathTotal{}
	for _, e := range r.events() {
		touches := r.journey(e.ref)
		if len(touches) == 0 || !days.Contains(e.day) || segment != "" && r.segment(e.ref, first) != segment {
			continue
		}
		path := slices.Compact(r.path(e.ref))
		key := fmt.Sprint(path)
		total := totals[key]
		total.Channels, total.Sums = path, total.Sums.Add(e.order)
		if e.order.Orders > 0 {
			total.Touches += int64(len(touches))
			total.Seconds += seconds(r.orders[e.ref], touches)
		}
		totals[key] = total
	}
	for _, total := range totals {
		out = append(out, total)
	}
	slices.SortFunc(out, func(a, b warehouse.PathTotal) int {
		return slices.CompareFunc(a.Channels, b.Channels, func(x, y measure.Channel) int { return strings.Compare(string(x), string(y)) })
	})
	return out
}

// seconds returns the seconds from the first touchpoint to the order, with the microsecond precision of databases.
func seconds(o warehouse.Order, touches []warehouse.Touch) int64 {
	return max(0, int64(math.Round(o.At.Sub(touches[0].At.Truncate(time.Microsecond)).Seconds())))
}

func (r *reference) journeys(segment warehouse.Segment, days civil.Range) (out []warehouse.JourneyCount) {
	first, counts := r.firsts(), map[warehouse.JourneyCount]int64{}
	for ref, o := range r.orders {
		touches := r.journey(ref)
		if o.Cancelled || o.Test || len(touches) == 0 || !days.Contains(o.Day) || segment != "" && r.segment(ref, first) != segment {
			continue
		}
		counts[warehouse.JourneyCount{Touches: int64(len(touches)), LagDays: seconds(o, touches) / 86_400}]++
	}
	for at, n := range counts {
		at.Orders = n
		out = append(out, at)
	}
	slices.SortFunc(out, func(a, b warehouse.JourneyCount) int {
		return cmp.Or(cmp.Compare(a.Touches, b.Touches), cmp.Compare(a.LagDays, b.LagDays))
	})
	return out
}

// comparePanel compares the panel of customers with the reference, in any order. The store is small enough that its
// panel contains all customers.
func comparePanel(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, want *reference) {
	t.Helper()
	first, days := want.firsts(), map[string]map[civil.Date]warehouse.PanelDay{}
	add := func(o warehouse.Order, d warehouse.PanelDay) {
		if days[o.Customer] == nil {
			days[o.Customer] = map[civil.Date]warehouse.PanelDay{}
		}
		p := days[o.Customer][d.Day]
		p.Day, p.Orders, p.Charged, p.Tax = d.Day, p.Orders+d.Orders, p.Charged+d.Charged, p.Tax+d.Tax
		p.Shipping, p.Refunds = p.Shipping+d.Shipping, p.Refunds+d.Refunds
		days[o.Customer][d.Day] = p
	}
	for _, o := range want.counted() {
		add(o, warehouse.PanelDay{Day: o.Day, Orders: 1, Charged: o.Charged, Tax: o.Tax, Shipping: o.Shipping})
		for _, e := range want.refundsByDay(o.OrderRef, want.refunds[o.OrderRef]) {
			add(o, warehouse.PanelDay{Day: e.day, Refunds: e.order.Refunds})
		}
	}
	var customers []warehouse.PanelCustomer
	for name, of := range days {
		c := warehouse.PanelCustomer{FirstDay: first[name].Day, Channel: want.credited(first[name].OrderRef)}
		for _, d := range of {
			c.Days = append(c.Days, d)
		}
		slices.SortFunc(c.Days, func(a, b warehouse.PanelDay) int { return a.Day.Compare(b.Day) })
		customers = append(customers, c)
	}
	panel := answer[warehouse.Panel](t)(w.Panel(t.Context(), ws))
	same(t, "customers of the store", int64(len(customers)), panel.Everybody)
	same(t, "panel", customers, panel.Customers, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(warehouse.PanelDay{}, "Net", "Costed", "Cost"),
		cmpopts.SortSlices(func(a, b warehouse.PanelCustomer) bool { return fmt.Sprint(a) < fmt.Sprint(b) }))
}

// answered is an answer with its order.
type answered struct {
	warehouse.SurveyResponse
	order    warehouse.Order
	known    bool
	segment  warehouse.Segment
	credited measure.Channel
}

// answersOf lists the selected survey answers. It excludes answers about canceled and test orders.
func (r *reference) answersOf(of warehouse.AnswersOf, days civil.Range) (out []answered) {
	first := r.firsts()
	for _, a := range r.answers {
		o, known := r.orders[a.OrderRef]
		x := answered{SurveyResponse: a, order: o, known: known, segment: r.segment(a.OrderRef, first)}
		if known {
			x.credited = r.credited(a.OrderRef)
		}
		switch {
		case o.Cancelled || o.Test || !days.Contains(a.Day):
		case of.Question != "" && a.Question != of.Question:
		case !strings.Contains(strings.ToLower(a.Answer), strings.ToLower(of.Contains)):
		case of.Channel != "" && x.credited != of.Channel:
		case of.MinValue != nil && (!known || o.Charged < *of.MinValue):
		default:
			out = append(out, x)
		}
	}
	return out
}

func compareAnswers(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, want *reference) {
	t.Helper()
	days := period("2026-01-05", "2026-02-20")
	for name, of := range map[string]warehouse.AnswersOf{
		"all": {}, "question": {Question: "purchase_trigger"}, "text": {Contains: "friend"}, "percent": {Contains: "0% S"},
		"channel": {Channel: "google"}, "value": {MinValue: new(int64(100_00))}, "no value": {MinValue: new(int64(0))},
	} {
		of.Windows = warehouse.Windows{Recent: days, Earlier: days.Previous()}
		got := answer[warehouse.AnswerSummary](t)(w.Answers(t.Context(), ws, of))
		rows := want.answersOf(of, days)
		counts, credited := map[warehouse.AnswerCount]warehouse.AnswerCount{}, map[warehouse.AnswerCredit]int64{}
		for _, x := range rows {
			key := warehouse.AnswerCount{Question: x.Question, Channel: x.Channel}
			if x.Channel == "" {
				key.Answer = x.Answer
			}
			c := counts[key]
			c.Question, c.Channel, c.Answer, c.Answers = key.Question, key.Channel, key.Answer, c.Answers+1
			if x.known {
				c.Known++
				c.Charged += x.order.Charged
				credited[warehouse.AnswerCredit{Question: x.Question, Channel: x.credited}]++
			}
			switch x.segment {
			case warehouse.NewCustomers:
				c.New++
			case warehouse.ReturningCustomers:
				c.Returning++
			case warehouse.UnknownCustomers:
			}
			counts[key] = c
		}
		same(t, name+": counts", byKey(counts), got.Counts, cmpopts.EquateEmpty())
		gotCredits := map[warehouse.AnswerCredit]int64{}
		for _, c := range got.Credits {
			gotCredits[warehouse.AnswerCredit{Question: c.Question, Channel: c.Channel}] = c.Answers
		}
		same(t, name+": credits", credited, gotCredits)
		same(t, name+": totals", want.answerTotals(of, days), got.Totals.Recent)
		same(t, name+": totals before", want.answerTotals(of, days.Previous()), got.Totals.Earlier)
		page := answer[warehouse.AnswerPage](t)(w.AnswerRows(t.Context(), ws, of))
		same(t, name+": rows", len(rows), len(page.Rows))
		if !slices.IsSortedFunc(page.Rows, func(a, b warehouse.AnswerRow) int { return b.Day.Compare(a.Day) }) {
			t.Errorf("%s: rows are not sorted by day, the latest first", name)
		}
	}
}

func byKey(counts map[warehouse.AnswerCount]warehouse.AnswerCount) (out []warehouse.AnswerCount) {
	for _, c := range counts {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b warehouse.AnswerCount) int {
		return cmp.Or(cmp.Compare(a.Question, b.Question), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Answer, b.Answer))
	})
	return out
}

func (r *reference) answerTotals(of warehouse.AnswersOf, days civil.Range) (t warehouse.AnswerTotals) {
	t.All = int64(len(r.answersOf(warehouse.AnswersOf{}, days)))
	for _, x := range r.answersOf(of, days) {
		t.Selected++
		if x.Channel != "" {
			t.Named++
		}
	}
	// Only the first answer about an order counts, regardless of the day.
	leading := map[warehouse.OrderRef]answered{}
	for _, x := range r.answersOf(warehouse.AnswersOf{}, period("2020-01-01", "2030-12-31")) {
		if x.OrderRef == (warehouse.OrderRef{}) {
			if days.Contains(x.Day) {
				t.Responses++
			}
			continue
		}
		before, ok := leading[x.OrderRef]
		if !ok || cmp.Or(x.Day.Compare(before.Day), cmp.Compare(x.Key, before.Key), cmp.Compare(x.Question, before.Question)) < 0 {
			leading[x.OrderRef] = x
		}
	}
	for _, x := range leading {
		if days.Contains(x.Day) {
			t.Responses++
		}
	}
	return t
}

func compareMessages(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, want *reference) {
	t.Helper()
	days := period("2026-01-05", "2026-02-20")
	type key struct {
		channel    measure.Channel
		entity, id string
	}
	totals, entities := map[key]warehouse.MessageSums{}, map[key]warehouse.MessageSums{}
	for _, m := range want.messages {
		if !days.Contains(m.Day) {
			continue
		}
		sums := warehouse.MessageSums{
			Rows: 1, Recipients: m.Recipients, Delivered: m.Delivered, Opens: m.Opens, Clicks: m.Clicks, Conversions: m.Conversions,
			Revenue: m.Revenue, Unsubscribes: m.Unsubscribes, Spam: m.Spam, Bounces: m.Bounces, Days: civil.Range{First: m.Day, Last: m.Day},
		}
		if m.SinceSend {
			sums.SinceSend = 1
		}
		all, one := key{m.Channel, m.Entity, ""}, key{m.Channel, m.Entity, m.EntityID}
		totals[all], entities[one] = totals[all].Add(sums), entities[one].Add(sums)
	}
	gotTotals, gotEntities := map[key]warehouse.MessageSums{}, map[key]warehouse.MessageSums{}
	for _, m := range answer[warehouse.Pair[[]warehouse.MessageTotal]](t)(w.MessageTotals(t.Context(), ws, warehouse.Windows{Recent: days})).Recent {
		gotTotals[key{m.Channel, m.Entity, ""}] = m.MessageSums
	}
	rows := answer[[]warehouse.MessageEntity](t)(w.Messages(t.Context(), ws, warehouse.MessagesOf{Days: days}))
	for _, m := range rows {
		gotEntities[key{m.Channel, m.Entity, m.ID}] = m.MessageSums
	}
	same(t, "message totals", totals, gotTotals)
	same(t, "messages", entities, gotEntities)
	if !slices.IsSortedFunc(rows, func(a, b warehouse.MessageEntity) int { return cmp.Compare(b.Revenue, a.Revenue) }) {
		t.Error("messages are not sorted by revenue")
	}
	for _, m := range answer[[]warehouse.MessageEntity](t)(w.Messages(t.Context(), ws, warehouse.MessagesOf{Days: days, Channel: "sms", Entity: "flow"})) {
		if m.Channel != "sms" || m.Entity != "flow" {
			t.Errorf("a flow of text messages is a %s by %s", m.Entity, m.Channel)
		}
	}
}

// smallStorePeople compares answers about the small store with totals that are computed by hand. Customer c1 has orders
// 1, 2 and 4. Last touch attributes order 1 to google.
func smallStorePeople(on trial) {
	t, w := on.t, on.w
	got := answer[warehouse.Pair[warehouse.SegmentTotals]](t)(w.SegmentTotals(t.Context(), shop, "", warehouse.Windows{Recent: january}))
	same(t, "new, returning and unknown", []int64{100_00 + 80_00 + 40_00, 50_01 - 5_00, 30_00},
		[]int64{got.Recent.New.Charged, got.Recent.Returning.Charged, got.Recent.Unknown.Charged})
	panel := answer[warehouse.Panel](t)(w.Panel(t.Context(), shop))
	var mine warehouse.PanelCustomer
	for _, c := range panel.Customers {
		if c.Channel == "google" {
			mine = c
		}
	}
	same(t, "customers", []int64{3, 3}, []int64{int64(len(panel.Customers)), panel.Everybody})
	same(t, "c1", warehouse.PanelCustomer{FirstDay: date("2026-01-10"), Channel: "google", Days: []warehouse.PanelDay{
		{Day: date("2026-01-10"), Orders: 1, Charged: 100_00, Tax: 10_00, Shipping: 5_00, Net: 95_00, Costed: 60_00, Cost: 20_00},
		{Day: date("2026-01-11"), Orders: 1, Charged: 50_01, Tax: 5_00, Shipping: 5_00, Net: 45_00, Costed: 45_00, Cost: 40_00},
		{Day: date("2026-01-12"), Orders: 1, Charged: -5_00, Tax: -50, Shipping: 5_00},
		{Day: date("2026-01-15"), Refunds: 20_00},
	}}, mine)
	cohorts := answer[[]warehouse.CohortMonth](t)(w.Cohorts(t.Context(), shop, "", january))
	same(t, "cohort of January", []warehouse.CohortMonth{{Cohort: january.First, Month: january.First, Active: 3, Orders: 5}}, cohorts)
	// The touchpoints of order 4 are at the order's instant and twelve hours before. The first touchpoint of order 2 is
	// 14 days and 15 hours before the order.
	same(t, "journeys", []warehouse.JourneyCount{{Touches: 2, LagDays: 6, Orders: 1}, {Touches: 3, LagDays: 0, Orders: 1}, {Touches: 3, LagDays: 14, Orders: 1}},
		answer[[]warehouse.JourneyCount](t)(w.Journeys(t.Context(), shop, "", january)))
}

// lateOrders imports answers before their orders, and then cancels one of the orders.
func lateOrders(on trial) {
	t, w := on.t, on.w
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Surveys: []warehouse.SurveyResponse{
		{Source: "s", Key: "1", OrderRef: ref("1"), Day: date("2026-01-12"), Question: "discovery_channel", Answer: "Google", Channel: "google"},
		{Source: "s", Key: "2", OrderRef: ref("5"), Day: date("2026-01-12"), Question: "discovery_channel", Answer: "A friend", Channel: "referral"},
		{Source: "s", Key: "3", Day: date("2026-01-12"), Question: "discovery_channel", Answer: "?"},
	}})
	rows := func() (out []string) {
		for _, r := range answer[warehouse.AnswerPage](t)(w.AnswerRows(t.Context(), shop, warehouse.AnswersOf{Windows: warehouse.Windows{Recent: january}})).Rows {
			out = append(out, fmt.Sprintf("%s %s %d %v", r.Answer, r.Credited, r.Charged, r.Known))
		}
		slices.Sort(out)
		return out
	}
	same(t, "answers before their orders", []string{"?  0 false", "A friend  0 false", "Google  0 false"}, rows())
	small(t, w)
	same(t, "answers with their orders", []string{"?  0 false", "A friend amazon 8000 true", "Google google 10000 true"}, rows())
	order := smallStore().Orders[4]
	order.Cancelled, order.UpdatedAt = true, order.UpdatedAt.Add(time.Hour)
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{order}})
	same(t, "an order was cancelled", []string{"?  0 false", "Google google 10000 true"}, rows())
}

// answerTexts searches survey answers for the special characters of LIKE patterns.
func answerTexts(on trial) {
	t, w := on.t, on.w
	var b warehouse.Batch
	for i, text := range []string{"100% sure", "1000 sure", "a_b", "aXb", `it's "so"`} {
		b.Surveys = append(b.Surveys, warehouse.SurveyResponse{Source: "s", Key: fmt.Sprint(i), Day: january.First, Question: "why", Answer: text})
	}
	load(t, w, warehouse.ImportSpec{}, b)
	for text, want := range map[string]int{"0%": 1, "A_B": 1, "%": 1, `'s "S`: 1, "sure": 2, "": 5, "zzz": 0} {
		page := answer[warehouse.AnswerPage](t)(w.AnswerRows(t.Context(), shop, warehouse.AnswersOf{Windows: warehouse.Windows{Recent: january}, Contains: text}))
		same(t, fmt.Sprintf("answers with %q", text), want, len(page.Rows))
	}
}
