package measurement_test

import (
	"encoding/csv"
	"strconv"
	"strings"
	"testing"

	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/measure"
)

// Facebook has a higher ROAS than google, so google gets its least spend: 30% below its share of the budget. If the
// revenue from google leaves 18 times the contribution, google gets its highest spend.
func TestAllAllocationsMaximizeTheContributionOfTheChannels(t *testing.T) {
	t.Parallel()
	s := newModelSite(t)
	s.Member(consoletest.Email, control.RoleViewer)
	m := s.hasModel()
	b := s.SignedIn(consoletest.Email)
	query := "budget=" + strconv.FormatFloat(m.Spend()/m.Months(), 'f', 0, 64) + "&weeks=8&first=" + m.Window.Last.AddDays(8).String()
	// google returns the share of google in the monthly or the weekly allocation.
	google := func(address string) float64 {
		t.Helper()
		text := b.Get("/models/export.csv?workspace=acme&" + query + address).Body
		table, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(table) < 3 {
			t.Fatalf("%s: %v, %s", address, err, text)
		}
		var part, all float64
		for _, row := range table[1:] {
			spend, own := row[1], row[3]
			if table[0][0] == "channel" { // channel, current spend, proposed spend, marginal ROAS
				if spend, own = row[2], "0"; row[0] == "google" {
					own = spend
				}
			}
			x, _ := strconv.ParseFloat(spend, 64)
			y, _ := strconv.ParseFloat(own, 64)
			part, all = part+y, all+x
		}
		return part / all
	}
	now := m.Posterior().Spend("google") / m.Spend()
	for _, c := range []struct {
		rates map[measure.Channel]float64
		want  float64 // share of google
		gain  string
	}{
		{nil, 0.7 * now, "The expected gain in incremental revenue over "},
		{map[measure.Channel]float64{"facebook": 0.05, "google": 0.9}, 1.3 * now, "The expected gain in contribution over "},
		{map[measure.Channel]float64{"facebook": 0.5, "google": 0.5}, 0.7 * now, "The expected gain in contribution over "},
	} {
		s.rates = c.rates
		for _, of := range []string{"&of=plan", "&of=schedule"} {
			for _, group := range []string{"", "&group1=both&group1_of=facebook&group1_of=google&group1_min=1"} {
				if got := google(of + group); got < c.want-0.005 || got > c.want+0.005 {
					t.Errorf("rates %v, %s: google has %.1f%% of the spend, want %.1f%%", c.rates, of+group, 100*got, 100*c.want)
				}
			}
		}
		if page := b.Get("/optimizer?workspace=acme&" + query); !strings.Contains(page.Body, c.gain) {
			t.Errorf("rates %v: the page lacks %q", c.rates, c.gain)
		}
	}
}
