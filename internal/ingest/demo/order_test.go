package demo_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

func TestOrderCountIsExactAndNoOrderIsAfterNoonOfToday(t *testing.T) {
	t.Parallel()
	for _, size := range everySize() {
		s := generated(t, size)
		if len(s.rows.Orders) != size.orders {
			t.Errorf("%v: %d orders", size, len(s.rows.Orders))
		}
		last := time.Time{}
		for _, o := range s.rows.Orders {
			if o.At.Before(last) || !o.At.Before(s.opt.Now()) || o.Day.Before(s.truth.FirstDay) {
				t.Fatalf("%v: order %s at %v follows one at %v; the store ends at %v", size, o.Key, o.At, last, s.opt.Now())
			}
			if o.Day != civil.DayOf(o.At, s.opt.Zone) {
				t.Errorf("%v: order %s at %v is booked on %v", size, o.Key, o.At, o.Day)
			}
			last = o.At
		}
	}
}

func TestMoneyOfAnOrderAddsUp(t *testing.T) {
	t.Parallel()
	for _, size := range everySize() {
		s := generated(t, size)
		gross, discounts, net := map[string]int64{}, map[string]int64{}, map[string]int64{}
		units := map[string]int64{}
		for _, l := range s.rows.Lines {
			if l.Quantity < 1 || l.Net < 0 || l.Discount < 0 || l.CostKnown != (l.Cost > 0) {
				t.Errorf("%v: line %+v", size, l)
			}
			gross[l.Key] += l.Net + l.Discount
			discounts[l.Key] += l.Discount
			net[l.Key] += l.Net
			units[l.Key] += l.Quantity
		}
		for _, o := range s.rows.Orders {
			if o.Charged != gross[o.Key]-o.Discounts+o.Tax+o.Shipping || o.Discounts != discounts[o.Key] || o.Units != units[o.Key] {
				t.Errorf("%v: order %s is charged %d: lines %d, discounts %d, tax %d, shipping %d", size, o.Key, o.Charged, gross[o.Key], o.Discounts, o.Tax, o.Shipping)
			}
			if o.Charged <= 0 || o.Tax < 0 || float64(o.Tax) > 0.1*float64(net[o.Key])+1 || o.Original.Minor != o.Charged {
				t.Errorf("%v: order %s: %+v", size, o.Key, o)
			}
		}
		for _, c := range s.rows.Coupons {
			if c.Discount != discounts[c.Key] || c.Discount <= 0 || c.Code != strings.ToUpper(c.Code) {
				t.Errorf("%v: coupon %+v, discount of the order %d", size, c, discounts[c.Key])
			}
		}
	}
}

func TestRefundsAreNoMoreThanTheOrderAndOneToTwentyEightDaysLater(t *testing.T) {
	t.Parallel()
	for _, size := range everySize() {
		s := generated(t, size)
		orders := byKey(s.rows.Orders)
		refunded := 0.0
		for _, r := range s.rows.Refunds {
			o := orders[r.Key]
			later := r.Day.Sub(o.Day)
			if r.Amount < 1 || r.Amount > o.Charged || later < 1 || later > 28 || !r.At.Before(s.opt.Now()) {
				t.Errorf("%v: refund of %d after %d days for %d", size, r.Amount, later, o.Charged)
			}
			if o.Cancelled || o.Test || (o.Status == "refunded") != (r.Amount == o.Charged) || !o.UpdatedAt.Equal(r.At) {
				t.Errorf("%v: refund %+v of order %+v", size, r, o)
			}
			refunded += float64(r.Amount) / 100
		}
		if part := refunded / s.revenue(); size.orders >= 2000 && (part < 0.015 || part > 0.07) {
			t.Errorf("%v: refunds are %.1f%% of revenue", size, 100*part)
		}
	}
}

func byKey(orders []warehouse.Order) map[string]warehouse.Order {
	found := make(map[string]warehouse.Order, len(orders))
	for _, o := range orders {
		found[o.Key] = o
	}
	return found
}

