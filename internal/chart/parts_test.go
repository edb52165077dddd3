package chart

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg"

	"assay/internal/civil"
	"assay/internal/money"
)

func TestAxesHaveRoundValues(t *testing.T) {
	t.Parallel()
	cases := []struct {
		low, high float64
		most      int
		unit      Unit
		currency  money.Currency
		want      string
	}{
		{0, 97, 5, Count, "", "0 20 40 60 80 100"},
		{0, 2, 5, Count, "", "0 1 2"},
		{0, 0, 5, Count, "", "0 1"},
		{0, 0.9, 5, Ratio, "", "0 0.2 0.4 0.6 0.8 1.0"},
		{0, 3.2, 4, Ratio, "", "0 1 2 3 4"},
		{0, 8_700, 5, Money, "USD", "$0 $2k $4k $6k $8k $10k"},
		{0, 4_700, 5, Money, "USD", "$0 $1,000 $2,000 $3,000 $4,000 $5,000"},
		{0, 61_000, 4, Money, "EUR", "€0 €20k €40k €60k €80k"},
		{0, 1_250_000, 5, Money, "GBP", "£0 £0.5M £1.0M £1.5M"},
		{0, 4.1e9, 4, Money, "SEK", "0 2B 4B 6B"},
		{-12_000, 31_000, 5, Money, "USD", "−$20k −$10k $0 $10k $20k $30k $40k"},
		{-5, -1, 5, Count, "", "−5 −4 −3 −2 −1"},
		{46_200, 55_800, 5, Money, "USD", "$46k $48k $50k $52k $54k $56k"},
		{0, 1e15, 4, Money, "JPY", "¥0 ¥500T ¥1,000T"},
		{0, 1e-12, 4, Ratio, "", "0 0.000001"},
	}
	for _, c := range cases {
		s := niceScale(c.low, c.high, c.most, c.unit == Count)
		f := s.figures(c.unit, c.currency)
		var got []string
		for _, v := range s.ticks() {
			got = append(got, f.text(v))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%v to %v %s (-want +got):\n%s", c.low, c.high, c.unit, diff)
		}
	}
}

func TestScalesHoldTheirValues(t *testing.T) {
	t.Parallel()
	for exponent := -9; exponent <= 15; exponent++ {
		for _, m := range []float64{1, 1.3, 2, 4.999, 5, 7.77, 9.99} {
			high := m * math.Pow10(exponent)
			for _, low := range []float64{0, -high, -high / 7, high * .8} {
				s := niceScale(low, high, 6, false)
				if s.low > low+1e-9*high || s.high() < high*(1-1e-8) || s.steps > 12 {
					t.Errorf("%v to %v: the scale goes from %v to %v in %d steps", low, high, s.low, s.high(), s.steps)
				}
			}
		}
	}
}

