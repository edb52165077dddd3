package detect

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure"
)

// simulated returns a store with 850 days of data and without a problem to detect. It has a weekday pattern and a
// yearly season with a November sale. Spend levels change every few weeks, and counts are more variable than Poisson
// counts.
func simulated(seed uint64) Store {
	const n = 850
	r := rand.New(rand.NewPCG(seed, 17))
	rate := 0.4
	s := Store{Days: civil.Range{First: civil.MustParse("2024-02-01"), Last: civil.MustParse("2024-02-01").AddDays(n - 1)}, Rate: &rate, CohortDays: 28, CampaignDays: 28}
	for _, name := range []measure.Channel{"facebook", "google", "tiktok"} {
		s.Channels = append(s.Channels, Channel{Name: name, Tested: true, FactorSD: 0.2})
	}
	level := []float64{1, 1, 1}
	for t := range n {
		day := s.Days.First.AddDays(t)
		season := 1 + 0.15*math.Sin(2*math.Pi*float64(day.YearDay())/365)
		sale := 0.08
		if day.Month() == 11 && day.Day() > 20 {
			season, sale = 2*season, 0.25
		}
		orders, credited, fresh := 0.0, 0.0, 0.0
		for i := range s.Channels {
			if r.IntN(28) == 0 {
				level[i] = math.Exp(0.3 * r.NormFloat64())
			}
			c := &s.Channels[i]
			spend := 400 * level[i] * season * math.Exp(0.1*r.NormFloat64())
			k := clustered(r, 20*season*(0.6+0.4*level[i]))
			c.Spend, c.Orders, c.Revenue = append(c.Spend, spend), append(c.Orders, k), append(c.Revenue, 60*k)
			c.NewOrders, c.Claimed = append(c.NewOrders, math.Round(0.5*k)), append(c.Claimed, clustered(r, 1.4*k))
			orders, credited, fresh = orders+k, credited+k, fresh+math.Round(0.5*k)
		}
		none := clustered(r, 20*season)
		orders += none
		s.Unattributed, s.Orders = append(s.Unattributed, none), append(s.Orders, orders)
		s.Revenue, s.NewOrders = append(s.Revenue, 60*orders*(1-sale)), append(s.NewOrders, fresh+math.Round(0.4*none))
		s.Discounts = append(s.Discounts, 60*orders*sale*math.Exp(0.1*r.NormFloat64()))
		s.Refunds = append(s.Refunds, 60*orders*0.06*math.Exp(0.3*r.NormFloat64()))
		s.CohortValue = append(s.CohortValue, 75*fresh*math.Exp(0.05*r.NormFloat64()))
	}
	return s
}

// clustered draws a count with twice the variance of a Poisson count.
func clustered(r *rand.Rand, mean float64) float64 {
	return max(0, math.Round(mean+math.Sqrt(2*mean)*r.NormFloat64()))
}

func kinds(all []Finding) (out []Kind) {
	for _, f := range all {
		out = append(out, f.Kind)
	}
	return out
}

// scaled multiplies the last days of a series.
func scaled(series []float64, days int, factor float64) {
	for i := len(series) - days; i < len(series); i++ {
		series[i] *= factor
	}
}

func TestAStoreWithoutFaultHasNoFinding(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(40) {
		if all := Find(simulated(seed)); len(all) > 0 {
			found += len(all)
			t.Logf("seed %d: %v", seed, kinds(all))
		}
	}
	// Each seed is one run of the detectors on a store. A store has about four independent runs per month.
	if found > 2 {
		t.Errorf("%d findings in 40 looks at stores without fault, want at most 2", found)
	}
}

// planted is a fault and the kind of finding that it causes in a store without other faults.
type planted struct {
	kind  Kind
	plant func(s *Store)
}

