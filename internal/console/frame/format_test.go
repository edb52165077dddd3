package frame_test

import (
	"errors"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/jobs"
)

func TestFiguresHaveUnitsAndSigns(t *testing.T) {
	t.Parallel()
	axis := frame.ShortMoney("USD")
	for got, want := range map[string]string{
		axis(0): "$0", axis(999): "$999", axis(1000): "$1k", axis(1500): "$1.5k", axis(-2000): "−$2k", axis(1e6): "$1m", axis(2_500_000): "$2.5m",
		frame.Figure(-1234.56, 1): "−1,234.6", frame.Count(12345): "12,345", frame.Plural(1, "day"): "1 day", frame.Plural(2, "day"): "2 days",
		frame.Plural(0, "day"): "0 days", frame.Size(999): "999 B", frame.Size(1000): "1.0 kB", frame.Size(1 << 20): "1 MiB", frame.Size(3 << 20): "3 MiB",
		frame.Size(1<<20 + 1): "1.0 MB", frame.Size(999_949): "999.9 kB", frame.Size(1_000_000): "1.0 MB", frame.Sentence(""): "",
		frame.Sentence("émile is new"): "Émile is new.", frame.Sentence("Done."): "Done.", frame.Capitalized("new orders"): "New orders",
		frame.Words("new_customer_share"):                                              "new customer share",
		frame.DaysText(civil.MustParse("2026-10-23"), civil.MustParse("2026-11-22")):   "Oct 23 – Nov 22, 2026",
		frame.PublicText(fault.Invalid("the day is wrong").WithHint("use YYYY-MM-DD")): "The day is wrong. Use YYYY-MM-DD.",
		frame.PublicText(fault.Invalid("the day is wrong")):                            "The day is wrong.",
		frame.PublicText(errors.New("secret")):                                         "",
		frame.SourceName("google_ads"):                                                 "Google Ads",
		frame.SourceName("tiktok_shop"):                                                "TikTok Shop",
		frame.SourceName("shopify"):                                                    "Shopify",
		frame.ChannelName("organic_search"):                                            "Organic search",
		frame.ChannelName("bus_stops"):                                                 "Bus stops",
		frame.ChannelColor("organic_search"):                                           "owned",
		frame.ChannelColor("other"):                                                    "other",
		frame.ChannelColor("bus_stops"):                                                "owned",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCellsOfFiguresHaveTonesAndSortKeys(t *testing.T) {
	t.Parallel()
	rise, fall, same := 12.34, -5.0, 0.0
	for _, c := range []struct {
		cell frame.Cell
		text string
		tone string
	}{
		{frame.ChangeCell(&rise), "↑ 12.3%", "good"},
		{frame.ChangeCell(&fall), "↓ 5.0%", "bad"},
		{frame.ChangeCell(&same), "0.0%", ""},
		{frame.ChangeCell[float64](nil), "none", ""},
		{frame.MoneyCell(&rise, 2, "EUR"), "€12.34", ""},
		{frame.PercentCell(&rise), "12.3%", ""},
		{frame.FigureCell(&fall, 0), "−5", ""},
		{frame.OptionalChannel("google"), "Google Ads", ""},
		{frame.OptionalChannel(""), "none", ""},
	} {
		if c.cell.Text != c.text || c.cell.Tone != c.tone {
			t.Errorf("got %+v, want %q with the tone %q", c.cell, c.text, c.tone)
		}
		if c.cell.Missing != (c.text == "none") {
			t.Errorf("%q: missing %t", c.text, c.cell.Missing)
		}
	}
	if c := frame.ChangeCell(&fall); c.Number == nil || *c.Number != -5 {
		t.Errorf("the sort key of %q is %v, want -5", c.Text, c.Number)
	}
}

func TestJobsStateProgressAndRemainingTime(t *testing.T) {
	t.Parallel()
	for want, j := range map[string]jobs.Job{
		"Done, but the result is not stored yet: waiting for the import": {WaitsFor: "the import", State: jobs.Waiting},
		"Waiting for another job to end":                                 {State: jobs.Waiting, Total: 10, Percent: 3},
		"In progress":                                                    {State: jobs.Running},
		"40% done":                                                       {State: jobs.Running, Total: 100, Percent: 40},
		"5% done, 500 B of 10.0 kB":                                      {State: jobs.Running, Total: 10_000, Done: 500, Percent: 5, Unit: jobs.Bytes},
		"1% done, a few seconds remaining":                               {Total: 1, Percent: 1, LeftSeconds: 9},
		"2% done, about 10 seconds remaining":                            {Total: 1, Percent: 2, LeftSeconds: 10},
		"3% done, about 90 seconds remaining":                            {Total: 1, Percent: 3, LeftSeconds: 89},
		"4% done, about 2 minutes remaining":                             {Total: 1, Percent: 4, LeftSeconds: 90},
		"6% done, about 3 minutes remaining":                             {Total: 1, Percent: 6, LeftSeconds: 121},
	} {
		if got := (frame.JobView{Job: j}).Words(); got != want {
			t.Errorf("%+v: %q, want %q", j, got, want)
		}
	}
}

func TestLogsArePagedByTheIdentifierOfTheLastRow(t *testing.T) {
	t.Parallel()
	u, err := url.Parse("/calls?workspace=acme&before=7&tool=ask")
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]string, frame.RowsShown+1)
	for i := range rows {
		rows[i] = strconv.Itoa(i)
	}
	same := func(s string) string { return s }
	page, links := frame.Paginate(u, rows, "7", same)
	if len(page) != 50 || links.Older != "/calls?before=49&tool=ask&workspace=acme" || links.Newest != "/calls?tool=ask&workspace=acme" {
		t.Errorf("%d rows, %+v", len(page), links)
	}
	if page, links = frame.Paginate(u, rows[:50], "", same); len(page) != 50 || links != (frame.PageLinks{}) {
		t.Errorf("the only page: %d rows, %+v", len(page), links)
	}
}

