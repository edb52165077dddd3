package connector_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/ingest/connector"
	"assay/internal/ingest/ingesttest"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// readerOf returns the reader of a table from the lists of readers.
func readerOf(t *testing.T, name string) source.Reader {
	t.Helper()
	return ingesttest.Reader(t, name, connector.Ads(), connector.Names())
}

// fitting returns the names of the readers that can read a header.
func fitting(header string) (names []string) {
	for _, r := range slices.Concat(connector.Ads(), connector.Names()) {
		if r.Fit(source.NewHeader(strings.Split(header, ","))).OK() {
			names = append(names, r.Name())
		}
	}
	return names
}

// The columns of a table of names identify the platform and the level.
func TestTablesOfNamesAreRecognizedByTheirColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header, reader string
		level          measure.AdLevel
	}{
		{"id,account_id,name,updated_time", "facebook_names", measure.AdCampaign},
		{"id,account_id,name,effective_status", "facebook_names", measure.AdCampaign},
		{"id,account_id,campaign_id,name,updated_time", "facebook_names", measure.AdSet},
		{"id,account_id,campaign_id,ad_set_id,name,updated_time", "facebook_names", measure.AdItself},
		{"id,name,advertising_channel_type", "google_names", measure.AdCampaign},
		{"id,name,campaign_id,campaign_name", "google_names", measure.AdSet},
		{"id,name,ad_group_id,final_urls", "google_names", measure.AdItself},
		{"campaign.id,campaign.name,campaign.advertising_channel_type", "google_names", measure.AdCampaign},
		{"advertiser_id,campaign_id,campaign_name", "tiktok_names", measure.AdCampaign},
		{"advertiser_id,campaign_id,adgroup_id,adgroup_name", "tiktok_names", measure.AdSet},
		{"advertiser_id,campaign_id,adgroup_id,ad_id,ad_name", "tiktok_names", measure.AdItself},
		{"id,name,is_campaign_budget_optimization", "pinterest_names", measure.AdCampaign},
		{"id,name,campaign_id,placement_group", "pinterest_names", measure.AdSet},
		{"id,name,ad_group_id,pin_id", "pinterest_names", measure.AdItself},
		{"id,name,ad_squad_id", "snapchat_names", measure.AdItself},
	} {
		if got := fitting(c.header); !slices.Equal(got, []string{c.reader}) {
			t.Errorf("%q is read by %q, want %s", c.header, got, c.reader)
			continue
		}
		columns := strings.Split(c.header, ",")
		cells := make([]string, len(columns))
		for i := range cells {
			cells[i] = "7"
		}
		for i, column := range columns {
			if strings.HasPrefix(column, "updated") {
				cells[i] = ""
			}
		}
		got := ingesttest.Read(t, readerOf(t, c.reader), ingesttest.ReaderOptions(), c.header+"\n"+strings.Join(cells, ",")+"\n")
		if len(got.Errors) > 0 || len(got.Batch.AdNames) != 1 || got.Batch.AdNames[0].Level != c.level {
			t.Errorf("%q: %v, rows %+v, want one of level %s", c.header, got.Errors, got.Batch.AdNames, c.level)
		}
	}
}

// A table with a date, metric or keyword column, in any position, is a report and not a table of names.
func TestReportsAreNoTablesOfNames(t *testing.T) {
	t.Parallel()
	for _, figure := range []string{"date", "impressions", "spend", "cost_micros", "stat_time_hour", "keyword_text"} {
		for _, header := range []string{figure + ",id,account_id,name,updated_time", "id," + figure + ",account_id,name,updated_time", "id,account_id,name,updated_time," + figure} {
			if got := fitting(header); len(got) > 0 {
				t.Errorf("%q is read by %q", header, got)
			}
		}
	}
	for _, header := range []string{"id,name", "id,account_id,updated_time", "account_id,name,updated_time", "id,account_id,name"} {
		if got := fitting(header); len(got) > 0 {
			t.Errorf("%q is read by %q", header, got)
		}
	}
}

// A report without the ID of a campaign, ad set or ad is rejected, because it contains the spend of a whole account.
func TestReportsIdentifyCampaigns(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]string{
		"date,account_id,campaign_id,impressions,inline_link_clicks,spend":                   {"facebook_landed"},
		"date,account_id,impressions,inline_link_clicks,spend":                               nil,
		"date,account_id,campaign_id,impressions,inline_link_clicks,spend,age":               nil,
		"date,customer_id,id,impressions,cost_micros":                                        {"google_landed"},
		"date,customer_id,impressions,cost_micros":                                           nil,
		"date,customer_id,id,impressions,cost_micros,ad_group_criterion_criterion_id":        nil,
		"stat_time_day,campaign_id,impressions,spend":                                        {"tiktok_landed"},
		"date,campaign_id,spend_in_micro_dollar":                                             {"pinterest_landed"},
		"date,campaign_id,spend_in_micro_dollar,targeting_type":                              nil,
		"date,campaign_id,impressions,swipes,spend,conversion_purchases_value":               {"snapchat_landed"},
		"date,campaign_id,campaign_budget_currency_code,impressions,cost":                    {"amazon_landed"},
		"date,campaign_id,campaign_budget_currency_code,impressions,cost,search_term":        nil,
		"date,account_id,campaign_id,impressions,clicks,spend,device_os":                     {"microsoft_landed"},
		"date,account_id,campaign_id,impressions,clicks,spend,device_os,postal_code,revenue": nil,
	} {
		if got := fitting(header); !slices.Equal(got, want) {
			t.Errorf("%q is read by %q, want %q", header, got, want)
		}
	}
}

func TestColumnsOfATableOfNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ columns, needs []string }{
		"facebook_names": {
			[]string{"id", "name", "account id", "updated time", "campaign id", "ad set id"}, []string{"id", "name", "account id", "updated time"},
		},
		"tiktok_names": {
			[]string{"campaign id", "campaign name", "advertiser id", "adgroup id", "updated time"}, []string{"id", "name", "advertiser id"},
		},
	} {
		described, ok := readerOf(t, name).(source.Described)
		if !ok {
			t.Fatalf("%s has no columns", name)
		}
		var columns []string
		for _, c := range described.Columns() {
			columns = append(columns, c.Names[0])
		}
		if diff := cmp.Diff(want.columns, columns); diff != "" {
			t.Errorf("columns of %s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(want.needs, described.Needs()); diff != "" {
			t.Errorf("required columns of %s (-want +got):\n%s", name, diff)
		}
		if r := readerOf(t, name); r.Title() == "" {
			t.Errorf("%s has no title", name)
		}
	}
}

func TestRowsOfATableOfNames(t *testing.T) {
	t.Parallel()
	got := ingesttest.Read(t, readerOf(t, "facebook_names"), ingesttest.ReaderOptions(),
		`id,account_id,campaign_id,ad_set_id,name,updated_time,_fivetran_synced,effective_status
1,9,2,3,Named,2026-09-01T10:00:00,2026-09-02T10:00:00,
1,9,2,3,Read,,2026-09-02T10:00:00,
4,9,,,,2026-09-01T10:00:00,2026-09-02T10:00:00,ACTIVE
5,9,,,,2026-09-01T10:00:00,2026-09-02T10:00:00,
6,9,2,,,2026-09-01T10:00:00,2026-09-02T10:00:00,
7,9,,3,,2026-09-01T10:00:00,2026-09-02T10:00:00,
,9,2,3,Nameless,2026-09-01T10:00:00,2026-09-02T10:00:00,
1.2E+17,9,2,3,Short,2026-09-01T10:00:00,2026-09-02T10:00:00,
8,9,1.2E+17,3,Short,2026-09-01T10:00:00,2026-09-02T10:00:00,
8,9,2,1.2E+17,Short,2026-09-01T10:00:00,2026-09-02T10:00:00,
8,9,2,3,Timeless,soon,2026-09-02T10:00:00,
8,9,2,3,Timeless,2026-09-01T10:00:00,soon,
`)
	at := func(day int) time.Time { return time.Date(2026, 9, day, 10, 0, 0, 0, time.UTC) }
	name := func(id, campaign, adSet, name string, updated time.Time) warehouse.AdName {
		return warehouse.AdName{Platform: measure.Facebook, Level: measure.AdItself, ID: id, Name: name, Campaign: campaign, AdSet: adSet, UpdatedAt: updated}
	}
	want := []warehouse.AdName{name("1", "2", "3", "Named", at(1)), name("1", "2", "3", "Read", at(2)), name("6", "2", "", "", at(1)), name("7", "", "3", "", at(1))}
	if diff := cmp.Diff(want, got.Batch.AdNames); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	states := map[string]measure.AdStatus{}
	for _, s := range got.Batch.AdStates {
		states[s.ID] = s.Status
		if s.Account != "9" || !s.Read.Equal(at(2)) {
			t.Errorf("state %+v, want account 9, read on September 2", s)
		}
	}
	if states["4"] != measure.AdActive {
		t.Errorf("states %v, want 4 to be active", states)
	}
	if !slices.Contains(got.Codes(), "names_empty") {
		t.Errorf("notes %q, want names_empty", got.Codes())
	}
	var columns []string
	for _, err := range got.Errors {
		if bad, ok := errors.AsType[*source.RowError](err); ok {
			columns = append(columns, bad.Column)
		}
	}
	if diff := cmp.Diff([]string{"id", "id", "campaign_id", "ad_set_id", "updated_time", "_fivetran_synced"}, columns); diff != "" {
		t.Errorf("columns of the rejected rows (-want +got):\n%s", diff)
	}
}

// The first budget with a value is used.
func TestTheFirstFilledBudgetCounts(t *testing.T) {
	t.Parallel()
	got := ingesttest.Read(t, readerOf(t, "facebook_names"), ingesttest.ReaderOptions(),
		"id,account_id,name,updated_time,daily_budget,lifetime_budget,status\n1,9,A,2026-09-01,5000,7000,ACTIVE\n2,9,B,2026-09-01,,7000,ACTIVE\n3,9,C,2026-09-01,0,,ACTIVE\n").Batch.AdStates
	if len(got) != 3 || got[0].Budget.Value != 5000 || got[0].Budget.Per != measure.PerDay || got[1].Budget.Value != 7000 || got[1].Budget.Per != measure.Lifetime ||
		got[2].Budget.Per != measure.NoBudget {
		t.Errorf("states %+v, want 5000 a day, 7000 for the lifetime, none", got)
	}
}
