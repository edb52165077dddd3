package measure

import (
	"math"
	"math/bits"

	"assay/internal/civil"
)

// Goods contains the product sales of a sales surface on a day, and the known part of the cost of goods.
type Goods struct {
	Day       civil.Date
	Surface   Surface
	Units     int64
	Net       int64 // amount charged for the order lines after discounts, in the prices of the source
	Costed    int64 // units with a known cost
	CostedNet int64 // part of Net for units with a known cost
	Cost      int64 // cost of goods of units with a known cost
}

// maxOpenShare is the maximum share of all merchandise that may lack both a known cost and a gross margin. Up to this
// share, such merchandise has the mean cost rate of the other merchandise; see [NewContribution].
const maxOpenShare = 0.05

// MinCostCoverage is the minimum share of units, and of revenue, with a known cost, among sales without an entered
// gross margin. At or above this share, the other sales without a margin have the cost rate of the sales with a known
// cost.
const MinCostCoverage = 0.5

// Contribution is the profit of a store in a window before ad spend:
//
//	amount charged - tax - refunds - cost of goods - payment fees - shipping cost - handling of returns
//
// Amounts are in minor units. Shipping that customers paid is a part of the amount charged, so the shipping cost is
// subtracted in full. Refunds are subtracted on their day, without a correction for tax. The cost of refunded goods
// remains a cost.
type Contribution struct {
	Revenue int64 // amount charged without tax, minus refunds
	Basis   int64 // revenue on the workspace's revenue basis, the denominator of [Contribution.Rate]

	Goods     int64 // cost of goods, including the estimated part
	Estimated int64 // part of Goods for units without a known cost
	Fees      int64
	Shipping  int64
	Returns   int64

	Units       int64
	Costed      int64 // units with a known cost
	Merchandise int64 // amount charged without tax and shipping
	Lines       int64 // amount charged for order lines; at least the merchandise of each day
	Covered     int64 // part of Merchandise with a known cost of goods
	AtMargin    int64 // part of Merchandise at an entered gross margin

	known    bool
	bare     bare
	channels map[Channel]Millionth // gross margins of channels on the window's last day
}

// bare is the part of the sales without an entered gross margin.
type bare struct {
	units, costed int64 // units, and units with a known cost
	open, covered int64 // merchandise without and with a known cost of goods
	cost          int64 // known cost of goods
}

// SalesDay contains the totals of a sales surface on a day.
type SalesDay struct {
	Day     civil.Date
	Surface Surface
	Sums    Sums
}

// NewContribution returns the contribution of the sales of a window. The sales are by day and surface, and may omit
// days without sales. Costs are rounded per day and surface.
//
// Units with a known cost have this cost. Merchandise without a known cost has the gross margin of the surface and day,
// if a margin is entered. All other merchandise has the cost rate of the sales with a known cost, if these sales reach
// [MinCostCoverage] of the sales without a margin. Otherwise, the contribution is unknown, with one exception. The
// exception applies if margins are entered and the merchandise without a cost or margin is at most maxOpenShare of all
// merchandise. It then has the mean cost rate of the other merchandise.
func NewContribution(sales []SalesDay, goods []Goods, rules CostRules, basis RevenueBasis) Contribution {
	type surfaceDay struct {
		day     civil.Date
		surface Surface
	}
	var c Contribution
	lines := map[surfaceDay]Goods{}
	for _, g := range goods {
		lines[surfaceDay{g.Day, g.Surface}] = g
	}
	var last civil.Date
	for _, d := range sales {
		if d.Day.After(last) {
			last = d.Day
		}
		c.add(d.Sums, basis)
		c.addCharges(d, rules)
		c.addGoods(d, lines[surfaceDay{d.Day, d.Surface}], rules)
	}
	switch {
	case c.bare.open == 0:
		c.known = c.Covered > 0 || c.AtMargin > 0
	case c.bare.represents():
		rest := portion(c.bare.cost, c.bare.open, c.bare.covered)
		c.Goods, c.Estimated, c.known = c.Goods+rest, c.Estimated+rest, true
	case c.AtMargin > 0 && float64(c.bare.open) <= maxOpenShare*float64(c.Covered+c.AtMargin+c.bare.open):
		rest := portion(c.Goods, c.bare.open, c.Covered+c.AtMargin)
		c.Goods, c.Estimated, c.known = c.Goods+rest, c.Estimated+rest, true
	}
	for _, r := range rules {
		if r.Channel == "" {
			continue
		}
		if on, ok := rules.ChannelMargin(r.Channel, last); ok {
			if c.channels == nil {
				c.channels = map[Channel]Millionth{}
			}
			c.channels[r.Channel] = on.Share
		}
	}
	return c
}

func (c *Contribution) add(s Sums, basis RevenueBasis) {
	c.Revenue += s.Charged - s.Tax - s.Refunds
	c.Basis += basis.Revenue(s)
	c.Merchandise += s.Charged - s.Tax - s.Shipping
}

// addCharges adds the fees, shipping costs and costs of returns of a surface on a day.
func (c *Contribution) addCharges(d SalesDay, rules CostRules) {
	if r, ok := rules.On(PaymentFee, d.Surface, d.Day); ok {
		c.Fees += r.Share.of(d.Sums.Charged) + portion(r.Fixed.Minor, d.Sums.Orders, Millionths)
	}
	if r, ok := rules.On(Shipping, d.Surface, d.Day); ok {
		c.Shipping += r.Share.of(d.Sums.Shipping) + portion(r.Fixed.Minor, d.Sums.Orders, Millionths)
	}
	if r, ok := rules.On(Returns, d.Surface, d.Day); ok {
		c.Returns += r.Share.of(d.Sums.Refunds)
	}
}