func TestDatesAreNamedInARhythmThatFits(t *testing.T) {
	t.Parallel()
	cases := []struct {
		granularity civil.Granularity
		first, last string
		wide        float64
		want        string
	}{
		{civil.ByDay, "2026-10-29", "2026-11-04", 700, "Oct 29 2026|Oct 30|Oct 31|Nov 1|Nov 2|Nov 3|Nov 4"},
		{civil.ByDay, "2026-12-01", "2027-01-31", 500, "Dec 7 2026|Dec 14|Dec 21|Dec 28|Jan 4 2027|Jan 11|Jan 18|Jan 25"},
		{civil.ByDay, "2025-01-01", "2026-12-31", 400, "Jan 1 2025|Apr 1|Jul 1|Oct 1|Jan 1 2026|Apr 1|Jul 1|Oct 1"},
		{civil.ByWeek, "2026-10-05", "2026-11-29", 600, "Oct 5 2026|Oct 12|Oct 19|Oct 26|Nov 2|Nov 9|Nov 16|Nov 23"},
		{civil.ByMonth, "2025-11-15", "2026-03-15", 500, "Nov 2025|Dec|Jan 2026|Feb|Mar"},
		{civil.ByMonth, "2021-01-01", "2026-12-31", 250, "Jan 2021|Jan 2022|Jan 2023|Jan 2024|Jan 2025|Jan 2026"},
		{civil.ByDay, "2026-10-07", "2026-10-08", 30, "Oct 7 2026"},
	}
	for _, c := range cases {
		s := sheet{Chart: Chart{Granularity: c.granularity}, days: civil.Range{First: civil.MustParse(c.first), Last: civil.MustParse(c.last)}}
		s.slots = s.slot(s.days.Last) + 1
		wide := func(label string) float64 { return 6 * float64(len(label)) }
		at := func(slot int) float64 { return float64(slot) * c.wide / float64(s.slots) }
		var got []string
		for _, tick := range s.dateTicks(wide, at) {
			label := tick.label
			if tick.year != 0 {
				label += civil.New(tick.year, 1, 1).UTC().Format(" 2006")
			}
			got = append(got, label)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("by %s from %s to %s (-want +got):\n%s", c.granularity, c.first, c.last, diff)
		}
	}
}

// Labels of weeks are 1, 2, 4 or 8 weeks apart, counted from a fixed Monday. Then the first week of a month follows.
func TestWeeksAreLabeledAtEqualDistances(t *testing.T) {
	t.Parallel()
	all := rhythms(civil.ByWeek)
	for i, weeks := range []int{1, 2, 4, 8} {
		labeled := 0
		for n := range 80 {
			week := civil.MustParse("2026-01-05").AddDays(7 * n)
			if named := all[i](week); named != (week.Sub(aMonday)/7%weeks == 0) {
				t.Errorf("every %d weeks: the week of %s has a label: %v", weeks, week, named)
			} else if named {
				labeled++
			}
		}
		if labeled != 80/weeks {
			t.Errorf("every %d weeks: %d of 80 weeks have a label", weeks, labeled)
		}
	}
	for day, want := range map[string]bool{"2026-04-27": true, "2026-05-04": false, "2026-06-01": true, "2026-05-25": false} { // Friday, May 1, and Monday, June 1
		if got := all[4](civil.MustParse(day)); got != want {
			t.Errorf("the week of %s contains the first of a month: %v, want %v", day, got, want)
		}
	}
}

// Entries stay in a row while they fit. The first entry of a row has a place even if it is wider than the area.
func TestEntriesOfALegendFillItsRows(t *testing.T) {
	t.Parallel()
	s := sheet{Chart: Chart{Kind: Bar}}
	names := func(n int) (all []named) {
		for range n {
			all = append(all, named{text: "channel"})
		}
		return all
	}
	entry := s.swatchWide() + legendGap + width(letters(nameSize, s.theme.ink), "channel")
	const left, top = 10, 200
	for _, c := range []struct {
		what         string
		names        int
		wide, height vg.Length
		rows         []int // entries by row
		more         int
	}{
		{"all in one row", 3, 3*entry + 2*18 + 0.01, 100, []int{3}, 0},
		{"the third does not fit", 3, 3*entry + 2*18 - 1, 100, []int{2, 1}, 0},
		{"one by row", 3, entry + 1, 100, []int{1, 1, 1}, 0},
		{"two rows have space", 5, 2*entry + 18 + 0.01, 2 * legendRow, []int{2, 2}, 1},
		{"an area narrower than a swatch", 2, 4, 100, []int{1, 1}, 0},
		{"an area lower than a row", 2, entry + 1, 5, []int{1}, 1},
		{"no entries", 0, 100, 100, nil, 0},
	} {
		area := vg.Rectangle{Min: vg.Point{X: left, Y: top - c.height}, Max: vg.Point{X: left + c.wide, Y: top}}
		items, more := s.legend(area, names(c.names), 0)
		var rows []int
		for _, item := range items {
			row := int((top - legendRow/2 - item.at.Y) / legendRow)
			for len(rows) <= row {
				rows = append(rows, 0)
			}
			if rows[row]++; rows[row] == 1 && item.at.X != left {
				t.Errorf("%s: row %d begins at %v, want %v", c.what, row, item.at.X, left)
			}
		}
		if !slices.Equal(rows, c.rows) || more != c.more {
			t.Errorf("%s: %v entries by row and %d more, want %v and %d", c.what, rows, more, c.rows, c.more)
		}
	}
}

