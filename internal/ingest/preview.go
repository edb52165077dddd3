package ingest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// How much of a file a preview shows.
const (
	previewRows    = 5
	previewColumns = 12
)

// Seen is the columns of a file and its first rows, whether or not a reader fits the file. Cells are shortened and
// masked by [source.Shown]; column names are the file's own.
type Seen struct {
	Header source.Header
	Rows   [][]string
}

// Preview returns the part that fits a page.
func (s Seen) Preview() Preview {
	names := s.Header.Names()
	p := Preview{Columns: shownCells(names, previewColumns), More: max(0, len(names)-previewColumns)}
	for _, row := range s.Rows {
		p.Rows = append(p.Rows, row[:min(len(row), previewColumns)])
	}
	return p
}

// Preview is the beginning of a file as it is read. Cells are shortened and masked by [source.Shown].
type Preview struct {
	Columns []string
	Rows    [][]string
	More    int // columns that are not shown
}

func seenIn(t source.Table) Seen {
	s := Seen{Header: t.Header}
	for _, row := range t.Sample[:min(len(t.Sample), previewRows)] {
		s.Rows = append(s.Rows, shownCells(row, len(row)))
	}
	return s
}

// guessed returns the likely table of a file that no reader fits: its widest row is the header.
func guessed(samples []tabular.Sample) Seen {
	var table source.Table
	wide := widest(samples)
	for _, s := range samples {
		for i, r := range s.Records[:min(len(s.Records), headerRows)] {
			if len(wide) > 0 && slices.Equal(r.Fields, wide) {
				table.Header, table.Sample = source.NewHeader(wide), below(s.Records[i+1:])
				return seenIn(table)
			}
		}
	}
	return seenIn(table)
}

func shownCells(cells []string, most int) []string {
	row := make([]string, min(len(cells), most))
	for i := range row {
		row[i] = source.Shown(cells[i])
	}
	return row
}

// Reading is the first rows of a fact table that a file gives.
type Reading struct {
	Table   string
	Columns []string
	Rows    [][]string // without columns that are empty in all rows
}

// readings collects the first facts of an import.
type readings struct {
	zone *time.Location
	base money.Currency
	list []Reading
}

func newReadings(w control.Workspace) *readings {
	return &readings{zone: w.Location(), base: w.Currency}
}

// part is a column of a fact table.
type part[F any] struct {
	name string
	text func(F) string
}

// add shows facts until their table has enough rows.
func add[F any](r *readings, table string, facts []F, parts ...part[F]) {
	if len(facts) == 0 {
		return
	}
	at := slices.IndexFunc(r.list, func(t Reading) bool { return t.Table == table })
	if at < 0 {
		at = len(r.list)
		r.list = append(r.list, Reading{Table: table})
		for _, p := range parts {
			r.list[at].Columns = append(r.list[at].Columns, p.name)
		}
	}
	t := &r.list[at]
	for _, f := range facts[:min(len(facts), previewRows-len(t.Rows))] {
		row := make([]string, len(parts))
		for i, p := range parts {
			row[i] = source.Shown(p.text(f))
		}
		t.Rows = append(t.Rows, row)
	}
}

// tables returns the collected rows without empty columns.
func (r *readings) tables() []Reading {
	for i := range r.list {
		t := &r.list[i]
		for c := range slices.Backward(t.Columns) {
			if slices.ContainsFunc(t.Rows, func(row []string) bool { return row[c] != "" }) {
				continue
			}
			t.Columns = slices.Delete(t.Columns, c, c+1)
			for j := range t.Rows {
				t.Rows[j] = slices.Delete(t.Rows[j], c, c+1)
			}
		}
	}
	return r.list
}

