package measure

import (
	"testing"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/money"
)

var costDay = civil.MustParse("2026-03-01")

func dollars(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }

// sale returns a day with two orders of USD 120.00 with USD 20.00 tax and USD 10.00 shipping in total, and a refund.
func sale(day civil.Date, refunds int64) SalesDay {
	return SalesDay{Day: day, Sums: Sums{Orders: 2 * Millionths, Charged: 12000, Tax: 2000, Shipping: 1000, Refunds: refunds, Units: 3}}
}

func TestContributionSubtractsEachCostOnce(t *testing.T) {
	t.Parallel()
	rules := CostRules{}.With(CostRule{Kind: PaymentFee, Share: 29_000, Fixed: dollars(30)}).
		With(CostRule{Kind: Shipping, Share: 500_000, Fixed: dollars(100)}).With(CostRule{Kind: Returns, Share: 100_000})
	goods := []Goods{{Day: costDay, Units: 3, Net: 9000, Costed: 3, CostedNet: 9000, Cost: 3000}}
	c := NewContribution([]SalesDay{sale(costDay, 500)}, goods, rules, RevenueBasis{})
	// The contribution is 120.00 - 20.00 tax - 5.00 refund - 30.00 goods - (3.48 + 0.60) fees - (5.00 + 2.00) shipping
	// - 0.50 returns.
	if want := int64(12000 - 2000 - 500 - 3000 - 408 - 700 - 50); c.Amount() != want || !c.Known() || c.CostBasis() != UnitCosts {
		t.Errorf("contribution %d of %s, want %d of %s", c.Amount(), c.CostBasis(), want, UnitCosts)
	}
	if rate, ok := c.Rate(); !ok || rate != float64(c.Amount())/12000 {
		t.Errorf("rate %v, %t", rate, ok)
	}
}

func TestPartialCostsAreExtendedOnlyFromHalfOfTheSales(t *testing.T) {
	t.Parallel()
	goods := func(units, net int64) []Goods {
		return []Goods{{Day: costDay, Units: 3, Net: 9000, Costed: units, CostedNet: net, Cost: 1000}}
	}
	margin := CostRules{}.With(CostRule{Kind: GrossMargin, Share: 600_000})
	for _, c := range []struct {
		what  string
		goods []Goods
		rules CostRules
		cost  int64
		basis CostBasis
	}{
		{"two thirds of units and revenue", goods(2, 6000), nil, 1500, ExtendedCosts},
		{"a third of the revenue", goods(2, 3000), nil, 1000, CostsUnknown},
		{"a third of the units", goods(1, 6000), nil, 1000, CostsUnknown},
		{"a third and a gross margin", goods(1, 3000), margin, 1000 + 2400, CostsAndMargin},
		{"a gross margin only", nil, margin, 3600, EnteredMargin},
		{"nothing", nil, nil, 0, CostsUnknown},
	} {
		got := NewContribution([]SalesDay{sale(costDay, 0)}, c.goods, c.rules, RevenueBasis{})
		if got.Goods != c.cost || got.CostBasis() != c.basis {
			t.Errorf("%s: cost of goods %d of %q, want %d of %q", c.what, got.Goods, got.CostBasis(), c.cost, c.basis)
		}
		if _, known := got.Rate(); known != (c.basis != CostsUnknown) {
			t.Errorf("%s: the rate is known: %t", c.what, known)
		}
	}
}

func TestARuleAppliesFromItsDay(t *testing.T) {
	t.Parallel()
	next := costDay.AddDays(1)
	rules := CostRules{}.With(CostRule{Kind: PaymentFee, Share: 20_000}).With(CostRule{Kind: PaymentFee, Share: 30_000, From: next})
	goods := []Goods{{Day: costDay, Units: 3, Net: 9000, Costed: 3, CostedNet: 9000}, {Day: next, Units: 3, Net: 9000, Costed: 3, CostedNet: 9000}}
	c := NewContribution([]SalesDay{sale(costDay, 0), sale(next, 0)}, goods, rules, RevenueBasis{})
	if c.Fees != 240+360 {
		t.Errorf("fees %d, want 600", c.Fees)
	}
	if kept := rules.With(CostRule{Kind: PaymentFee, Share: 10_000, From: next}); len(kept) != 2 || kept[1].Share != 10_000 {
		t.Errorf("a rule of the same day does not replace the earlier one: %v", kept)
	}
}

