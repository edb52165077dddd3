package mapper

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	"assay/internal/civil"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// The fields of creators.
const (
	creatorID = iota
	creatorName
	creatorHandle
	creatorPlatform
	creatorCode
	creatorLink
	creatorLinkKind
	creatorDate
	creatorClicks
	creatorOrders
	creatorRevenue
	creatorFee
	creatorCommission
	creatorGift
	creatorCurrency
	creatorChannel
)

var creatorForm = form{title: "creators and affiliates: codes, links and costs", columns: []source.Column{
	creatorID:         {Field: "creator_id", Names: []string{"creator id", "affiliate id", "influencer id"}},
	creatorName:       {Field: "name", Names: []string{"creator name", "creator", "influencer", "influencer name", "affiliate", "affiliate name"}},
	creatorHandle:     {Field: "handle", Names: []string{"handle", "username", "instagram handle"}},
	creatorPlatform:   {Field: "platform", Names: []string{"platform", "network"}},
	creatorCode:       {Field: "code", Names: []string{"code", "discount code", "coupon code", "promo code"}},
	creatorLink:       {Field: "link", Names: []string{"link", "url", "tracking link", "affiliate link", "referral link"}},
	creatorLinkKind:   {Field: "link_kind", Names: []string{"link kind", "link type"}},
	creatorDate:       {Field: "date", Names: []string{"date", "day"}},
	creatorClicks:     {Field: "clicks", Names: []string{"clicks", "visits"}},
	creatorOrders:     {Field: "orders", Names: []string{"orders", "conversions", "sales count"}},
	creatorRevenue:    {Field: "revenue", Names: []string{"revenue", "sales", "sale amount"}},
	creatorFee:        {Field: "fee", Names: []string{"fee", "flat fee", "payment"}},
	creatorCommission: {Field: "commission", Names: []string{"commission", "commissions"}},
	creatorGift:       {Field: "gift", Names: []string{"gift", "product cost", "gifted product"}},
	creatorCurrency:   {Field: "currency", Names: []string{"currency", "currency code"}},
	creatorChannel:    {Field: "channel", Names: []string{"channel"}},
}, required: []string{"name"}, open: opening(newCreatorRows)}

// defaultCreatorChannel is the channel of orders with creators' codes, unless the file names a channel.
const defaultCreatorChannel measure.Channel = "influencer"

// creatorRows collects creators. A row describes a creator, and optionally a code, the use of a link on a day, and
// costs on a day.
type creatorRows struct {
	*factRows
	rates    *source.Converter
	creators gathered[string, warehouse.Creator]
	codes    gathered[warehouse.CreatorCode, warehouse.CouponChannel]
	links    gathered[linkKey, warehouse.LinkDay]
	costs    gathered[costKey, warehouse.CreatorCost]
}

type linkKey struct {
	creator, link, kind string
	day                 civil.Date
}

type costKey struct {
	creator, kind string
	day           civil.Date
}

func newCreatorRows(b *binding) *creatorRows {
	r := &creatorRows{rates: source.NewConverter(b.options.Base, b.options.Rates)}
	r.factRows = newFactRows(b, func(one *row, _ *warehouse.Batch) { r.read(one) }, r.handOver)
	return r
}