func TestChoicesKeepValuesThatAreNotInTheList(t *testing.T) {
	t.Parallel()
	c := frame.ChoicesOf("treated", "Regions", "", []string{"CA", "NV"}, []string{"UT", "NV"})
	var all []string
	for _, one := range c.All {
		all = append(all, one.Name+" "+strconv.FormatBool(one.On))
	}
	if got, want := strings.Join(all, ", "), "UT true, CA false, NV true"; got != want || c.Chosen() != 2 || !c.Codes() {
		t.Errorf("got %q with %d chosen, want %q with 2", got, c.Chosen(), want)
	}
	if c := frame.ChoicesOf("treated", "Regions", "", []string{"Bayern", "CA"}, nil); c.Codes() || c.Chosen() != 0 {
		t.Errorf("a name of six letters is a code, or %d are chosen", c.Chosen())
	}
	if c := frame.ChoicesOf("treated", "Regions", "", []string{"Köln"}, nil); !c.Codes() {
		t.Error("a name of four letters is no code")
	}
	if got := frame.Values([]string{" CA ", "", "NV", "CA", " "}); strings.Join(got, ",") != "CA,NV" {
		t.Errorf("values %q, want CA and NV", got)
	}
}

func TestFilesAndDrawingsHaveSafeHeaders(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	frame.WriteCSV(w, `a"b.csv`, [][]string{{"x", "y"}, {"1", "2,3"}})
	for name, want := range map[string]string{
		"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="a\"b.csv"`, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("a CSV file: %s is %q, want %q", name, got, want)
		}
	}
	if got, want := w.Body.String(), "x,y\r\n1,\"2,3\"\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	w = httptest.NewRecorder()
	frame.WriteSVG(w, []byte("<svg/>"), "max-age=60")
	for name, want := range map[string]string{
		"Content-Type": "image/svg+xml", "Cache-Control": "max-age=60", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("a drawing: %s is %q, want %q", name, got, want)
		}
	}
	if frame.ThemeIn(url.Values{"theme": {"dark"}}) != chart.Dark || frame.ThemeIn(url.Values{"theme": {"neon"}}) != chart.Light {
		t.Error("the theme is not dark, or not light by default")
	}
}

func TestCallsAreValidShellCommands(t *testing.T) {
	t.Parallel()
	c := &frame.Frame{BaseURL: "https://assay.example"}
	call := c.CallOf("x", "ask", frame.Arguments{"question": "what's new?"})
	for _, want := range []string{
		"curl https://assay.example/api/mcp/rpc \\\n", `-H "Authorization: Bearer $ASSAY_KEY"`, `"question": "what'\''s new?"`, `"method": "tools/call"`,
	} {
		if !strings.Contains(call.Curl, want) {
			t.Errorf("the command does not contain %q: %s", want, call.Curl)
		}
	}
	if !strings.Contains(call.JSON, `"question": "what's new?"`) || !strings.Contains(call.JSON, `"id": 1`) || call.ID != "x" {
		t.Errorf("the call: %+v", call)
	}
	place := frame.Place{Membership: control.Membership{Workspace: control.Workspace{ID: "acme"}}}
	if got, want := frame.ArticleAddress(place, "new vs returning"), "/articles?term=new+vs+returning&workspace=acme"; got != want {
		t.Errorf("the article is at %q, want %q", got, want)
	}
}

func TestOnlyDrawnBlocksCanBeSaved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		block frame.Block
		want  bool
	}{{frame.Block{Wide: "<svg>"}, true}, {frame.Block{Wide: "<svg>", Plain: true}, false}, {frame.Block{}, false}} {
		if got := c.block.Head().Drawn; got != c.want {
			t.Errorf("%+v can be saved: %t, want %t", c.block, got, c.want)
		}
	}
	if got := (frame.Block{}).WithCSV("/x.csv").Head().CSV; got != "/x.csv" {
		t.Errorf("the file is at %q, want /x.csv", got)
	}
}

func TestTablesStateTheRowsOfThePage(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{"": "1 – 2 of 5", "page=2": "3 – 4 of 5", "page=3": "5 – 5 of 5"} {
		table := units("a b c d e", 1, 2, 3, 4, 5)
		shown(t, table, query)
		var links []string
		for _, l := range table.Links() {
			links = append(links, l.Rel+" "+l.Address)
		}
		wantLinks := map[string]string{
			"": "next /units?page=2", "page=2": "prev /units?page=1, next /units?page=3", "page=3": "prev /units?page=2",
		}[query]
		if got := table.Range(); got != want || strings.Join(links, ", ") != wantLinks {
			t.Errorf("%q: %q, %q; want %q, %q", query, got, links, want, wantLinks)
		}
	}
	table := units("a b", 1, 2)
	if shown(t, table, ""); table.Range() != "" || len(table.Links()) != 0 {
		t.Errorf("all rows: %q, %v", table.Range(), table.Links())
	}
	named := units("a b c", 1, 2, 3)
	named.Name = "units"
	if shown(t, named, "units.page=1&page=2&units.sort=name"); named.Links()[0].Address != "/units?page=2&units.page=2&units.sort=name#units" {
		t.Errorf("the next page of a named table: %+v", named.Links())
	}
}
