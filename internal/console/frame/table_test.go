package frame_test

import (
	"net/url"
	"strings"
	"testing"

	"assay/internal/console/frame"
)

func units(names string, values ...float64) *frame.Table {
	t := &frame.Table{Caption: "Units", Size: 2, Columns: []frame.Column{{Key: "name", Name: "Name"}, {Key: "units", Name: "Units", Number: true}}}
	for i, name := range strings.Fields(names) {
		units := frame.None("none")
		if values[i] >= 0 {
			units = frame.FigureCell(&values[i], 0)
		}
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{frame.TextCell(name), units}})
	}
	return t
}

func shown(t *testing.T, table *frame.Table, query string) string {
	t.Helper()
	u, err := url.Parse("/units?" + query)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, row := range table.Show(u).Rows {
		names = append(names, row.Cells[0].Text)
	}
	return strings.Join(names, " ")
}

func TestTablesAreSortedAndPagedByTheQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"": "b a", "sort=units": "a b", "sort=-units": "d b", "sort=name": "a b", "sort=-name": "d c", "page=2": "c d",
		"sort=-units&page=2": "a c", "sort=no": "b a", "page=9": "b a", "page=x": "b a",
	} {
		if got := shown(t, units("b a c d", 2, 1, -1, 3), query); got != want { // the units of c are unknown
			t.Errorf("%q shows %q, want %q", query, got, want)
		}
	}
}

func TestHeadersKeepTheQueryAndReverseTheOrder(t *testing.T) {
	t.Parallel()
	table := units("a b", 1, 2)
	shown(t, table, "sort=-units&channel=google&page=1")
	heads := table.Heads()
	if heads[1].Sorted != "descending" || heads[1].Address != "/units?channel=google&sort=units" {
		t.Errorf("units: %q %q", heads[1].Sorted, heads[1].Address)
	}
	if heads[0].Sorted != "" || heads[0].Address != "/units?channel=google&sort=name" {
		t.Errorf("name: %q %q", heads[0].Sorted, heads[0].Address)
	}
}

func TestFilesHaveAllRowsWithExactValues(t *testing.T) {
	t.Parallel()
	records := units("a b c", 1234.5, -1, 0).Records(func(s string) string { return "'" + s })
	var lines []string
	for _, r := range records {
		lines = append(lines, strings.Join(r, "|"))
	}
	if got, want := strings.Join(lines, "\n"), "name|units\n'a|1234.5\n'b|\n'c|0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestChannelsHaveProperNamesAndAColor(t *testing.T) {
	t.Parallel()
	for channel, want := range map[string][2]string{
		"google": {"Google Ads", "google"}, "organic_search": {"Organic search", "owned"}, "unattributed": {"Unattributed", "other"},
		"pinterest_ads": {"Pinterest ads", "owned"},
	} {
		if name, color := frame.ChannelName(channel), frame.ChannelColor(channel); name != want[0] || color != want[1] {
			t.Errorf("%s: %s, %s", channel, name, color)
		}
	}
	if got := frame.SourceName("tiktok_shop"); got != "TikTok Shop" {
		t.Errorf("source: %s", got)
	}
}
