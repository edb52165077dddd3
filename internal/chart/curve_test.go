package chart

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleCurve() Curve {
	c := Curve{
		Title: "tiktok <b>", Across: "Spend per month", Up: "Incremental revenue per month", Currency: "USD", BandName: "90% interval", KnownTo: 9000,
		Marks: []CurveMark{{6000, "today"}, {7200, "plan"}},
	}
	for i := range 41 {
		spend := 300 * float64(i)
		value := 20000 * math.Tanh(spend/8000)
		c.Points = append(c.Points, CurvePoint{At: spend, Value: value, Band: Band{.7 * value, 1.4 * value}})
	}
	return c
}

func TestCurvesStayAsTheyWereLookedAt(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Curve){
		"curve": func(*Curve) {}, "curve_dark_narrow": func(c *Curve) { c.Theme, c.Width, c.Height = Dark, 340, 280 },
	} {
		c := sampleCurve()
		change(&c)
		got, err := DrawCurve(c)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s differs, look at it and run with -update (-want +got):\n%s", file, diff)
		}
		if bytes.Contains(got, []byte("<b>")) || !strings.Contains(string(got), "Spend above $9,000 is outside the range of past spend.") {
			t.Errorf("%s: a text is not escaped, or the description lacks the range of past spend", name)
		}
	}
}

func TestACurveThatCannotBeDrawnSaysWhy(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Curve){
		"one point":        func(c *Curve) { c.Points = c.Points[:1] },
		"not rising":       func(c *Curve) { c.Points[3].At = c.Points[2].At },
		"not a number":     func(c *Curve) { c.Points[3].Value = math.NaN() },
		"band upside down": func(c *Curve) { c.Points[3].Band = Band{2, 1} },
		"too small":        func(c *Curve) { c.Width = 10 },
		"no such theme":    func(c *Curve) { c.Theme = "pink" },
		"too many marks":   func(c *Curve) { c.Marks = make([]CurveMark, 9) },
	} {
		c := sampleCurve()
		change(&c)
		if _, err := DrawCurve(c); err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
}
