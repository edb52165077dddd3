package snapshot

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/change"
	"assay/internal/warehouse"
)

// Dimension is a way to split a change of revenue.
type Dimension string

// The dimensions.
const (
	ByOrderValue Dimension = "orders_and_aov" // revenue = days × orders per day × AOV
	ByReturn     Dimension = "spend_and_roas" // revenue = spend × ROAS
	ByCustomer   Dimension = "customers"
	ByChannel    Dimension = "channel"
	BySurface    Dimension = "surface"
	ByProduct    Dimension = "product"
	ByPrice      Dimension = "price" // revenue of each product = units × list price × (1 - discount rate)
	ByRegion     Dimension = "region"
)

// Names of parts that are neither groups nor segments.
const (
	PartDays      = "days" // lengths of the windows
	PartOrders    = "orders"
	PartAOV       = "aov"
	PartSpend     = "spend"
	PartROAS      = "roas"
	PartUnits     = "units"
	PartListPrice = "list_price"
	PartDiscounts = "discounts"
	PartOther     = "other" // smaller groups, and revenue outside the dimension, such as tax and shipping of products
)

// mostParts is the maximum number of groups of a split; the remaining groups are summed.
const mostParts = 4

// Split is a change of revenue, divided into parts by one dimension. The parts are sorted by size, largest first, and
// add up exactly to the change.
type Split struct {
	Dimension Dimension
	Parts     []change.Part
}

// Change is a change of revenue between two windows, in minor units.
type Change struct {
	Total  int64
	Splits []Split
	Events []Event // possible causes; first those in the direction of the change, by effect
}

// ChangeOf selects a change of the store's revenue, or of the revenue of one channel.
type ChangeOf struct {
	Windows warehouse.Windows
	Channel measure.Channel
	Totals  warehouse.Pair[[]warehouse.ChannelTotal]
	Brief   bool // only splits of the totals, without further queries
	Regions bool // split by region too
}

// Change splits a change of revenue by every available dimension, and finds the events of the two windows.
func (c *Snapshot) Change(ctx context.Context, of ChangeOf) (Change, error) {
	w := changes{Snapshot: c, of: of}
	w.now, w.before = c.Sum(of.Totals.Recent, of.Channel, of.Windows.Recent), c.Sum(of.Totals.Earlier, of.Channel, of.Windows.Earlier)
	w.total = w.revenue(w.now.Sums) - w.revenue(w.before.Sums)
	w.byOrderValue()
	w.byChannel()
	w.byReturn()
	if of.Brief || w.total == 0 {
		return Change{Total: w.total, Splits: w.splits}, nil
	}
	steps := []func(context.Context) error{w.byCustomer}
	if of.Channel == "" {
		steps = append(steps, w.bySurface, w.byProduct)
		if of.Regions && c.Workspace.Basis == (measure.RevenueBasis{}) {
			steps = append(steps, w.byRegion)
		}
	}
	for _, step := range append(steps, w.readDays, w.findTracking, w.findSpend) {
		if err := step(ctx); err != nil {
			return Change{}, err
		}
	}
	w.findPrices()
	w.findProducts()
	return Change{Total: w.total, Splits: w.splits, Events: ranked(w.events, w.total)}, nil
}

// changes collects the splits of a change of revenue and the events that may explain it.
type changes struct {
	*Snapshot
	of          ChangeOf
	now, before Total
	total       int64
	splits      []Split
	events      []Event
	products    warehouse.Pair[[]warehouse.ProductSpan]
	calendar    calendar
	explained   []Event // labeled events with an effect
}

func (w *changes) revenue(s measure.Sums) int64 { return w.Workspace.Basis.Revenue(s) }

// split adds a split with the largest parts. The parameter most is the maximum number of parts. The remaining change
// becomes the part "other".
func (w *changes) split(by Dimension, parts []change.Part, most int) {
	if len(parts) == 0 {
		return
	}
	change.Sort(parts)
	w.splits = append(w.splits, Split{by, change.Top(parts, most, w.total, PartOther)})
}