func TestTouchpointsPrecedeTheOrder(t *testing.T) {
	t.Parallel()
	for _, size := range everySize() {
		s := generated(t, size)
		orders := byKey(s.rows.Orders)
		var before warehouse.Touch
		steps := [7]int{}
		for _, touch := range s.rows.Touches {
			o := orders[touch.Key]
			if touch.OrderRef == before.OrderRef {
				if touch.Seq != before.Seq+1 || touch.At.Before(before.At) {
					t.Fatalf("%v: touch %+v follows %+v", size, touch, before)
				}
			} else if touch.Seq != 1 {
				t.Fatalf("%v: first touch %+v", size, touch)
			}
			if touch.Seq > 6 || !touch.At.Before(o.At) || o.At.Sub(touch.At) > 30*24*time.Hour || (touch.Platform == "") != (touch.Campaign == "") {
				t.Fatalf("%v: touch %+v of order at %v", size, touch, o.At)
			}
			steps[touch.Seq]++
			before = touch
		}
		if size.orders >= 2000 && steps[6] == 0 {
			t.Errorf("%v: no path has six touches", size)
		}
	}
}

func TestTouchpointsNameCampaignsWithSpendOnThatDay(t *testing.T) {
	t.Parallel()
	s := generated(t, full)
	type flight struct {
		campaign string
		day      civil.Date
	}
	spent := map[flight]bool{}
	for _, row := range s.rows.AdDays {
		spent[flight{row.CampaignID, row.Day}] = true
	}
	for _, touch := range s.rows.Touches {
		day := civil.DayOf(touch.At, s.opt.Zone)
		if touch.Campaign != "" && !day.Before(s.truth.FirstDay) && !spent[flight{touch.Campaign, day}] {
			t.Errorf("touch %+v, but the campaign spent nothing on %v", touch, day)
		}
	}
}

func TestKeysAreUnique(t *testing.T) {
	t.Parallel()
	for _, size := range []size{full, small} {
		s := generated(t, size)
		unique(t, "order", s.rows.Orders, func(o warehouse.Order) any { return o.OrderRef })
		unique(t, "order name", s.rows.Orders, func(o warehouse.Order) any { return o.Name })
		unique(t, "line", s.rows.Lines, func(l warehouse.OrderLine) any { return [2]any{l.OrderRef, l.Line} })
		unique(t, "refund", s.rows.Refunds, func(r warehouse.Refund) any { return [2]any{r.OrderRef, r.Refund} })
		unique(t, "coupon", s.rows.Coupons, func(c warehouse.OrderCoupon) any { return [2]any{c.OrderRef, c.Code} })
		unique(t, "touch", s.rows.Touches, func(x warehouse.Touch) any { return [2]any{x.OrderRef, x.Seq} })
		unique(t, "survey", s.rows.Surveys, func(a warehouse.SurveyResponse) any { return a.Key })
		unique(t, "ad row", s.rows.AdDays, func(a warehouse.AdDay) any {
			return adKey{a.Platform, a.CampaignID, a.AdID, a.Region, a.Day}
		})
		unique(t, "spend", s.rows.ChannelSpend, func(c warehouse.ChannelSpend) any { return [3]any{c.Channel, c.Day, c.Region} })
		unique(t, "message", s.rows.Messages, func(m warehouse.MessageDay) any { return [2]any{m.MessageID, m.Day} })
		unique(t, "product", s.rows.Products, func(p warehouse.Product) any { return p.SKU })
		unique(t, "title", s.rows.Products, func(p warehouse.Product) any { return p.Title })
		unique(t, "creator", s.rows.Creators, func(c warehouse.Creator) any { return c.ID })
		unique(t, "code", s.rows.CreatorCodes, func(c warehouse.CreatorCode) any { return c.Code })
		unique(t, "cost", s.rows.CreatorCosts, func(c warehouse.CreatorCost) any { return [3]any{c.Creator, c.Day, c.Kind} })
		unique(t, "link", s.rows.LinkDays, func(l warehouse.LinkDay) any { return [2]any{l.Link, l.Day} })
		unique(t, "mapped coupon", s.rows.CouponMap, func(c warehouse.CouponChannel) any { return c.Code })
		unique(t, "target", s.rows.Targets, func(g warehouse.Target) any { return [4]any{g.Metric, g.Period, g.Start, g.Channel} })
		unique(t, "region day", s.rows.RegionDays, func(r warehouse.RegionDay) any { return [2]any{r.Region, r.Day} })
	}
}

