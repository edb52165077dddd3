package detect

import (
	"slices"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure/stats/statstest"
)

// The base has 10 claims and 5 last-touch orders, the recent day 8 and 4. One driver fell to 0.8 of its daily rate times
// the days, the other rose to 3.2; their geometric mean is 1.6.
func TestExpectedClaimsFollowTheDrivers(t *testing.T) {
	t.Parallel()
	w := windows{recent: 1, base: 2}
	orders, other := prefix([]float64{9, 2, 3, 4}), prefix([]float64{9, 2, 3, 16})
	claimed := prefix([]float64{9, 4, 6, 8})
	one, ok := claims{claimed, [][]float64{orders}, w}.expect(4)
	if !ok {
		t.Fatal("8 expected claims are enough")
	}
	statstest.Near(t, "claims", one.claimed, 8, 1e-9)
	statstest.Near(t, "expected", one.expected, 8, 1e-9)
	statstest.Near(t, "spread", one.spread, 1+8*(.1+.25+.2), 1e-9)
	statstest.Near(t, "claims per order before", one.before, 2, 1e-9)
	statstest.Near(t, "claims per order", one.now, 2, 1e-9)
	two, ok := claims{claimed, [][]float64{orders, other}, w}.expect(4)
	if !ok {
		t.Fatal("16 expected claims are enough")
	}
	statstest.Near(t, "expected by two drivers", two.expected, 16, 1e-9)
	statstest.Near(t, "spread of two drivers", two.spread, 1+16*(.1+(.25+.2)/4), 1e-9)
	for scale, want := range map[float64]bool{.625: true, .62: false} { // 5 expected claims
		few := prefix([]float64{9, 4 * scale, 6 * scale, 8})
		if _, ok := (claims{few, [][]float64{orders}, w}).expect(4); ok != want {
			t.Errorf("%v expected claims are enough: %t", 8*scale, ok)
		}
	}
	many := prefix([]float64{90, 40, 60, 80})
	if _, ok := (claims{many, [][]float64{orders}, w}).expect(3); !ok {
		t.Error("three days are enough for windows of one and two days")
	}
	if _, ok := (claims{many, [][]float64{orders}, w}).expect(2); ok {
		t.Error("two days are enough for windows of one and two days")
	}
	if _, ok := (claims{claimed, [][]float64{prefix([]float64{0, 0, 0, 4})}, w}).expect(4); ok {
		t.Error("claims are expected without earlier orders")
	}
}

func TestClaimsAlarmBeyondBothLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		test claimTest
		want bool
	}{
		{claimTest{claimed: 20, expected: 10, now: 1.6, before: 1, p: .00024}, true},
		{claimTest{claimed: 20, expected: 10, now: 1.59, before: 1, p: 0}, false},
		{claimTest{claimed: 20, expected: 10, now: 1.6, before: 1, p: .00025}, false},
		{claimTest{claimed: 20, expected: 10, now: .3, before: 1, p: 0}, false},
		{claimTest{claimed: 3, expected: 10, now: .3, before: 1, p: 0}, true},
		{claimTest{claimed: 3, expected: 10, now: .31, before: 1, p: 0}, false},
		{claimTest{claimed: 3, expected: 10, now: 1.6, before: 1, p: 0}, false},
		{claimTest{claimed: 10, expected: 10, now: 1.6, before: 1, p: 0}, false},
	} {
		if got := c.test.alarms(); got != c.want {
			t.Errorf("%+v alarms: %t", c.test, got)
		}
	}
	statstest.Near(t, "confidence at the limit", claimTest{p: .00025}.confidence(), .8, 1e-9)
	statstest.Near(t, "confidence at half of it", claimTest{p: .000125}.confidence(), .9, 1e-9)
	statstest.Near(t, "largest confidence", claimTest{}.confidence(), .99, 1e-9)
}

// A break of claims needs 12 earlier windows: 7 recent days, 56 days before and 12 steps of a week are 147 days.
func TestClaimsNeedAHistory(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{147: 1, 146: 0} {
		s := steady(n)
		scaled(s.Channels[0].Claimed, 7, 3)
		if got := claimsBreaks(s); len(got) != want {
			t.Errorf("%d days: %d breaks, want %d", n, len(got), want)
		}
	}
	s := steady(300)
	c := steady(300).Channels[0]
	c.Name = "bing"
	scaled(c.Claimed, 7, 3)
	s.Channels[0].Late = 7
	s.Channels = append(s.Channels, c)
	if got := claimsBreaks(s); len(got) != 1 || got[0].Subject != "bing" {
		t.Errorf("breaks %v, want that of the channel without late reports", got)
	}
	r := ratios{prefix(ones(100)), prefix(ones(100)), windows{recent: 7, base: 56}}
	for end, want := range map[int]bool{62: false, 63: true} {
		if _, _, _, ok := r.value(end); ok != want {
			t.Errorf("%d days are enough for a base of 56: %t", end, ok)
		}
	}
}

