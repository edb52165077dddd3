package duckdb

import (
	"cmp"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// kind is how rows of an import combine with stored ones.
type kind int

const (
	keyed   kind = iota // a row replaces the row with its key
	ofOrder             // rows with their order replace its stored ones; rows without it are added
	bag                 // rows replace the stored ones of their window
)

// table is a fact table as seen by imports.
type table struct {
	name string
	kind kind
	key  []string // the natural key; for bags, it distinguishes an update from a new row
	day  string   // the column with the business day; "" without one
	sum  string   // rows of one import with the same key are summed in this column; "": the last one counts

	version string // the column that determines the later of two rows with the same key; "": the last one imported

	// rows is the table with the rows, if the fact table is a view over it and others.
	rows string

	// whole means that an import with any of these rows has all of them for each of its orders.
	whole bool
}

// home returns the table with the rows.
func (t *table) home() string { return cmp.Or(t.rows, t.name) }

// The fact tables.
var (
	orders        = &table{name: "orders", rows: "order_rows", key: []string{"source", "key"}, day: "day"}
	profiles      = &table{name: "profiles", key: []string{"source", "customer"}}
	customerTies  = &table{name: "customer_ties", key: []string{"source", "known_as", "customer"}}
	orderLines    = &table{name: "order_lines", kind: ofOrder, key: []string{"source", "key", "line"}}
	refunds       = &table{name: "refunds", kind: ofOrder, key: []string{"source", "key", "refund"}, day: "day", whole: true}
	orderCoupons  = &table{name: "order_coupons", kind: ofOrder, key: []string{"source", "key", "code"}, whole: true}
	touches       = &table{name: "touches", kind: ofOrder, key: []string{"source", "key", "seq"}}
	landedOrders  = &table{name: "landed_orders", key: []string{"source", "key"}, version: "updated_at"}
	landedLines   = &table{name: "landed_lines", key: []string{"source", "parent", "id"}, version: "synced_at"}
	landedOff     = &table{name: "landed_discounts", key: []string{"source", "line", "place"}, version: "synced_at"}
	landedCodes   = &table{name: "landed_codes", key: []string{"source", "parent", "code"}, version: "synced_at"}
	adDays        = &table{name: "ad_days", kind: bag, day: "day", key: []string{"source", "platform", "account", "day", "campaign_id", "ad_set_id", "ad_id", "country", "region"}}
	adNames       = &table{name: "ad_names", key: []string{"platform", "level", "id"}, version: "updated_at"}
	adStates      = &table{name: "ad_states", key: []string{"platform", "level", "id", "since"}, version: "read_at"}
	channelSpend  = &table{name: "channel_spend", key: []string{"source", "channel", "day", "region"}, day: "day", sum: "spend"}
	products      = &table{name: "products", key: []string{"source", "sku"}}
	productCosts  = &table{name: "product_costs", key: []string{"source", "sku", "since"}}
	messageDays   = &table{name: "message_days", key: []string{"source", "channel", "entity", "entity_id", "message_id", "day"}, day: "day"}
	surveys       = &table{name: "survey_responses", key: []string{"source", "key", "question"}, day: "day"}
	creators      = &table{name: "creators", key: []string{"source", "id"}}
	creatorCodes  = &table{name: "creator_codes", key: []string{"creator", "code"}}
	creatorCosts  = &table{name: "creator_costs", key: []string{"source", "creator", "day", "kind"}, day: "day", sum: "amount"}
	linkDays      = &table{name: "link_days", key: []string{"source", "creator", "link", "kind", "day"}, day: "day"}
	couponChannel = &table{name: "coupon_channels", key: []string{"code"}}
	targets       = &table{name: "targets", key: []string{"metric", "period", "start_day", "channel"}}
	fxRates       = &table{name: "fx_rates", key: []string{"day", "from_currency", "to_currency", "source"}, day: "day"}
	regionDays    = &table{name: "region_days", key: []string{"source", "day", "country", "region"}, day: "day"}
	surfaceDays   = &table{name: "surface_days", key: []string{"source", "day", "surface", "country", "region"}, day: "day"}
)

func putRef(c *cells, r *warehouse.OrderRef) {
	c.text(r.Source)
	c.text(r.Key)
}

func putProfile(c *cells, p *warehouse.Profile) {
	c.text(p.Source)
	c.text(p.Customer)
	c.text(p.Phone)
	c.day(p.Since)
	c.text(string(p.Email))
	c.text(string(p.SMS))
	c.text(p.Country)
	c.text(p.Region)
	if p.OrdersKnown {
		c.int(p.Orders)
	} else {
		c.null()
	}
	c.instant(p.UpdatedAt)
	for _, consent := range []warehouse.Consent{p.Email, p.SMS} {
		if consent == warehouse.ConsentUnknown {
			c.null()
		} else {
			c.instant(p.UpdatedAt)
		}
	}
}

func putTie(c *cells, t *warehouse.CustomerTie) {
	c.text(t.Source)
	c.text(t.KnownAs)
	c.text(t.Customer)
}

func putLine(c *cells, l *warehouse.OrderLine) {
	putRef(c, &l.OrderRef)
	c.int(int64(l.Line))
	c.text(l.SKU)
	c.text(l.Title)
	c.int(l.Quantity)
	c.int(l.Net)
	c.int(l.Discount)
	c.int(l.Cost)
	c.flag(l.CostKnown)
}

func putRefund(c *cells, r *warehouse.Refund) {
	putRef(c, &r.OrderRef)
	c.text(r.Refund)
	c.instant(r.At)
	c.day(r.Day)
	c.int(r.Amount)
	c.flag(r.DateUnknown)
}

func putCoupon(c *cells, o *warehouse.OrderCoupon) {
	putRef(c, &o.OrderRef)
	c.text(o.Code)
	c.int(o.Discount)
}

func putTouch(c *cells, t *warehouse.Touch) {
	putRef(c, &t.OrderRef)
	c.int(int64(t.Seq))
	c.instant(t.At)
	c.text(string(t.Channel))
	c.text(string(t.Platform))
	c.text(t.Campaign)
	c.text(t.Kind)
}

func putLandedOrder(c *cells, o *warehouse.LandedOrder) {
	putRef(c, &o.OrderRef)
	c.text(o.Row)
	if o.SubtotalKnown {
		c.int(o.Subtotal)
	} else {
		c.null()
	}
	c.int(o.Discounts)
	c.instant(o.UpdatedAt)
}

func putLandedLine(c *cells, l *warehouse.LandedLine) {
	c.text(l.Source)
	c.text(l.Order)
	c.text(l.ID)
	c.text(l.Row)
	c.int(l.Place)
	c.text(l.SKU)
	c.text(l.Title)
	c.int(l.Quantity)
	c.int(l.Gross)
	c.int(l.Discount)
	c.text(string(l.Currency))
	c.flag(l.Gone)
	c.instant(l.SyncedAt)
}

func putLandedDiscount(c *cells, d *warehouse.LandedDiscount) {
	c.text(d.Source)
	c.text(d.Line)
	c.int(d.Place)
	c.int(d.Amount)
	c.text(string(d.Currency))
	c.instant(d.SyncedAt)
}

func putLandedCode(c *cells, l *warehouse.LandedCode) {
	c.text(l.Source)
	c.text(l.Order)
	c.text(l.Code)
	if l.AmountKnown {
		c.int(l.Amount)
	} else {
		c.null()
	}
	c.text(string(l.Currency))
	c.flag(l.Gone)
	c.instant(l.SyncedAt)
}

func putAdDay(c *cells, a *warehouse.AdDay) {
	c.text(a.Source)
	c.text(string(a.Platform))
	c.text(a.Account)
	c.text(string(a.Channel))
	c.day(a.Day)
	c.text(a.CampaignID)
	c.text(a.CampaignName)
	c.text(a.AdSetID)
	c.text(a.AdSetName)
	c.text(a.AdID)
	c.text(a.AdName)
	c.text(a.Country)
	c.text(a.Region)
	c.int(a.Impressions)
	c.int(a.Clicks)
	c.int(a.Spend)
	c.int(a.Original.Minor)
	c.text(string(a.Original.Currency))
	c.int(a.Conversions)
	c.int(a.Value)
	c.text(a.Attribution)
}

func putAdName(c *cells, n *warehouse.AdName) {
	c.text(string(n.Platform))
	c.text(string(n.Level))
	c.text(n.ID)
	c.text(n.Name)
	c.text(n.Campaign)
	c.text(n.AdSet)
	c.instant(n.UpdatedAt)
}

func putAdState(c *cells, s *measure.AdState) {
	c.text(string(s.Platform))
	c.text(string(s.Level))
	c.text(s.ID)
	c.instant(s.Since)
	c.instant(s.Read)
	c.text(s.Account)
	c.text(s.Name)
	c.text(s.Campaign)
	c.text(string(s.Status))
	c.text(s.Told)
	c.int(s.Budget.Value)
	c.text(string(s.Budget.Unit))
	c.text(string(s.Budget.Per))
}

func putChannelSpend(c *cells, s *warehouse.ChannelSpend) {
	c.text(s.Source)
	c.text(string(s.Channel))
	c.day(s.Day)
	c.text(s.Region)
	c.int(s.Spend)
	c.text(s.Note)
}

func putProduct(c *cells, p *warehouse.Product) {
	c.text(p.Source)
	c.text(p.SKU)
	c.text(p.Title)
	c.text(p.Kind)
	c.text(p.Vendor)
	c.int(p.Price)
}

func putCost(c *cells, p *warehouse.ProductCost) {
	c.text(p.Source)
	c.text(p.SKU)
	c.day(p.From.Or(epoch)) // a regular day, so it can be in a key
	c.int(p.Cost)
}

func putMessage(c *cells, m *warehouse.MessageDay) {
	c.text(m.Source)
	c.text(string(m.Channel))
	c.text(m.Entity)
	c.text(m.EntityID)
	c.text(m.EntityName)
	c.text(m.MessageID)
	c.text(m.MessageName)
	c.day(m.Day)
	c.int(m.Recipients)
	c.int(m.Delivered)
	c.int(m.Opens)
	c.int(m.Clicks)
	c.int(m.Conversions)
	c.int(m.Revenue)
	c.int(m.Unsubscribes)
	c.int(m.Spam)
	c.int(m.Bounces)
	c.flag(m.SinceSend)
}

func putSurvey(c *cells, s *warehouse.SurveyResponse) {
	c.text(s.Source)
	c.text(s.Key)
	c.text(s.OrderRef.Source)
	c.text(s.OrderRef.Key)
	c.instant(s.At)
	c.day(s.Day)
	c.text(s.Question)
	c.text(s.Answer)
	c.text(string(s.Channel))
	c.text(s.Creator)
}

func putCreator(c *cells, r *warehouse.Creator) {
	c.text(r.Source)
	c.text(r.ID)
	c.text(r.Name)
	c.text(r.Handle)
	c.text(r.Platform)
}

func putCreatorCode(c *cells, r *warehouse.CreatorCode) {
	c.text(r.Creator)
	c.text(r.Code)
}

func putCreatorCost(c *cells, r *warehouse.CreatorCost) {
	c.text(r.Source)
	c.text(r.Creator)
	c.day(r.Day)
	c.text(r.Kind)
	c.int(r.Amount)
}

func putLink(c *cells, l *warehouse.LinkDay) {
	c.text(l.Source)
	c.text(l.Creator)
	c.text(l.Link)
	c.text(l.Kind)
	c.day(l.Day)
	c.int(l.Clicks)
	c.int(l.Orders)
	c.int(l.Revenue)
}

func putCouponChannel(c *cells, m *warehouse.CouponChannel) {
	c.text(m.Code)
	c.text(string(m.Channel))
	c.text(m.Creator)
}

func putTarget(c *cells, t *warehouse.Target) {
	c.text(t.Metric)
	c.text(t.Period)
	c.day(t.Start)
	c.text(string(t.Channel))
	c.float(t.Value)
}

func putRate(c *cells, r *warehouse.FXRate) {
	c.day(r.Day)
	c.text(string(r.From))
	c.text(string(r.To))
	c.text(r.Rate)
	c.text(r.Source)
}

func putRegion(c *cells, r *warehouse.RegionDay) {
	c.text(r.Source)
	c.day(r.Day)
	c.text(r.Country)
	c.text(r.Region)
	c.int(r.Sessions)
	c.int(r.Population)
}

func putSurface(c *cells, s *warehouse.SurfaceDayTotal) {
	c.text(s.Source)
	c.day(s.Day)
	c.text(string(s.Surface))
	c.text(s.Country)
	c.text(s.Region)
	c.int(s.Orders)
	c.int(s.NewOrders)
	c.int(s.Units)
	c.int(s.Charged)
	c.int(s.Tax)
	c.int(s.Shipping)
	c.int(s.Discounts)
	c.int(s.Refunds)
}