func (r *creatorRows) read(one *row) {
	c := warehouse.Creator{
		Source: r.origin(), Name: one.needed(creatorName), Handle: one.text(creatorHandle), Platform: strings.ToLower(one.text(creatorPlatform)),
	}
	c.ID = creatorKey(one.text(creatorID), c)
	day := civil.Date{}
	if one.text(creatorDate) != "" {
		day = one.date(creatorDate)
	}
	currency := one.money(creatorCurrency)
	use := warehouse.LinkDay{
		Source: c.Source, Creator: c.ID, Link: one.text(creatorLink), Kind: linkKind(one.text(creatorLinkKind)), Day: day,
		Clicks: one.counted(creatorClicks), Orders: one.orders(creatorOrders), Revenue: one.sum(creatorRevenue, currency),
	}
	costs := [...]struct {
		kind   string
		field  int
		amount int64
	}{
		{kind: "fee", field: creatorFee}, {kind: "commission", field: creatorCommission}, {kind: "product", field: creatorGift},
	}
	for i := range costs {
		costs[i].amount = one.sum(costs[i].field, currency)
	}
	used := use.Clicks != 0 || use.Orders != 0 || use.Revenue != 0
	if spent := costs[0].amount != 0 || costs[1].amount != 0 || costs[2].amount != 0; day.IsZero() && (used || spent) {
		one.wrong(creatorDate, "a row with clicks, orders, revenue or costs must have a day")
	}
	if !day.IsZero() {
		one.exchange(r.rates, day, currency, &use.Revenue, &costs[0].amount, &costs[1].amount, &costs[2].amount)
	}
	if one.fault != nil {
		return
	}
	r.know(c)
	if code := strings.ToUpper(one.text(creatorCode)); code != "" {
		m, _ := r.codes.at(warehouse.CreatorCode{Creator: c.ID, Code: code})
		*m = warehouse.CouponChannel{Code: code, Channel: cmp.Or(r.channel(one.cells, creatorChannel), defaultCreatorChannel), Creator: c.ID}
	}
	if used {
		r.totals.See(day)
		into, _ := r.links.at(linkKey{c.ID, use.Link, use.Kind, day})
		use.Clicks, use.Orders, use.Revenue = use.Clicks+into.Clicks, use.Orders+into.Orders, use.Revenue+into.Revenue
		*into = use
	}
	for _, cost := range costs {
		if cost.amount != 0 {
			r.spend(warehouse.CreatorCost{Source: c.Source, Creator: c.ID, Day: day, Kind: cost.kind, Amount: cost.amount})
		}
	}
}

// know adds a creator. Later rows may omit fields of earlier rows.
func (r *creatorRows) know(c warehouse.Creator) {
	into, known := r.creators.at(c.ID)
	if known {
		c.Handle, c.Platform = cmp.Or(c.Handle, into.Handle), cmp.Or(c.Platform, into.Platform)
	}
	*into = c
}

func (r *creatorRows) spend(c warehouse.CreatorCost) {
	into, _ := r.costs.at(costKey{c.Creator, c.Kind, c.Day})
	c.Amount += into.Amount
	*into = c
	r.totals.See(c.Day)
}

func (r *creatorRows) handOver(into *warehouse.Batch) {
	into.Creators = append(into.Creators, r.creators.facts...)
	for _, m := range r.codes.facts {
		into.CreatorCodes = append(into.CreatorCodes, warehouse.CreatorCode{Creator: m.Creator, Code: m.Code})
		into.CouponMap = append(into.CouponMap, m)
	}
	into.LinkDays = append(into.LinkDays, r.links.facts...)
	into.CreatorCosts = append(into.CreatorCosts, r.costs.facts...)
}

// creatorKey returns a creator's ID. The ID in the file is used unchanged if it is a UUID. Otherwise, creatorKey
// derives a UUID from the ID in the file, from platform and handle, or from the name. A creator therefore has the same
// ID in every file that identifies the creator in the same way.
func creatorKey(id string, c warehouse.Creator) string {
	if isUUID(id) {
		return strings.ToLower(id)
	}
	text := "name:" + source.Fold(c.Name)
	switch handle := source.Fold(strings.TrimPrefix(c.Handle, "@")); {
	case id != "":
		text = "id:" + id
	case handle != "":
		text = "handle:" + c.Platform + "/" + handle
	}
	// The ID is a UUID of version 8 (RFC 9562, section 5.8), with custom bits.
	sum := sha256.Sum256([]byte(text))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		if hyphen != (s[i] == '-') || !hyphen && !strings.ContainsRune("0123456789abcdefABCDEF", rune(s[i])) {
			return false
		}
	}
	return true
}

func linkKind(text string) string {
	if source.Fold(text) == "vanity" {
		return "vanity"
	}
	return "referral"
}