// Two days with 5 and 7 orders instead of 100, of 50 each, with a contribution of 40%.
func TestConsecutiveDaysOfAnOutageAreOneFinding(t *testing.T) {
	t.Parallel()
	s := steady(100)
	s.Orders[95], s.Orders[96] = 5, 7
	all := outages(s)
	if len(all) != 1 || all[0].Since != s.day(95) || all[0].Severity != Warning {
		t.Fatalf("%+v, want one finding", all)
	}
	value := s.aov() * .4 * 188
	for i, want := range []float64{12, 200, 2} {
		statstest.Near(t, all[0].Evidence[i].Name, all[0].Evidence[i].Value, want, 1e-9)
	}
	statstest.Near(t, "value", all[0].Value.Value, value, 1e-9)
	statstest.Near(t, "low", all[0].Value.Low, .6*value, 1e-9)
	statstest.Near(t, "high", all[0].Value.High, 1.2*value, 1e-9)
	s.Orders[98] = 4
	if all = outages(s); len(all) != 2 || all[1].Since != s.day(98) || all[1].Severity != Warning {
		t.Errorf("%+v, want another finding after a day between", all)
	}
	s.Orders[99] = 4
	if all = outages(s); len(all) != 2 || all[1].Severity != Alarm || all[0].Severity != Warning {
		t.Errorf("%+v, want an alarm for the outage that may continue", all)
	}
	for day, want := range map[int]int{86: 1, 85: 0} { // the last 14 days
		s := steady(100)
		s.Orders[day] = 0
		if got := outages(s); len(got) != want {
			t.Errorf("outage on day %d of 100: %d findings", day, len(got))
		}
	}
	for orders, want := range map[float64]int{30: 1, 31: 0} { // 30% of 100
		s := steady(100)
		s.Orders[95] = orders
		if got := outages(s); len(got) != want {
			t.Errorf("a day with %v orders: %d findings", orders, len(got))
		}
	}
}

// Weekly revenue alternates between two levels, so the ratio to the four weeks before has the standard deviation 0.091.
// The season must be 15% above the four weeks before it, and two deviations above the median.
func TestSeasonsStandOutFromTheYear(t *testing.T) {
	t.Parallel()
	days := func(weeks int, high, last float64) Store {
		s := steady(7 * weeks)
		for i := range s.Revenue {
			s.Revenue[i] = 1000
			if i/7%2 == 1 {
				s.Revenue[i] = 1000 * high
			}
		}
		scaled(s.Revenue, 7, last)
		return s
	}
	for _, c := range []struct {
		weeks             int
		high, last, ratio float64
		shows             bool
	}{
		{80, 1.2, 1.3 / 1.2, 1.3 / 1.1, false},
		{80, 1.2, 1.4 / 1.2, 1.4 / 1.1, true},
		{80, 1, 1.14, 1.14, false},
		{80, 1, 1.16, 1.16, true},
	} {
		s := days(c.weeks, c.high, c.last)
		ratio, shows, known := s.SeasonEffect(civil.Range{First: s.Days.Last.AddDays(-6), Last: s.Days.Last})
		if statstest.Near(t, "ratio", ratio, c.ratio, 1e-9); shows != c.shows || !known {
			t.Errorf("%+v: shows %t, known %t", c, shows, known)
		}
	}
	s := days(80, 1, 1)
	if _, _, known := s.SeasonEffect(civil.Range{First: s.Days.Last, Last: s.Days.Last.AddDays(1)}); known {
		t.Error("a season that has not ended is known")
	}
}

