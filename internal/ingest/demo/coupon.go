package demo

import (
	"math/rand/v2"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// code is a permanent coupon code.
type code struct {
	code    string
	percent int64
	channel measure.Channel // channel of the code; "" if it is not mapped
	when    func(v visit) bool
	chance  float64 // probability that an order uses the code if when is true
}

func freshOnline(v visit) bool { return v.surface == online && v.isNew }
func knownOnline(v visit) bool { return v.surface == online && !v.isNew }
func anyOnline(v visit) bool   { return v.surface == online }

// codes lists the permanent coupon codes in the sequence in which they are drawn for an order. An order uses at most
// one code.
var codes = []code{
	{"WELCOME10", 10, email, freshOnline, 0.14},
	{"TEXT10", 10, sms, knownOnline, 0.05},
	{"VIP15", 15, email, knownOnline, 0.05},
	{"SAVE12", 12, affiliate, func(v visit) bool { return v.surface == online && v.medium != nil && v.medium.channel == affiliate }, 0.60},
	{"SAVE12", 12, affiliate, anyOnline, 0.008},
	{"FRIEND15", 15, "", freshOnline, 0.02},
	{"SORRY20", 20, "", knownOnline, 0.012},
}

const (
	creatorPercent  = 15
	creatorCodeUse  = 0.55  // share of a creator's orders with a code
	creatorCodeLeak = 0.012 // share of other online orders with a creator's code from a coupon site
	saleCodeUse     = 0.45  // share of online orders on sales days
)

// coupon is the code of an order.
type coupon struct {
	code    string
	percent int64
}

// couponOf draws the coupon code of an order, if any.
func (s *sales) couponOf(r *rand.Rand, v visit) (coupon, bool) {
	p := s.p
	if v.creator >= 0 && chance(r, creatorCodeUse) {
		return coupon{p.creators[v.creator].code, creatorPercent}, true
	}
	if v.surface != online {
		return coupon{}, false
	}
	if sale, on := saleOn(p.day(v.day)); on && chance(r, saleCodeUse) {
		return coupon{sale.code, sale.percent}, true
	}
	for _, c := range codes {
		if c.when(v) && chance(r, c.chance) {
			return coupon{c.code, c.percent}, true
		}
	}
	if v.creator < 0 && chance(r, creatorCodeLeak) {
		return coupon{p.creators[r.IntN(len(p.creators))].code, creatorPercent}, true
	}
	return coupon{}, false
}

// emitCoupons writes the mapping of coupon codes to channels and creators. Two permanent codes and the codes of sales
// have no mapping, so that users can map them.
func (p *plan) emitCoupons(out *feed) {
	mapped := map[string]bool{}
	for _, c := range codes {
		if c.channel != "" && !mapped[c.code] {
			out.batch.CouponMap = append(out.batch.CouponMap, warehouse.CouponChannel{Code: c.code, Channel: c.channel})
			mapped[c.code] = true
		}
	}
	for _, c := range p.creators {
		out.batch.CouponMap = append(out.batch.CouponMap, warehouse.CouponChannel{Code: c.code, Channel: influencer, Creator: c.id})
	}
	out.added(len(out.batch.CouponMap))
}
