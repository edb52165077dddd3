package adreport_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest/adreport"
	"assay/internal/ingest/ingesttest"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// comparable configures cmp to compare days with ==.
var comparable = cmpopts.EquateComparable(civil.Date{})

// spec returns the specification of a report with every field. Its signature is a column that the reader does not read.
func spec() adreport.Spec {
	column := func(field string, names ...string) source.Column { return source.Column{Field: field, Names: names} }
	return adreport.Spec{
		Name: "example_ads", Title: "Example", Platform: measure.TikTok, Required: []string{adreport.Spend, adreport.Impressions},
		Signature: []string{"reach score"}, Excluded: []string{"keyword"}, Daily: "export days",
		Columns: []source.Column{
			column(adreport.Day, "day"), column(adreport.Starts, "starts"), column(adreport.Ends, "ends"), column(adreport.Account, "account"),
			column(adreport.Currency, "currency"), column(adreport.CampaignID, "campaign id"), column(adreport.Campaign, "campaign"),
			column(adreport.AdSetID, "set id"), column(adreport.AdSet, "set"), column(adreport.AdID, "ad id"), column(adreport.Ad, "ad"),
			column(adreport.Country, "country"), column(adreport.Region, "region"), column(adreport.Impressions, "impressions"),
			column(adreport.Clicks, "clicks"), column(adreport.Spend, "spend"), column(adreport.Conversions, "conversions"), column(adreport.Value, "value"),
		},
	}
}

