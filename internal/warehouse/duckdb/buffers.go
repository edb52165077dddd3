package duckdb

import (
	"cmp"
	"context"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// buffers are the rows of an import, a block per table, in the order of merging.
type buffers []incoming

// incoming is the rows of an import for one table.
type incoming interface {
	about() *part
	add(ctx context.Context, l *load, b *warehouse.Batch) error
	flush(ctx context.Context, l *load) error // sends a block that is not full
}

// newBuffers lists the fact tables: the batch's rows, how to write one, and for tables that may be large, how to
// detect sorted rows.
func newBuffers(texts *orderTexts) buffers {
	return buffers{
		newBuffer(orders, texts.rows, putOrder, watchOrders()),
		newBuffer(customerTies, func(b *warehouse.Batch) []warehouse.CustomerTie { return b.Ties }, putTie, nil),
		newBuffer(profiles, func(b *warehouse.Batch) []warehouse.Profile { return b.Profiles }, putProfile, nil),
		newBuffer(orderLines, func(b *warehouse.Batch) []warehouse.OrderLine { return b.Lines }, putLine,
			watchParts(func(l *warehouse.OrderLine) *warehouse.OrderRef { return &l.OrderRef },
				func(a, b *warehouse.OrderLine) int { return cmp.Compare(a.Line, b.Line) })),
		newBuffer(refunds, func(b *warehouse.Batch) []warehouse.Refund { return b.Refunds }, putRefund,
			watchParts(func(r *warehouse.Refund) *warehouse.OrderRef { return &r.OrderRef },
				func(a, b *warehouse.Refund) int { return cmp.Compare(a.Refund, b.Refund) })),
		newBuffer(orderCoupons, func(b *warehouse.Batch) []warehouse.OrderCoupon { return b.Coupons }, putCoupon,
			watchParts(func(c *warehouse.OrderCoupon) *warehouse.OrderRef { return &c.OrderRef },
				func(a, b *warehouse.OrderCoupon) int { return cmp.Compare(a.Code, b.Code) })),
		newBuffer(touches, func(b *warehouse.Batch) []warehouse.Touch { return b.Touches }, putTouch, watchTouches()),
		newBuffer(landedOrders, func(b *warehouse.Batch) []warehouse.LandedOrder { return b.LandedOrders }, putLandedOrder, nil),
		newBuffer(landedLines, func(b *warehouse.Batch) []warehouse.LandedLine { return b.LandedLines }, putLandedLine, nil),
		newBuffer(landedOff, func(b *warehouse.Batch) []warehouse.LandedDiscount { return b.LandedDiscounts }, putLandedDiscount, nil),
		newBuffer(landedCodes, func(b *warehouse.Batch) []warehouse.LandedCode { return b.LandedCodes }, putLandedCode, nil),
		newBuffer(adDays, func(b *warehouse.Batch) []warehouse.AdDay { return b.AdDays }, putAdDay, watchAdDays()),
		newBuffer(adNames, func(b *warehouse.Batch) []warehouse.AdName { return b.AdNames }, putAdName, nil),
		newBuffer(adStates, func(b *warehouse.Batch) []measure.AdState { return b.AdStates }, putAdState, nil),
		newBuffer(channelSpend, func(b *warehouse.Batch) []warehouse.ChannelSpend { return b.ChannelSpend }, putChannelSpend, nil),
		newBuffer(products, func(b *warehouse.Batch) []warehouse.Product { return b.Products }, putProduct, nil),
		newBuffer(productCosts, func(b *warehouse.Batch) []warehouse.ProductCost { return b.Costs }, putCost, nil),
		newBuffer(messageDays, func(b *warehouse.Batch) []warehouse.MessageDay { return b.Messages }, putMessage, nil),
		newBuffer(surveys, func(b *warehouse.Batch) []warehouse.SurveyResponse { return b.Surveys }, putSurvey, nil),
		newBuffer(creators, func(b *warehouse.Batch) []warehouse.Creator { return b.Creators }, putCreator, nil),
		newBuffer(creatorCodes, func(b *warehouse.Batch) []warehouse.CreatorCode { return b.CreatorCodes }, putCreatorCode, nil),
		newBuffer(creatorCosts, func(b *warehouse.Batch) []warehouse.CreatorCost { return b.CreatorCosts }, putCreatorCost, nil),
		newBuffer(linkDays, func(b *warehouse.Batch) []warehouse.LinkDay { return b.LinkDays }, putLink, nil),
		newBuffer(couponChannel, func(b *warehouse.Batch) []warehouse.CouponChannel { return b.CouponMap }, putCouponChannel, nil),
		newBuffer(targets, func(b *warehouse.Batch) []warehouse.Target { return b.Targets }, putTarget, nil),
		newBuffer(fxRates, func(b *warehouse.Batch) []warehouse.FXRate { return b.FXRates }, putRate, nil),
		newBuffer(regionDays, func(b *warehouse.Batch) []warehouse.RegionDay { return b.RegionDays }, putRegion, nil),
		newBuffer(surfaceDays, func(b *warehouse.Batch) []warehouse.SurfaceDayTotal { return b.SurfaceDays }, putSurface, nil),
	}
}

// of returns the rows of a table.
func (b buffers) of(t *table) *part {
	for _, in := range b {
		if in.about().table == t {
			return in.about()
		}
	}
	panic("duckdb: no buffer for " + t.name)
}

// add copies a batch's rows into the blocks.
func (b buffers) add(ctx context.Context, l *load, rows *warehouse.Batch) error {
	for _, in := range b {
		if err := in.add(ctx, l, rows); err != nil {
			return err
		}
	}
	return nil
}

// flush sends the blocks that are not full.
func (b buffers) flush(ctx context.Context, l *load) error {
	for _, in := range b {
		if err := in.flush(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// buffer is the block of one table that is being filled, and possibly one that is being written.
type buffer[T any] struct {
	part   *part
	rowsOf func(*warehouse.Batch) []T
	put    func(*cells, *T)
	watch  watch[T] // nil: keys may come in any order
	rows   []T
	last   T
	seen   bool
	spare  chan []T
}

func newBuffer[T any](t *table, rowsOf func(*warehouse.Batch) []T, put func(*cells, *T), watch watch[T]) *buffer[T] {
	b := &buffer[T]{part: &part{table: t, unordered: watch == nil}, rowsOf: rowsOf, put: put, watch: watch, spare: make(chan []T, 2)}
	b.spare <- nil
	b.spare <- nil
	return b
}

func (b *buffer[T]) about() *part { return b.part }

func (b *buffer[T]) add(ctx context.Context, l *load, batch *warehouse.Batch) error {
	rows := b.rowsOf(batch)
	b.notice(rows)
	full := spanRows * l.engine.feedThreads()
	for len(rows) > 0 {
		if b.rows == nil {
			b.rows = <-b.spare
		}
		n := min(len(rows), full-len(b.rows))
		if len(b.rows)+n > full/8 && cap(b.rows) < full { // a large import will need the whole block
			b.rows = slices.Grow(b.rows, full-len(b.rows))
		}
		b.rows = append(b.rows, rows[:n]...)
		rows = rows[n:]
		if len(b.rows) == full {
			if err := b.flush(ctx, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// notice lets the watch compare each row with the previous one.
func (b *buffer[T]) notice(rows []T) {
	if b.watch == nil || len(rows) == 0 {
		return
	}
	before := &b.last
	for i := range rows {
		if b.seen {
			b.watch(b.part, before, &rows[i])
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
	threads := l.engine.feedThreads()
	if b.part.unordered {
		threads = 1 // the last row with a key counts, so the rows must arrive in order
	}
	return l.send(ctx, job{
		ctx: context.WithoutCancel(ctx), part: b.part, rows: block[T]{rows: rows, put: b.put}, threads: threads,
		done: func() {
			clear(rows)
			b.spare <- rows[:0]
		},
	})
}

// check rejects rows that could not be found later: without a key or a day.
func check(b *warehouse.Batch) error {
	for i := range b.Orders {
		if o := &b.Orders[i]; o.Key == "" || o.At.IsZero() || o.Day.IsZero() {
			return fault.Invalid("order %q has no key, no time or no day", o.Key)
		}
	}
	for i := range b.Profiles {
		if b.Profiles[i].Customer == "" {
			return fault.Invalid("a customer of %q has no key", b.Profiles[i].Source)
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
