package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"assay/internal/civil"
)

// drawn returns the SVG of a chart and fails the test if the chart cannot be drawn or the SVG is not XML.
func drawn(t *testing.T, c Chart) string {
	t.Helper()
	svg, err := Draw(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := wellFormed(svg); err != nil {
		t.Fatalf("%v in\n%s", err, svg)
	}
	return string(svg)
}

func wellFormed(svg []byte) error {
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestPicturesHaveWordsForReadersWhoCannotSee(t *testing.T) {
	t.Parallel()
	c := Chart{
		Title: "Spend & more", Metric: "Spend", Unit: Money, Currency: "EUR",
		Series: []Series{{Name: "google", Points: []Point{
			{Date: samplesFrom, Value: 1234.5}, {Date: samplesFrom.AddDays(1), Value: 12.5}, {Date: samplesFrom.AddDays(2), Value: 99, Partial: true},
		}}, {Name: "tiktok"}},
	}
	var doc struct {
		Role  string `xml:"role,attr"`
		Title string `xml:"title"`
		Desc  string `xml:"desc"`
	}
	if err := xml.Unmarshal([]byte(drawn(t, c)), &doc); err != nil {
		t.Fatal(err)
	}
	want := "Line chart of Spend (EUR). By day, Oct 1 – Oct 3, 2026. google: lowest €12.50 on Oct 2, 2026, " +
		"highest €1,235 on Oct 1, 2026, last €99.00 on Oct 3, 2026. tiktok: no data. " +
		"Hollow point, dotted line: day not complete. No data: tiktok."
	if doc.Role != "img" || doc.Title != "Spend & more" || doc.Desc != want {
		t.Errorf("role %q, title %q, description\n%s, want\n%s", doc.Role, doc.Title, doc.Desc, want)
	}
}

// If several days have the lowest or the highest value, the description names the first day.
func TestWordsNameTheFirstOfEqualValues(t *testing.T) {
	t.Parallel()
	var points []Point
	for i, value := range []float64{5, 9, 5, 9, 7} {
		points = append(points, Point{Date: samplesFrom.AddDays(i), Value: value})
	}
	svg := drawn(t, Chart{Metric: "Orders", Series: []Series{{Name: "all", Points: points}, {Name: "one", Points: points[1:2]}}})
	for _, want := range []string{
		"all: lowest 5 on Oct 1, 2026, highest 9 on Oct 2, 2026, last 7 on Oct 5, 2026.", "one: 9 on Oct 2, 2026.",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
}

func TestEmptyChartsSayThatThereIsNoData(t *testing.T) {
	t.Parallel()
	missing := []Series{{Name: "email", Points: []Point{{Date: samplesFrom, Missing: true}}}}
	for _, kind := range []Kind{Line, Bar, Pie} {
		for _, series := range [][]Series{nil, {{}}, missing} {
			if svg := drawn(t, Chart{Kind: kind, Series: series}); !strings.Contains(svg, ">"+nothing+"<") {
				t.Errorf("a %s of %v does not say %q", kind, series, nothing)
			}
		}
	}
}

func TestPiesSayWhatTheyLeaveOut(t *testing.T) {
	t.Parallel()
	of := func(name string, v float64) Series {
		return Series{Name: name, Points: []Point{{Date: samplesFrom, Value: v}}}
	}
	svg := drawn(t, Chart{Kind: Pie, Series: []Series{of("google", 3), of("email", 0), of("refunds", -2)}})
	for _, want := range []string{">google 100%<", "Below zero, not drawn: refunds (−2)", "Value of zero: email"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not in\n%s", want, svg)
		}
	}
	svg = drawn(t, Chart{Kind: Pie, Series: []Series{of("refunds", -2)}})
	if want := ">No value is above zero in this period<"; !strings.Contains(svg, want) {
		t.Errorf("%q is not in\n%s", want, svg)
	}
}

func TestAxesThatDoNotStartAtZeroSaySo(t *testing.T) {
	t.Parallel()
	of := func(values ...float64) []Series {
		var points []Point
		for i, v := range values {
			points = append(points, Point{Date: samplesFrom.AddDays(i), Value: v})
		}
		return []Series{{Points: points}}
	}
	cases := []struct {
		name  string
		chart Chart
		cut   bool
	}{
		{"lines far above zero", Chart{Unit: Money, Series: of(1000, 1100)}, true},
		{"bars far above zero", Chart{Unit: Money, Kind: Bar, Series: of(1000, 1100)}, false},
		{"lines that reach down", Chart{Unit: Money, Series: of(500, 1100)}, false},
		{"lines that hardly move", Chart{Unit: Money, Series: of(1000, 1001)}, false},
		{"a level line", Chart{Unit: Money, Series: of(1000, 1000)}, false},
		{"few orders", Chart{Series: of(20, 22)}, false},
		{"lines below zero", Chart{Unit: Money, Series: of(-1000, -1100)}, false},
	}
	for _, c := range cases {
		if got := strings.Contains(drawn(t, c.chart), "not at zero"); got != c.cut {
			t.Errorf("%s: states that the axis is cut: %v, want %v", c.name, got, c.cut)
		}
	}
}

func TestFewAndManySeriesAndPointsAreDrawn(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{Line, Bar, Pie} {
		for _, series := range []int{1, 5, 12} {
			for _, n := range []int{1, 2, 31, 731} {
				for _, size := range [][2]int{{320, 200}, {2000, 300}} {
					c := Chart{Kind: kind, Series: waves(channels[:series], n), Width: size[0], Height: size[1], Stacked: n%2 == 0}
					svg := drawn(t, c)
					for _, bad := range []string{"NaN", "Inf"} {
						if strings.Contains(svg, bad) {
							t.Fatalf("%s of %d series with %d points at %v: %s in the picture", kind, series, n, size, bad)
						}
					}
				}
			}
		}
	}
}

func TestGapsBreakLines(t *testing.T) {
	t.Parallel()
	dots := []dot{{slot: 0}, {slot: 1}, {slot: 3}, {slot: 4, Point: Point{Partial: true}}, {slot: 6}}
	got := runs(dots, func(d dot) vg.Point { return vg.Point{X: vg.Length(d.slot)} })
	if len(got) != 2 || len(got[0].points) != 2 || got[0].partial || len(got[1].points) != 2 || !got[1].partial {
		t.Errorf("runs = %+v, want 0-1 whole and 3-4 partial", got)
	}
}

func TestWhatCannotBeDrawnIsRefused(t *testing.T) {
	t.Parallel()
	at := func(p ...Point) Chart { return Chart{Series: []Series{{Name: "email", Points: p}}} }
	day := samplesFrom
	cases := map[string]Chart{
		"kind":             {Kind: "donut"},
		"unit":             {Unit: "kg"},
		"theme":            {Theme: "sepia"},
		"granularity":      {Granularity: "hour"},
		"width":            {Width: 100},
		"height":           {Height: 5000},
		"negative width":   {Width: -1},
		"series":           {Series: make([]Series, 13)},
		"annotations":      {Annotations: make([]Annotation, 41)},
		"ratios in a pie":  {Kind: Pie, Unit: Ratio},
		"no date":          at(Point{Value: 1}),
		"not a number":     at(Point{Date: day, Value: math.NaN()}),
		"infinite":         at(Point{Date: day, Value: math.Inf(-1)}),
		"huge":             at(Point{Date: day, Value: 1e16}),
		"band upside down": at(Point{Date: day, Band: &Band{2, 1}}),
		"band of nothing":  at(Point{Date: day, Band: &Band{math.NaN(), 1}}),
		"same day twice":   at(Point{Date: day}, Point{Date: day}),
		"out of order":     at(Point{Date: day}, Point{Date: day.AddDays(-1)}),
		"too long":         at(Point{Date: day}, Point{Date: day.AddDays(MaxSlots)}),
		"one week twice":   {Granularity: civil.ByWeek, Series: at(Point{Date: civil.MustParse("2026-10-05")}, Point{Date: civil.MustParse("2026-10-11")}).Series},
	}
	for name, c := range cases {
		if svg, err := Draw(c); !refused(err) || svg != nil {
			t.Errorf("%s: got %d bytes and error %v, want a refusal", name, len(svg), err)
		}
	}
}

func refused(err error) bool {
	var invalid *InvalidError
	return errors.As(err, &invalid)
}

func TestSlotsAndDaysAgree(t *testing.T) {
	t.Parallel()
	for _, g := range []civil.Granularity{civil.ByDay, civil.ByWeek, civil.ByMonth} {
		s := sheet{Chart: Chart{Granularity: g}, days: civil.Range{First: civil.MustParse("2025-01-31"), Last: civil.MustParse("2028-03-01")}}
		for i, bucket := range s.days.Buckets(g) {
			if got := s.slot(bucket.Last); got != i {
				t.Errorf("by %s: %s is in slot %d, want %d", g, bucket.Last, got, i)
			}
			if got := s.day(i); got != g.Start(bucket.First) {
				t.Errorf("by %s: slot %d starts on %s, want %s", g, i, got, g.Start(bucket.First))
			}
		}
	}
}

func TestPNGHasTheSizeAndColoursAskedFor(t *testing.T) {
	t.Parallel()
	for _, theme := range []Theme{Light, Dark} {
		c := Chart{Kind: Bar, Theme: theme, Series: []Series{{Points: []Point{{Date: samplesFrom, Value: 10}}}}}
		img := decoded(t, c, 600, 2)
		if got, want := img.Bounds().Size(), image.Pt(1200, 674); got != want {
			t.Errorf("%s: %v dots, want %v", theme, got, want)
		}
		colours := paletteOf(theme)
		for at, want := range map[image.Point]color.RGBA{{2, 2}: colours.ground, {1197, 671}: colours.ground, {610, 400}: colours.series[0]} {
			if got := color.RGBAModel.Convert(img.At(at.X, at.Y)); got != want {
				t.Errorf("%s: color at %v is %v, want %v", theme, at, got, want)
			}
		}
	}
	if got, want := decoded(t, Chart{}, 0, 1).Bounds().Size(), image.Pt(800, 450); got != want {
		t.Errorf("by default %v dots, want %v", got, want)
	}
	for _, scale := range []float64{0, -1, 0.1, 9, math.NaN(), math.Inf(1)} {
		if _, err := PNG(Chart{}, 800, scale); !refused(err) {
			t.Errorf("scale %v: error %v, want a refusal", scale, err)
		}
	}
	if _, err := PNG(Chart{Width: 4000, Height: 4000}, 0, 2); !refused(err) {
		t.Errorf("64 million dots: error %v, want a refusal", err)
	}
}

func decoded(t *testing.T, c Chart, width int, scale float64) image.Image {
	t.Helper()
	data, err := PNG(c, width, scale)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func FuzzDraw(f *testing.F) {
	f.Add("<b>Sale</b>", "\x00\x1b[31m\u202e]]>", 1.5, -3e7, uint16(31), uint8(0))
	f.Add("e\u0301\u0301\u0301\u0301\u0301\u0301 🏳️‍🌈", "&#0;", 1e15, 1e-300, uint16(1), uint8(255))
	f.Add("\xff\xfe", "מבצע", 0.0, 0.0, uint16(730), uint8(17))
	f.Fuzz(func(t *testing.T, title, name string, first, step float64, n uint16, form uint8) {
		points := make([]Point, int(n)%200)
		for i := range points {
			v := first + step*float64(i)
			points[i] = Point{Date: samplesFrom.AddDays(7 * i), Value: v, Missing: i%5 == int(form)%7, Partial: form&16 != 0 && i%3 == 0}
			if form&32 != 0 {
				points[i].Band = &Band{v - math.Abs(step), v + math.Abs(step)}
			}
		}
		c := Chart{
			Kind: []Kind{Line, Bar, Pie}[form%3], Title: title, Metric: name, Unit: []Unit{Money, Count}[form>>2&1], BandName: title,
			Granularity: []civil.Granularity{civil.ByDay, civil.ByWeek}[form>>3&1], Stacked: form&64 != 0, Width: 320 + int(n)%900, Height: 200 + int(n)%300,
			Series:      []Series{{Name: name, Points: points}, {Name: title, Points: points}, {Name: name + title}},
			Annotations: []Annotation{{samplesFrom.AddDays(7), title}, {samplesFrom.AddDays(8), name}},
		}
		svg, err := Draw(c)
		if refused(err) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := wellFormed(svg); err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		for _, bad := range []string{"NaN", "Inf", "<b>", "<script"} {
			if strings.Contains(string(svg), bad) && !strings.Contains(title+name, bad) || strings.Contains(string(svg), "<b>") {
				t.Fatalf("%s in\n%s", bad, svg)
			}
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	c := Chart{Title: "Revenue by channel", Metric: "Revenue", Unit: Money, Currency: "USD", Series: waves(channels, 92)}
	for _, kind := range []Kind{Line, Bar, Pie} {
		c.Kind = kind
		b.Run(string(kind), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Draw(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPNG draws the chart of the tool; the budget is 20 ms on one core.
func BenchmarkPNG(b *testing.B) {
	c := Chart{Title: "Revenue by channel", Metric: "Revenue", Unit: Money, Currency: "USD", Series: waves(channels[:6], 92), Annotations: crowd(12, 92)}
	for _, kind := range []Kind{Line, Bar, Pie} {
		c.Kind = kind
		b.Run(string(kind), func(b *testing.B) {
			for b.Loop() {
				if _, err := PNG(c, 0, 1.25); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	c.Kind, c.Series = Line, waves(channels, 92)
	b.Run("twelve-lines", func(b *testing.B) {
		for b.Loop() {
			if _, err := PNG(c, 0, 1.25); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestIndexedPictureKeepsTheGroundAndStaysClose(t *testing.T) {
	t.Parallel()
	full := image.NewRGBA(image.Rect(0, 0, 40, 40))
	for i := range 1600 { // about 1,600 colors, more than a palette can contain
		full.SetRGBA(i%40, i/40, color.RGBA{R: uint8(i), G: uint8(i / 7), B: uint8(i / 13), A: 0xff})
	}
	ground := color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	full.SetRGBA(39, 39, ground)
	got := indexed(full, ground)
	if p, ok := got.(*image.Paletted); !ok || len(p.Palette) > 256 {
		t.Fatalf("a picture of %T", got)
	}
	if got.At(39, 39) != ground {
		t.Errorf("the ground became %v", got.At(39, 39))
	}
	for i := range 1599 {
		want, have := full.RGBAAt(i%40, i/40), got.At(i%40, i/40).(color.RGBA)
		if d := max(absInt(int(want.R)-int(have.R)), absInt(int(want.G)-int(have.G)), absInt(int(want.B)-int(have.B))); d >= 32 {
			t.Fatalf("dot %d: %v became %v", i, want, have)
		}
	}
}

func absInt(n int) int { return max(n, -n) }