func TestAChannelHasItsOwnGrossMargin(t *testing.T) {
	t.Parallel()
	rules := CostRules{}.With(CostRule{Kind: GrossMargin, Share: 500_000}).With(CostRule{Kind: GrossMargin, Channel: "wholesale", Share: 200_000})
	c := NewContribution([]SalesDay{sale(costDay, 0)}, nil, rules, RevenueBasis{})
	store, _ := c.ChannelRate("facebook")
	own, _ := c.ChannelRate("wholesale")
	if diff := store - own - 0.3*9000/12000; diff > 1e-12 || diff < -1e-12 {
		t.Errorf("rates %v and %v", store, own)
	}
}

func TestProductsAddUpToTheStore(t *testing.T) {
	t.Parallel()
	goods := []Goods{{Day: costDay, Units: 3, Net: 9000, Costed: 3, CostedNet: 9000, Cost: 3000}}
	c := NewContribution([]SalesDay{sale(costDay, 500)}, goods, CostRules{}.With(CostRule{Kind: PaymentFee, Share: 29_000}), RevenueBasis{})
	first, _ := c.Product(4000, 1200)
	second, known := c.Product(5000, 1800)
	if sum := first + second; !known || sum < c.Amount()-1 || sum > c.Amount()+1 {
		t.Errorf("products have %d, the store %d", sum, c.Amount())
	}
}

func TestPercentagesAreExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Millionth{"2.9%": 29_000, "0": 0, "100": 1_000_000, " 1.2345 ": 12_345} {
		if got, err := ParsePercent(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "-1", "101", "1.23456", "1e1", "a", "+1", ".5.1"} {
		if got, err := ParsePercent(text); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

func TestPortionsRoundHalfAwayFromZeroWithoutOverflow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ amount, part, whole, want int64 }{
		{5, 1, 2, 3},
		{-5, 1, 2, -3},
		{5, 1, 0, 0},
		{1 << 61, 1 << 61, 1 << 62, 1 << 60},
		{1, 1, 3, 0},
		{2, 1, 3, 1},
		{0, 7, 2, 0},
		{7, 0, 2, 0},
		{-7, 0, 2, 0},
		{5, -1, 2, -3},
		{-5, -1, 2, 3},
		{5, 1, -2, 0},
		{1 << 62, 4, 2, 0},
		{1 << 62, 4, 4, 1 << 62},
	} {
		if got := portion(c.amount, c.part, c.whole); got != c.want {
			t.Errorf("%d x %d / %d = %d, want %d", c.amount, c.part, c.whole, got, c.want)
		}
	}
}

func TestRulesWithoutMeaningAreRejected(t *testing.T) {
	t.Parallel()
	for _, r := range []CostRule{
		{Kind: "rent"},
		{Kind: PaymentFee, Share: -1},
		{Kind: PaymentFee, Share: 1_000_001},
		{Kind: Shipping, Fixed: dollars(-1)},
		{Kind: Shipping, Fixed: money.Amount{Minor: 1}},
		{Kind: PaymentFee, Channel: "facebook"},
		{Kind: GrossMargin, Fixed: dollars(1)},
		{Kind: Shipping, Surface: "moon"},
		{Kind: GrossMargin, Surface: Wholesale, Channel: "facebook"},
	} {
		if err := r.Check(); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%v: %v", r, err)
		}
	}
}

