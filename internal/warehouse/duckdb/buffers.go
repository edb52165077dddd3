package duckdb

import (
	"cmp"
	"context"

	"assay/internal/fault"
	"assay/internal/warehouse"
)

// buffers collect the rows of an import, one block per table.
type buffers struct {
	orders        *buffer[warehouse.Order]
	lines         *buffer[warehouse.OrderLine]
	refunds       *buffer[warehouse.Refund]
	coupons       *buffer[warehouse.OrderCoupon]
	touches       *buffer[warehouse.Touch]
	adDays        *buffer[warehouse.AdDay]
	channelSpend  *buffer[warehouse.ChannelSpend]
	products      *buffer[warehouse.Product]
	messages      *buffer[warehouse.MessageDay]
	surveys       *buffer[warehouse.SurveyResponse]
	creators      *buffer[warehouse.Creator]
	creatorCodes  *buffer[warehouse.CreatorCode]
	creatorCosts  *buffer[warehouse.CreatorCost]
	linkDays      *buffer[warehouse.LinkDay]
	couponChannel *buffer[warehouse.CouponChannel]
	targets       *buffer[warehouse.Target]
	rates         *buffer[warehouse.FXRate]
	regionDays    *buffer[warehouse.RegionDay]
}

func newBuffers() buffers {
	return buffers{
		orders: newBuffer(orders, putOrder, func(p *part, before, o *warehouse.Order, at *course) {
			p.unordered = p.unordered || compareRefs(&before.OrderRef, &o.OrderRef) >= 0
			p.unsorted = p.unsorted || at.turned(o.Day.Compare(before.Day))
		}),
		lines: newBuffer(orderLines, putLine, func(p *part, before, l *warehouse.OrderLine, _ *course) {
			p.unordered = p.unordered || rising(&before.OrderRef, &l.OrderRef, cmp.Compare(before.Line, l.Line))
		}),
		refunds: newBuffer(refunds, putRefund, func(p *part, before, r *warehouse.Refund, _ *course) {
			p.unordered = p.unordered || rising(&before.OrderRef, &r.OrderRef, cmp.Compare(before.Refund, r.Refund))
		}),
		coupons: newBuffer(orderCoupons, putCoupon, func(p *part, before, c *warehouse.OrderCoupon, _ *course) {
			p.unordered = p.unordered || rising(&before.OrderRef, &c.OrderRef, cmp.Compare(before.Code, c.Code))
		}),
		touches: newBuffer(touches, putTouch, func(p *part, before, t *warehouse.Touch, _ *course) {
			p.unordered = p.unordered || rising(&before.OrderRef, &t.OrderRef, cmp.Compare(before.Seq, t.Seq))
			p.long = p.long || t.Seq > maxTouches
		}),
		adDays:        newBuffer(adDays, putAdDay, nil),
		channelSpend:  newBuffer(channelSpend, putChannelSpend, nil),
		products:      newBuffer(products, putProduct, nil),
		messages:      newBuffer(messageDays, putMessage, nil),
		surveys:       newBuffer(surveys, putSurvey, nil),
		creators:      newBuffer(creators, putCreator, nil),
		creatorCodes:  newBuffer(creatorCodes, putCreatorCode, nil),
		creatorCosts:  newBuffer(creatorCosts, putCreatorCost, nil),
		linkDays:      newBuffer(linkDays, putLink, nil),
		couponChannel: newBuffer(couponChannel, putCouponChannel, nil),
		targets:       newBuffer(targets, putTarget, nil),
		rates:         newBuffer(fxRates, putRate, nil),
		regionDays:    newBuffer(regionDays, putRegion, nil),
	}
}

// rising reports whether the second key does not follow the first: equal keys must be told apart by what they
// have behind the order.
func rising(a, b *warehouse.OrderRef, rest int) bool {
	if c := compareRefs(a, b); c != 0 {
		return c > 0
	}
	return rest >= 0
}

// course tells whether a sequence of days keeps its direction.
type course struct{ direction int }

// turned reports whether a step goes against an earlier one.
func (c *course) turned(step int) bool {
	if step == 0 {
		return false
	}
	step = cmp.Compare(step, 0)
	if c.direction == 0 {
		c.direction = step
	}
	return c.direction != step
}

// parts lists what the import brings, table by table in the order of merging.
func (b *buffers) parts() []*part {
	return []*part{
		b.orders.part, b.lines.part, b.refunds.part, b.coupons.part, b.touches.part, b.adDays.part,
		b.channelSpend.part, b.products.part, b.messages.part, b.surveys.part, b.creators.part,
		b.creatorCodes.part, b.creatorCosts.part, b.linkDays.part, b.couponChannel.part, b.targets.part,
		b.rates.part, b.regionDays.part,
	}
}

