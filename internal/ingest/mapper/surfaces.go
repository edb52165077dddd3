package mapper

import (
	"assay/internal/civil"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Fields of sales by surface and day.
const (
	surfaceDate = iota
	surfaceName
	surfaceRevenue
	surfaceOrders
	surfaceCurrency
	surfaceNew
	surfaceUnits
	surfaceTax
	surfaceShipping
	surfaceDiscounts
	surfaceRefunds
	surfaceCountry
	surfaceRegion
)

var surfaceForm = form{title: "daily revenue and orders by sales surface", columns: []source.Column{
	surfaceDate:      {Field: "date", Names: []string{"date", "day", "business date", "datum"}},
	surfaceName:      {Field: "surface", Names: []string{"surface", "sales surface", "sales channel", "location type"}},
	surfaceRevenue:   {Field: "revenue", Names: []string{"revenue", "total sales", "sales", "turnover", "umsatz"}},
	surfaceOrders:    {Field: "orders", Names: []string{"orders", "order count", "transactions", "receipts"}},
	surfaceCurrency:  {Field: "currency", Names: []string{"currency", "currency code"}},
	surfaceNew:       {Field: "new_orders", Names: []string{"new orders", "first orders", "new customers"}},
	surfaceUnits:     {Field: "units", Names: []string{"units", "items", "items sold", "quantity"}},
	surfaceTax:       {Field: "tax", Names: []string{"tax", "taxes", "vat", "mwst"}},
	surfaceShipping:  {Field: "shipping", Names: []string{"shipping"}},
	surfaceDiscounts: {Field: "discounts", Names: []string{"discounts", "discount"}},
	surfaceRefunds:   {Field: "refunds", Names: []string{"refunds", "returns", "refunded"}},
	surfaceCountry:   {Field: "country", Names: []string{"country", "country code"}},
	surfaceRegion:    {Field: "region", Names: []string{"region", "region code", "state", "province"}},
}, required: []string{"date", "surface", "revenue", "orders"}, open: opening(newSurfaceRows)}

type surfaceKey struct {
	day             civil.Date
	surface         measure.Surface
	country, region string
}

// newSurfaceRows reads sales by surface and day. It sums rows with the same surface, day, country and region, such as
// rows of several cash registers. It rejects unknown surfaces, because their sales would otherwise be assigned to
// another surface.
func newSurfaceRows(b *binding) *factRows {
	countries, rates := source.NewCountries(), source.NewConverter(b.options.Base, b.options.Rates)
	known := gathered[surfaceKey, warehouse.SurfaceDayTotal]{}
	var rows *factRows
	rows = newFactRows(b, func(r *row, _ *warehouse.Batch) {
		surface, ok := source.Surface(r.needed(surfaceName))
		if !ok {
			r.wrong(surfaceName, "is not a sales surface: use online_store, marketplace, short_video_shop, retail or wholesale")
		}
		country, ok := countries.Code(r.text(surfaceCountry))
		if !ok {
			r.wrong(surfaceCountry, "is not a known country")
		}
		currency, err := r.currency(r.cells, surfaceCurrency, r.line)
		r.fail(err)
		d := warehouse.SurfaceDayTotal{
			Source: b.origin(), Day: r.date(surfaceDate), Surface: surface, Country: country, Region: source.Region(r.text(surfaceRegion), country),
			Orders: r.orders(surfaceOrders), NewOrders: r.orders(surfaceNew), Units: r.number(surfaceUnits), Charged: r.sum(surfaceRevenue, currency),
			Tax: r.sum(surfaceTax, currency), Shipping: r.sum(surfaceShipping, currency), Discounts: r.sum(surfaceDiscounts, currency),
			Refunds: r.sum(surfaceRefunds, currency),
		}
		if r.needed(surfaceRevenue); d.Refunds < 0 { // some cash registers write refunds with a minus sign
			d.Refunds = -d.Refunds
		}
		if d.NewOrders > d.Orders {
			r.wrong(surfaceNew, "there are more new orders than orders")
		}
		if r.fault != nil {
			return
		}
		original := d
		if err := rates.Convert(d.Day, currency, &d.Charged, &d.Tax, &d.Shipping, &d.Discounts, &d.Refunds); err != nil {
			r.fail(source.Located(err, r.line, 1))
			return
		}
		rows.totals.See(d.Day)
		rows.totals.Orders += d.Orders
		rows.totals.Charged[currency] += original.Charged
		if original.Refunds != 0 {
			rows.totals.Refunds++
			rows.totals.Refunded[currency] += original.Refunds
		}
		sum, twice := known.at(surfaceKey{d.Day, d.Surface, d.Country, d.Region})
		if !twice {
			*sum = d
			return
		}
		b.options.Notes.Add("rows_added", "several rows have the same surface and day: the import uses their total")
		sum.Orders, sum.NewOrders, sum.Units = sum.Orders+d.Orders, sum.NewOrders+d.NewOrders, sum.Units+d.Units
		sum.Charged, sum.Tax, sum.Shipping = sum.Charged+d.Charged, sum.Tax+d.Tax, sum.Shipping+d.Shipping
		sum.Discounts, sum.Refunds = sum.Discounts+d.Discounts, sum.Refunds+d.Refunds
	}, func(into *warehouse.Batch) { into.SurfaceDays = append(into.SurfaceDays, known.facts...) })
	return rows
}