// factors splits the change by the factors of a product, such as orders and AOV. It omits factors without an effect.
func (w *changes) factors(by Dimension, names []string, before, after []float64) {
	var parts []change.Part
	for i, minor := range change.Rounded(w.total, change.Factors(before, after)) {
		if minor != 0 {
			parts = append(parts, change.Part{Name: names[i], Change: minor})
		}
	}
	w.split(by, parts, len(parts))
}

// byOrderValue splits the change into the effects of the number of orders and of AOV. A window without orders uses the
// AOV of the other window. The change then comes from the number of orders only.
func (w *changes) byOrderValue() {
	after, before := w.now.OrderCount(), w.before.OrderCount()
	valueAfter, ok := measure.AOV(w.revenue(w.now.Sums), w.now.Orders)
	valueBefore, okBefore := measure.AOV(w.revenue(w.before.Sums), w.before.Orders)
	switch {
	case !ok && w.revenue(w.now.Sums) == 0 && okBefore:
		valueAfter = valueBefore
	case !okBefore && w.revenue(w.before.Sums) == 0 && ok:
		valueBefore = valueAfter
	case !ok || !okBefore:
		return // refunds without orders
	}
	days, daysBefore := float64(w.of.Windows.Recent.Days()), float64(w.of.Windows.Earlier.Days())
	if days == daysBefore {
		w.factors(ByOrderValue, []string{PartOrders, PartAOV}, []float64{before, valueBefore}, []float64{after, valueAfter})
		return
	}
	w.factors(ByOrderValue, []string{PartDays, PartOrders, PartAOV},
		[]float64{daysBefore, before / daysBefore, valueBefore}, []float64{days, after / days, valueAfter})
}

// byReturn splits the change of revenue by spend and ROAS if both windows have spend.
func (w *changes) byReturn() {
	after, ok := measure.ROAS(w.revenue(w.now.Sums), w.now.Spend)
	before, okBefore := measure.ROAS(w.revenue(w.before.Sums), w.before.Spend)
	if ok && okBefore && w.now.SpendKnown && w.before.SpendKnown {
		w.factors(ByReturn, []string{PartSpend, PartROAS}, []float64{float64(w.before.Spend), before}, []float64{float64(w.now.Spend), after})
	}
}

func (w *changes) byChannel() {
	if w.of.Channel != "" || w.Store.Untouched() {
		return
	}
	by := func(totals []warehouse.ChannelTotal) map[measure.Channel]int64 {
		sums := map[measure.Channel]int64{}
		for _, t := range totals {
			sums[t.Channel] += w.revenue(t.Sums)
		}
		return sums
	}
	w.split(ByChannel, change.Groups(by(w.of.Totals.Earlier), by(w.of.Totals.Recent)), mostParts)
}

func (w *changes) byCustomer(ctx context.Context) error {
	totals, err := w.SegmentTotals(ctx, w.of.Channel, w.of.Windows)
	if err != nil {
		return err
	}
	var parts []change.Part
	for _, s := range warehouse.Segments() {
		if by := w.revenue(totals.Recent.Of(s)) - w.revenue(totals.Earlier.Of(s)); by != 0 {
			parts = append(parts, change.Part{Name: string(s), Change: by})
		}
	}
	w.split(ByCustomer, parts, len(parts))
	return nil
}

func (w *changes) bySurface(ctx context.Context) error {
	totals, err := w.SurfaceTotals(ctx, w.of.Windows)
	if err != nil {
		return err
	}
	by := func(totals []warehouse.SurfaceTotal) map[measure.Surface]int64 {
		sums := map[measure.Surface]int64{}
		for _, t := range totals {
			sums[t.Surface] += w.revenue(t.Sums)
		}
		return sums
	}
	if before, after := by(totals.Earlier), by(totals.Recent); len(before) > 1 || len(after) > 1 {
		w.split(BySurface, change.Groups(before, after), mostParts)
	}
	return nil
}

