package warehousetest

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// reference is a store in maps. It has no roll-ups and computes each answer from all facts.
type reference struct {
	orders    map[warehouse.OrderRef]warehouse.Order
	refunds   map[warehouse.OrderRef][]warehouse.Refund
	touches   map[warehouse.OrderRef][]warehouse.Touch
	coupons   map[warehouse.OrderRef][]warehouse.OrderCoupon
	couponMap map[string]measure.Channel
	answers   map[answerKey]warehouse.SurveyResponse
	messages  []warehouse.MessageDay
}

func newReference() *reference {
	return &reference{
		orders: map[warehouse.OrderRef]warehouse.Order{}, refunds: map[warehouse.OrderRef][]warehouse.Refund{},
		touches: map[warehouse.OrderRef][]warehouse.Touch{}, coupons: map[warehouse.OrderRef][]warehouse.OrderCoupon{},
		couponMap: map[string]measure.Channel{}, answers: map[answerKey]warehouse.SurveyResponse{},
	}
}

// take imports a batch. It stores the latest version of each order, and the order's rows according to the rules of
// [warehouse.Import].
func (r *reference) take(b warehouse.Batch) {
	imported, stale := map[warehouse.OrderRef]bool{}, map[warehouse.OrderRef]bool{}
	for _, o := range b.Orders {
		if before, ok := r.orders[o.OrderRef]; !ok || !o.UpdatedAt.Before(before.UpdatedAt) {
			r.orders[o.OrderRef], imported[o.OrderRef] = o, true
		} else {
			stale[o.OrderRef] = !imported[o.OrderRef]
		}
	}
	before := map[warehouse.OrderRef][]warehouse.Refund{}
	for ref, refunds := range r.refunds {
		before[ref] = slices.Clone(refunds)
	}
	if len(b.Refunds) > 0 {
		clearAll(r.refunds, imported)
	}
	if len(b.Coupons) > 0 {
		clearAll(r.coupons, imported)
	}
	for _, t := range b.Touches {
		if imported[t.OrderRef] {
			delete(r.touches, t.OrderRef)
		}
	}
	for _, f := range b.Refunds {
		if !stale[f.OrderRef] {
			put(r.refunds, f.OrderRef, f, func(x warehouse.Refund) bool { return x.Refund == f.Refund })
		}
	}
	r.settle(b.Refunds, before, imported, stale)
	for _, c := range b.Coupons {
		if !stale[c.OrderRef] {
			put(r.coupons, c.OrderRef, c, func(x warehouse.OrderCoupon) bool { return x.Code == c.Code })
		}
	}
	for _, t := range b.Touches {
		if !stale[t.OrderRef] {
			put(r.touches, t.OrderRef, t, func(x warehouse.Touch) bool { return x.Seq == t.Seq })
		}
	}
	for _, m := range b.CouponMap {
		r.couponMap[m.Code] = m.Channel
	}
	for _, a := range b.Surveys {
		r.answers[answerKey{a.Source, a.Key, a.Question}] = a
	}
	r.messages = append(r.messages, b.Messages...)
}

// settle reconciles dated refunds with undated totals if the import has only dated refunds or only a total.
func (r *reference) settle(came []warehouse.Refund, before map[warehouse.OrderRef][]warehouse.Refund, imported, stale map[warehouse.OrderRef]bool) {
	dated := func(refunds []warehouse.Refund) (sum int64) {
		for _, f := range refunds {
			if !f.DateUnknown {
				sum += f.Amount
			}
		}
		return sum
	}
	totals := map[warehouse.OrderRef]bool{} // orders with an undated total in the import
	for _, f := range came {
		totals[f.OrderRef] = totals[f.OrderRef] || f.DateUnknown
	}
	for ref, total := range totals {
		off := dated(r.refunds[ref]) - dated(before[ref])
		switch {
		case stale[ref] || total && !imported[ref] || imported[ref] && (!total || dated(r.refunds[ref]) != 0):
			continue
		case imported[ref]:
			for _, f := range before[ref] {
				if !f.DateUnknown && !slices.ContainsFunc(r.refunds[ref], func(x warehouse.Refund) bool { return x.Refund == f.Refund }) {
					r.refunds[ref] = append(r.refunds[ref], f)
				}
			}
			off = dated(r.refunds[ref])
		}
		for i := range r.refunds[ref] {
			if r.refunds[ref][i].DateUnknown {
				r.refunds[ref][i].Amount -= off
			}
		}
		r.refunds[ref] = slices.DeleteFunc(r.refunds[ref], func(f warehouse.Refund) bool { return f.DateUnknown && f.Amount <= 0 && off != 0 })
	}
}

func clearAll[T any](from map[warehouse.OrderRef][]T, orders map[warehouse.OrderRef]bool) {
	for ref := range orders {
		delete(from, ref)
	}
}

// put adds a row to its order, replacing the row with the same key.
func put[T any](into map[warehouse.OrderRef][]T, ref warehouse.OrderRef, row T, same func(T) bool) {
	into[ref] = append(slices.DeleteFunc(into[ref], same), row)
}

// event contains the amounts that an order or a refund adds to a day's totals.
type event struct {
	order measure.Sums
	day   civil.Date
	ref   warehouse.OrderRef
}

// events lists the amounts that orders and refunds add to the totals of their days.
func (r *reference) events() (out []event) {
	first := r.firsts()
	for ref, o := range r.orders {
		if o.Cancelled || o.Test {
			continue
		}
		sums := measure.Sums{Orders: whole(1), Charged: o.Charged, Tax: o.Tax, Shipping: o.Shipping, Discounts: o.Discounts, Units: o.Units}
		if o.Customer != "" && first[o.Customer].OrderRef == ref {
			sums.NewOrders = whole(1)
		}
		out = append(out, event{order: sums, day: o.Day, ref: ref})
	}
	for ref, refunds := range r.refunds {
		if o := r.orders[ref]; !o.Cancelled && !o.Test {
			out = append(out, r.refundsByDay(ref, refunds)...)
		}
	}
	return out
}

