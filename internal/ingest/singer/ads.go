package singer

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/civil"
	"assay/internal/ingest/document"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// ads collects reports of ad platforms. A report replaces the rows of its account on a day. Days therefore remain in
// memory during the run. If a day gets new rows, the target stores all of its rows again.
type ads struct {
	options   source.Options
	countries *source.Countries
	words     *source.Words
	days      map[accountDay]*adDay
	key       []byte          // key of the current record
	element   document.Object // element of a list in the record
}

// accountDay is the unit that a report replaces: one day of one account.
type accountDay struct {
	source  string
	account string
	day     civil.Date
}

type adDay struct {
	rows    []adRow
	at      map[string]int // index of a row by stream and key of the record
	changed bool
}

type adRow struct {
	warehouse.AdDay
	rank   int
	stream string
	line   int
}

func newAds(o source.Options) *ads {
	return &ads{options: o, countries: source.NewCountries(), words: source.NewWords(), days: map[accountDay]*adDay{}}
}

// platform names the properties of a platform's reports.
type platform struct {
	source                                     string // source of the reader of the same platform's files
	platform                                   measure.Platform
	day, account, currency                     []string
	campaignID, campaign, setID, set, adID, ad []string
	impressions, clicks, spend, conversions    []string
	value                                      []string
	country, region, attribution               []string
}

var platforms = map[shape]*platform{
	metaRecords: {
		source: "meta_ads", platform: measure.Facebook, day: []string{"date_start"}, account: []string{"account_id"}, currency: []string{"account_currency"},
		campaignID: []string{"campaign_id"}, campaign: []string{"campaign_name"}, setID: []string{"adset_id"}, set: []string{"adset_name"},
		adID: []string{"ad_id"}, ad: []string{"ad_name"}, impressions: []string{"impressions"}, clicks: []string{"inline_link_clicks", "clicks"},
		spend: []string{"spend"}, country: []string{"country"}, region: []string{"region"}, attribution: []string{"attribution_setting"},
	},
	googleRecords: {
		source: "google_ads", platform: measure.Google, day: []string{"date"}, account: []string{"customer_id"}, currency: []string{"customer_currency_code"},
		campaignID: []string{"campaign_id"}, campaign: []string{"campaign_name"}, setID: []string{"ad_group_id"}, set: []string{"ad_group_name"},
		adID: []string{"ad_group_ad_ad_id", "ad_id", "id"}, ad: []string{"ad_group_ad_ad_name", "ad_name"}, impressions: []string{"impressions"}, clicks: []string{"clicks"},
		spend: []string{"cost_micros"}, conversions: []string{"conversions"}, value: []string{"conversions_value"},
	},
	tiktokRecords: {
		source: "tiktok_ads", platform: measure.TikTok, day: []string{"stat_time_day"}, account: []string{"advertiser_id"}, currency: []string{"currency"},
		campaignID: []string{"campaign_id"}, campaign: []string{"campaign_name"}, setID: []string{"adgroup_id"}, set: []string{"adgroup_name"},
		adID: []string{"ad_id"}, ad: []string{"ad_name"}, impressions: []string{"impressions"}, clicks: []string{"clicks"}, spend: []string{"spend"},
		conversions: []string{"complete_payment", "conversion", "conversions"}, value: []string{"total_complete_payment_value", "total_complete_payment_rate_value", "total_purchase_value"},
		country: []string{"country_code"},
	},
}

// purchases lists Meta's names for the same purchases. The target uses the first available name, as in Meta's reports.
var purchases = []string{"omni_purchase", "purchase", "offsite_conversion.fb_pixel_purchase", "onsite_conversion.purchase"}