// The first item of each list is no finding.
func TestEveryItemOfAListIsExamined(t *testing.T) {
	t.Parallel()
	for kind, plant := range map[Kind]func(*Store){
		NoEffect: func(s *Store) {
			s.Campaigns = []Campaign{{ID: "a", Spend: 100, Orders: 90}, {ID: "b"}, {ID: "c", Spend: 6000, Orders: 2, Claimed: 3}}
		},
		CappedWinner: func(s *Store) {
			s.Campaigns = []Campaign{{ID: "a"}, {ID: "b", Spend: 2800, Orders: 250, Revenue: 2000, DailyBudget: 100, RecentSpend: 99}, {ID: "c", Spend: 2800, Orders: 250, Revenue: 15_000, DailyBudget: 100, RecentSpend: 99}}
		},
		Fatigue: func(s *Store) {
			s.Ads = []Ad{
				{ID: "a", Channel: "google", Days: 42},
				{ID: "b", Channel: "google", Spend: 900, Clicks: 1000, Views: 100_000, ClicksBefore: 2000, ViewsBefore: 200_000, Days: 42},
				{ID: "c", Channel: "google", Spend: 900, Clicks: 500, Views: 100_000, ClicksBefore: 2000, ViewsBefore: 200_000, Days: 42},
			}
		},
		SalesStopped: func(s *Store) {
			s.Products = []Product{{SKU: "a", Units: 40, Before: 320}, {SKU: "c", Units: 0, Before: 320, Price: 40}}
		},
		PixelLoss: func(s *Store) {
			s.Answers = []Answers{{Channel: "a"}, {Channel: "b", Named: 40, NamedBefore: 110, Credited: 30, CreditBefore: 80}, {Channel: "c", Named: 40, NamedBefore: 110, Credited: 8, CreditBefore: 80}}
		},
		CouponLeak: func(s *Store) {
			s.Coupons = []Coupon{{Code: "a", Orders: 5, Before: 60}, {Code: "c", Creator: true, Orders: 160, Before: 60, Discount: 1600, New: 20}}
		},
		Rebooking: func(s *Store) {
			s.Creators = []Creator{{ID: "a", Open: true}, {ID: "b", Orders: about(2, 1), AOV: 60, Cost: 500, Days: 180}, {ID: "c", Orders: about(90, 10), AOV: 60, Cost: 500, Days: 180}}
		},
		PacingRisk: func(s *Store) {
			s.Goals = []Goal{{Name: "a", Target: 100, Chance: .5}, {Name: "c", Target: 100, Chance: .01}}
		},
		HaloEffect: func(s *Store) {
			s.Halos = []Halo{{Channel: "a", Chance: .5}, {Channel: "c", Surface: "web", Monthly: about(9000, 1000), Chance: 0.99}}
		},
		SeasonAhead: func(s *Store) {
			s.Seasons = []Season{{Name: "a", Planned: true}, {Name: "c", First: s.Days.Last.AddDays(20)}}
		},
	} {
		s := steady(600)
		plant(&s)
		all := Find(s)
		if len(all) != 1 || all[0].Kind != kind || !strings.HasPrefix(all[0].Subject, "c") {
			t.Errorf("%s: %v, want that of the last item", kind, all)
		}
	}
	s := steady(600)
	second := steady(600).Channels[0]
	second.Name, second.Marginal = "bing", &Marginal{Step: 0.2, Spend: 12_000, ROAS: about(1.2, 0.3), Less: about(-2900, 700), More: about(2700, 700)}
	s.Channels[0].Marginal = &Marginal{Step: 0.2, Spend: 12_000, ROAS: about(2.5, 1)}
	s.Channels = append(s.Channels, second)
	if all := pastOptimum(s); len(all) != 1 || all[0].Subject != "bing" {
		t.Errorf("%v, want the second channel", all)
	}
	// Without uncertainty of the factor, an experiment has no value.
	s = steady(600)
	s.Channels[0].Tested, s.Channels[0].FactorSD = false, 0
	s.Channels[0].Marginal = &Marginal{Step: 0.2, Spend: 30_000, ROAS: about(2.5, 0.8)}
	if all := untested(s); len(all) != 0 {
		t.Errorf("%v without uncertainty of the factor", all)
	}
}

func TestFindingsAreSortedByTheirValuePerEffort(t *testing.T) {
	t.Parallel()
	statstest.Near(t, "score", Finding{Value: worth(100, 50, 150), Confidence: .8, Effort: Large}.Score(), 20, 1e-9)
	statstest.Near(t, "score of a loss", Finding{Value: worth(-100, -150, 50), Confidence: .8, Effort: Small}.Score(), 0, 1e-9)
	statstest.Near(t, "score without a value", Finding{Confidence: .8, Effort: Small}.Score(), 0, 1e-9)
	if v := worth(1, 5, -3); v.Low != -3 || v.High != 5 || v.Level != .9 {
		t.Errorf("interval %+v", v)
	}
	for _, c := range []struct {
		all  []Finding
		want []Kind
	}{
		{[]Finding{{Kind: PixelLoss, Channel: "a"}, {Kind: CACDrift, Channel: "a"}, {Kind: CACDrift, Channel: "b"}}, []Kind{PixelLoss, CACDrift}},
		{[]Finding{{Kind: TrackingBreak, Channel: "a"}, {Kind: TrackingBreak, Channel: "b"}}, []Kind{TrackingBreak, TrackingBreak}},
		{[]Finding{{Kind: TrackingBreak}, {Kind: TrackingBreak, Channel: "b"}, {Kind: PixelLoss, Channel: "b"}}, []Kind{TrackingBreak}},
		{[]Finding{{Kind: SpendShift, Channel: "a"}, {Kind: PaybackDrift}}, []Kind{SpendShift}},
		{[]Finding{{Kind: FewerNew}, {Kind: CACDrift, Channel: "a"}, {Kind: Outage}, {Kind: RefundRate}}, []Kind{FewerNew, Outage, RefundRate}},
		{[]Finding{{Kind: CouponLeak, Subject: "X"}, {Kind: Discounting}}, []Kind{CouponLeak}},
	} {
		if got := kinds(withoutConsequences(c.all)); !slices.Equal(got, c.want) {
			t.Errorf("%v: kept %v, want %v", kinds(c.all), got, c.want)
		}
	}
}