// faults returns a planted fault of each kind, large enough to be detected.
func faults() []planted {
	return []planted{
		{CACDrift, func(s *Store) { scaled(s.Channels[0].NewOrders, 28, 0.3) }},
		{SpendShift, func(s *Store) { scaled(s.Channels[1].Spend, 3, 6) }},
		{Outage, func(s *Store) { scaled(s.Orders, 1, 0.02) }},
		{TrackingBreak, func(s *Store) {
			for i := len(s.Orders) - 7; i < len(s.Orders); i++ {
				for k := range s.Channels {
					s.Unattributed[i] += 0.7 * s.Channels[k].Orders[i]
					s.Channels[k].Orders[i] *= 0.3
				}
			}
		}},
		{ClaimsBreak, func(s *Store) { scaled(s.Channels[2].Claimed, 7, 2.5) }},
		{Discounting, func(s *Store) { scaled(s.Discounts, 28, 2.2) }},
		{RefundRate, func(s *Store) { scaled(s.Refunds, 28, 2.5) }},
		{FewerNew, func(s *Store) { scaled(s.NewOrders, 28, 0.6) }},
		{PaybackDrift, func(s *Store) { scaled(s.CohortValue, 56, 0.35) }},
		{NoEffect, func(s *Store) {
			s.Campaigns = append(s.Campaigns, Campaign{ID: "c1", Channel: "facebook", Spend: 6000, Orders: 2, Claimed: 3})
		}},
		{CappedWinner, func(s *Store) {
			s.Campaigns = append(s.Campaigns, Campaign{ID: "c2", Channel: "google", Spend: 2800, Orders: 250, Revenue: 15_000, DailyBudget: 100, RecentSpend: 99})
		}},
		{Fatigue, func(s *Store) {
			s.Ads = []Ad{
				{ID: "a1", Channel: "facebook", Spend: 900, Clicks: 500, Views: 100_000, ClicksBefore: 2000, ViewsBefore: 200_000, Days: 42},
				{ID: "a2", Channel: "facebook", Spend: 900, Clicks: 1000, Views: 100_000, ClicksBefore: 2000, ViewsBefore: 200_000, Days: 42},
			}
		}},
		{SalesStopped, func(s *Store) { s.Products = []Product{{SKU: "p1", Units: 0, Before: 320, Price: 40}} }},
		{PixelLoss, func(s *Store) {
			s.Answers = []Answers{{Channel: "facebook", Named: 40, NamedBefore: 110, Credited: 8, CreditBefore: 80}}
		}},
		{CouponLeak, func(s *Store) {
			s.Coupons = []Coupon{{Code: "MIRA", Creator: true, Orders: 160, Before: 60, Discount: 1600, New: 20}}
		}},
		{PastOptimum, func(s *Store) {
			s.Channels[0].Marginal = &Marginal{Step: 0.2, Spend: 12_000, ROAS: about(1.2, 0.3), Less: about(-2900, 700), More: about(2700, 700)}
		}},
		{Headroom, func(s *Store) {
			s.Channels[0].Marginal = &Marginal{Step: 0.2, Spend: 12_000, ROAS: about(5, 0.5), Less: about(-12_500, 1000), More: about(11_500, 1000)}
		}},
		{Untested, func(s *Store) { s.Channels[0].Tested, s.Channels[0].FactorSD = false, 0.5 }},
		{Rebooking, func(s *Store) {
			s.Creators = []Creator{{ID: "k1", Orders: about(90, 10), AOV: 60, Cost: 500, Days: 180}}
		}},
		{PacingRisk, func(s *Store) {
			s.Goals = []Goal{{Name: "revenue monthly", Metric: "revenue", Target: 150_000, Expected: about(120_000, 6000), Chance: 0.01, Days: s.Days}}
		}},
		{HaloEffect, func(s *Store) {
			s.Halos = []Halo{{Channel: "tiktok", Surface: "marketplace", Monthly: about(9000, 1000), Chance: 0.99}}
		}},
		{SeasonAhead, func(s *Store) { s.Seasons = []Season{{Name: "christmas", First: s.Days.Last.AddDays(20)}} }},
	}
}

func TestEachFaultIsFound(t *testing.T) {
	t.Parallel()
	for _, fault := range faults() {
		t.Run(string(fault.kind), func(t *testing.T) {
			t.Parallel()
			found := 0
			for seed := range uint64(5) {
				s := simulated(seed)
				fault.plant(&s)
				if slices.Contains(kinds(Find(s)), fault.kind) {
					found++
				}
			}
			if found < 4 {
				t.Errorf("found in %d of 5 stores", found)
			}
		})
	}
}

