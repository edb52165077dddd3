package adreport

import (
	"cmp"
	"slices"
	"strings"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// rows collects a report. Close returns the summed rows, because a breakdown splits an ad's day into several rows.
type rows struct {
	spec      Spec
	header    source.Header
	options   source.Options
	at        map[string]int
	currency  money.Currency
	notation  money.Notation
	order     source.DayOrder
	rates     *source.Converter
	countries *source.Countries
	hasher    source.Hasher
	product   string // ad product of the report; "": the main product

	known   map[uint64]struct{} // hashes of rows; a repeated row is counted once
	index   map[key]int         // into days
	days    []warehouse.AdDay
	lines   []int           // line of the first row of each day in days
	windows map[account]int // into list
	list    []warehouse.AdWindow
	totals  source.Totals
}

// key is the natural key of a row in the warehouse.
type key struct {
	account
	day                 civil.Date
	campaign, adSet, ad string
	country, region     string
}

type account struct {
	platform measure.Platform
	name     string
}

func (s *rows) cell(fields []string, field string) string {
	if i, ok := s.at[field]; ok {
		return source.Cell(fields, i)
	}
	return s.spec.Fixed[field]
}

// Skip implements [source.Rows]. It skips totals: rows without a day, or without a campaign, ad set or ad.
func (s *rows) Skip(fields []string) bool {
	day := s.cell(fields, Day)
	if day == "" {
		day = s.cell(fields, Starts)
	}
	if none(day) {
		return true
	}
	if _, err := source.ParseDay(day, s.order); err != nil {
		return isTotal(fields)
	}
	named, blank := false, true
	for _, field := range []string{Campaign, CampaignID, AdSet, AdSetID, Ad, AdID} {
		_, has := s.at[field]
		named = named || has
		blank = blank && none(s.cell(fields, field))
	}
	return named && blank
}

var totals = []string{"total", "grand total", "gesamt", "gesamtsumme", "summe", "resultats", "total general"}

func isTotal(fields []string) bool {
	for _, f := range fields {
		if f = source.Fold(f); f != "" {
			word, _, _ := strings.Cut(f, ":")
			return slices.Contains(totals, word) || strings.HasPrefix(f, "total of ")
		}
	}
	return false
}

// Add implements [source.Rows].
func (s *rows) Add(rec tabular.Record, _ *warehouse.Batch) error {
	row, fresh, err := s.row(rec)
	if err != nil || !fresh {
		return err
	}
	if len(s.spec.Micros) == 0 {
		if err := s.rates.Convert(row.Day, row.Original.Currency, &row.Spend, &row.Value); err != nil {
			return source.Located(err, rec.Line, 1)
		}
		s.totals.Spend[row.Original.Currency] += row.Original.Minor
	}
	s.cover(row)
	s.totals.See(row.Day)
	k := key{account{row.Platform, row.Account}, row.Day, row.CampaignID, row.AdSetID, row.AdID, row.Country, row.Region}
	i, ok := s.index[k]
	if !ok {
		s.index[k] = len(s.days)
		s.days, s.lines = append(s.days, row), append(s.lines, rec.Line)
		return nil
	}
	s.options.Notes.Add("rows_added", "several rows have the same ad and day, as in a breakdown: the import uses their total")
	return add(&s.days[i], row, rec.Line)
}

// add sums two rows of the same key.
func add(into *warehouse.AdDay, row warehouse.AdDay, line int) error {
	original, err := into.Original.Add(row.Original)
	if err != nil {
		return &source.RowError{Line: line, Reason: "the ad has amounts in two currencies on the same day: " + err.Error()}
	}
	into.Original = original
	into.Impressions += row.Impressions
	into.Clicks += row.Clicks
	into.Spend += row.Spend
	into.Conversions += row.Conversions
	into.Value += row.Value
	return nil
}

// cover extends the window of the row's account to the row's day.
func (s *rows) cover(row warehouse.AdDay) {
	a := account{row.Platform, row.Account}
	i, ok := s.windows[a]
	if !ok {
		i = len(s.list)
		s.windows[a] = i
		s.list = append(s.list, warehouse.AdWindow{
			Source: cmp.Or(s.spec.Source, s.spec.Name), Platform: row.Platform, Account: row.Account, Days: civil.Range{First: row.Day, Last: row.Day},
		})
	}
	days := &s.list[i].Days
	if row.Day.Before(days.First) {
		days.First = row.Day
	}
	if row.Day.After(days.Last) {
		days.Last = row.Day
	}
}

// Close implements [source.Rows].
func (s *rows) Close(b *warehouse.Batch) (source.Summary, error) {
	err := s.fromMicros()
	slices.SortStableFunc(s.days, func(a, b warehouse.AdDay) int { return a.Day.Compare(b.Day) })
	b.AdDays = append(b.AdDays, s.days...)
	return source.Summary{Windows: s.list, Totals: s.totals}, err
}

// row reads a record. The result fresh is false if an earlier record in the file has the same content.
func (s *rows) row(rec tabular.Record) (row warehouse.AdDay, fresh bool, err error) {
	content := s.hasher.Row(0, rec.Fields)
	if _, ok := s.known[content]; ok {
		s.totals.Repeated++
		s.options.Notes.Add("rows_repeated", "line %d repeats an earlier line exactly: it is counted once", rec.Line)
		return row, false, nil
	}
	day, err := s.day(rec)
	if err != nil {
		return row, false, err
	}
	row = warehouse.AdDay{Source: cmp.Or(s.spec.Source, s.spec.Name), Day: day, Attribution: s.cell(rec.Fields, Attribution)}
	if err := s.identify(rec, &row); err != nil {
		return row, false, err
	}
	if err := s.figures(rec, &row); err != nil {
		return row, false, err
	}
	s.known[content] = struct{}{}
	return row, true, nil
}

// day returns the day of a row. If a row covers several days, the report has no daily data, and day rejects the file.
func (s *rows) day(rec tabular.Record) (civil.Date, error) {
	field := Day
	if none(s.cell(rec.Fields, Day)) {
		field = Starts
	}
	cell := s.cell(rec.Fields, field)
	day, err := source.ParseDay(cell, s.order)
	if err != nil {
		e := source.Unreadable(rec.Line, s.header.Name(s.at[field]), cell, err)
		e.Fix = source.DayFix(err, "set the date format of the export to 2026-09-30, or use a mapping with dates.layout")
		return day, e
	}
	if err := s.options.CheckDay(day, rec.Line, s.name(field)); err != nil {
		return day, err
	}
	if field == Day || none(s.cell(rec.Fields, Ends)) {
		return day, nil
	}
	ends, err := source.ParseDay(s.cell(rec.Fields, Ends), s.order)
	if err == nil && ends != day {
		return day, fault.Invalid("line %d covers %s to %s instead of one day", rec.Line, day, ends).WithHint("%s", s.spec.Daily)
	}
	return day, nil
}

// identify fills the row's key.
func (s *rows) identify(rec tabular.Record, row *warehouse.AdDay) error {
	cell := func(field string) string {
		if text := s.cell(rec.Fields, field); !none(text) {
			return text
		}
		return ""
	}
	row.Platform = s.spec.Platform
	if row.Platform == "" {
		row.Platform = measure.ParsePlatform(cell(PlatformName))
	}
	if row.Platform == "" {
		return &source.RowError{Line: rec.Line, Reason: "the row has no platform"}
	}
	row.Account = cmp.Or(cell(Account), s.spec.Account, warehouse.UnnamedAccount)
	if s.product != "" { // same_product.sql recognizes this form
		row.Account += " (" + s.product + ")"
	}
	row.Channel = cmp.Or(s.options.Channel, measure.ParseChannel(cell(ChannelName)), measure.Channel(row.Platform))
	for _, field := range []string{CampaignID, AdSetID, AdID} {
		if id := cell(field); source.Shortened(id) {
			return source.ShortenedID(rec.Line, field, id, "import the file as downloaded, or format the column as text before saving")
		}
	}
	row.CampaignName, row.AdSetName, row.AdName = cell(Campaign), cell(AdSet), cell(Ad)
	row.CampaignID = cmp.Or(cell(CampaignID), row.CampaignName)
	if _, has := s.at[CampaignID]; !has && row.CampaignID == "" { // tables of ads and ad sets often have no campaign
		row.CampaignID = cmp.Or(cell(AdSetID), cell(AdID))
		s.options.Notes.Add("campaign_unknown", "the table has no campaigns: its ad sets or ads are used instead until a table of names or the platform's own report is imported")
	}
	row.AdSetID = cmp.Or(cell(AdSetID), row.AdSetName)
	row.AdID = cmp.Or(cell(AdID), row.AdName)
	country, ok := s.countries.Code(cell(Country))
	if !ok {
		s.options.Notes.Add("country_unknown", "%q is not a known country: its rows have no country", source.Shown(cell(Country)))
	}
	row.Country, row.Region = country, source.Region(cell(Region), country)
	return nil
}
