package mapper

import (
	"strings"

	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

// Fields of the coupon map.
const (
	couponCode = iota
	couponChannel
	couponCreator
)

var couponForm = form{title: "channel of each coupon code", columns: []source.Column{
	couponCode:    {Field: "code", Names: []string{"code", "coupon code", "coupon", "discount code"}},
	couponChannel: {Field: "channel", Names: []string{"channel", "marketing channel"}},
	couponCreator: {Field: "creator", Names: []string{"creator id"}},
}, required: []string{"code", "channel"}, open: newCouponRows}

func newCouponRows(b *binding) (source.Rows, error) {
	if p := b.fields[couponChannel]; b.options.Channel == "" && p.at < 0 && p.fixed == "" {
		return nil, fault.Invalid("the file does not name the channel of its codes").
			WithHint("name it with --channel, or import a table with the columns code and channel")
	}
	known := gathered[string, warehouse.CouponChannel]{}
	return newFactRows(b, func(r *row, _ *warehouse.Batch) {
		m := warehouse.CouponChannel{
			Code: strings.ToUpper(r.needed(couponCode)), Channel: r.channel(r.cells, couponChannel), Creator: r.text(couponCreator),
		}
		if m.Channel == "" {
			r.wrong(couponChannel, "the row has no channel")
		}
		if r.fault != nil {
			return
		}
		before, twice := known.at(m.Code)
		if twice && *before != m {
			r.wrong(couponCode, "the code occurs twice in the file, with different channels")
			return
		}
		*before = m
	}, func(into *warehouse.Batch) { into.CouponMap = append(into.CouponMap, known.facts...) }), nil
}