// take adds the facts of a batch.
func (r *readings) take(b *warehouse.Batch) {
	r.takeOrders(b)
	r.takeParts(b)
	r.takeSpend(b)
	r.takeCreators(b)
	add(r, "products", b.Products,
		part[warehouse.Product]{"sku", func(p warehouse.Product) string { return p.SKU }},
		part[warehouse.Product]{"title", func(p warehouse.Product) string { return p.Title }},
		part[warehouse.Product]{"type", func(p warehouse.Product) string { return p.Kind }},
		part[warehouse.Product]{"vendor", func(p warehouse.Product) string { return p.Vendor }},
		part[warehouse.Product]{"price", func(p warehouse.Product) string { return r.money(p.Price) }})
	add(r, "product_costs", b.Costs,
		part[warehouse.ProductCost]{"sku", func(p warehouse.ProductCost) string { return p.SKU }},
		part[warehouse.ProductCost]{"from", func(p warehouse.ProductCost) string { return known(!p.From.IsZero(), p.From.String()) }},
		part[warehouse.ProductCost]{"cost", func(p warehouse.ProductCost) string { return r.money(p.Cost) }})
	add(r, "customers", b.Profiles,
		part[warehouse.Profile]{"customer", func(warehouse.Profile) string { return "kept as a hash" }},
		part[warehouse.Profile]{"source", func(p warehouse.Profile) string { return p.Source }})
	add(r, "message_days", b.Messages,
		part[warehouse.MessageDay]{"day", func(m warehouse.MessageDay) string { return m.Day.String() }},
		part[warehouse.MessageDay]{"channel", func(m warehouse.MessageDay) string { return string(m.Channel) }},
		part[warehouse.MessageDay]{"what", func(m warehouse.MessageDay) string { return m.Entity }},
		part[warehouse.MessageDay]{"name", func(m warehouse.MessageDay) string { return m.EntityName }},
		part[warehouse.MessageDay]{"delivered", func(m warehouse.MessageDay) string { return number(m.Delivered) }},
		part[warehouse.MessageDay]{"opens", func(m warehouse.MessageDay) string { return number(m.Opens) }},
		part[warehouse.MessageDay]{"clicks", func(m warehouse.MessageDay) string { return number(m.Clicks) }},
		part[warehouse.MessageDay]{"revenue", func(m warehouse.MessageDay) string { return r.money(m.Revenue) }})
	add(r, "survey_responses", b.Surveys,
		part[warehouse.SurveyResponse]{"time", func(s warehouse.SurveyResponse) string { return r.time(s.At) }},
		part[warehouse.SurveyResponse]{"question", func(s warehouse.SurveyResponse) string { return s.Question }},
		part[warehouse.SurveyResponse]{"answer", func(s warehouse.SurveyResponse) string { return s.Answer }},
		part[warehouse.SurveyResponse]{"channel", func(s warehouse.SurveyResponse) string { return string(s.Channel) }},
		part[warehouse.SurveyResponse]{"order", func(s warehouse.SurveyResponse) string { return s.OrderRef.Key }})
	add(r, "targets", b.Targets,
		part[warehouse.Target]{"metric", func(t warehouse.Target) string { return t.Metric }},
		part[warehouse.Target]{"period", func(t warehouse.Target) string { return t.Period }},
		part[warehouse.Target]{"start", func(t warehouse.Target) string { return t.Start.String() }},
		part[warehouse.Target]{"channel", func(t warehouse.Target) string { return string(t.Channel) }},
		part[warehouse.Target]{"value", func(t warehouse.Target) string { return strconv.FormatFloat(t.Value, 'f', -1, 64) }})
	add(r, "fx_rates", b.FXRates,
		part[warehouse.FXRate]{"day", func(f warehouse.FXRate) string { return f.Day.String() }},
		part[warehouse.FXRate]{"from", func(f warehouse.FXRate) string { return string(f.From) }},
		part[warehouse.FXRate]{"to", func(f warehouse.FXRate) string { return string(f.To) }},
		part[warehouse.FXRate]{"rate", func(f warehouse.FXRate) string { return f.Rate }})
	add(r, "region_days", b.RegionDays,
		part[warehouse.RegionDay]{"day", func(d warehouse.RegionDay) string { return d.Day.String() }},
		part[warehouse.RegionDay]{"country", func(d warehouse.RegionDay) string { return d.Country }},
		part[warehouse.RegionDay]{"region", func(d warehouse.RegionDay) string { return d.Region }},
		part[warehouse.RegionDay]{"sessions", func(d warehouse.RegionDay) string { return number(d.Sessions) }},
		part[warehouse.RegionDay]{"people", func(d warehouse.RegionDay) string { return number(d.Population) }})
	add(r, "surface_days", b.SurfaceDays,
		part[warehouse.SurfaceDayTotal]{"day", func(d warehouse.SurfaceDayTotal) string { return d.Day.String() }},
		part[warehouse.SurfaceDayTotal]{"surface", func(d warehouse.SurfaceDayTotal) string { return string(d.Surface) }},
		part[warehouse.SurfaceDayTotal]{"region", func(d warehouse.SurfaceDayTotal) string { return d.Region }},
		part[warehouse.SurfaceDayTotal]{"orders", func(d warehouse.SurfaceDayTotal) string { return number(d.Orders) }},
		part[warehouse.SurfaceDayTotal]{"charged", func(d warehouse.SurfaceDayTotal) string { return r.money(d.Charged) }},
		part[warehouse.SurfaceDayTotal]{"tax", func(d warehouse.SurfaceDayTotal) string { return r.amount(d.Tax) }},
		part[warehouse.SurfaceDayTotal]{"refunds", func(d warehouse.SurfaceDayTotal) string { return r.amount(d.Refunds) }})
}

