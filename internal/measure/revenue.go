package measure

// Sums contains totals of orders, in minor units of the workspace's currency.
type Sums struct {
	Orders    int64 // in millionths, because models split orders between channels
	Charged   int64 // after discounts, with tax and shipping
	Tax       int64 // the part of Charged that is tax
	Shipping  int64 // the part of Charged that is shipping
	Discounts int64 // Charged is after these discounts
	Refunds   int64 // refunds dated in the window
	Undated   int64 // part of Refunds with unknown date, dated by order date
	NewOrders int64 // orders of first-time customers, in millionths
	Units     int64 // items
}

// Millionths is one order in the unit of [Sums.Orders].
const Millionths = 1_000_000

// Add returns the sum of s and t.
func (s Sums) Add(t Sums) Sums {
	s.Orders += t.Orders
	s.Charged += t.Charged
	s.Tax += t.Tax
	s.Shipping += t.Shipping
	s.Discounts += t.Discounts
	s.Refunds += t.Refunds
	s.Undated += t.Undated
	s.NewOrders += t.NewOrders
	s.Units += t.Units
	return s
}

// Negated returns the sums with the opposite signs.
func (s Sums) Negated() Sums {
	return Sums{
		Orders: -s.Orders, Charged: -s.Charged, Tax: -s.Tax, Shipping: -s.Shipping, Discounts: -s.Discounts,
		Refunds: -s.Refunds,
		Undated: -s.Undated, NewOrders: -s.NewOrders, Units: -s.Units,
	}
}

// OrderCount returns the number of orders.
func (s Sums) OrderCount() float64 { return float64(s.Orders) / Millionths }

// RevenueBasis is a workspace's definition of revenue. The zero value means charged amounts by order date: after
// discounts, with tax and shipping, refunds not subtracted.
type RevenueBasis struct {
	WithoutTax      bool `json:"without_tax,omitempty"`
	WithoutShipping bool `json:"without_shipping,omitempty"`
	NetOfRefunds    bool `json:"net_of_refunds,omitempty"`
}

// Revenue returns the revenue on this basis.
func (b RevenueBasis) Revenue(s Sums) int64 {
	revenue := s.Charged
	if b.WithoutTax {
		revenue -= s.Tax
	}
	if b.WithoutShipping {
		revenue -= s.Shipping
	}
	if b.NetOfRefunds {
		revenue -= s.Refunds
	}
	return revenue
}

// NetRevenue returns the revenue minus refunds, on every basis.
func (b RevenueBasis) NetRevenue(s Sums) int64 {
	b.NetOfRefunds = true
	return b.Revenue(s)
}

// String describes the basis.
func (b RevenueBasis) String() string {
	text := "charged to customers after discounts"
	switch {
	case b.WithoutTax && b.WithoutShipping:
		text += ", without tax and shipping"
	case b.WithoutTax:
		text += ", without tax, with shipping"
	case b.WithoutShipping:
		text += ", with tax, without shipping"
	default:
		text += ", with tax and shipping"
	}
	if b.NetOfRefunds {
		return text + ", minus refunds by refund date"
	}
	return text + ", before refunds"
}
