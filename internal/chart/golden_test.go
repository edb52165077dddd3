package chart

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
)

var update = flag.Bool("update", false, "rewrite the pictures in testdata")

func TestPicturesMatchTheReviewedOnes(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			got, err := Draw(s.chart)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Draw(s.chart)
			if err != nil || !bytes.Equal(got, again) {
				t.Fatalf("two drawings of the chart differ (%v)", err)
			}
			file := filepath.Join("testdata", s.name+".svg")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s differs, look at it and run with -update (-want +got):\n%s", file, diff)
			}
		})
	}
}

// gallery returns each type of chart with few and with many values, for the pictures of `make pages`.
func gallery() []sample {
	revenue := Chart{Metric: "Revenue", Unit: Money, Currency: "USD"}
	of := func(kind Kind, title string, series []Series, marks ...Annotation) Chart {
		c := revenue
		c.Kind, c.Title, c.Series, c.Annotations, c.Stacked = kind, title, series, marks, len(series) > 1
		return c
	}
	one := []Series{{Points: sales(31, 42000, .12, 0)}}
	one[0].Points[30].Partial = true
	point := []Series{{Name: "email", Points: one[0].Points[:1]}}
	marks := []Annotation{{samplesFrom, "tiktok test starts"}, {samplesFrom.AddDays(8), "unusually high"}, {samplesFrom.AddDays(9), "tiktok test ends"}, {samplesFrom.AddDays(29), "facebook study starts"}}
	nothing := of(Line, "Revenue by day", nil)
	nothing.Period = civil.Range{First: samplesFrom, Last: samplesFrom.AddDays(30)}
	return []sample{
		{"line-one", of(Line, "Revenue by day", one)},
		{"line-five", of(Line, "Revenue by channel", waves(channels[:5], 92))},
		{"line-twelve", of(Line, "Revenue by channel", waves(channels, 92))},
		{"line-marks", of(Line, "Revenue by day", one, marks...)},
		{"line-many-marks", of(Line, "Revenue by channel", waves(channels[:3], 120), crowd(12, 120)...)},
		{"line-point", of(Line, "Revenue of email", point)},
		{"line-empty", nothing},
		{"bar-one", of(Bar, "Revenue by day", one)},
		{"bar-five", of(Bar, "Revenue by channel", waves(channels[:5], 31))},
		{"bar-marks", of(Bar, "Revenue by day", one, marks...)},
		{"bar-many-marks", of(Bar, "Revenue by channel", waves(channels[:3], 60), crowd(12, 60)...)},
		{"bar-point", of(Bar, "Revenue of email", point)},
		{"pie-one", of(Pie, "Where revenue comes from", waves(channels[:1], 31))},
		{"pie-five", of(Pie, "Where revenue comes from", waves(channels[:5], 31))},
		{"pie-twelve", of(Pie, "Where revenue comes from", waves(channels, 31))},
	}
}

// If the environment variable ASSAY_PICTURES names a folder, the test writes each chart to it as PNG and SVG. It draws
// light and dark charts at phone and desktop width.
func TestEveryFormIsDrawnForEveryGround(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("ASSAY_PICTURES")
	for _, s := range gallery() {
		for _, width := range []int{360, 800} {
			for _, theme := range []Theme{Light, Dark} {
				c := s.chart.resized(width)
				c.Theme = theme
				if width < 600 {
					c.Height = 320
				}
				drawn, err := Draw(c)
				if err != nil || wellFormed(drawn) != nil {
					t.Errorf("%s, %d wide, %s: %v, %v", s.name, width, theme, err, wellFormed(drawn))
					continue
				}
				if folder == "" {
					continue
				}
				name := filepath.Join(folder, fmt.Sprintf("%s-%d-%s", s.name, width, theme))
				if err := os.WriteFile(name+".svg", drawn, 0o600); err != nil {
					t.Fatal(err)
				}
				dots, err := PNG(c, 0, 1.25)
				if err != nil || os.WriteFile(name+"-dots.png", dots, 0o600) != nil {
					t.Errorf("%s as PNG: %v", name, err)
				}
			}
		}
	}
}