func (r *readings) takeOrders(b *warehouse.Batch) {
	add(r, "orders", b.Orders,
		part[warehouse.Order]{"order", func(o warehouse.Order) string { return o.Key }},
		part[warehouse.Order]{"time", func(o warehouse.Order) string { return r.time(o.At) }},
		part[warehouse.Order]{"charged", func(o warehouse.Order) string { return r.money(o.Charged) }},
		part[warehouse.Order]{"tax", func(o warehouse.Order) string { return r.amount(o.Tax) }},
		part[warehouse.Order]{"shipping", func(o warehouse.Order) string { return r.amount(o.Shipping) }},
		part[warehouse.Order]{"discounts", func(o warehouse.Order) string { return r.amount(o.Discounts) }},
		part[warehouse.Order]{"units", func(o warehouse.Order) string { return number(o.Units) }},
		part[warehouse.Order]{"customer", func(o warehouse.Order) string { return known(o.Customer != "", "kept as a hash") }},
		part[warehouse.Order]{"status", func(o warehouse.Order) string { return o.Status }},
		part[warehouse.Order]{"counts", func(o warehouse.Order) string { return counts(o) }},
		part[warehouse.Order]{"surface", func(o warehouse.Order) string { return string(o.Surface) }},
		part[warehouse.Order]{"channel", func(o warehouse.Order) string { return string(o.Channel) }},
		part[warehouse.Order]{"country", func(o warehouse.Order) string { return o.Country }},
		part[warehouse.Order]{"region", func(o warehouse.Order) string { return o.Region }})
	add(r, "order_lines", b.Lines,
		part[warehouse.OrderLine]{"order", func(l warehouse.OrderLine) string { return l.Key }},
		part[warehouse.OrderLine]{"line", func(l warehouse.OrderLine) string { return strconv.Itoa(l.Line) }},
		part[warehouse.OrderLine]{"sku", func(l warehouse.OrderLine) string { return l.SKU }},
		part[warehouse.OrderLine]{"title", func(l warehouse.OrderLine) string { return l.Title }},
		part[warehouse.OrderLine]{"quantity", func(l warehouse.OrderLine) string { return strconv.FormatInt(l.Quantity, 10) }},
		part[warehouse.OrderLine]{"net", func(l warehouse.OrderLine) string { return r.money(l.Net) }},
		part[warehouse.OrderLine]{"discount", func(l warehouse.OrderLine) string { return r.amount(l.Discount) }},
		part[warehouse.OrderLine]{"cost", func(l warehouse.OrderLine) string { return known(l.CostKnown, r.money(l.Cost)) }})
	add(r, "refunds", b.Refunds,
		part[warehouse.Refund]{"order", func(f warehouse.Refund) string { return f.Key }},
		part[warehouse.Refund]{"day", func(f warehouse.Refund) string { return dayOf(f) }},
		part[warehouse.Refund]{"amount", func(f warehouse.Refund) string { return r.money(f.Amount) }})
	add(r, "order_coupons", b.Coupons,
		part[warehouse.OrderCoupon]{"order", func(c warehouse.OrderCoupon) string { return c.Key }},
		part[warehouse.OrderCoupon]{"code", func(c warehouse.OrderCoupon) string { return c.Code }},
		part[warehouse.OrderCoupon]{"discount", func(c warehouse.OrderCoupon) string { return r.amount(c.Discount) }})
}