func TestAHeaderFitsAReport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header  string
		change  func(*adreport.Spec)
		known   int
		missing []string
	}{
		"all that is required":            {header: "reach score,day,spend,impressions", known: 4},
		"another order":                   {header: "day,spend,impressions,reach score", known: 4},
		"the first day of a period":       {header: "starts,spend,impressions,reach score", known: 4},
		"without a day":                   {header: "spend,impressions,reach score", known: 3, missing: []string{"day"}},
		"without spend":                   {header: "day,impressions,reach score", known: 3, missing: []string{"spend"}},
		"without the signature":           {header: "day,spend,impressions", known: 3, missing: []string{"reach score"}},
		"the currency identifies it":      {header: "day,spend (EUR),impressions", known: 2},
		"a part of the spend":             {header: "keyword,day,spend,impressions,reach score", known: 4, missing: []string{"a report without keyword"}},
		"a part of the spend, elsewhere":  {header: "day,spend,impressions,reach score,keyword", known: 4, missing: []string{"a report without keyword"}},
		"no signature":                    {header: "day,spend,impressions", change: func(s *adreport.Spec) { s.Signature = nil }, known: 3},
		"a signature that is read":        {header: "day,spend,impressions,clicks", change: func(s *adreport.Spec) { s.Signature = []string{"clicks"} }, known: 4},
		"a required field with one value": {header: "day,spend,reach score", change: func(s *adreport.Spec) { s.Fixed = map[string]string{adreport.Impressions: "1"} }, known: 3},
		"a whole account":                 {header: "day,spend,impressions,reach score", change: func(s *adreport.Spec) { s.NamesRequired = true }, known: 4, missing: []string{"campaign id"}},
		"an ad is a name":                 {header: "day,spend,impressions,reach score,ad id", change: func(s *adreport.Spec) { s.NamesRequired = true }, known: 5},
		"a field without a column":        {header: "day,spend,impressions,reach score", change: func(s *adreport.Spec) { s.Required = append(s.Required, "reach") }, known: 4, missing: []string{"reach"}},
	} {
		s := spec()
		if c.change != nil {
			c.change(&s)
		}
		got := adreport.New(s).Fit(source.NewHeader(strings.Split(c.header, ",")))
		if diff := cmp.Diff(source.Fit{Known: c.known, Missing: c.missing}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// read reads a table with a report's reader. On September 1, the rate is USD 2 per euro.
func read(t *testing.T, s adreport.Spec, table string) ingesttest.Reading {
	t.Helper()
	o := ingesttest.ReaderOptions()
	o.Rates = ingesttest.Rates{"2026-09-01 EURUSD": "2"}
	return ingesttest.Read(t, adreport.New(s), o, table)
}

func day(text string) civil.Date { return civil.MustParse(text) }

func TestRowsOfTheSameAdAndDayAreSums(t *testing.T) {
	t.Parallel()
	got := read(t, spec(), `day,account,campaign id,set id,ad id,country,region,impressions,clicks,spend,conversions,value,reach score
2026-09-02,a,1,2,3,US,NY,10,1,1.50,0.5,20.00,1
2026-09-02,a,1,2,3,US,NY,20,2,2.25,1.25,5.00,2
2026-09-02,a,1,2,3,US,CA,1,1,0.01,0,0,3
2026-09-01,a,1,2,3,US,NY,1,1,0.02,0,0,4
2026-09-02,b,1,2,3,US,NY,1,1,0.03,0,0,5
2026-09-03,a,1,2,4,--,,1,1,0.04,0,0,6
2026-09-03,a,1,5,4,,,1,1,0.05,0,0,7
2026-09-03,a,6,5,4,,,1,1,0.06,0,0,8
2026-09-03,a,6,5,4,,,1,1,0.06,0,0,8
`)
	if len(got.Errors) > 0 {
		t.Fatal(got.Errors)
	}
	row := func(on, account, campaign, set, ad, country, region string, impressions, clicks, spend, conversions, value int64) warehouse.AdDay {
		return warehouse.AdDay{
			Source: "example_ads", Platform: measure.TikTok, Account: account, Channel: "tiktok", Day: day(on), CampaignID: campaign, AdSetID: set, AdID: ad,
			Country: country, Region: region, Impressions: impressions, Clicks: clicks, Spend: spend, Conversions: conversions, Value: value,
			Original: money.Amount{Minor: spend, Currency: "USD"},
		}
	}
	want := []warehouse.AdDay{
		row("2026-09-01", "a", "1", "2", "3", "US", "NY", 1, 1, 2, 0, 0),
		row("2026-09-02", "a", "1", "2", "3", "US", "NY", 30, 3, 375, 1_750_000, 2500),
		row("2026-09-02", "a", "1", "2", "3", "US", "CA", 1, 1, 1, 0, 0),
		row("2026-09-02", "b", "1", "2", "3", "US", "NY", 1, 1, 3, 0, 0),
		row("2026-09-03", "a", "1", "2", "4", "", "", 1, 1, 4, 0, 0),
		row("2026-09-03", "a", "1", "5", "4", "", "", 1, 1, 5, 0, 0),
		row("2026-09-03", "a", "6", "5", "4", "", "", 1, 1, 6, 0, 0),
	}
	if diff := cmp.Diff(want, got.Batch.AdDays, comparable); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	window := func(account, first, last string) warehouse.AdWindow {
		return warehouse.AdWindow{Source: "example_ads", Platform: measure.TikTok, Account: account, Days: civil.Range{First: day(first), Last: day(last)}}
	}
	if diff := cmp.Diff([]warehouse.AdWindow{window("a", "2026-09-01", "2026-09-03"), window("b", "2026-09-02", "2026-09-02")}, got.Summary.Windows, comparable); diff != "" {
		t.Errorf("windows (-want +got):\n%s", diff)
	}
	if totals := got.Summary.Totals; totals.Spend["USD"] != 396 || totals.Repeated != 1 || totals.Days != (civil.Range{First: day("2026-09-01"), Last: day("2026-09-03")}) {
		t.Errorf("totals %+v, want 3.96 USD, one repeated row, September 1 to 3", totals)
	}
}

func TestRowsThatAreRejected(t *testing.T) {
	t.Parallel()
	const header = "day,starts,ends,currency,campaign id,set id,ad id,impressions,clicks,spend,conversions,value\n"
	for name, c := range map[string]struct {
		row    string
		column string
		fix    bool
	}{
		"no day":                   {"soon,,,USD,1,2,3,1,1,1,1,1", "day", true},
		"no first day":             {",soon,,USD,1,2,3,1,1,1,1,1", "starts", true},
		"a shortened campaign":     {"2026-09-01,,,USD,1.2E+17,2,3,1,1,1,1,1", "campaign_id", true},
		"a shortened ad set":       {"2026-09-01,,,USD,1,1.2E+17,3,1,1,1,1,1", "adset_id", true},
		"a shortened ad":           {"2026-09-01,,,USD,1,2,1.2E+17,1,1,1,1,1", "ad_id", true},
		"an unknown currency":      {"2026-09-01,,,?,1,2,3,1,1,1,1,1", "currency", false},
		"impressions":              {"2026-09-01,,,USD,1,2,3,x,1,1,1,1", "impressions", false},
		"clicks":                   {"2026-09-01,,,USD,1,2,3,1,x,1,1,1", "clicks", false},
		"spend":                    {"2026-09-01,,,USD,1,2,3,1,1,x,1,1", "spend", false},
		"conversions":              {"2026-09-01,,,USD,1,2,3,1,1,1,x,1", "conversions", false},
		"too many conversions":     {"2026-09-01,,,USD,1,2,3,1,1,1,1000000001,1", "conversions", false},
		"value":                    {"2026-09-01,,,USD,1,2,3,1,1,1,1,x", "value", false},
		"value behind blank cells": {"2026-09-01,,,USD,1,2,3,--,-,,,x", "value", false},
		"no exchange rate":         {"2026-09-20,,,EUR,1,2,3,1,1,1,1,1", "", true},
	} {
		got := read(t, spec(), header+c.row+"\n")
		if len(got.Errors) != 1 || len(got.Batch.AdDays) > 0 {
			t.Errorf("%s: %d rows and %v, want one error", name, len(got.Batch.AdDays), got.Errors)
			continue
		}
		bad, ok := errors.AsType[*source.RowError](got.Errors[0])
		if !ok || bad.Line != 2 || bad.Rows > 1 || c.column != "" && bad.Column != c.column || c.fix && bad.Fix == "" && !strings.Contains(bad.Reason, "rate") {
			t.Errorf("%s: %+v, want line 2, column %q, a fix: %t", name, got.Errors[0], c.column, c.fix)
		}
	}
}

func TestARowOfSeveralDaysRejectsTheFile(t *testing.T) {
	t.Parallel()
	for row, several := range map[string]bool{
		",2026-09-01,2026-09-30":           true,
		",2026-09-01,2026-09-01":           false,
		",2026-09-01,":                     false,
		"2026-09-01,2026-09-01,2026-09-30": false, // the row has a day of its own
	} {
		got := read(t, spec(), "day,starts,ends,campaign id,impressions,spend\n"+row+",1,1,1.00\n")
		if several != (len(got.Errors) == 1 && fault.KindOf(got.Errors[0]) == fault.KindInvalid) || several == (len(got.Batch.AdDays) == 1) {
			t.Errorf("%s: %v and %d rows", row, got.Errors, len(got.Batch.AdDays))
		}
		if !several {
			continue
		}
		if e, ok := errors.AsType[*fault.Error](got.Errors[0]); !ok || e.Hint != "export days" {
			t.Errorf("%v has not the hint of the report", got.Errors[0])
		}
	}
}

func TestTheSameAdAndDayInTwoCurrenciesIsRejected(t *testing.T) {
	t.Parallel()
	got := read(t, spec(), "day,currency,campaign id,impressions,spend\n2026-09-01,USD,1,1,1.00\n2026-09-01,EUR,1,1,2.00\n")
	if bad, ok := errors.AsType[*source.RowError](errors.Join(got.Errors...)); !ok || bad.Line != 3 || len(got.Batch.AdDays) != 1 || got.Batch.AdDays[0].Spend != 100 {
		t.Errorf("errors %v and rows %+v, want line 3 rejected", got.Errors, got.Batch.AdDays)
	}
}

func TestForeignSpendAndValueAreConverted(t *testing.T) {
	t.Parallel()
	got := read(t, spec(), "day,currency,campaign id,impressions,spend,value\n2026-09-01,EUR,1,1,1.50,3.00\n")
	if len(got.Errors) > 0 || len(got.Batch.AdDays) != 1 {
		t.Fatalf("%v, %d rows", got.Errors, len(got.Batch.AdDays))
	}
	if d := got.Batch.AdDays[0]; d.Spend != 300 || d.Value != 600 || d.Original != (money.Amount{Minor: 150, Currency: "EUR"}) {
		t.Errorf("%+v, want spend 3.00 and value 6.00 of 1.50 EUR", d)
	}
	if spend := got.Summary.Totals.Spend; spend["EUR"] != 150 || len(spend) != 1 {
		t.Errorf("totals %v, want 1.50 EUR", spend)
	}
}

// Hourly rows are summed in millionths before they are rounded.
func TestMillionthsAreRoundedOnceADay(t *testing.T) {
	t.Parallel()
	s := spec()
	s.Micros = []string{adreport.Spend, adreport.Value}
	got := read(t, s, `day,currency,campaign id,impressions,spend,value
2026-09-01,EUR,1,1,4000,4000
2026-09-01,EUR,1,2,4000,7000
2026-09-01,USD,2,1,14000,0
2026-09-20,EUR,3,1,14000,0
`)
	if len(got.Errors) != 1 {
		t.Fatalf("%v, want one row without a rate", got.Errors)
	}
	if bad, ok := errors.AsType[*source.RowError](got.Errors[0]); !ok || bad.Line != 5 || bad.Rows > 1 {
		t.Errorf("%+v, want line 5", got.Errors[0])
	}
	if d := got.Batch.AdDays; len(d) != 3 || d[0].Spend != 2 || d[0].Value != 2 || d[0].Original.Minor != 1 || d[1].Spend != 1 || d[1].Value != 0 {
		t.Errorf("rows %+v, want spend 0.02 (of 0.01 EUR) and 0.01", d)
	}
	if spend := got.Summary.Totals.Spend; spend["EUR"] != 2 || spend["USD"] != 1 {
		t.Errorf("totals %v, want 0.02 EUR and 0.01 USD", spend)
	}
}

func TestTheAccountChannelAndPlatformOfARow(t *testing.T) {
	t.Parallel()
	first := func(s adreport.Spec, o source.Options, table string) (warehouse.AdDay, []error) {
		o.Notes = &source.Notes{}
		got := ingesttest.Read(t, adreport.New(s), o, table)
		if len(got.Batch.AdDays) == 0 {
			return warehouse.AdDay{}, got.Errors
		}
		return got.Batch.AdDays[0], got.Errors
	}
	const table = "day,account,platform,channel,campaign id,impressions,spend\n2026-09-01,--,Google Ads,video,1,1,1.00\n"
	s, o := spec(), ingesttest.ReaderOptions()
	s.Columns = append(s.Columns, source.Column{Field: adreport.PlatformName, Names: []string{"platform"}}, source.Column{Field: adreport.ChannelName, Names: []string{"channel"}})
	if d, err := first(s, o, table); d.Account != "default" || d.Platform != measure.TikTok || d.Channel != "video" {
		t.Errorf("%+v (%v), want the default account, TikTok and the row's channel", d, err)
	}
	s.Account, s.Platform, s.Source, o.Channel = "main", "", "google_ads", "search"
	if d, err := first(s, o, table); d.Account != "main" || d.Platform != measure.Google || d.Channel != "search" || d.Source != "google_ads" {
		t.Errorf("%+v (%v), want the report's account, Google and the caller's channel", d, err)
	}
	if d, err := first(s, o, strings.Replace(table, "Google Ads", "", 1)); len(err) != 1 || d.Platform != "" {
		t.Errorf("a row without a platform: %+v (%v), want it rejected", d, err)
	}
}

func TestTotalsAreSkipped(t *testing.T) {
	t.Parallel()
	got := read(t, spec(), `day,campaign id,campaign,impressions,spend
Total,,,3,3.00
Total: account,,,3,3.00
Gesamt,,,3,3.00
Total of 2 results,,,3,3.00
--,1,A,3,3.00
2026-09-01,--,,3,3.00
,Grand total,,3,3.00
2026-09-01,1,A,3,3.00
2026-09-01,,A,1,1.00
,,,3,3.00
`)
	if got.Skipped != 8 || len(got.Batch.AdDays) != 2 || len(got.Errors) > 0 {
		t.Errorf("%d skipped, %d rows, errors %v; want 8, 2 and none", got.Skipped, len(got.Batch.AdDays), got.Errors)
	}
	// A word that only begins with "Total" does not mark a row of totals, so the row has an invalid day.
	if got = read(t, spec(), "day,campaign id,impressions,spend\nTotally,1,3,3.00\n"); got.Skipped != 0 || len(got.Errors) != 1 {
		t.Errorf("%d skipped, errors %v", got.Skipped, got.Errors)
	}
}

func TestWhatAReportDoesNotContainIsNoted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table string
		want  []string
	}{
		"everything": {"day,account,currency,campaign id,campaign,set id,set,ad id,ad,impressions,spend\n2026-09-01,a,USD,1,A,2,B,3,C,1,1.00\n", nil},
		"no account": {"day,currency,campaign id,impressions,spend\n2026-09-01,USD,1,1,1.00\n", []string{"account_unknown"}},
		"no currency": {
			"day,account,campaign id,impressions,spend\n2026-09-01,a,1,1,1.00\n", []string{"currency_assumed"},
		},
		"a name without an ID": {"day,account,currency,campaign id,campaign,ad,impressions,spend\n2026-09-01,a,USD,1,A,C,1,1.00\n", []string{"ids_absent"}},
		"no campaign":          {"day,account,currency,ad id,impressions,spend\n2026-09-01,a,USD,3,1,1.00\n", []string{"campaign_unknown"}},
		"an unknown country": {
			"day,account,currency,campaign id,country,impressions,spend\n2026-09-01,a,USD,1,Nowhere,1,1.00\n", []string{"country_unknown"},
		},
	} {
		got := read(t, spec(), c.table)
		if diff := cmp.Diff(c.want, got.Codes()); diff != "" || len(got.Batch.AdDays) != 1 {
			t.Errorf("%s: %d rows, notes (-want +got):\n%s", name, len(got.Batch.AdDays), diff)
		}
	}
	// An ad set without a campaign is treated as its own campaign. Names replace missing IDs.
	got := read(t, spec(), "day,set id,ad,impressions,spend\n2026-09-01,2,C,1,1.00\n2026-09-01,,D,1,1.00\n").Batch.AdDays
	if len(got) != 2 || got[0].CampaignID != "2" || got[0].AdID != "C" || got[1].CampaignID != "" || got[1].AdID != "D" {
		t.Errorf("rows %+v, want campaign 2 and ad C; ad D", got)
	}
}

