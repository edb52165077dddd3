package mapper

import (
	"slices"
	"strings"

	"assay/internal/civil"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

// The fields of products.
const (
	productSKU = iota
	productTitle
	productKind
	productVendor
	productPrice
	productCost
	productCurrency
	productHandle
	productOption1
	productOption2
	productOption3
	productFrom
)

var productForm = form{title: "products and unit costs", columns: []source.Column{
	productSKU:      {Field: "sku", Names: []string{"sku", "variant sku", "item sku", "stock code"}},
	productTitle:    {Field: "title", Names: []string{"title", "product", "product name", "name"}},
	productKind:     {Field: "type", Names: []string{"type", "product type", "category"}},
	productVendor:   {Field: "vendor", Names: []string{"vendor", "brand", "supplier"}},
	productPrice:    {Field: "price", Names: []string{"price", "variant price", "unit price"}},
	productCost:     {Field: "cost", Names: []string{"cost", "unit cost", "cost per item", "cost of goods", "cogs"}},
	productCurrency: {Field: "currency", Names: []string{"currency", "currency code"}},
	productHandle:   {Field: "handle", Names: []string{"handle"}},
	productOption1:  {Field: "option1", Names: []string{"option1 value"}},
	productOption2:  {Field: "option2", Names: []string{"option2 value"}},
	productOption3:  {Field: "option3", Names: []string{"option3 value"}},
	productFrom:     {Field: "valid_from", Names: []string{"valid from", "cost valid from", "since", "effective from", "effective date"}},
}, required: []string{"sku", "cost"}, open: opening(newProductRows)}

// costFrom identifies a cost.
type costFrom struct {
	sku  string
	from civil.Date
}

// newProductRows reads a catalog, costs, or both. A product has one row per variant. Only the first of these rows
// contains the product's name. A product may have several costs with different first days.
func newProductRows(b *binding) *factRows {
	var handle, kind, vendor, name string
	known, costs := gathered[string, warehouse.Product]{}, gathered[costFrom, warehouse.ProductCost]{}
	return newFactRows(b, func(r *row, _ *warehouse.Batch) {
		if h := r.text(productHandle); h == "" || h != handle {
			handle, name, kind, vendor = h, r.text(productTitle), r.text(productKind), r.text(productVendor)
		}
		sku := r.text(productSKU)
		if sku == "" {
			if r.text(productPrice) != "" || r.text(productCost) != "" {
				b.options.Notes.Add("products_without_sku", "products without a SKU are skipped: they cannot be matched to order lines")
			}
			return // a row with only an image
		}
		if c := r.money(productCurrency); r.fault == nil && c != b.options.Base {
			r.wrong(productCurrency, "prices and costs have no date for a currency conversion: they must be in "+string(b.options.Base))
		}
		p := warehouse.Product{
			Source: b.origin(), SKU: sku, Title: titled(name, r.text(productOption1), r.text(productOption2), r.text(productOption3)),
			Kind: kind, Vendor: vendor, Price: r.sum(productPrice, b.options.Base),
		}
		cost, costed := r.unitCost(sku)
		if r.fault != nil {
			return
		}
		if p != (warehouse.Product{Source: p.Source, SKU: sku}) {
			before, twice := known.at(sku)
			if twice && *before != p {
				b.options.Notes.Add("sku_twice", "the SKU %s, line %d, has a different title, type, vendor or price than earlier in the file: the last values are used. Each cost applies from its own day", source.Shown(sku), r.line)
			}
			*before = p
		}
		if costed {
			before, twice := costs.at(costFrom{sku, cost.From})
			if twice && *before != cost {
				b.options.Notes.Add("cost_twice", "the SKU %s, line %d, has two costs from the same day: the last cost is used", source.Shown(sku), r.line)
			}
			*before = cost
		}
	}, func(into *warehouse.Batch) {
		into.Products, into.Costs = append(into.Products, known.facts...), append(into.Costs, costs.facts...)
	})
}

// unitCost reads the cost of a unit and the first day of this cost.
func (r *row) unitCost(sku string) (cost warehouse.ProductCost, known bool) {
	if r.text(productCost) == "" {
		return cost, false
	}
	cost = warehouse.ProductCost{Source: r.origin(), SKU: sku, Cost: r.sum(productCost, r.options.Base)}
	if r.text(productFrom) != "" {
		cost.From = r.date(productFrom)
	}
	if cost.Cost < 0 {
		r.wrong(productCost, "a cost cannot be negative")
	}
	return cost, true
}

// titled returns a variant's name in the form that orders use: "Tee - M / Blue".
func titled(product string, options ...string) string {
	options = slices.DeleteFunc(options, func(o string) bool { return o == "" || o == "Default Title" })
	if product == "" || len(options) == 0 {
		return product
	}
	return product + " - " + strings.Join(options, " / ")
}
