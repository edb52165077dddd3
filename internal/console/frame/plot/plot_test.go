package plot_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/console/frame/plot"
)

func days() plot.Days {
	d := plot.Days{
		Label: `<b>"label"</b>`, Name: "Revenue", Earlier: "Before", Lower: "Spend",
		Notes: []plot.Note{{Date: civil.New(2026, time.January, 2), Label: `</svg><script>`}},
		Axis:  func(x float64) string { return fmt.Sprintf("$%.0f", x) }, Value: func(x float64) string { return fmt.Sprintf("$%.0f", x) },
		Title: civil.Date.Words, Tick: civil.Date.Short,
	}
	for i := range 6 {
		v := float64(100 * (i + 1))
		p := plot.Day{Date: civil.New(2026, time.January, 1+i), Value: &v, Before: &v, Lower: &v, Expected: &v}
		switch i {
		case 2:
			p.Value = nil
		case 3:
			p.Anomaly, p.Expected = true, new(50.0)
		case 5:
			p.Partial = true
		}
		d.Points = append(d.Points, p)
	}
	return d
}

// wellFormed reports an error if the drawing is not well-formed XML.
func wellFormed(t *testing.T, drawing string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(drawing))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, drawing)
		}
	}
}

func TestDaysAreDrawnWithGapsAnomaliesAndTheUnfinishedDay(t *testing.T) {
	t.Parallel()
	for _, width := range []int{350, 724} {
		drawing := string(days().Draw(width))
		wellFormed(t, drawing)
		for _, want := range []string{`class="ring"`, "Jan 4: $400", "expected $50", "so far", `class="hollow"`, "data-points", `class="note"`} {
			if !strings.Contains(drawing, want) {
				t.Errorf("%d pixels: no %q", width, want)
			}
		}
		_, line, _ := strings.Cut(drawing, `class="now" d="`)
		line, _, _ = strings.Cut(line, `"`)
		if strings.Count(line, "M") != 2 {
			t.Errorf("the line %q has no gap at the unknown day", line)
		}
		if strings.Contains(drawing, "<script>") || strings.Contains(drawing, "<b>") || strings.Contains(drawing, "style=") {
			t.Error("a text is not escaped, or there is an inline style")
		}
	}
}

func TestPicturesOfUnusualFiguresAreWellFormed(t *testing.T) {
	t.Parallel()
	one := 5.0
	for name, drawing := range map[string]string{
		"no points": string(plot.Days{Axis: fmtOf, Value: fmtOf, Title: civil.Date.Words, Tick: civil.Date.Short}.Draw(350)),
		"constant":  string(plot.Sparkline([]*float64{&one, &one, nil}, nil, "accent")), "scale": string(plot.NewScale(nil, 1, 100).Axis()),
		"far off": string(plot.NewScale([]float64{2}, 1, 100).Interval(99, 1, 200, `"><script>`)), "zero": string(plot.Bar(0, 0, 10, true, "good")),
		"progress": string(plot.Progress(0, 0, 0, 0, 0, 100)),
	} {
		wellFormed(t, drawing)
		if strings.Contains(drawing, "NaN") || strings.Contains(drawing, "Inf") || strings.Contains(drawing, "<script>") {
			t.Errorf("%s: %s", name, drawing)
		}
	}
	if plot.Sparkline([]*float64{&one}, nil, "accent") != "" {
		t.Error("one value has a course")
	}
}

func fmtOf(x float64) string { return fmt.Sprint(x) }