// adKey is the natural key of a line of an ad report.
type adKey struct {
	platform             measure.Platform
	campaign, ad, region string
	day                  civil.Date
}

func unique[T any](t *testing.T, what string, rows []T, key func(T) any) {
	t.Helper()
	seen := make(map[any]bool, len(rows))
	for _, row := range rows {
		if seen[key(row)] {
			t.Errorf("%s %+v comes twice", what, row)
		}
		seen[key(row)] = true
	}
	if len(rows) == 0 {
		t.Errorf("there is no %s", what)
	}
}

func TestCustomersComeBack(t *testing.T) {
	t.Parallel()
	s := generated(t, full)
	bought := map[string]int{}
	returning, recent := 0.0, 0.0
	for _, o := range s.rows.Orders {
		late := o.Day.After(s.truth.LastDay.AddDays(-90))
		if o.Customer != "" && bought[o.Customer] > 0 && late {
			returning++
		}
		if late {
			recent++
		}
		if o.Customer != "" {
			bought[o.Customer]++
		}
	}
	if r := returning / recent; r < 0.30 || r > 0.55 {
		t.Errorf("%.2f of the last 90 days' orders are by customers who came back", r)
	}
	times := map[int]int{}
	for _, n := range bought {
		times[min(n, 5)]++
	}
	if once := float64(times[1]) / float64(len(bought)); once < 0.45 || once > 0.80 || times[5] < 200 {
		t.Errorf("%.2f of the customers bought once, %d five times or more", once, times[5])
	}
}

func TestOrdersAreSpreadOverSurfacesStatesAndSizes(t *testing.T) {
	t.Parallel()
	s := generated(t, full)
	people := s.people()
	surfaces, regions := map[measure.Surface]float64{}, map[string]float64{}
	large, cancelled, tests := 0.0, 0.0, 0.0
	n := float64(len(s.rows.Orders))
	for _, o := range s.rows.Orders {
		surfaces[o.Surface] += 1 / n
		regions[o.Region] += 1 / n
		switch {
		case o.Cancelled:
			cancelled += 1 / n
		case o.Test:
			tests += 1 / n
		}
		if o.Charged > 100_00 {
			large += 1 / n
		}
	}
	if mean := s.revenue() / n; mean < 78 || mean > 92 {
		t.Errorf("mean order value is %.2f", mean)
	}
	if large < 0.15 || cancelled < 0.004 || cancelled > 0.008 || tests == 0 {
		t.Errorf("%.3f of the orders are over 100, %.4f cancelled, %.4f tests", large, cancelled, tests)
	}
	for _, surface := range measure.Surfaces() {
		if surfaces[surface] < 0.004 || surface != measure.OnlineStore && surfaces[surface] > surfaces[measure.OnlineStore] {
			t.Errorf("%s has %.3f of the orders", surface, surfaces[surface])
		}
	}
	for region, share := range people {
		if r := regions[region] / share; r < 0.5 || r > 2 {
			t.Errorf("%s has %.2f times the orders of its population", region, r)
		}
	}
}

func TestDemandFollowsTheCalendar(t *testing.T) {
	t.Parallel()
	s := generated(t, full)
	days := s.series("revenue")
	for day, low := range map[string]float64{"2024-11-29": 1.5, "2025-11-28": 1.8, "2025-12-01": 1.6} {
		if ratio, _ := against(days, civil.MustParse(day)); ratio < low {
			t.Errorf("%s takes %.2f of its neighbours, want at least %.2f", day, ratio, low)
		}
	}
	if ratio, _ := against(days, civil.MustParse("2025-12-25")); ratio > 0.9 {
		t.Errorf("Christmas takes %.2f of its neighbours", ratio)
	}
	first, second := 0.0, 0.0
	for t := range 330 { // same months of two years
		day := s.truth.FirstDay.AddDays(t)
		first += days[day]
		second += days[day.AddDays(365)]
	}
	if growth := second / first; growth < 1.05 || growth > 1.45 {
		t.Errorf("the second year takes %.2f of the first", growth)
	}
}