// byProduct splits the change of revenue by product, and by units, list prices and discounts of the products. Revenue
// that is not charged for products, such as tax and shipping, is the part "other".
func (w *changes) byProduct(ctx context.Context) (err error) {
	if w.products, err = w.ProductSpans(ctx, w.of.Windows); err != nil {
		return err
	}
	before, after := byKey(w.products.Earlier), byKey(w.products.Recent)
	w.split(ByProduct, change.Groups(netByName(before), netByName(after)), mostParts)
	var parts [3]float64
	for _, key := range keysOf(before, after) {
		for i, part := range priceParts(before[key], after[key]) {
			parts[i] += part
		}
	}
	net := int64(math.Round(parts[0] + parts[1] + parts[2]))
	var named []change.Part
	for i, minor := range change.Rounded(net, parts[:]) {
		if minor != 0 {
			named = append(named, change.Part{Name: []string{PartUnits, PartListPrice, PartDiscounts}[i], Change: minor})
		}
	}
	w.split(ByPrice, named, len(named))
	return nil
}

// priceParts splits the change of a product's sales by units, list price and discount rate. If a product has no sales
// at a positive price in one of the windows, the whole change is attributed to units.
func priceParts(before, after warehouse.ProductSpan) [3]float64 {
	gross, grossBefore := float64(after.Net+after.Discount), float64(before.Net+before.Discount)
	if before.Units <= 0 || after.Units <= 0 || gross <= 0 || grossBefore <= 0 {
		return [3]float64{float64(after.Net - before.Net)}
	}
	factors := func(s warehouse.ProductSpan, gross float64) []float64 {
		return []float64{float64(s.Units), gross / float64(s.Units), float64(s.Net) / gross}
	}
	return [3]float64(change.Factors(factors(before, grossBefore), factors(after, gross)))
}

// productKey identifies a product; either part may be empty.
type productKey struct{ sku, title string }

// name returns the title of a product, or its SKU if it has no title.
func (k productKey) name() string { return cmp.Or(k.title, k.sku) }

func byKey(spans []warehouse.ProductSpan) map[productKey]warehouse.ProductSpan {
	out := map[productKey]warehouse.ProductSpan{}
	for _, s := range spans {
		out[productKey{s.SKU, s.Title}] = s
	}
	return out
}

// keysOf returns the products of both windows in a fixed order.
func keysOf(a, b map[productKey]warehouse.ProductSpan) []productKey {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.SortedFunc(maps.Keys(all), func(a, b productKey) int {
		return cmp.Or(cmp.Compare(a.sku, b.sku), cmp.Compare(a.title, b.title))
	})
}

// netByName sums the sales of products with the same name, such as variants.
func netByName(spans map[productKey]warehouse.ProductSpan) map[string]int64 {
	out := map[string]int64{}
	for key, s := range spans {
		out[key.name()] += s.Net
	}
	return out
}

// byRegion splits the change by the regions of the country with the most orders. Revenue without a region is the part
// "other".
func (w *changes) byRegion(ctx context.Context) error {
	found, err := w.facts.RegionDays(ctx, w.Workspace.ID, w.of.Windows.Recent.Span(w.of.Windows.Earlier))
	if err = w.noted("region_days", len(found), err, "days of regions", w.of.Windows.Recent); err != nil {
		return err
	}
	by := func(days civil.Range) map[string]int64 {
		sums := map[string]int64{}
		for _, r := range found {
			if days.Contains(r.Day) {
				sums[r.Region] += r.Charged
			}
		}
		return sums
	}
	w.split(ByRegion, change.Groups(by(w.of.Windows.Earlier), by(w.of.Windows.Recent)), mostParts)
	return nil
}