// add adds a row of a report. Its error is a [*source.RowError].
func (c *ads) add(s *stream, record *document.Object, line int) error {
	p := platforms[s.shape]
	cell := func(names []string) string { return strings.TrimSpace(record.First(names...).Text()) }
	kept := func(names []string) string { return c.words.Of(cell(names)) }
	row := adRow{rank: s.rank, stream: s.name, line: line}
	row.Source, row.Platform, row.Channel = p.source, p.platform, measure.Channel(p.platform)
	var err error
	day := cell(p.day)
	if row.Day, err = source.ParseDay(day, source.UnknownOrder); err != nil {
		return source.Unreadable(line, p.day[0], day, err)
	}
	if stop := record.First("date_stop").Text(); s.shape == metaRecords && stop != "" && stop != day {
		if last, err := source.ParseDay(stop, source.UnknownOrder); err != nil || last != row.Day {
			return &source.RowError{
				Line: line, Column: "date_stop", Value: source.Shown(stop), Reason: "the row covers more than one day",
				Fix: "set the report's time increment to 1 day in the tap's settings",
			}
		}
	}
	row.Account = cmp.Or(kept(p.account), warehouse.UnnamedAccount)
	row.CampaignName, row.AdSetName, row.AdName = kept(p.campaign), kept(p.set), kept(p.ad)
	row.CampaignID = cmp.Or(kept(p.campaignID), row.CampaignName)
	row.AdSetID, row.AdID = cmp.Or(kept(p.setID), row.AdSetName), cmp.Or(kept(p.adID), row.AdName)
	row.Country, _ = c.countries.Code(cell(p.country))
	row.Region, row.Attribution = source.Region(kept(p.region), row.Country), kept(p.attribution)
	if err := c.figures(p, s.shape, record, &row.AdDay, line); err != nil {
		return err
	}
	c.put(accountDay{p.source, row.Account, row.Day}, s, record, &row)
	return nil
}

// put stores a row of a day. A repeated record replaces the earlier record.
func (c *ads) put(at accountDay, s *stream, record *document.Object, row *adRow) {
	day := c.days[at]
	if day == nil {
		day = &adDay{at: map[string]int{}}
		c.days[at] = day
	}
	day.changed = true
	c.key = appendKey(c.key[:0], s, record)
	if i, again := day.at[string(c.key)]; again {
		day.rows[i] = *row
		return
	}
	day.at[string(c.key)] = len(day.rows)
	day.rows = append(day.rows, *row)
}

// appendKey appends the key of a record: its key properties or, without key properties, all of its dimensions.
func appendKey(key []byte, s *stream, record *document.Object) []byte {
	names := s.keys
	if len(names) == 0 {
		names = slices.Collect(record.Names())
	}
	key = append(key, s.name...)
	for _, name := range names {
		key = append(append(key, 0), record.Get(name)...)
	}
	return key
}

func (c *ads) figures(p *platform, is shape, record *document.Object, row *warehouse.AdDay, line int) error {
	currency := c.options.Base
	if cell := record.First(p.currency...).Text(); cell != "" {
		code, err := money.ParseCurrency(c.words.Of(cell))
		if err != nil {
			return source.Unreadable(line, p.currency[0], cell, err)
		}
		currency = code
	} else {
		c.options.Notes.Add("currency_unknown", "records of %s have no currency: %s is assumed", p.source, currency)
	}
	amount := func(cell string) (int64, error) { return source.MoneyRounded(cell, currency, money.Point) }
	spend := amount
	if is == googleRecords {
		spend = func(cell string) (int64, error) { return micros(cell, currency) }
	}
	claimed, value := record.First(p.conversions...).Text(), record.First(p.value...).Text()
	if is == metaRecords {
		claimed, value = c.action(record.First("actions")), c.action(record.First("action_values"))
	}
	count := func(cell string) (int64, error) { return source.Count(cell, money.Point) }
	claims := func(cell string) (int64, error) { return source.Conversions(cell, money.Point) }
	for _, figure := range []struct {
		name, cell string
		read       func(string) (int64, error)
		into       *int64
	}{
		{p.impressions[0], record.First(p.impressions...).Text(), count, &row.Impressions},
		{p.clicks[0], record.First(p.clicks...).Text(), count, &row.Clicks},
		{p.spend[0], record.First(p.spend...).Text(), spend, &row.Spend},
		{"conversions", claimed, claims, &row.Conversions},
		{"conversion value", value, amount, &row.Value},
	} {
		if figure.cell == "" {
			continue
		}
		n, err := figure.read(figure.cell)
		if err != nil {
			return source.Unreadable(line, figure.name, figure.cell, err)
		}
		*figure.into = n
	}
	row.Original = money.Amount{Minor: row.Spend, Currency: currency}
	return nil
}

// micros converts millionths of a currency's unit to minor units.
func micros(cell string, c money.Currency) (int64, error) {
	n, err := source.Count(cell, money.Point)
	return money.FromMillionths(n, c), err
}