func TestSurveyAnswersMostlyNameTheCause(t *testing.T) {
	t.Parallel()
	s := generated(t, full)
	orders := byKey(s.rows.Orders)
	online, answered, large := 0.0, 0.0, 0
	texts := map[string]int{}
	touched := map[string]map[measure.Channel]bool{}
	for _, touch := range s.rows.Touches {
		if touched[touch.Key] == nil {
			touched[touch.Key] = map[measure.Channel]bool{}
		}
		touched[touch.Key][touch.Channel] = true
	}
	for _, o := range s.rows.Orders {
		if o.Surface == measure.OnlineStore && !o.Cancelled && !o.Test {
			online++
		}
	}
	named, met := 0.0, 0.0
	for _, a := range s.rows.Surveys {
		texts[a.Question]++
		o := orders[a.OrderRef.Key]
		if a.At.Before(o.At) || !a.At.Before(s.opt.Now()) || a.Day != civil.DayOf(a.At, s.opt.Zone) {
			t.Errorf("answer %+v to an order at %v", a, o.At)
		}
		if a.Question != "discovery_channel" {
			continue
		}
		answered++
		if o.Charged > 100_00 && strings.Contains(a.Answer, "a") {
			large++
		}
		if a.Channel == "facebook" && len(touched[o.Key]) > 0 {
			named++
			if touched[o.Key]["facebook"] {
				met++
			}
		}
	}
	if r := answered / online; r < 0.23 || r > 0.27 {
		t.Errorf("%.3f of the online orders answered", r)
	}
	if len(texts) != 3 || large < 500 {
		t.Errorf("questions %v; %d answers with an a to orders over 100", texts, large)
	}
	if r := met / named; r < 0.4 {
		t.Errorf("%.2f of those who name facebook have a touch of it", r)
	}
}

func TestCreatorsHaveCodesLinksCostsAndOrders(t *testing.T) {
	t.Parallel()
	s := generated(t, full)
	if n := len(s.rows.Creators); n < 12 || n > 20 || len(s.truth.Creators) != n || len(s.rows.CreatorCodes) != n {
		t.Errorf("%d creators, %d in the truth, %d codes", n, len(s.truth.Creators), len(s.rows.CreatorCodes))
	}
	costs, spend := map[civil.Date]int64{}, map[civil.Date]int64{}
	for _, c := range s.rows.CreatorCosts {
		costs[c.Day] += c.Amount
	}
	for _, c := range s.rows.ChannelSpend {
		if c.Channel == "influencer" {
			spend[c.Day] += c.Spend
		}
	}
	if !maps.Equal(costs, spend) {
		t.Error("creators' costs by day are not the spend of the channel influencer")
	}
	linked := map[string]int64{}
	for _, l := range s.rows.LinkDays {
		if l.Orders > l.Clicks || l.Clicks < 1 || (l.Orders == 0) != (l.Revenue == 0) {
			t.Errorf("link day %+v", l)
		}
		linked[l.Creator] += l.Orders
	}
	total := 0
	for _, c := range s.truth.Creators {
		total += c.TrueOrders
		if linked[c.ID] > int64(c.TrueOrders) || c.TrueOrders > 0 && c.TrueRevenue <= 0 {
			t.Errorf("%s has %d orders through links, %d true orders of %.2f", c.Name, linked[c.ID], c.TrueOrders, c.TrueRevenue)
		}
	}
	// The truth contains expected orders. The number of actual orders is Poisson distributed with this mean.
	want := s.truth.Channels["influencer"].IncrementalRevenue / 85
	if math.Abs(float64(total)-want) > 0.15*want {
		t.Errorf("creators brought %d orders, about %.0f expected", total, want)
	}
	if codes := mapped(s.rows.CouponMap); !slices.Contains(codes, "WELCOME10") || slices.Contains(codes, "BFCM25") {
		t.Errorf("mapped codes are %v", codes)
	}
}

func mapped(coupons []warehouse.CouponChannel) []string {
	var codes []string
	for _, c := range coupons {
		codes = append(codes, c.Code)
	}
	return codes
}
