package console

import (
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"testing"
)

// The formula and the bounds are from WCAG 2.2, success criteria 1.4.3 (text) and 1.4.11 (controls).
func TestColorsHaveContrastInLightAndDark(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(assetFiles, "assets/console.css")
	if err != nil {
		t.Fatal(err)
	}
	colors := make(map[string][2]float64)
	for _, m := range regexp.MustCompile(`--([a-z-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)`).FindAllStringSubmatch(string(text), -1) {
		colors[m[1]] = [2]float64{luminance(t, m[2]), luminance(t, m[3])}
	}
	pairs := []struct {
		front, back string
		least       float64
	}{
		{"text", "page", 4.5},
		{"text", "side", 4.5},
		{"text", "open", 4.5},
		{"text", "raised", 4.5},
		{"second", "page", 4.5},
		{"second", "side", 4.5},
		{"second", "open", 4.5},
		{"label", "page", 4.5},
		{"label", "side", 4.5},
		{"label", "open", 4.5},
		{"accent", "page", 4.5},
		{"accent", "open", 4.5},
		{"accent", "accent-soft", 4.5},
		{"on-accent", "accent", 4.5},
		{"bad", "page", 4.5},
		{"bad", "open", 4.5},
		{"bad", "bad-soft", 4.5},
		{"warning", "page", 4.5},
		{"warning", "warning-soft", 4.5},
		{"text", "accent-soft", 4.5},
		{"field", "page", 3},
		{"c-facebook", "page", 3},
		{"c-google", "page", 3},
		{"c-tiktok", "page", 3},
		{"c-amazon", "page", 3},
		{"c-influencer", "page", 3},
		{"c-snapchat", "page", 3},
		{"c-podcast", "page", 3},
		{"c-affiliate", "page", 3},
		{"c-owned", "page", 3},
	}
	for _, p := range pairs {
		for i, scheme := range []string{"light", "dark"} {
			if colors[p.front] == colors[p.back] {
				t.Errorf("%s or %s has no color", p.front, p.back)
			}
			a, b := colors[p.front][i], colors[p.back][i]
			if got := (math.Max(a, b) + 0.05) / (math.Min(a, b) + 0.05); got < p.least {
				t.Errorf("%s on %s, %s: contrast %.2f, want %.1f", p.front, p.back, scheme, got, p.least)
			}
		}
	}
}

// luminance returns the relative luminance of an sRGB color.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(value) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
