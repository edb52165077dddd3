package chart

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestAGaugeSaysInWordsWhatItShows(t *testing.T) {
	t.Parallel()
	whole := Gauge{
		Title: "Revenue in <November>", Unit: Money, Currency: "USD", Actual: 61_000, Expected: new(90_000.0), Inner: &Band{Low: 85_000, High: 96_000},
		Outer: &Band{Low: 80_000, High: 101_000}, Bands: "80% and 95% interval", Goal: 100_000,
	}
	for name, c := range map[string]struct {
		gauge Gauge
		words string
	}{
		"all of it":     {whole, "So far: $61,000. Expected at the end: $90,000, $85,000 to $96,000, $80,000 to $101,000 (80% and 95% interval). Target: $100,000."},
		"nothing yet":   {Gauge{Goal: 12, Theme: Dark, Width: 300}, "So far: 0. Target: 12."},
		"no goal":       {Gauge{Actual: 3, Expected: new(4.0)}, "So far: 3. Expected at the end: 4."},
		"more refunded": {Gauge{Actual: -3, Inner: &Band{Low: -9, High: 4}}, "So far: −3."},
		"nothing known": {Gauge{}, "So far: 0."},
	} {
		drawn, err := DrawGauge(c.gauge)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text := string(drawn); !strings.Contains(text, "<desc>"+c.words+"</desc>") || strings.Contains(text, "NaN") || strings.Contains(text, "<November>") {
			t.Errorf("%s: %s", name, text[:min(len(text), 600)])
		}
	}
}

func TestAGaugeThatCannotBeDrawnIsRefused(t *testing.T) {
	t.Parallel()
	for name, g := range map[string]Gauge{
		"no number":       {Actual: math.NaN()},
		"endless":         {Expected: new(math.Inf(1))},
		"below zero":      {Goal: -1},
		"turned interval": {Inner: &Band{Low: 2, High: 1}},
		"too narrow":      {Width: 100},
		"unknown theme":   {Theme: "sepia"},
	} {
		var refusal *InvalidError
		if _, err := DrawGauge(g); !errors.As(err, &refusal) {
			t.Errorf("%s: %v, want it refused", name, err)
		}
	}
}
