package merge_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/measure"
	"assay/internal/warehouse/duckdb"
	"assay/internal/warehouse/facts"
	"assay/internal/warehouse/merge"
)

var update = flag.Bool("update", false, "rewrite golden files")

// variants returns the values for rendering a text, by the text's name, with one entry per branch. Texts without an
// entry need no values.
func variants() map[string][]merge.Args {
	about := func(t *facts.Table, more ...merge.Args) merge.Args {
		values := merge.ValuesOf(t)
		for _, m := range more {
			maps.Copy(values, m)
		}
		return values
	}
	month := merge.Args{"first": "2026-01-01", "last": "2026-01-31"}
	window := merge.Args{"fact": facts.AdDaysTable, "unit": merge.AccountDay}
	with := func(values, more merge.Args) merge.Args {
		all := maps.Clone(values)
		maps.Copy(all, more)
		return all
	}
	ofAll := []merge.Args{
		about(facts.ProductsTable), about(facts.LinesTable), about(facts.RefundsTable), about(facts.OrdersTable),
	}
	parts := []merge.Args{
		{"fact": facts.LinesTable, "part": "lines", "staged": true}, {"fact": facts.CouponsTable, "part": "codes", "staged": false},
	}
	return map[string][]merge.Args{
		"sql/count":                {{"from": "touched"}},
		"sql/same_account":         {{"unnamed": "default"}},
		"sql/shared_spend":         {with(window, merge.Args{"unnamed": "default"})},
		"sql/any":                  {{"from": "touched"}},
		"sql/stage":                {{"stored": "order_rows"}},
		"sql/staged_orders":        {{"unordered": true}, {"unordered": false}},
		"sql/settle_orders":        {{"unordered": true}, {"unordered": false}},
		"sql/imported_orders":      {{"any": false, "direct": false}, {"any": true, "direct": true}, {"any": true, "direct": false}},
		"sql/span_came":            {{"stages": []string{"stage_refunds"}}},
		"sql/note_first_orders":    {{"orders": true}, {"orders": false}},
		"sql/before":               ofAll,
		"sql/changes":              ofAll[:2],
		"sql/take_all":             ofAll[1:2],
		"sql/drop_stale_parts":     ofAll[1:2],
		"sql/complete":             ofAll[1:2],
		"sql/tally":                ofAll[:1],
		"sql/note_touched":         ofAll[1:2],
		"sql/delete_old":           {about(facts.ProductsTable, merge.Args{"from": "changed"})},
		"sql/insert_changed":       ofAll[:1],
		"sql/restage":              ofAll[:1],
		"sql/insert_staged":        ofAll[:1],
		"sql/deduplicate":          {about(facts.ProductsTable), about(facts.AdNamesTable), about(facts.ChannelSpendTable)},
		"sql/keep_most":            {about(facts.TouchesTable, merge.Args{"last": "seq"})},
		"sql/drop_earlier":         {about(facts.AdNamesTable)},
		"sql/note_days":            {about(facts.ChannelSpendTable, merge.Args{"from": "changed_channel_spend", "into": "spend_dirty"})},
		"sql/note_code_orders":     {{"from": "changed_coupon_channels"}},
		"sql/note_answered_orders": {{"from": "changed_survey_responses"}},
		"sql/note_costs":           {{"from": "changed_product_costs"}},
		"sql/note_names":           {{"from": "changed_ad_names", "levels": []measure.AdLevel{measure.AdCampaign, measure.AdItself}}},
		"sql/stale_orders":         {{"refunds": true}, {"refunds": false}},
		"sql/join_profiles":        {{"before": true}, {"before": false}},
		"sql/window_days":          {window},
		"sql/before_windows":       {with(window, month), with(window, merge.Args{"first": "", "last": ""})},
		"sql/differing":            {window},
		"sql/tally_windows":        {window},
		"sql/replaced":             {with(window, merge.Args{"met": true}), with(window, merge.Args{"met": false})},
		"sql/delete_replaced":      {window},
		"sql/insert_replaced":      {with(window, merge.Args{"unsorted": true}), with(window, merge.Args{"unsorted": false})},
		"sql/landed_asked":         {{"orders": []string{"o"}, "parts": []string{"changed_landed_lines"}, "discounts": []string{"changed_landed_discounts"}}},
		"sql/own_parts":            parts,
		"sql/compare_made":         parts[:1],
		"sql/tally_made":           parts[:1],
		"sql/put_made":             parts[:1],
		"sql/waiting":              {{"from": "stage_landed_lines"}},
		"sql/tied":                 {{"from": "stage_customer_ties"}},
		"sql/name_customers":       {{"into": "stage_profiles"}},
		"sql/first_after":          {{"added": true}, {"added": false}},
		"sql/in_days":              {with(month, merge.Args{"macro": "in_slice", "table": "slice"}), with(month, merge.Args{"macro": "in_slice", "table": ""})},
		"sql/day_span":             {{"from": "spend_dirty"}},
		"sql/slice":                {month},
		"sql/orders_per_day":       {month},
		"rollups/panel":            {{"fresh": true, "refunds": false, "lines": false}, {"fresh": false, "refunds": true, "lines": true}},
		"sql/panel_days_dirty":     {{"size": merge.PanelSize}},
		"sql/cohort_months_wanted": {{"fresh": true}, {"fresh": false}},
		"sql/cohort_months_dirty":  {month},
		"sql/remember_days": {
			{"orders": true, "ads": true, "feed": true, "order_totals": "orders", "spend_totals": "spend"},
			{"orders": true, "ads": false, "feed": false, "order_totals": "orders", "spend_totals": "spend"},
		},
	}
}

