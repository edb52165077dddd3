// Package adreport reads reports of ad platforms: one row per campaign, ad set or ad, and day.
//
// [Exports] lists the reports that users export. Package connector reads the tables of connectors. A report replaces
// all rows of an account on the report's days, because platforms restate figures and rename campaigns.
package adreport

import (
	"cmp"
	"slices"
	"strings"

	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// The fields of a report.
const (
	Day          = "day"
	Starts       = "starts" // first day of the period that a row covers
	Ends         = "ends"
	PlatformName = "platform"
	Account      = "account"
	Currency     = "currency"
	ChannelName  = "channel"
	CampaignID   = "campaign_id"
	Campaign     = "campaign"
	AdSetID      = "adset_id"
	AdSet        = "adset"
	AdID         = "ad_id"
	Ad           = "ad"
	Country      = "country"
	Region       = "region"
	Impressions  = "impressions"
	Clicks       = "clicks"
	Spend        = "spend"
	Conversions  = "conversions"
	Results      = "results" // conversions, if the row's result indicator is purchases
	Indicator    = "indicator"
	Value        = "value"
	Attribution  = "attribution"
)

// Spec describes a report.
type Spec struct {
	Name          string           // name of the reader
	Source        string           // source of the facts; empty: the reader's name
	Title         string           // title of the report
	Platform      measure.Platform // "": a column contains it
	Columns       []source.Column
	Required      []string // fields; a column with the currency in its name satisfies Spend
	Signature     []string // folded names that no other platform uses; the header must have at least one of them
	Fixed         map[string]string
	Decimal       money.Notation  // 0: detected
	Order         source.DayOrder // unknown: detected
	Daily         string          // instructions for one row per day on the platform
	Account       string          // account of a report without an account column; empty: "default"
	Products      []Product       // ad products with their own reports; all other reports are of the main product
	Micros        []string        // fields in millionths of the currency: Spend or Value
	NamesRequired bool            // the report must identify campaigns, ad sets or ads; without these, it has the spend of a whole account
	Excluded      []string        // folded names of rejected columns; a report with them has only part of the spend
}

// Product is an ad product with its own report. The product is part of the account of its rows, so that the report does
// not replace the rows of another product.
type Product struct {
	Name    string
	Columns []string // folded names; the report has one of them
	Without []string // folded names; the report has none of them
}

// product returns the name of the report's ad product, or "" for the main product.
func (r reader) product(h source.Header) string {
	for _, p := range r.Products {
		if h.Index(p.Columns...) >= 0 && h.Index(p.Without...) < 0 {
			return p.Name
		}
	}
	return ""
}

// New returns a reader of the report.
func New(s Spec) source.Reader { return reader{s} }

type reader struct{ Spec }

// Name implements [source.Reader].
func (r reader) Name() string { return r.Spec.Name }

// Title implements [source.Reader].
func (r reader) Title() string { return r.Spec.Title }

// Fit implements [source.Reader].
func (r reader) Fit(h source.Header) source.Fit {
	fit := source.FitOf(h, r.Spec.Columns, nil)
	found := r.places(h)
	for _, field := range r.Required {
		if _, ok := found.at[field]; !ok && r.Fixed[field] == "" {
			fit.Missing = append(fit.Missing, r.label(field))
		}
	}
	for _, name := range r.Signature {
		if h.Index(name) >= 0 && !slices.ContainsFunc(r.Spec.Columns, func(c source.Column) bool { return slices.Contains(c.Names, name) }) {
			fit.Known++
		}
	}
	if r.NamesRequired && !found.named() {
		fit.Missing = append(fit.Missing, r.label(CampaignID))
	}
	for _, name := range r.Excluded {
		if h.Index(name) >= 0 {
			fit.Missing = append(fit.Missing, "a report without "+name)
		}
	}
	if !r.dated(found) {
		fit.Missing = append(fit.Missing, r.label(Day))
	}
	if len(r.Signature) > 0 && h.Index(r.Signature...) < 0 && !found.spendCurrencyNamed {
		fit.Missing = append(fit.Missing, r.Signature[0])
	}
	return fit
}

func (r reader) dated(found places) bool {
	_, day := found.at[Day]
	_, starts := found.at[Starts]
	return day || starts
}

// label returns the name of a field for users.
func (r reader) label(field string) string {
	for _, c := range r.Spec.Columns {
		if c.Field == field {
			return c.Names[0]
		}
	}
	return field
}

type places struct {
	at                 map[string]int
	spendCurrency      money.Currency // from the name of the spend column
	spendCurrencyNamed bool
}

func (p places) named() bool {
	for _, field := range []string{Campaign, CampaignID, AdSet, AdSetID, Ad, AdID} {
		if _, ok := p.at[field]; ok {
			return true
		}
	}
	return false
}

func (r reader) places(h source.Header) places {
	found := places{at: h.Place(r.Spec.Columns)}
	for _, c := range r.Spec.Columns {
		if c.Field != Spend {
			continue
		}
		if i, code := h.Currency(c.Names...); i >= 0 {
			found.at[Spend], found.spendCurrency, found.spendCurrencyNamed = i, code, true
		}
	}
	return found
}

// Open implements [source.Reader].
func (r reader) Open(t source.Table, o source.Options) (source.Rows, error) {
	found := r.places(t.Header)
	sheet := &rows{
		spec: r.Spec, header: t.Header, options: o, at: found.at,
		product:   r.product(t.Header),
		notation:  r.Decimal,
		order:     cmp.Or(o.Order, r.Order),
		rates:     source.NewConverter(o.Base, o.Rates),
		countries: source.NewCountries(),
		hasher:    source.NewHasher(),
		known:     map[uint64]struct{}{},
		index:     map[key]int{},
		windows:   map[account]int{},
		totals:    source.NewTotals(),
	}
	if sheet.notation == 0 {
		sheet.notation = source.NotationOf(sheet.sampled(t, Spend), sheet.sampled(t, Value), sheet.sampled(t, Conversions))
	}
	if sheet.order == source.UnknownOrder {
		sheet.order = source.DayOrderOf(append(sheet.sampled(t, Day), sheet.sampled(t, Starts)...))
	}
	var err error
	if sheet.currency, err = r.currency(found, o); err != nil {
		return nil, err
	}
	sheet.warn()
	return sheet, nil
}

// currency returns the currency for rows without a currency.
func (r reader) currency(found places, o source.Options) (money.Currency, error) {
	switch {
	case found.spendCurrencyNamed:
		return found.spendCurrency, nil
	case r.Fixed[Currency] != "":
		code, err := money.ParseCurrency(r.Fixed[Currency])
		if err != nil {
			return "", fault.Invalid("mapping %q: %v", r.Spec.Name, err)
		}
		return code, nil
	}
	if _, ok := found.at[Currency]; !ok {
		return o.AssumedCurrency(), nil
	}
	return cmp.Or(o.Currency, o.Base), nil
}

func (s *rows) sampled(t source.Table, field string) []string {
	if i, ok := s.at[field]; ok {
		return t.Column(i)
	}
	return nil
}

func (s *rows) warn() {
	if _, named := s.at[Account]; !named && s.spec.Account == "" {
		s.options.Notes.Add("account_unknown", "the file does not name the ad account: its rows are assigned to the account %q and replace all rows of this account on these days", warehouse.UnnamedAccount)
	}
	for _, level := range []struct{ id, name string }{{CampaignID, Campaign}, {AdSetID, AdSet}, {AdID, Ad}} {
		_, hasID := s.at[level.id]
		if _, hasName := s.at[level.name]; hasName && !hasID {
			s.options.Notes.Add("ids_absent", "the file has names without IDs: a renamed campaign is imported as a new campaign, and tools cannot change budgets. Add the ID columns to the export")
			return
		}
	}
}

// none reports whether a cell is a platform's symbol for a missing figure.
func none(cell string) bool {
	switch strings.TrimSpace(cell) {
	case "", "-", "--", "—", "n/a", "N/A":
		return true
	}
	return false
}

// Columns implements [source.Described].
func (r reader) Columns() []source.Column { return r.Spec.Columns }

// Needs implements [source.Described].
func (r reader) Needs() []string { return append([]string{Day}, r.Required...) }