// fewClaims returns a store with a channel that has about 20 orders and 35 platform-reported orders per week. The
// channel's spend and orders change with the level of its budget.
func fewClaims(seed uint64) Store {
	const n = 600
	r := rand.New(rand.NewPCG(seed, 23))
	s := Store{Days: civil.Range{First: civil.MustParse("2025-01-01"), Last: civil.MustParse("2025-01-01").AddDays(n - 1)}}
	c, level := Channel{Name: "facebook"}, 1.0
	for range n {
		if r.IntN(28) == 0 {
			level = math.Exp(0.3 * r.NormFloat64())
		}
		c.Spend = append(c.Spend, 100*level*math.Exp(0.1*r.NormFloat64()))
		c.Orders, c.Claimed = append(c.Orders, clustered(r, 3*(0.6+0.4*level))), append(c.Claimed, clustered(r, 5*(0.6+0.4*level)))
		s.Orders = append(s.Orders, clustered(r, 30))
	}
	s.Channels = []Channel{c}
	return s
}

func TestABreakOfFewClaimsIsFound(t *testing.T) {
	t.Parallel()
	const stores = 200
	found, wrong := 0, 0
	for seed := range uint64(stores) {
		s := fewClaims(seed)
		wrong += len(claimsBreaks(s))
		scaled(s.Channels[0].Claimed, 8, 3)
		for _, f := range claimsBreaks(s) {
			found++
			if first := s.Days.Last.AddDays(-7); f.Since.Before(first) {
				t.Errorf("seed %d: the break of %s began on %s", seed, first, f.Since)
			}
		}
	}
	t.Logf("found in %d of %d stores, in %d without a break", found, stores, wrong)
	if found < 0.8*stores || wrong > 2 {
		t.Errorf("a break is found in %d of %d stores, and in %d stores without one; want 160 and at most 2", found, stores, wrong)
	}
}

func about(value, sd float64) measure.Estimate {
	return measure.Estimate{Value: value, Interval: measure.NormalInterval(value, sd, Level)}
}

func TestAChannelNearBreakEvenIsNoFinding(t *testing.T) {
	t.Parallel()
	s := simulated(1)
	s.Channels[0].Marginal = &Marginal{Step: 0.2, Spend: 12_000, ROAS: about(2.4, 0.8), Less: about(-5800, 1900), More: about(5500, 1900)}
	if all := Find(s); len(all) > 0 {
		t.Errorf("%v at a marginal ROAS of 2.4 ± 0.8 and a break-even of 2.5", kinds(all))
	}
}

func TestTheFirstDayOfAChangeStaysTheSame(t *testing.T) {
	t.Parallel()
	s := simulated(2)
	scaled(s.Unattributed, 10, 5)
	first := map[civil.Date]bool{}
	for drop := range 4 {
		n := len(s.Orders) - drop
		if d, ok := driftOf(s.Unattributed[:n], s.Orders[:n], windows{recent: 7, base: 56}); ok && d.z > alarmZ {
			first[s.day(d.since)] = true
		}
	}
	if len(first) != 1 {
		t.Errorf("first days of one change on four consecutive days: %v", first)
	}
}

func TestAConsequenceIsNotAFindingOfItsOwn(t *testing.T) {
	t.Parallel()
	all := withoutConsequences([]Finding{
		{Kind: TrackingBreak}, {Kind: TrackingBreak, Channel: "google"}, {Kind: CACDrift, Channel: "google"}, {Kind: RefundRate},
	})
	if got := kinds(all); !slices.Equal(got, []Kind{TrackingBreak, RefundRate}) {
		t.Errorf("kept %v, want the cause and the unrelated finding", got)
	}
}

func TestInformationIsMostValuableNearBreakEven(t *testing.T) {
	t.Parallel()
	// The expected loss at break-even is σ φ(0) = 0.39894 σ.
	if got := loss(0, 1); math.Abs(got-0.39894) > 1e-5 {
		t.Errorf("loss(0, 1) = %v", got)
	}
	if loss(1, 1) >= loss(0, 1) || loss(3, 0) != 0 {
		t.Errorf("loss(1, 1) = %v, loss(3, 0) = %v", loss(1, 1), loss(3, 0))
	}
}