func TestASurfaceHasItsOwnCosts(t *testing.T) {
	t.Parallel()
	of := func(s Surface) SalesDay {
		d := sale(costDay, 0)
		d.Surface = s
		return d
	}
	sales := []SalesDay{of(OnlineStore), of(Wholesale)}
	known := []Goods{{Day: costDay, Surface: OnlineStore, Units: 3, Net: 9000, Costed: 3, CostedNet: 9000, Cost: 3000}}
	partly := []Goods{{Day: costDay, Surface: OnlineStore, Units: 3, Net: 9000, Costed: 2, CostedNet: 6000, Cost: 2000}}
	rare := []Goods{{Day: costDay, Surface: OnlineStore, Units: 3, Net: 9000, Costed: 1, CostedNet: 3000, Cost: 1000}}
	margin := func(s Surface, share Millionth) CostRules {
		return CostRules{}.With(CostRule{Kind: GrossMargin, Surface: s, Share: share})
	}
	both := margin("", 600_000).With(CostRule{Kind: GrossMargin, Surface: Wholesale, Share: 200_000, From: costDay})
	for _, c := range []struct {
		what  string
		goods []Goods
		rules CostRules
		cost  int64
		basis CostBasis
	}{
		{"a margin of each surface", nil, both, 3600 + 7200, EnteredMargin},
		{"a margin that begins later", nil, margin("", 600_000).With(CostRule{Kind: GrossMargin, Surface: Wholesale, From: costDay.AddDays(1)}), 2 * 3600, EnteredMargin},
		{"unit costs online, a margin in wholesale", known, margin(Wholesale, 200_000), 3000 + 7200, CostsAndMargin},
		{"two thirds known online, a margin in wholesale", partly, margin(Wholesale, 200_000), 3000 + 7200, MixedCosts},
		{"a third known online, a margin in wholesale", rare, margin(Wholesale, 200_000), 1000 + 7200, CostsUnknown},
		{"unit costs online, nothing in wholesale", known, nil, 2 * 3000, ExtendedCosts},
		{"a margin in wholesale only", nil, margin(Wholesale, 200_000), 7200, CostsUnknown},
	} {
		got := NewContribution(sales, c.goods, c.rules, RevenueBasis{})
		if got.Goods != c.cost || got.CostBasis() != c.basis {
			t.Errorf("%s: cost of goods %d of %q, want %d of %q", c.what, got.Goods, got.CostBasis(), c.cost, c.basis)
		}
	}
	few := SalesDay{Day: costDay, Surface: Retail, Sums: Sums{Orders: Millionths, Charged: 400, Units: 1}}
	for charged, known := range map[int64]bool{400: true, 500: false} { // 4.3% and 5.3% of merchandise
		few.Sums.Charged = charged
		got := NewContribution([]SalesDay{of(OnlineStore), few}, nil, margin(OnlineStore, 600_000), RevenueBasis{})
		if want := 3600 + charged*4/10; got.Known() != known || known && (got.Goods != want || got.CostBasis() != EnteredMargin) {
			t.Errorf("a sale of %d without a margin: known %t, cost of goods %d of %q, want %t and %d", charged, got.Known(), got.Goods, got.CostBasis(), known, want)
		}
	}
	if later := margin(Wholesale, 1).With(CostRule{Kind: Shipping, Surface: Retail, From: costDay}); !later.Has(Shipping, costDay) ||
		later.Has(Shipping, costDay.AddDays(-1)) || later.Has(Returns, costDay) {
		t.Errorf("the kinds of %v are wrong", later)
	}
	fees := CostRules{}.With(CostRule{Kind: PaymentFee, Share: 20_000}).With(CostRule{Kind: PaymentFee, Surface: Wholesale, Share: 10_000}).
		With(CostRule{Kind: Shipping, Surface: OnlineStore, Fixed: dollars(100)})
	if got := NewContribution(sales, known, fees, RevenueBasis{}); got.Fees != 240+120 || got.Shipping != 200 {
		t.Errorf("fees %d, shipping %d; want 360 and 200", got.Fees, got.Shipping)
	}
}