func TestUntrustedTextsAreCleaned(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"  two\n\twords ":                    "two words",
		"a\x00b\x1b[31mc\u0085d":             "ab[31mc d",
		"\u202eevil\u202c \u2066x\u2069":     "evil x",
		"\ufeffbom\ufffe\U0001ffff":          "bom",
		"family 👨\u200d👩\u200d👧":             "family 👨\u200d👩\u200d👧",
		"\xffbad":                            "\ufffdbad",
		"e" + strings.Repeat("\u0301", 50):   "e" + strings.Repeat("\u0301", maxAccents),
		strings.Repeat("x", 2*maxText):       strings.Repeat("x", maxText),
		"<b>&amp;\"quoted\"</b>":             "<b>&amp;\"quoted\"</b>",
		"מבצע סתיו":                          "מבצע סתיו",
		"private \ue000use and soft\u00adhy": "private use and softhy",
	}
	for in, want := range cases {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLongNamesAreShortenedBetweenLetters(t *testing.T) {
	t.Parallel()
	sty := letters(12, color.Black)
	for _, s := range []string{
		"an autumn campaign with a very long name", strings.Repeat("👩\u200d👩\u200d👧", 20), strings.Repeat("e\u0301", 60), "夏のセール夏のセール夏のセール",
	} {
		got := shortened(sty, s, 100)
		kept, isShort := strings.CutSuffix(got, "…")
		if !isShort || !strings.HasPrefix(s, kept) || width(sty, got) > 100 {
			t.Errorf("%q shortened to %q, %v wide", s, got, width(sty, got))
		}
		if rest := []rune(s[len(kept):]); joins(rest[0]) || strings.HasSuffix(kept, "\u200d") {
			t.Errorf("%q is cut inside a letter: %q", s, got)
		}
	}
	if got := shortened(sty, "short", 100); got != "short" {
		t.Errorf("a text that fits became %q", got)
	}
	if got := wrapped(sty, "one two three four five six seven eight", 90, 2); len(got) != 2 || !strings.HasSuffix(got[1], "…") {
		t.Errorf("wrapped to %q, want two lines with an ellipsis", got)
	}
}

func TestDotsShowTextsAsABrowserDoes(t *testing.T) {
	t.Parallel()
	sty := letters(12, color.Black)
	face := sty.Handler.Cache().Lookup(sty.Font, sty.Font.Size)
	cases := map[string]string{
		"plain, 100 % text": "plain, 100 % text",
		"sale שלום now":     "sale םולש now",
		"夏 sale 👩\u200d👧":   "□ sale □\u200d□",
		"":                  "",
	}
	for in, want := range cases {
		if got := boxed(face, visual(in)); got != want {
			t.Errorf("%q is drawn as %q, want %q", in, got, want)
		}
	}
}

func FuzzVisual(f *testing.F) {
	f.Add("sale שלום 12 (now)")
	f.Fuzz(func(t *testing.T, s string) {
		s = clean(s)
		if got := visual(s); len(got) != len(s) {
			t.Errorf("visual(%q) = %q: letters were lost", s, got)
		}
	})
}

func TestNamesAtEndsDoNotTouch(t *testing.T) {
	t.Parallel()
	for _, ys := range [][]float64{{50, 50, 50, 50, 50}, {0, 1, 2, 3, 4}, {200, 199, 198, 100}, {200, 0}, {90}} {
		var ends []end
		for i, y := range ys {
			ends = append(ends, end{series: i, y: vg.Length(y)})
		}
		spread(ends, 0, 200)
		for i, e := range ends {
			if e.y < 0 || e.y > 200 || i > 0 && ends[i-1].y-e.y < endHigh-1e-9 {
				t.Errorf("ends at %v are named at %+v", ys, ends)
				break
			}
		}
	}
}

// luminance and contrast follow WCAG 2.2.
func luminance(c color.RGBA) float64 {
	v := linear(c)
	return .2126*v[0] + .7152*v[1] + .0722*v[2]
}

func contrast(a, b color.RGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func linear(c color.RGBA) (out [3]float64) {
	for i, v := range []uint8{c.R, c.G, c.B} {
		x := float64(v) / 255
		if x <= .04045 {
			out[i] = x / 12.92
		} else {
			out[i] = math.Pow((x+.055)/1.055, 2.4)
		}
	}
	return out
}

// Labels of annotations touch neither each other nor the edges, for any number of labels and any width.
func TestNamesOfAnnotationsDoNotTouch(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{Line, Bar} {
		for _, wide := range []int{320, 600, 800, 1200} {
			for _, days := range []int{1, 7, 31, 92, 731} {
				for _, n := range []int{1, 2, 3, 4, 6, 9, 12, 20, maxMarks} {
					s, err := newSheet(Chart{Kind: kind, Width: wide, Height: max(minHeight, wide*9/16), Series: []Series{{Points: sales(days, 100, .2, 0)}}, Annotations: crowd(n, days)})
					if err != nil {
						t.Fatal(err)
					}
					marksApart(t, s)
				}
			}
		}
	}
}

func marksApart(t *testing.T, s sheet) {
	t.Helper()
	frame := vg.Rectangle{Min: vg.Point{X: 60}, Max: vg.Point{X: vg.Length(s.Width) - margin, Y: 100}}
	rows, left := s.markRows(frame)
	var plates []vg.Rectangle
	for _, r := range rows {
		if r.row < 0 {
			continue
		}
		p := r.plate(r.at, frame.Max.Y)
		for _, line := range rows {
			if line.row > r.row && line.at > p.Min.X && line.at < p.Max.X {
				t.Errorf("%s %d wide, %d slots, %d marks: the line to %q crosses %q", s.Kind, s.Width, s.slots, len(rows), line.text, r.text)
			}
		}
		if p.Min.X < frame.Min.X-4 || p.Max.X > vg.Length(s.Width) || width(letters(noteSize, s.theme.ink), r.text) > p.Size().X {
			t.Errorf("%s %d wide, %d marks: %q extends from %.0f to %.0f", s.Kind, s.Width, len(rows), r.text, p.Min.X, p.Max.X)
		}
		for _, other := range plates {
			if p.Min.X < other.Max.X && other.Min.X < p.Max.X && p.Min.Y < other.Max.Y && other.Min.Y < p.Max.Y {
				t.Errorf("%s %d wide, %d slots, %d marks: two labels touch: %v and %v", s.Kind, s.Width, s.slots, len(rows), p, other)
			}
		}
		plates = append(plates, p)
	}
	if len(plates)+left != len(s.marks) {
		t.Errorf("%d names and %d without room, want %d in all", len(plates), left, len(s.marks))
	}
}

func TestColoursStandOutFromTheirGround(t *testing.T) {
	t.Parallel()
	for theme, p := range palettes {
		for i, c := range p.series {
			if got := contrast(c, p.ground); got < 3 {
				t.Errorf("%s: series %d has a contrast of %.2f, want 3 (WCAG 1.4.11, graphics)", theme, i, got)
			}
		}
		for name, c := range map[string]color.RGBA{"ink": p.ink, "soft": p.soft} {
			if got := contrast(c, p.ground); got < 4.5 {
				t.Errorf("%s: %s has a contrast of %.2f, want 4.5 (WCAG 1.4.3, text)", theme, name, got)
			}
		}
	}
}

// vision contains the linear RGB transformations of full protanopia, deuteranopia and tritanopia: Machado, Oliveira and
// Fernandes (2009), table 1, severity 1.0.
var vision = map[string][3][3]float64{
	"full":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
	"deuteranopia": {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
	"tritanopia":   {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}},
}

// oklab returns the Oklab coordinates of a linear RGB color. Distances between Oklab colors are perceptual (Ottosson
// 2020).
func oklab(rgb [3]float64) [3]float64 {
	r, g, b := rgb[0], rgb[1], rgb[2]
	l := math.Cbrt(.4122214708*r + .5363325363*g + .0514459929*b)
	m := math.Cbrt(.2119034982*r + .6806995451*g + .1073969566*b)
	s := math.Cbrt(.0883024619*r + .2817188376*g + .6299787005*b)
	return [3]float64{
		.2104542553*l + .7936177850*m - .0040720468*s,
		1.9779984951*l - 2.4285922050*m + .4505937099*s,
		.0259040371*l + .7827717662*m - .8086757660*s,
	}
}

func TestColoursDifferForEveryKindOfVision(t *testing.T) {
	t.Parallel()
	// The minimum distance is five times the just noticeable difference in Oklab, which is 0.02.
	const apart = .1
	for theme, p := range palettes {
		for kind, m := range vision {
			seen := make([][3]float64, len(p.series))
			for i, c := range p.series {
				v := linear(c)
				for row := range m {
					seen[i][row] = min(1, max(0, m[row][0]*v[0]+m[row][1]*v[1]+m[row][2]*v[2]))
				}
				seen[i] = oklab(seen[i])
				for j := range i {
					if got := math.Hypot(math.Hypot(seen[i][0]-seen[j][0], seen[i][1]-seen[j][1]), seen[i][2]-seen[j][2]); got < apart {
						t.Errorf("%s, %s: series %d and %d are %.3f apart, want %v", theme, kind, i, j, got, apart)
					}
				}
			}
		}
	}
}

func TestNoTwoSeriesLookAlike(t *testing.T) {
	t.Parallel()
	type look struct {
		color   color.RGBA
		striped bool
	}
	seen := map[look]int{}
	for i := range MaxSeries {
		s := paletteOf(Light).style(i)
		if other, ok := seen[look{s.color, s.striped}]; ok {
			t.Errorf("series %d looks like series %d", i, other)
		}
		seen[look{s.color, s.striped}] = i
		if s.striped != (s.dashes != nil) {
			t.Errorf("series %d is striped as a bar and not dashed as a line, or vice versa", i)
		}
	}
}

// Positive values are stacked upward and negative ones downward. A bar of zero is at the top of the positive bars.
func TestStackedBarsStartWhereTheOthersEnd(t *testing.T) {
	t.Parallel()
	stacked := sheet{Chart: Chart{Kind: Bar, Stacked: true}, slots: 2}
	for _, value := range []float64{3, -2, 0, 4, -1} {
		stacked.tracks = append(stacked.tracks, track{dots: []dot{{Point: Point{Value: value}, slot: 1}}})
	}
	single := stacked
	single.Stacked = false
	for _, c := range []struct {
		of   sheet
		want [][2]float64
	}{
		{stacked, [][2]float64{{0, 3}, {0, -2}, {3, 3}, {3, 7}, {-2, -3}}},
		{single, [][2]float64{{0, 3}, {0, -2}, {0, 0}, {0, 4}, {0, -1}}},
	} {
		columns := c.of.columns()
		var got [][2]float64
		for i, b := range columns[1] {
			got = append(got, [2]float64{b.from, b.to})
			if b.series != i {
				t.Errorf("bar %d is of series %d", i, b.series)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || len(columns[0]) > 0 {
			t.Errorf("stacked %t (-want +got):\n%s", c.of.Stacked, diff)
		}
	}
}
