package plot_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
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

func TestIntervalsAndTargetsAreDrawn(t *testing.T) {
	t.Parallel()
	d := days()
	d.Ahead, d.Band, d.Goal = "Forecast", "90% interval", "Target"
	for _, i := range []int{0, 1, 4, 5} {
		v := float64(100 * i)
		d.Points[i].Ahead, d.Points[i].Low, d.Points[i].High, d.Points[i].Inner, d.Points[i].Goal = &v, new(v-50), new(v+900), &[2]float64{v - 5, v + 5}, &v
	}
	drawing := string(d.Draw(612))
	wellFormed(t, drawing)
	if n := strings.Count(drawing, `class="fan"`); n != 4 {
		t.Errorf("%d areas, want an outer and an inner one for each of two runs", n)
	}
	for _, want := range []string{`class="ahead"`, `class="target"`, "$1400", "90% interval"} {
		if !strings.Contains(drawing, want) {
			t.Errorf("the drawing lacks %q", want)
		}
	}
}

func TestWaterfallAddsUp(t *testing.T) {
	t.Parallel()
	w := plot.Waterfall{
		Label: "<b>", Axis: fmtOf, Value: fmtOf, Total: plot.Step{Name: "All", Value: 100, Color: "owned"},
		Steps: []plot.Step{{Name: "Base", Value: 60, Color: "other"}, {Name: `<script>`, Value: 40, Color: `"><script>`}},
	}
	for _, drawing := range []string{string(w.Draw(940)), string(w.Rows(350))} {
		wellFormed(t, drawing)
		if strings.Contains(drawing, "<script>") || strings.Count(drawing, `class="bar`) != 3 {
			t.Errorf("a text is not escaped, or not three bars: %s", drawing)
		}
	}
	const height, top, most = 220.0, 40.0, 100.0
	second := fmt.Sprintf(`y="%g"`, top) // the last step ends at the total
	if drawing := string(w.Draw(940)); strings.Count(drawing, second) != 2 || !strings.Contains(drawing, fmt.Sprintf(`y="%g"`, top+height*(1-60/most))) {
		t.Errorf("the steps do not end at the total: %s", drawing)
	}
}

func TestPicturesOfUnusualFiguresAreWellFormed(t *testing.T) {
	t.Parallel()
	one := 5.0
	for name, drawing := range map[string]string{
		"no points": string(plot.Days{Axis: fmtOf, Value: fmtOf, Title: civil.Date.Words, Tick: civil.Date.Short}.Draw(350)),
		"constant":  string(plot.Sparkline([]*float64{&one, &one, nil}, nil, "accent")), "scale": string(plot.NewScale(nil, 1, 100).Axis()),
		"far off": string(plot.NewScale([]float64{2}, 1, 100).Interval(99, 1, 200, `"><script>`)), "zero": string(plot.Bar(0, 0, 10, true, "good")),
		"progress": string(plot.Progress(0, 0, 0, 0, 0, 100)), "level": string(plot.Level(-1, 80, 0, `"><script>`)),
		"forest": string(plot.NewForest([]float64{-3}, []float64{2}, 1, 100).Whisker(0, -9, 9, `"><script>`)), "no forest": string(plot.NewForest(nil, nil, 0, 100).Axis()),
		"empty row": string(plot.NewForest(nil, nil, 0, 0).Empty()), "pair": string(plot.NewScale(nil, 0, 100).Pair(9, 0, 99, 5, `"><script>`)),
		"gap": string(plot.NewScale(nil, 0, 100).Gap(&one, 99, `"><script>`)), "shift": string(plot.Shift(0, 0, 0, 0, 0, 100, `"><script>`)),
		"range": string(plot.Range(0, 0, 0, 100, fmtOf)), "power": string(plot.Power{Lines: []plot.PowerLine{{Name: `<script>`}, {Values: []float64{5}}}}.Draw(350)),
		"no waterfall": string(plot.Waterfall{Axis: fmtOf, Value: fmtOf}.Draw(350)), "no rows": string(plot.Waterfall{Axis: fmtOf, Value: fmtOf}.Rows(350)),
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

// If labels are moved one after another, the loop may never end: because of rounding, a position plus 13 may differ from
// that position by less than 13.
func TestNamesOfDesignsDoNotTouch(t *testing.T) {
	t.Parallel()
	number := regexp.MustCompile(`class="name-end[^>]* y="([^"]*)"`)
	for i := range 2000 {
		first := 100 - float64(i)/20
		for _, others := range [][]float64{{first}, {first, first}, {first - 6.5, first - 3}, {0, 0}} {
			p := plot.Power{Most: 1, Lines: []plot.PowerLine{{Name: "Pause", Values: []float64{0, first}}}}
			for _, v := range others {
				p.Lines = append(p.Lines, plot.PowerLine{Name: "Other", Values: []float64{0, max(0, v)}})
			}
			var at []float64
			for _, found := range number.FindAllStringSubmatch(string(p.Draw(400)), -1) {
				y, err := strconv.ParseFloat(found[1], 64)
				if err != nil {
					t.Fatal(err)
				}
				at = append(at, y)
			}
			slices.Sort(at)
			if len(at) != len(p.Lines) || at[0] < 24 || at[len(at)-1] > 230 {
				t.Fatalf("lines end at %v and %v, names at %v", first, others, at)
			}
			for j := range at[1:] {
				if at[j+1]-at[j] < 12.8 { // positions have one decimal
					t.Fatalf("lines end at %v and %v, names at %v", first, others, at)
				}
			}
		}
	}
}

func TestNegativeValuesOfDaysAreInsideTheChart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		values []float64
		ticks  []string
	}{
		{"a day with more refunds than sales", []float64{400, -250, 300}, []string{"$-300", "$0", "$400"}},
		{"only refunds", []float64{-40, -390, 0}, []string{"$-400", "$0"}},
	} {
		d := plot.Days{Label: "Revenue", Name: "Revenue", Lower: "Spend", Axis: dollars, Value: dollars, Title: civil.Date.Words, Tick: civil.Date.Short}
		for i := range c.values {
			d.Points = append(d.Points, plot.Day{Date: civil.New(2026, time.June, 1+i), Value: &c.values[i], Lower: new(10.0)})
		}
		drawing := string(d.Draw(640))
		line := regexp.MustCompile(`class="now" d="([^"]*)"`).FindStringSubmatch(drawing)[1]
		ys := regexp.MustCompile(`[ML]-?[\d.]+ (-?[\d.]+)`).FindAllStringSubmatch(line, -1)
		if len(ys) != len(c.values) {
			t.Fatalf("%s: line %q has %d points, want %d", c.name, line, len(ys), len(c.values))
		}
		for i, at := range ys {
			if y, err := strconv.ParseFloat(at[1], 64); err != nil || y < 26 || y > 234 {
				t.Errorf("%s: y of %v is %v, want from 26 to 234", c.name, c.values[i], at[1])
			}
		}
		for _, tick := range c.ticks {
			if !strings.Contains(drawing, ">"+tick+"<") {
				t.Errorf("%s: the axis has no %s", c.name, tick)
			}
		}
	}
}