// partials lists the texts that other texts include.
var partials = []string{"sql/one_profile"}

func TestRenderedTextsAreGolden(t *testing.T) {
	t.Parallel()
	const golden = "testdata/duckdb.txtar"
	names, err := merge.Texts(duckdb.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	known := variants()
	archive := &txtar.Archive{Comment: []byte("The statements of imports as DuckDB runs them, for the workspace \"shop\": a file per branch.\n\n")}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if slices.Contains(partials, name) {
			continue
		}
		values := known[name]
		if values == nil {
			values = []merge.Args{nil}
		}
		for i, v := range values {
			text, err := merge.Render(duckdb.Dialect{}, "shop", name, v)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(text, "{{") {
				t.Errorf("%s has a placeholder that is not rendered", name)
			}
			file := name
			if i > 0 {
				file += strings.Repeat("'", i)
			}
			archive.Files = append(archive.Files, txtar.File{Name: file, Data: []byte(strings.TrimRight(text, "\n") + "\n")})
		}
	}
	got := txtar.Format(archive)
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("rendered texts differ (-want +got); rewrite them with -update:\n%s", diff)
	}
}

func TestEachTextIsUsed(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, file := range sources {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	names, err := merge.Texts(duckdb.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		if !strings.Contains(code.String(), `"`+name+`"`) && !slices.Contains(partials, name) {
			t.Errorf("%s.sql is not used", name)
		}
	}
}

// All statements are in files; the Go code of the plan contains no SQL.
func TestThePlanHasNoStatements(t *testing.T) {
	t.Parallel()
	statement := regexp.MustCompile("[\"`](?:\\n)?(INSERT INTO|DELETE FROM|UPDATE|CREATE|DROP|SET|ALTER|COPY|MERGE|WITH) ")
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := statement.Find(text); found != nil && !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%s has the statement %q; write it to sql", file, found)
		}
	}
}

func TestEachTextOpensWithItsMeaning(t *testing.T) {
	t.Parallel()
	names, err := merge.Texts(duckdb.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range names {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "-- ") {
			t.Errorf("%s does not begin with a comment", file)
		}
	}
}