// addGoods adds the cost of goods of a surface on a day. Orders without lines have no known cost. The net amounts of
// lines may contain tax, so addGoods uses only their proportions.
func (c *Contribution) addGoods(d SalesDay, g Goods, rules CostRules) {
	merchandise, units := max(0, d.Sums.Charged-d.Sums.Tax-d.Sums.Shipping), max(d.Sums.Units, g.Units)
	c.Units, c.Costed = c.Units+units, c.Costed+g.Costed
	c.Goods, c.Lines = c.Goods+g.Cost, c.Lines+max(g.Net, merchandise)
	covered := portion(merchandise, max(0, g.CostedNet), max(g.Net, merchandise))
	c.Covered += covered
	open := merchandise - covered
	margin, ok := rules.On(GrossMargin, d.Surface, d.Day)
	if !ok {
		b := &c.bare
		b.units, b.costed = b.units+units, b.costed+g.Costed
		b.open, b.covered, b.cost = b.open+open, b.covered+covered, b.cost+g.Cost
		return
	}
	cost := (whole - margin.Share).of(open)
	c.Goods, c.Estimated, c.AtMargin = c.Goods+cost, c.Estimated+cost, c.AtMargin+open
}

// represents reports whether the revenue and units with known costs are large enough to estimate the unknown costs.
func (b bare) represents() bool {
	enough := func(known, all int64) bool { return known > 0 && float64(known) >= MinCostCoverage*float64(all) }
	return enough(b.covered, b.covered+b.open) && enough(b.costed, b.units)
}

// Coverage returns the share of units with a known cost.
func (c Contribution) Coverage() float64 {
	if c.Units <= 0 {
		return 0
	}
	return float64(c.Costed) / float64(c.Units)
}

// Known reports whether enough costs are known to compute the contribution.
func (c Contribution) Known() bool { return c.known }

// Amount returns the contribution before ad spend in minor units. It is meaningful only if the contribution is known.
func (c Contribution) Amount() int64 {
	return c.Revenue - c.Goods - c.Fees - c.Shipping - c.Returns
}

// Rate returns the contribution rate: the contribution before ad spend, divided by revenue on the workspace's revenue
// basis.
func (c Contribution) Rate() (perRevenue float64, known bool) {
	if !c.known || c.Basis <= 0 {
		return 0, false
	}
	return float64(c.Amount()) / float64(c.Basis), true
}

// ChannelRate returns the contribution rate of a channel, which is the store's rate by default. An entered gross margin
// of the channel replaces the store's cost of goods.
func (c Contribution) ChannelRate(channel Channel) (perRevenue float64, known bool) {
	rate, known := c.Rate()
	margin, own := c.channels[channel]
	if !known || !own {
		return rate, known
	}
	cost := float64(c.Merchandise) * float64(whole-margin) / float64(whole)
	return rate + (float64(c.Goods)-cost)/float64(c.Basis), true
}

// Product returns the contribution of sales with a known cost, in minor units. Tax, refunds, fees and shipping are
// allocated to all products in proportion to the amounts charged for their lines.
func (c Contribution) Product(net, cost int64) (minor int64, known bool) {
	if !c.known || c.Lines <= 0 {
		return 0, false
	}
	return portion(c.Amount()+c.Goods, net, c.Lines) - cost, true
}

// BreakEvenROAS returns the ROAS of a channel at which the contribution equals the ad spend. For an empty channel, it
// returns the ROAS of the store.
func (c Contribution) BreakEvenROAS(channel Channel) (roas float64, known bool) {
	rate, known := c.ChannelRate(channel)
	if !known || rate <= 0 {
		return 0, false
	}
	return 1 / rate, true
}

// CostBasis is the source of a contribution's cost of goods.
type CostBasis string

// The sources.
const (
	UnitCosts      CostBasis = "unit_costs"            // all units have a known cost
	ExtendedCosts  CostBasis = "unit_costs_extended"   // known unit costs; their cost rate applies to all other units
	CostsAndMargin CostBasis = "unit_costs_and_margin" // known unit costs; other units have an entered gross margin
	MixedCosts     CostBasis = "unit_costs_mixed"      // known unit costs; other units have an entered gross margin or the known cost rate
	EnteredMargin  CostBasis = "gross_margin"          // an entered gross margin applies to all products
	CostsUnknown   CostBasis = ""                      // too few costs are known
)

// CostBasis returns the source of the cost of goods.
func (c Contribution) CostBasis() CostBasis {
	switch {
	case !c.known:
		return CostsUnknown
	case c.AtMargin > 0 && c.Covered == 0:
		return EnteredMargin
	case c.AtMargin > 0 && c.bare.open > 0:
		return MixedCosts
	case c.AtMargin > 0:
		return CostsAndMargin
	case c.Covered < c.Merchandise:
		return ExtendedCosts
	}
	return UnitCosts
}

// portion returns amount × part / whole, rounded half away from zero, without overflow. It returns 0 if whole is 0.
func portion(amount, part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	negative := (amount < 0) != (part < 0)
	high, low := bits.Mul64(magnitude(amount), magnitude(part))
	low, carry := bits.Add64(low, uint64(whole)/2, 0)
	high += carry
	if high >= uint64(whole) { // the quotient needs more than 64 bits
		return 0
	}
	quotient, _ := bits.Div64(high, low, uint64(whole))
	if quotient > math.MaxInt64 { // larger than any amount of money
		return 0
	}
	if negative {
		return -int64(quotient)
	}
	return int64(quotient)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}
