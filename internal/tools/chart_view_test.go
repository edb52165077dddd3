package tools

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"assay/internal/mcp"
	"assay/internal/toolkit"
)

// shownTo calls the `chart` tool for a client with the given capabilities.
func shownTo(t *testing.T, client mcp.Client, args string) mcp.CallResult {
	t.Helper()
	raw, err := fixtureService(t).Session(reader(newWorkspace("full")), "r1").For(client).CallTool(t.Context(), "chart", json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	var result mcp.CallResult
	if err := json.Unmarshal(raw, &result); err != nil || result.IsError {
		t.Fatalf("%s: %v", raw, err)
	}
	return result
}

func TestOnlyClientsWithViewsSeeTheView(t *testing.T) {
	t.Parallel()
	session := fixtureService(t).Session(reader(newWorkspace("full")), "r1")
	linked, viewing := session.For(mcp.Client{Links: true}), session.For(mcp.Client{Links: true, Apps: true})
	if !bytes.Equal(session.ListTools(), linked.ListTools()) || bytes.Contains(session.ListTools(), []byte("_meta")) {
		t.Error("a client without views gets another list of tools")
	}
	const meta = `,"_meta":{"ui":{"resourceUri":"ui://assay/chart.html"}}`
	with := string(viewing.ListTools())
	if strings.Count(with, meta) != 1 || strings.Replace(with, meta, "", 1) != string(session.ListTools()) || len(with) > 32_000 {
		t.Errorf("the list for views has %d bytes and %d addresses of views", len(with), strings.Count(with, meta))
	}
	var views []mcp.Resource
	seen, err := viewing.ListResources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unseen, err := session.ListResources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range seen {
		if r.MIMEType == mcp.AppType {
			views = append(views, r)
		}
	}
	if len(views) != 1 || len(unseen) != len(seen)-1 {
		t.Fatalf("views %+v", views)
	}
	view, err := session.ReadResource(t.Context(), views[0].URI)
	if err != nil || view.MIMEType != mcp.AppType || !strings.HasPrefix(view.Text, "<!doctype html>") ||
		!bytes.Contains(view.Meta, []byte(`"connectDomains":[],"resourceDomains":[]`)) || !bytes.Equal(view.Meta, views[0].Meta) {
		t.Errorf("view %+v: %v", views[0], err)
	}
}

func TestResultsLinkToTheChartAsSVG(t *testing.T) {
	t.Parallel()
	const args = `{"metric":"revenue","breakdown":"channel","title":"<script>1</script> & co","series_limit":3,"granularity":"week"}`
	if pieces := shownTo(t, mcp.Client{}, args).Content; len(pieces) != 2 || pieces[1].MIMEType != "image/png" {
		t.Errorf("a client without links gets %d pieces", len(pieces))
	}
	pieces := shownTo(t, mcp.Client{Links: true}, args).Content
	if len(pieces) != 3 || pieces[1].MIMEType != "image/png" || pieces[2].Type != "resource_link" || pieces[2].MIMEType != "image/svg+xml" ||
		!strings.HasPrefix(pieces[2].URI, toolkit.ChartURI+"revenue.svg?") {
		t.Fatalf("%+v", pieces)
	}
	session := fixtureService(t).Session(reader(newWorkspace("full")), "r1")
	first, err := session.ReadResource(t.Context(), pieces[2].URI)
	if err != nil {
		t.Fatal(err)
	}
	again, err := session.ReadResource(t.Context(), pieces[2].URI)
	if err != nil || first.Text != again.Text || first.MIMEType != "image/svg+xml" {
		t.Fatalf("read twice: %v", err)
	}
	for d := xml.NewDecoder(strings.NewReader(first.Text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"<svg ", "&lt;script&gt;1&lt;/script&gt; &amp; co</title>", ">google</text>", "font-family="} {
		if !strings.Contains(first.Text, want) {
			t.Errorf("the SVG lacks %q", want)
		}
	}
	if strings.Contains(first.Text, "<script") || strings.Contains(first.Text, "href") {
		t.Error("the SVG has a script or a link")
	}
	for _, wrong := range []string{"revenue.svg", "revenue.svg?%zz", "profit.svg?", "revenue.svg?channel=nowhere", "revenue.svg?format=csv", "revenue.svg?nothing=1"} {
		if _, err := session.ReadResource(t.Context(), toolkit.ChartURI+wrong); err == nil {
			t.Errorf("%s: has a picture", wrong)
		}
	}
	for _, format := range []string{"csv", "summary"} {
		if r := shownTo(t, mcp.Client{Links: true, Apps: true}, `{"metric":"revenue","format":"`+format+`"}`); len(r.Content) != 1 || r.Meta == nil {
			t.Errorf("%s: %d pieces, data %d bytes; want the text and data for the view", format, len(r.Content), len(r.Meta))
		}
	}
}

// For each metric, the data of the chart's view add up to the totals of the performance tool. The data do not depend on
// the requested metric.
func TestDataOfTheViewAddUp(t *testing.T) {
	t.Parallel()
	const window = `"start_date":"2026-01-05","end_date":"2026-02-28","detail_level":"debug"`
	of := answerAs[PerformanceAnswer](t, "performance", `{`+window+`}`)
	want := map[string]float64{"revenue": float64(*of.Metrics.Revenue.Value), "orders": float64(*of.Metrics.Orders.Value), "spend": float64(*of.Metrics.Spend.Value)}
	for _, how := range []string{
		`"metric":"revenue"`, `"metric":"spend","breakdown":"channel"`, `"metric":"revenue","breakdown":"channel","series_limit":1`,
		`"metric":"roas","breakdown":"channel","granularity":"week"`, `"metric":"orders","chart_type":"pie"`,
	} {
		meta := shownTo(t, mcp.Client{Apps: true}, `{`+window+`,`+how+`}`).Meta
		var got map[string]struct {
			Grain       string
			First, Last string
			Exponent    int
			Series      []map[string]json.RawMessage
		}
		if err := json.Unmarshal(meta, &got); err != nil {
			t.Fatal(err)
		}
		data := got["assay/chart"]
		if data.Grain != "day" || data.First != "2026-01-05" || data.Last != "2026-02-28" || len(meta) > 100_000 {
			t.Errorf("%s: %s from %s to %s in %d bytes", how, data.Grain, data.First, data.Last, len(meta))
		}
		sums := map[string]float64{}
		for _, series := range data.Series {
			for metric := range want {
				var values []*float64
				if err := json.Unmarshal(series[metric], &values); err != nil || len(values) != 55 {
					t.Fatalf("%s: %d values of %s, %v", how, len(values), metric, err)
				}
				for _, v := range values {
					if v != nil {
						sums[metric] += *v
					}
				}
			}
		}
		for metric, total := range want {
			scale := 1.0
			if metric != "orders" {
				scale = math.Pow10(data.Exponent)
			}
			near(t, how+": "+metric, sums[metric]/scale, total, 1)
		}
	}
}

// A long period has values by week or month, so that the data stay small.
func TestDataOfTheViewAreBounded(t *testing.T) {
	t.Parallel()
	meta := shownTo(t, mcp.Client{Apps: true}, `{"metric":"revenue","breakdown":"channel","series_limit":100,"granularity":"month","start_date":"2000-01-01"}`).Meta
	if len(meta) == 0 || len(meta) > 150_000 {
		t.Errorf("%d bytes", len(meta))
	}
}