// takeParts shows parts of orders, whose amounts are in their own currency.
func (r *readings) takeParts(b *warehouse.Batch) {
	amount := func(minor int64, c money.Currency) string {
		return known(minor != 0, money.Amount{Minor: minor, Currency: c}.String())
	}
	add(r, "landed_lines", b.LandedLines,
		part[warehouse.LandedLine]{"order", func(l warehouse.LandedLine) string { return l.Order }},
		part[warehouse.LandedLine]{"sku", func(l warehouse.LandedLine) string { return l.SKU }},
		part[warehouse.LandedLine]{"title", func(l warehouse.LandedLine) string { return l.Title }},
		part[warehouse.LandedLine]{"quantity", func(l warehouse.LandedLine) string { return strconv.FormatInt(l.Quantity, 10) }},
		part[warehouse.LandedLine]{"gross", func(l warehouse.LandedLine) string { return amount(l.Gross, l.Currency) }},
		part[warehouse.LandedLine]{"discount", func(l warehouse.LandedLine) string { return amount(l.Discount, l.Currency) }},
		part[warehouse.LandedLine]{"counts", func(l warehouse.LandedLine) string { return known(l.Gone, "no, removed") }})
	add(r, "landed_discounts", b.LandedDiscounts,
		part[warehouse.LandedDiscount]{"line", func(d warehouse.LandedDiscount) string { return d.Line }},
		part[warehouse.LandedDiscount]{"amount", func(d warehouse.LandedDiscount) string { return amount(d.Amount, d.Currency) }})
	add(r, "landed_codes", b.LandedCodes,
		part[warehouse.LandedCode]{"order", func(c warehouse.LandedCode) string { return c.Order }},
		part[warehouse.LandedCode]{"code", func(c warehouse.LandedCode) string { return c.Code }},
		part[warehouse.LandedCode]{"amount", func(c warehouse.LandedCode) string { return amount(c.Amount, c.Currency) }})
}

