package decision

import (
	"slices"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure/detect"
)

func TestSeasonsAreThoseOfTheCountry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		country, name string
		first         string
	}{
		{"US", "mothers_day", "2026-05-03"},
		{"GB", "mothering_sunday", "2026-03-08"},
		{"FR", "mothers_day_fr", "2026-05-24"},
		{"DE", "fathers_day_de", "2026-05-07"},
		{"", "cyber_weekend", "2026-11-27"},
		{"US", "easter", "2026-03-26"},
	} {
		all := seasonsOf(c.country)
		at := slices.IndexFunc(all, func(s season) bool { return s.name == c.name })
		if at < 0 {
			t.Errorf("%s has no %s", c.country, c.name)
			continue
		}
		if days, _ := all[at].in(2026); days.First.String() != c.first {
			t.Errorf("%s of %s starts on %s, want %s", c.name, c.country, days.First, c.first)
		}
	}
	if slices.ContainsFunc(seasonsOf("US"), func(s season) bool { return s.name == "sinterklaas" || s.title == "" }) {
		t.Error("the United States have no Sinterklaas, and each season has a title")
	}
}

// A store needs a plan for Valentine's Day if it sells twice as much in the week before it, and otherwise does not.
func TestASeasonNeedsAnEffectInTheStoresHistory(t *testing.T) {
	t.Parallel()
	first := civil.MustParse("2024-01-01")
	for _, lift := range []float64{1, 2} {
		s := detect.Store{Days: civil.Range{First: first, Last: first.AddDays(749)}}
		for i := range 750 {
			day, revenue := first.AddDays(i), 1000+50*float64((i*i)%7)
			if day.Month() == 2 && day.Day() >= 7 && day.Day() < 14 {
				revenue *= lift
			}
			s.Revenue = append(s.Revenue, revenue)
		}
		ratio, shows, known := s.SeasonEffect(civil.Range{First: civil.MustParse("2025-02-07"), Last: civil.MustParse("2025-02-13")})
		if !known || shows != (lift > 1) || ratio < 0.9*lift || ratio > 1.1*lift {
			t.Errorf("lift %v: ratio %.2f, shows %t, known %t", lift, ratio, shows, known)
		}
	}
	if _, _, known := (detect.Store{Days: civil.Range{First: first, Last: first}, Revenue: []float64{1}}).SeasonEffect(civil.Range{First: first, Last: first}); known {
		t.Error("a store of one day has an effect")
	}
}