// firsts returns the first order of each customer.
func (r *reference) firsts() map[string]warehouse.Order {
	first := map[string]warehouse.Order{}
	for _, o := range r.orders {
		before, ok := first[o.Customer]
		later := ok && cmp.Or(o.At.Compare(before.At), cmp.Compare(o.Key, before.Key)) > 0
		if !o.Cancelled && !o.Test && !later {
			first[o.Customer] = o
		}
	}
	return first
}

// refundsByDay returns one event with the order's total refunds for each day. A refund without a date has the date of its order, if the order is
// known.
func (r *reference) refundsByDay(ref warehouse.OrderRef, refunds []warehouse.Refund) (out []event) {
	order, known := r.orders[ref]
	days := map[civil.Date]measure.Sums{}
	for _, f := range refunds {
		day, sums := f.Day, measure.Sums{Refunds: f.Amount}
		if f.DateUnknown {
			sums.Undated = f.Amount
			if known {
				day = order.Day
			}
		}
		days[day] = days[day].Add(sums)
	}
	for day, sums := range days {
		out = append(out, event{order: sums, day: day, ref: ref})
	}
	return out
}

// storeDays returns the store's totals per day.
func (r *reference) storeDays() map[civil.Date]measure.Sums {
	days := map[civil.Date]measure.Sums{}
	for _, e := range r.events() {
		days[e.day] = days[e.day].Add(e.order)
	}
	return days
}

type channelDay struct {
	channel measure.Channel
	day     civil.Date
}

// channelDays returns the figures attributed to each channel per day.
func (r *reference) channelDays(model measure.Model) map[channelDay]measure.Sums {
	days := map[channelDay]measure.Sums{}
	for _, e := range r.events() {
		touches := slices.Clone(r.touches[e.ref])
		slices.SortFunc(touches, func(a, b warehouse.Touch) int { return cmp.Compare(a.Seq, b.Seq) })
		if len(touches) == 0 {
			at := channelDay{r.fallback(e.ref), e.day}
			days[at] = days[at].Add(e.order)
			continue
		}
		upTo := new(big.Rat)
		for i, weight := range weights(model, touches) {
			lower := new(big.Rat).Set(upTo)
			upTo.Add(upTo, weight)
			at := channelDay{touches[i].Channel, e.day}
			days[at] = days[at].Add(between(e.order, lower, upTo))
		}
	}
	return days
}

// fallback returns the channel of an order without touchpoints.
func (r *reference) fallback(ref warehouse.OrderRef) measure.Channel {
	if c := r.orders[ref].Channel; c != "" {
		return c
	}
	codes := slices.DeleteFunc(slices.Clone(r.coupons[ref]), func(c warehouse.OrderCoupon) bool { return r.couponMap[c.Code] == "" })
	if len(codes) == 0 {
		return measure.Unattributed
	}
	slices.SortFunc(codes, func(a, b warehouse.OrderCoupon) int {
		return cmp.Or(cmp.Compare(b.Discount, a.Discount), cmp.Compare(a.Code, b.Code))
	})
	return r.couponMap[codes[0].Code]
}

// weights returns each touchpoint's share of the credit for an order. The shares sum to one.
func weights(model measure.Model, touches []warehouse.Touch) []*big.Rat {
	n := len(touches)
	out := make([]*big.Rat, n)
	for i := range out {
		out[i] = new(big.Rat)
	}
	marketing := func(t warehouse.Touch) bool { return t.Channel != "direct" }
	switch model {
	case measure.FirstTouch:
		out[max(0, slices.IndexFunc(touches, marketing))].SetInt64(1)
	case measure.LastTouch:
		last := n - 1
		for i, t := range touches {
			if marketing(t) {
				last = i
			}
		}
		out[last].SetInt64(1)
	case measure.PositionBased:
		for i := range out {
			switch {
			case n <= 2:
				out[i].SetFrac64(1, int64(n))
			case i == 0 || i == n-1:
				out[i].SetFrac64(2, 5)
			default:
				out[i].SetFrac64(1, int64(5*(n-2)))
			}
		}
	case measure.TimeDecay:
		latest := touches[n-1].At
		sum := int64(0)
		ints := make([]int64, n)
		for i, t := range touches {
			days := latest.Sub(t.At).Hours() / 24
			ints[i] = int64(math.Round((1 << 26) * math.Exp2(-days/7)))
			sum += ints[i]
		}
		for i := range out {
			out[i].SetFrac64(ints[i], sum)
		}
	case measure.Linear, measure.PlatformReported, measure.Markov, measure.Shapley, measure.SurveyBlended:
		for i := range out {
			out[i].SetFrac64(1, int64(n))
		}
	}
	return out
}

// between returns the part of sums between two fractions of the whole.
func between(s measure.Sums, lower, upper *big.Rat) measure.Sums {
	part := func(amount int64) int64 { return floor(amount, upper) - floor(amount, lower) }
	return measure.Sums{
		Orders: part(s.Orders), Charged: part(s.Charged), Tax: part(s.Tax), Shipping: part(s.Shipping),
		Discounts: part(s.Discounts), Refunds: part(s.Refunds), Undated: part(s.Undated),
		NewOrders: part(s.NewOrders), Units: part(s.Units),
	}
}

func floor(amount int64, part *big.Rat) int64 {
	x := new(big.Int).Mul(big.NewInt(amount), part.Num())
	return x.Div(x, part.Denom()).Int64() // Euclidean division, which rounds down for a positive divisor
}