// The results column contains purchases only if the report's indicator column states purchases.
func TestResultsArePurchasesWhereTheIndicatorSaysSo(t *testing.T) {
	t.Parallel()
	s := spec()
	s.Columns = s.Columns[:len(s.Columns)-2]
	s.Columns = append(s.Columns, source.Column{Field: adreport.Results, Names: []string{"results"}}, source.Column{Field: adreport.Indicator, Names: []string{"indicator"}})
	got := read(t, s, "day,campaign id,impressions,spend,results,indicator\n2026-09-01,1,1,1.00,3,actions:purchase\n2026-09-01,2,1,1.00,4,actions:lead\n").Batch.AdDays
	if len(got) != 2 || got[0].Conversions != 3_000_000 || got[1].Conversions != 0 {
		t.Errorf("rows %+v, want 3 and no conversions", got)
	}
}

func TestTheCurrencyOfAReport(t *testing.T) {
	t.Parallel()
	fixed := spec()
	fixed.Fixed = map[string]string{adreport.Currency: "EUR"}
	for name, c := range map[string]struct {
		spec  adreport.Spec
		table string
		want  money.Currency
	}{
		"in the header":   {spec(), "day,campaign id,impressions,spend (GBP)\n2026-09-01,1,1,0\n", "GBP"},
		"one for all":     {fixed, "day,campaign id,impressions,spend\n2026-09-01,1,1,0\n", "EUR"},
		"of the row":      {spec(), "day,campaign id,impressions,spend,currency\n2026-09-01,1,1,0,CAD\n", "CAD"},
		"of an empty row": {spec(), "day,campaign id,impressions,spend,currency\n2026-09-01,1,1,0,--\n", "USD"},
		"of the shop":     {spec(), "day,campaign id,impressions,spend\n2026-09-01,1,1,0\n", "USD"},
	} {
		o := ingesttest.ReaderOptions()
		o.Rates = ingesttest.Rates{"2026-09-01 GBPUSD": "1", "2026-09-01 EURUSD": "1", "2026-09-01 CADUSD": "1"}
		got := ingesttest.Read(t, adreport.New(c.spec), o, c.table)
		if len(got.Errors) > 0 || len(got.Batch.AdDays) != 1 || got.Batch.AdDays[0].Original.Currency != c.want {
			t.Errorf("%s: %v, rows %+v, want %s", name, got.Errors, got.Batch.AdDays, c.want)
		}
	}
	fixed.Fixed[adreport.Currency] = "money"
	header, _ := ingesttest.Table(t, "day,campaign id,impressions,spend\n")
	if _, err := adreport.New(fixed).Open(source.Table{Header: header}, ingesttest.ReaderOptions()); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a wrong currency: %v, want a fault of kind invalid", err)
	}
}
