package tools

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"os"
	"strings"
	"testing"

	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/plotting"
)

// pictureOf returns the PNG of a result with one image after its text.
func pictureOf(t *testing.T, r mcp.CallResult) []byte {
	t.Helper()
	if r.IsError || len(r.Content) != 2 || r.Content[1].Type != "image" || r.Content[1].MIMEType != "image/png" {
		t.Fatalf("%d pieces of content, error %v: want a text and a PNG", len(r.Content), r.IsError)
	}
	data, err := base64.StdEncoding.DecodeString(r.Content[1].Data)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ASSAY_PICTURES names a folder to which the test writes the images for inspection.
func TestChartsAreImages(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("ASSAY_PICTURES")
	for i, args := range []string{
		`{"metric":"revenue"}`,
		`{"metric":"revenue","breakdown":"channel"}`,
		`{"metric":"revenue","breakdown":"channel","chart_type":"bar"}`,
		`{"metric":"spend","breakdown":"channel","chart_type":"bar","granularity":"month","start_date":"2025-12-01"}`,
		`{"metric":"revenue","chart_type":"pie"}`,
		`{"metric":"roas","breakdown":"channel","granularity":"week","start_date":"2025-09-01"}`,
		`{"metric":"aov","chart_type":"bar","channel":"google"}`,
		`{"metric":"orders","title":"<b>Orders</b> & \"more\"","start_date":"2026-03-10"}`,
	} {
		data := pictureOf(t, call(t, "full", "chart", args))
		config, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || config.Width != 1000 || config.Height != 563 {
			t.Errorf("%s: picture of %d by %d, %v", args, config.Width, config.Height, err)
		}
		if folder != "" {
			if err := os.WriteFile(fmt.Sprintf("%s/%d.png", folder, i), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestTextFormatsHaveNoImage(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"csv", "summary"} {
		if r := call(t, "full", "chart", `{"metric":"revenue","format":"`+format+`"}`); len(r.Content) != 1 {
			t.Errorf("%d pieces of content as %s, want the text alone", len(r.Content), format)
		}
	}
}

// With and without a combined series, points add up to the window's total.
func TestChartPointsAddUpToTheTotal(t *testing.T) {
	t.Parallel()
	const window = `"start_date":"2026-01-05","end_date":"2026-02-28","detail_level":"debug"`
	of := answerAs[PerformanceAnswer](t, "performance", `{`+window+`}`)
	for _, metric := range []string{"revenue", "orders", "spend"} {
		want := map[string]float64{
			"revenue": float64(*of.Metrics.Revenue.Value), "orders": float64(*of.Metrics.Orders.Value), "spend": float64(*of.Metrics.Spend.Value),
		}[metric]
		for _, how := range []string{
			``, `,"granularity":"week"`, `,"granularity":"month","chart_type":"bar"`, `,"breakdown":"channel"`,
			`,"breakdown":"channel","series_limit":1`, `,"breakdown":"channel","series_limit":100`, `,"chart_type":"pie"`,
			`,"chart_type":"pie","channel":"google"`, `,"chart_type":"pie","channels":["google","meta"]`,
		} {
			a := answerAs[ChartAnswer](t, "chart", `{"metric":"`+metric+`",`+window+how+`}`)
			sum := 0.0
			for _, r := range a.Rows {
				if r.Value != nil {
					sum += *r.Value
				}
			}
			near(t, metric+how, sum, want, len(a.Rows))
		}
	}
}

func TestChartHasAtMostTheLimitOfSeries(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]int{1: 2, 2: 3, 100: 4} { // facebook, google, podcast and tiktok have spend
		a := answerAs[ChartAnswer](t, "chart", fmt.Sprintf(`{"metric":"spend","breakdown":"channel","series_limit":%d,"detail_level":"debug"}`, limit))
		names := map[measure.Channel]bool{}
		for _, r := range a.Rows {
			names[r.Channel] = true
		}
		if len(names) != want || names[plotting.OtherChannels] != (limit < 4) {
			t.Errorf("limit %d draws %v, want %d series", limit, names, want)
		}
	}
}

func TestAChartNamesTheLargestChannelOnlyIfAllAreCompared(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"metric":"orders","breakdown":"channel"}`:                            "The largest channel is facebook with",
		`{"metric":"orders","chart_type":"pie","channel":"email"}`:             "The channel email has",
		`{"metric":"orders","chart_type":"pie","channels":["tiktok","email"]}`: "The largest of the requested channels is email with",
	} {
		if a := answerAs[ChartAnswer](t, "chart", arguments); !strings.Contains(a.Summary, want) {
			t.Errorf("%s: %q, want it with %q", arguments, a.Summary, want)
		}
	}
}

// A channel's points are equal in the `chart` and `trends` tools.
func TestChartAgreesWithTrends(t *testing.T) {
	t.Parallel()
	const args = `{"metric":"roas","channel":"google","granularity":"week","start_date":"2026-01-01","end_date":"2026-02-28","detail_level":"debug"`
	one := answerAs[ChartAnswer](t, "chart", args+`}`)
	apart := answerAs[ChartAnswer](t, "chart", args+`,"breakdown":"channel"}`)
	trend := answerAs[TrendsAnswer](t, "trends", args+`,"limit":100}`)
	if len(one.Rows) != len(trend.Rows) || len(apart.Rows) != len(trend.Rows) {
		t.Fatalf("%d points drawn, %d by channel, %d followed", len(one.Rows), len(apart.Rows), len(trend.Rows))
	}
	for i, r := range trend.Rows {
		if d := one.Rows[i]; d.Date != r.Date || *d.Value != *r.Value || d.Partial != r.Partial || *apart.Rows[i].Value != *r.Value {
			t.Errorf("%s: drawn %v, followed %v", r.Date, *d.Value, *r.Value)
		}
	}
}

func BenchmarkChart(b *testing.B) {
	s, w := fixtureService(b), newWorkspace("full")
	for name, args := range map[string]string{"line": `{"metric":"revenue"}`, "channels": `{"metric":"revenue","breakdown":"channel"}`, "pie": `{"metric":"revenue","chart_type":"pie"}`, "csv": `{"metric":"revenue","breakdown":"channel","format":"csv"}`} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w.Version++ // no answer is cached under it
				if _, err := s.Session(reader(w), "r1").CallTool(b.Context(), "chart", []byte(args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