// add copies a batch's rows into the blocks.
func (b *buffers) add(ctx context.Context, l *load, rows *warehouse.Batch) error {
	for _, add := range []func() error{
		func() error { return b.orders.add(ctx, l, rows.Orders) },
		func() error { return b.lines.add(ctx, l, rows.Lines) },
		func() error { return b.refunds.add(ctx, l, rows.Refunds) },
		func() error { return b.coupons.add(ctx, l, rows.Coupons) },
		func() error { return b.touches.add(ctx, l, rows.Touches) },
		func() error { return b.adDays.add(ctx, l, rows.AdDays) },
		func() error { return b.channelSpend.add(ctx, l, rows.ChannelSpend) },
		func() error { return b.products.add(ctx, l, rows.Products) },
		func() error { return b.messages.add(ctx, l, rows.Messages) },
		func() error { return b.surveys.add(ctx, l, rows.Surveys) },
		func() error { return b.creators.add(ctx, l, rows.Creators) },
		func() error { return b.creatorCodes.add(ctx, l, rows.CreatorCodes) },
		func() error { return b.creatorCosts.add(ctx, l, rows.CreatorCosts) },
		func() error { return b.linkDays.add(ctx, l, rows.LinkDays) },
		func() error { return b.couponChannel.add(ctx, l, rows.CouponMap) },
		func() error { return b.targets.add(ctx, l, rows.Targets) },
		func() error { return b.rates.add(ctx, l, rows.FXRates) },
		func() error { return b.regionDays.add(ctx, l, rows.RegionDays) },
	} {
		if err := add(); err != nil {
			return err
		}
	}
	return nil
}

// flush hands over the blocks that are not full.
func (b *buffers) flush(ctx context.Context, l *load) error {
	for _, flush := range []func(context.Context, *load) error{
		b.orders.flush, b.lines.flush, b.refunds.flush, b.coupons.flush, b.touches.flush, b.adDays.flush,
		b.channelSpend.flush, b.products.flush, b.messages.flush, b.surveys.flush, b.creators.flush,
		b.creatorCodes.flush, b.creatorCosts.flush, b.linkDays.flush, b.couponChannel.flush, b.targets.flush,
		b.rates.flush, b.regionDays.flush,
	} {
		if err := flush(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// buffer is the block of one table that is being filled, and one that is perhaps being written.
type buffer[T any] struct {
	part    *part
	put     func(*cells, *T)
	observe func(p *part, before, row *T, at *course) // nil: keys may come in any order
	rows    []T
	last    T
	seen    bool
	days    course
	spare   chan []T
}

func newBuffer[T any](t *table, put func(*cells, *T), observe func(*part, *T, *T, *course)) *buffer[T] {
	b := &buffer[T]{part: &part{table: t, unordered: observe == nil}, put: put, observe: observe, spare: make(chan []T, 2)}
	b.spare <- nil
	b.spare <- nil
	return b
}

func (b *buffer[T]) add(ctx context.Context, l *load, rows []T) error {
	b.watch(rows)
	for len(rows) > 0 {
		if b.rows == nil {
			b.rows = <-b.spare
		}
		n := min(len(rows), blockRows-len(b.rows))
		b.rows = append(b.rows, rows[:n]...)
		rows = rows[n:]
		if len(b.rows) == blockRows {
			if err := b.flush(ctx, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// watch notices whether keys and days come in order, which saves looking for duplicates and sorting.
func (b *buffer[T]) watch(rows []T) {
	if b.observe == nil || len(rows) == 0 {
		return
	}
	before := &b.last
	for i := range rows {
		if b.seen {
			b.observe(b.part, before, &rows[i], &b.days)
		}
		before, b.seen = &rows[i], true
	}
	b.last = *before
}

func (b *buffer[T]) flush(ctx context.Context, l *load) error {
	if len(b.rows) == 0 {
		return nil
	}
	rows := b.rows
	b.rows = nil
	return l.send(ctx, job{
		ctx: context.WithoutCancel(ctx), part: b.part, rows: block[T]{rows: rows, put: b.put},
		done: func() {
			clear(rows)
			b.spare <- rows[:0]
		},
	})
}

// check refuses rows that could not be found again: without a key or a day.
func check(b *warehouse.Batch) error {
	for i := range b.Orders {
		if o := &b.Orders[i]; o.Key == "" || o.At.IsZero() || o.Day.IsZero() {
			return fault.Invalid("order %q has no key, no time or no day", o.Key)
		}
	}
	for i := range b.Refunds {
		if r := &b.Refunds[i]; r.Day.IsZero() && !r.DateUnknown {
			return fault.Invalid("refund %q of order %q has no day", r.Refund, r.Key)
		}
	}
	for i := range b.AdDays {
		if a := &b.AdDays[i]; a.Day.IsZero() {
			return fault.Invalid("a row of campaign %q has no day", a.CampaignName)
		}
	}
	for i := range b.ChannelSpend {
		if s := &b.ChannelSpend[i]; s.Day.IsZero() {
			return fault.Invalid("spend of channel %q has no day", s.Channel)
		}
	}
	return nil
}