// action returns the value of the first available purchase action in a list of Meta's actions.
func (c *ads) action(list document.Value) (value string) {
	first := len(purchases) - 1
	for v := range list.Elements() {
		c.element.Read(v)
		if at := slices.Index(purchases, c.element.Get("action_type").Text()); at >= 0 && at <= first {
			first, value = at, c.element.Get("value").Text()
		}
	}
	return value
}

// loads returns the changed days, in one step per source.
func (c *ads) loads(rates source.Rates) (all []load, bad []rejected) {
	bySource := map[string]*load{}
	converter := source.NewConverter(c.options.Base, rates)
	for _, at := range slices.SortedFunc(maps.Keys(c.days), func(a, b accountDay) int {
		return cmp.Or(cmp.Compare(a.source, b.source), a.day.Compare(b.day), cmp.Compare(a.account, b.account))
	}) {
		day := c.days[at]
		if !day.changed {
			continue
		}
		l := bySource[at.source]
		if l == nil {
			l = &load{source: at.source, what: "ad report"}
			l.batch.AdDays = make([]warehouse.AdDay, 0, c.changed(at.source))
			bySource[at.source] = l
		}
		day.changed = false
		before := len(l.batch.AdDays)
		bad = append(bad, c.sum(day, converter, &l.batch)...)
		if before == len(l.batch.AdDays) {
			continue
		}
		l.windows = append(l.windows, warehouse.AdWindow{
			Source: at.source, Platform: l.batch.AdDays[before].Platform, Account: at.account, Days: civil.Range{First: at.day, Last: at.day},
		})
	}
	for _, name := range slices.Sorted(maps.Keys(bySource)) {
		if len(bySource[name].batch.AdDays) > 0 {
			all = append(all, *bySource[name])
		}
	}
	return all, bad
}

// changed returns the number of rows on the changed days of a source.
func (c *ads) changed(source string) (rows int) {
	for at, day := range c.days {
		if at.source == source && day.changed {
			rows += len(day.rows)
		}
	}
	return rows
}

// thing is the key of a report's row within its day.
type thing struct {
	campaign, set, ad, country, region string
	currency                           money.Currency
}

// sum adds up the rows of a day with the same key and appends them to the batch. If several reports cover the same
// spend, sum uses only one of them.
func (c *ads) sum(day *adDay, converter *source.Converter, into *warehouse.Batch) (bad []rejected) {
	rank, stream := math.MaxInt, ""
	order := make([]*adRow, len(day.rows))
	for i := range day.rows {
		r := &day.rows[i]
		order[i] = r
		if r.rank < rank || r.rank == rank && r.stream < stream {
			rank, stream = r.rank, r.stream
		}
	}
	slices.SortFunc(order, func(a, b *adRow) int { return cmp.Compare(a.line, b.line) })
	index := make(map[thing]int, len(order))
	for _, r := range order {
		if r.stream != stream {
			c.options.Notes.Add("same_spend", "streams %s and %s contain the same spend: the records of %s are used", source.Shown(stream), source.Shown(r.stream), source.Shown(stream))
			continue
		}
		row := r.AdDay // a copy, because a later sum of the day needs the original currency
		if err := converter.Convert(row.Day, row.Original.Currency, &row.Spend, &row.Value); err != nil {
			bad = append(bad, rejected{r.stream, source.Located(err, r.line, 1)})
			continue
		}
		k := thing{row.CampaignID, row.AdSetID, row.AdID, row.Country, row.Region, row.Original.Currency}
		i, again := index[k]
		if !again {
			index[k] = len(into.AdDays)
			into.AdDays = append(into.AdDays, row)
			continue
		}
		sum := &into.AdDays[i]
		sum.Impressions += row.Impressions
		sum.Clicks += row.Clicks
		sum.Spend += row.Spend
		sum.Original.Minor += row.Original.Minor
		sum.Conversions += row.Conversions
		sum.Value += row.Value
	}
	return bad
}

// number reads a figure with optional decimals as a rounded whole number.
func number(cell string) (int64, error) {
	f, err := strconv.ParseFloat(cell, 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > source.Largest {
		return source.Count(cell, money.Point)
	}
	return int64(math.Round(f)), nil
}
