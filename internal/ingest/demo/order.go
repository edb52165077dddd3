package demo

import (
	"fmt"
	"math"
	"time"

	"assay/internal/civil"
	"assay/internal/money"
	"assay/internal/warehouse"
)

func (p *plan) goodsPicker() picker {
	weights := make([]float64, len(p.catalogue))
	for i, item := range p.catalogue {
		weights[i] = item.demand
	}
	return newPicker(weights)
}

// wanted contains a product and its quantity.
type wanted struct {
	item     int
	quantity int64
}

// basket draws the content of an order. Most baskets have one or two products. A few baskets are large gift orders, and
// resellers buy large quantities.
func (s *sales) basket(v visit) []wanted {
	r := s.baskets
	level := 1.0
	if v.who >= 0 {
		level = s.shoppers.all[v.who].level
	}
	var lines int
	switch {
	case v.surface == wholesale:
		lines = whole(r, 4, 8)
	case v.surface == marketplace || v.surface == shortVideo:
		lines = 1 + int(count(r, 0.28*level))
	case v.surface == retail:
		lines = 1 + int(count(r, 0.45*level))
	case chance(r, 0.03):
		lines = 3 + int(count(r, 2))
	default:
		lines = 1 + int(count(r, 0.75*level))
	}
	var basket []wanted
	for range lines {
		basket = put(basket, s.goods.pick(r), s.pieces(v.surface))
	}
	return basket
}

func (s *sales) pieces(surface int) int64 {
	r := s.baskets
	switch x := r.Float64(); {
	case surface == wholesale:
		return int64(whole(r, 4, 9))
	case x < 0.025:
		return int64(whole(r, 3, 5))
	case x < 0.14:
		return 2
	}
	return 1
}

// put adds a product to the basket. It extends the product's line if there is one.
func put(basket []wanted, item int, quantity int64) []wanted {
	for i := range basket {
		if basket[i].item == item {
			basket[i].quantity += quantity
			return basket
		}
	}
	return append(basket, wanted{item, quantity})
}

// priceLevel contains the price on a surface relative to the catalog price.
var priceLevel = [surfaceCount]float64{online: 1, marketplace: 1, shortVideo: 0.92, retail: 1, wholesale: 0.5}

// fill creates the order of a visit and writes its lines and coupon.
//
// The charged amount is the sum of the lines at their prices, minus discounts, plus tax and shipping. The net amount of
// a line is the amount after its discount.
func (s *sales) fill(v visit) warehouse.Order {
	s.placed++
	o := s.head(v)
	used, ok := s.couponOf(s.baskets, v)
	net := int64(0)
	for i, want := range s.basket(v) {
		item := s.p.catalogue[want.item]
		gross := int64(math.Round(float64(item.price)*priceLevel[v.surface])) * want.quantity
		discount := (gross*used.percent + 50) / 100
		line := warehouse.OrderLine{
			OrderRef: o.OrderRef, Line: i + 1, SKU: item.sku, Title: item.title, Quantity: want.quantity,
			Net: gross - discount, Discount: discount, CostKnown: item.costKnown,
		}
		if item.costKnown {
			line.Cost = item.cost * want.quantity
		}
		s.out.batch.Lines = append(s.out.batch.Lines, line)
		s.out.added(1)
		net += line.Net
		o.Discounts += discount
		o.Units += want.quantity
	}
	if ok {
		s.out.batch.Coupons = append(s.out.batch.Coupons, warehouse.OrderCoupon{OrderRef: o.OrderRef, Code: used.code, Discount: o.Discounts})
		s.out.added(1)
	}
	o.Shipping = s.p.shipping(v.surface, net)
	o.Tax = int64(math.Round(float64(net) * taxed[v.surface] * states[v.state].tax))
	o.Charged = net + o.Tax + o.Shipping
	o.Original = money.Amount{Minor: o.Charged, Currency: s.p.opt.Currency}
	return o
}

// taxed contains 1 for each surface on which the store collects sales tax itself. Marketplaces remit the tax, and
// resellers are exempt.
var taxed = [surfaceCount]float64{online: 1, shortVideo: 0, marketplace: 0, retail: 1, wholesale: 0}

// shipping returns the amount that the customer pays for delivery.
func (p *plan) shipping(surface int, net int64) int64 {
	switch {
	case surface == online && net < p.minor(75):
		return p.minor(5.95)
	case surface == shortVideo && net < p.minor(40):
		return p.minor(3.99)
	case surface == wholesale:
		return p.minor(25)
	}
	return 0
}

// head returns an order without its amounts.
func (s *sales) head(v visit) warehouse.Order {
	o := warehouse.Order{
		OrderRef: s.ref(v), Name: fmt.Sprintf("#%d", 1000+s.placed), At: v.at, Day: s.p.day(v.day),
		Surface: surfaceNames[v.surface], Status: "paid", Cancelled: v.cancelled, Test: v.test,
		Country: country, Region: states[v.state].code, UpdatedAt: v.at,
	}
	if v.cancelled {
		o.Status = "voided"
	}
	if v.who >= 0 {
		o.Customer = s.p.hashed(v.who)
	}
	return o
}

// ref returns the order's key in the format of the surface's system. Keys are unique because they contain the number of
// the order.
func (s *sales) ref(v visit) warehouse.OrderRef {
	n := s.placed
	switch v.surface {
	case marketplace:
		return warehouse.OrderRef{Source: sourceMarketplace, Key: fmt.Sprintf("113-%07d-%07d", s.baskets.IntN(1e7), n)}
	case shortVideo:
		return warehouse.OrderRef{Source: sourceShortVideo, Key: fmt.Sprintf("5764%07d%07d", s.baskets.IntN(1e7), n)}
	}
	return warehouse.OrderRef{Source: sourceShop, Key: fmt.Sprintf("%d", 5_400_000_000_000+int64(n)*32_768)}
}

// refundShare contains the share of a surface's orders with a full or partial refund.
var refundShare = [surfaceCount]float64{online: 0.065, marketplace: 0.045, shortVideo: 0.09, retail: 0.035, wholesale: 0.015}

// giveBack draws the refund of an order, 1 to 28 days later. giveBack omits refunds after today.
func (s *sales) giveBack(v visit, o *warehouse.Order) {
	r := s.refunds
	refunded, delay := chance(r, refundShare[v.surface]), 1+math.Floor(27*share(r, 1.4, 2.6))
	at := v.at.Add(time.Duration(24*delay)*time.Hour + time.Duration(between(r, 2*3600, 18*3600))*time.Second)
	part := s.refundPart(o.Charged)
	if !refunded || v.cancelled || v.test || !at.Before(s.p.now) {
		return
	}
	o.Status, o.UpdatedAt = "refunded", at
	if part < o.Charged {
		o.Status = "partially_refunded"
	}
	s.out.batch.Refunds = append(s.out.batch.Refunds, warehouse.Refund{
		OrderRef: o.OrderRef, Refund: o.Key + "-1", At: at, Day: civil.DayOf(at, s.p.opt.Zone), Amount: part,
	})
	s.out.added(1)
}

// refundPart returns the refunded amount of an order. In half of the cases, it is the whole amount charged, otherwise
// 20% to 60% of this amount.
func (s *sales) refundPart(charged int64) int64 {
	part := between(s.refunds, 0.2, 0.6)
	if chance(s.refunds, 0.5) {
		return charged
	}
	return max(1, int64(math.Round(float64(charged)*part)))
}