func (r *readings) takeSpend(b *warehouse.Batch) {
	add(r, "ad_days", b.AdDays,
		part[warehouse.AdDay]{"day", func(a warehouse.AdDay) string { return a.Day.String() }},
		part[warehouse.AdDay]{"platform", func(a warehouse.AdDay) string { return string(a.Platform) }},
		part[warehouse.AdDay]{"account", func(a warehouse.AdDay) string { return a.Account }},
		part[warehouse.AdDay]{"channel", func(a warehouse.AdDay) string { return string(a.Channel) }},
		part[warehouse.AdDay]{"campaign", func(a warehouse.AdDay) string { return a.CampaignName }},
		part[warehouse.AdDay]{"impressions", func(a warehouse.AdDay) string { return number(a.Impressions) }},
		part[warehouse.AdDay]{"clicks", func(a warehouse.AdDay) string { return number(a.Clicks) }},
		part[warehouse.AdDay]{"spend", func(a warehouse.AdDay) string { return r.money(a.Spend) }},
		part[warehouse.AdDay]{"country", func(a warehouse.AdDay) string { return a.Country }},
		part[warehouse.AdDay]{"region", func(a warehouse.AdDay) string { return a.Region }})
	add(r, "ad_names", b.AdNames,
		part[warehouse.AdName]{"platform", func(n warehouse.AdName) string { return string(n.Platform) }},
		part[warehouse.AdName]{"level", func(n warehouse.AdName) string { return strings.ReplaceAll(string(n.Level), "_", " ") }},
		part[warehouse.AdName]{"id", func(n warehouse.AdName) string { return n.ID }},
		part[warehouse.AdName]{"name", func(n warehouse.AdName) string { return n.Name }},
		part[warehouse.AdName]{"campaign", func(n warehouse.AdName) string { return n.Campaign }})
	add(r, "channel_spend", b.ChannelSpend,
		part[warehouse.ChannelSpend]{"day", func(s warehouse.ChannelSpend) string { return s.Day.String() }},
		part[warehouse.ChannelSpend]{"channel", func(s warehouse.ChannelSpend) string { return string(s.Channel) }},
		part[warehouse.ChannelSpend]{"region", func(s warehouse.ChannelSpend) string { return s.Region }},
		part[warehouse.ChannelSpend]{"spend", func(s warehouse.ChannelSpend) string { return r.money(s.Spend) }},
		part[warehouse.ChannelSpend]{"note", func(s warehouse.ChannelSpend) string { return s.Note }})
	add(r, "coupon_channels", b.CouponMap,
		part[warehouse.CouponChannel]{"code", func(c warehouse.CouponChannel) string { return c.Code }},
		part[warehouse.CouponChannel]{"channel", func(c warehouse.CouponChannel) string { return string(c.Channel) }})
}

func (r *readings) takeCreators(b *warehouse.Batch) {
	add(r, "creators", b.Creators,
		part[warehouse.Creator]{"name", func(c warehouse.Creator) string { return c.Name }},
		part[warehouse.Creator]{"handle", func(c warehouse.Creator) string { return c.Handle }},
		part[warehouse.Creator]{"platform", func(c warehouse.Creator) string { return c.Platform }})
	add(r, "creator_codes", b.CreatorCodes,
		part[warehouse.CreatorCode]{"code", func(c warehouse.CreatorCode) string { return c.Code }})
	add(r, "creator_costs", b.CreatorCosts,
		part[warehouse.CreatorCost]{"day", func(c warehouse.CreatorCost) string { return c.Day.String() }},
		part[warehouse.CreatorCost]{"kind", func(c warehouse.CreatorCost) string { return c.Kind }},
		part[warehouse.CreatorCost]{"amount", func(c warehouse.CreatorCost) string { return r.money(c.Amount) }})
	add(r, "link_days", b.LinkDays,
		part[warehouse.LinkDay]{"day", func(l warehouse.LinkDay) string { return l.Day.String() }},
		part[warehouse.LinkDay]{"link", func(l warehouse.LinkDay) string { return l.Link }},
		part[warehouse.LinkDay]{"clicks", func(l warehouse.LinkDay) string { return number(l.Clicks) }},
		part[warehouse.LinkDay]{"orders", func(l warehouse.LinkDay) string { return number(l.Orders) }},
		part[warehouse.LinkDay]{"revenue", func(l warehouse.LinkDay) string { return r.amount(l.Revenue) }})
}

func (r *readings) money(minor int64) string {
	return money.Amount{Minor: minor, Currency: r.base}.String()
}

// amount returns "" for zero.
func (r *readings) amount(minor int64) string { return known(minor != 0, r.money(minor)) }

// time formats an instant in the workspace's zone, which decides its day.
func (r *readings) time(t time.Time) string { return t.In(r.zone).Format("2006-01-02 15:04 MST") }

func number(n int64) string { return known(n != 0, strconv.FormatInt(n, 10)) }

func known(is bool, text string) string {
	if !is {
		return ""
	}
	return text
}

func counts(o warehouse.Order) string {
	switch {
	case o.Test:
		return "no, a test"
	case o.Cancelled:
		return "no, cancelled"
	}
	return ""
}

func dayOf(f warehouse.Refund) string {
	if f.DateUnknown || f.Day == (civil.Date{}) {
		return "unknown, set to the order's date"
	}
	return f.Day.String()
}
