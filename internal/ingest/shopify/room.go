package shopify

import "assay/internal/warehouse"

// room stores orders and their parts in large allocations, because an import contains many orders.
type room struct {
	sales   pieces[sale]
	lines   pieces[warehouse.OrderLine]
	refunds pieces[warehouse.Refund]
	coupons pieces[warehouse.OrderCoupon]
	touches pieces[warehouse.Touch]
	ties    pieces[warehouse.CustomerTie]
}

// of returns a pointer to a copy of the order and of its lists.
func (r *room) of(one sale) *sale {
	s := &r.sales.of([]sale{one})[0]
	s.Lines, s.Refunds, s.Coupons = r.lines.of(s.Lines), r.refunds.of(s.Refunds), r.coupons.of(s.Coupons)
	s.Touches, s.Ties = r.touches.of(s.Touches), r.ties.of(s.Ties)
	return s
}

// pieces copies lists into shared allocations. An allocation is freed when none of its lists is in use.
type pieces[T any] struct{ piece []T }

const pieceLength = 64

// of returns a copy of the list. Later copies do not change it.
func (p *pieces[T]) of(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	if cap(p.piece)-len(p.piece) < len(list) {
		p.piece = make([]T, 0, max(pieceLength, len(list)))
	}
	start := len(p.piece)
	p.piece = append(p.piece, list...)
	return p.piece[start:len(p.piece):len(p.piece)]
}
