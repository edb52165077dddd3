package mix

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
)

// constant returns a store of whole weeks with sales of USD 100 per day and search spend of USD 10 per day.
func constant(weeks int) Store {
	s := Store{
		Days:    civil.Range{First: civil.MustParse("2024-01-01"), Last: civil.MustParse("2024-01-01").AddDays(7*weeks - 1)},
		Revenue: map[civil.Date]float64{}, Spend: map[measure.Channel]map[civil.Date]float64{"search": {}},
	}
	for d := s.Days.First; !d.After(s.Days.Last); d = d.AddDays(1) {
		s.Revenue[d], s.Spend["search"][d] = 100, 10
	}
	return s
}

func TestTheWindowIsTheLastWholeWeeks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		weeks, more int // whole weeks and additional days of the store
		want        int
		yearly      int
	}{
		{39, 6, 39, 0}, {40, 0, 40, 0}, {51, 6, 51, 0}, {52, 0, 52, 1}, {101, 6, 101, 1}, {102, 0, 102, 3}, {156, 0, 156, 3}, {157, 3, 156, 3},
	} {
		s := constant(c.weeks + 1)
		s.Days.Last = s.Days.First.AddDays(7*c.weeks + c.more - 1)
		f := newFrame(s)
		if f.weeks != c.want || f.window.Last != s.Days.Last {
			t.Errorf("%d weeks and %d days: %d weeks to %s", c.weeks, c.more, f.weeks, f.window.Last)
		}
		if c.want < 40 {
			if len(f.reasons) != 1 || f.reasons[0].Code != mmm.TooFewPeriods || f.window != s.Days {
				t.Errorf("%d weeks: reasons %v, window %s", c.want, f.reasons, f.window)
			}
			continue
		}
		if first := s.Days.Last.AddDays(1 - 7*c.want); f.window.First != first || len(f.data.Dates) != c.want || f.data.Dates[1] != first.AddDays(7) {
			t.Errorf("%d weeks from %s: the window begins on %s with weeks %s, …", c.want, first, f.window.First, f.data.Dates[1])
		}
		if len(f.reasons) > 0 || f.data.Target[0] != 700 || f.data.Target[c.want-1] != 700 || f.spec().Yearly != c.yearly {
			t.Errorf("%d weeks: reasons %v, first week %v, last %v, yearly %d; want none, 700, 700, %d",
				c.want, f.reasons, f.data.Target[0], f.data.Target[c.want-1], f.spec().Yearly, c.yearly)
		}
	}
}

func TestChannelsWithEnoughSpendAreInTheModel(t *testing.T) {
	t.Parallel()
	s := constant(52)
	weekly := func(weeks int, amount float64) map[civil.Date]float64 {
		days := map[civil.Date]float64{}
		for i := range weeks {
			days[s.Days.First.AddDays(7*i+3)] = amount
		}
		return days
	}
	s.Spend["seven"] = weekly(7, 100)
	s.Spend["eight"] = weekly(8, 100)
	s.Spend["nothing"] = weekly(52, 0)
	s.Spend["credited"] = weekly(20, 50)
	s.Spend["credited"][s.Days.Last] = -400
	// Total spend is 3640 + 700 + 800 + 600 and two small amounts, about 5800. Half a percent of it is 29.
	s.Spend["little"] = weekly(10, 2.75)
	s.Spend["enough"] = weekly(10, 3.25)
	f := newFrame(s)
	got := map[measure.Channel]float64{}
	for _, m := range f.data.Media {
		for _, v := range m.Exposure {
			got[m.Channel] += v
		}
	}
	if diff := cmp.Diff(map[measure.Channel]float64{"search": 3640, "eight": 800, "credited": 1000, "enough": 32.5}, got); diff != "" {
		t.Errorf("channels (-want +got):\n%s", diff)
	}
	left := map[measure.Channel]float64{}
	for _, l := range f.leftOut {
		left[l.Channel] = l.Spend
	}
	if diff := cmp.Diff(map[measure.Channel]float64{"seven": 700, "little": 27.5}, left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if f.leftOut[0].Reason == f.leftOut[1].Reason {
		t.Errorf("both are left out for %q", f.leftOut[0].Reason)
	}
	s.Spend = map[measure.Channel]map[civil.Date]float64{"seven": s.Spend["seven"]}
	if f = newFrame(s); len(f.reasons) != 1 || f.reasons[0].Code != mmm.NoSpend {
		t.Errorf("without a channel the reasons are %v", f.reasons)
	}
}

// A year has one sales weekend and one Christmas. 40 weeks from spring to fall have none of these events.
func TestEventsAreThoseOfTheWindow(t *testing.T) {
	t.Parallel()
	names := func(s Store) (names []string) {
		for _, c := range newFrame(s).data.Controls {
			names = append(names, c.Name)
		}
		return names
	}
	if diff := cmp.Diff([]string{"cyber_weekend", "christmas"}, names(constant(52))); diff != "" {
		t.Errorf("a year (-want +got):\n%s", diff)
	}
	if got := names(constant(42)); len(got) > 0 {
		t.Errorf("January to October has %q", got)
	}
}

func TestDriftIsTheLargestChangeOfASeries(t *testing.T) {
	t.Parallel()
	s := constant(52)
	f := newFrame(s)
	m := &Model{
		Status: Active, Window: f.window, Weeks: f.weeks, Saved: &mmm.Saved{Data: f.data},
		LeftOut: []LeftOut{{Channel: "flyer", Spend: 70}}, Effects: []mmm.ChannelEffect{{Channel: "search", Spend: 3640}},
	}
	with := func(change func(s *Store)) Drift {
		now := constant(52)
		now.Spend["flyer"] = map[civil.Date]float64{now.Days.First: 70}
		change(&now)
		return m.Drift(now)
	}
	day, year := s.Days.First, 36400.0
	for name, c := range map[string]struct {
		change func(s *Store)
		want   Drift
	}{
		"nothing":        {func(*Store) {}, Drift{}},
		"rounding":       {func(s *Store) { s.Revenue[day] += 1e-5 }, Drift{}},
		"a refund":       {func(s *Store) { s.Revenue[day] -= 36.4 }, Drift{Weeks: 1, Of: "revenue", Share: 36.4 / year}},
		"up and down":    {func(s *Store) { s.Revenue[day] -= 50; s.Revenue[day.AddDays(7)] += 50 }, Drift{Weeks: 2, Of: "revenue", Share: 100 / year}},
		"within a week":  {func(s *Store) { s.Revenue[day] -= 50; s.Revenue[day.AddDays(1)] += 50 }, Drift{}},
		"spend":          {func(s *Store) { s.Spend["search"][day] += 36.4; s.Revenue[day] += 36.4 }, Drift{Weeks: 1, Of: "spend of search", Share: 0.01}},
		"credits":        {func(s *Store) { s.Spend["search"][day] = -60 - 100 }, Drift{Weeks: 1, Of: "spend of search", Share: 70. / 3640}},
		"a new channel":  {func(s *Store) { s.Spend["radio"] = map[civil.Date]float64{day: 364} }, Drift{Of: "spend of radio", Share: 0.1}},
		"a grown one":    {func(s *Store) { s.Spend["flyer"][day] += 36.4 }, Drift{Of: "spend of flyer", Share: 0.01}},
		"a shrunken one": {func(s *Store) { s.Spend["flyer"][day] -= 36.4 }, Drift{}},
	} {
		got := with(c.change)
		if got.Weeks != c.want.Weeks || got.Of != c.want.Of || math.Abs(got.Share-c.want.Share) > 1e-9 {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if got := (&Model{Status: Refused}).Drift(s); got != (Drift{}) {
		t.Errorf("a refused model has the drift %+v", got)
	}
	if got, want := (Drift{Weeks: 1, Of: "revenue", Share: 0.0123}).String(), "mainly revenue by 1.2%"; !contains(got, want) {
		t.Errorf("%q, want %q in it", got, want)
	}
	if a, b := (Drift{}).String(), (Drift{Of: "revenue", Share: 0.1}).String(); a == b {
		t.Errorf("no drift is described as %q, like one", a)
	}
}

func TestAModelIsStaleFromAThousandthOfChange(t *testing.T) {
	t.Parallel()
	m := &Model{Status: Active, Settings: "USD", Window: constant(52).Days}
	for _, c := range []struct {
		held     Held
		days     int
		settings string
		want     Status
		reasons  int
	}{
		{Held{Drift: Drift{Of: "revenue", Share: 0.000999}}, 0, "USD", Active, 0},
		{Held{Drift: Drift{Of: "revenue", Share: 0.001}}, 0, "USD", Stale, 1},
		{Held{}, 35, "USD", Active, 0},
		{Held{}, 36, "USD", Stale, 1},
		{Held{Drift: Drift{Of: "revenue", Share: 0.1}, NewTests: []string{"a", "b"}}, 36, "EUR", Stale, 5},
	} {
		c.held.Model = m
		if got, why := c.held.State(m.Window.Last.AddDays(c.days), c.settings); got != c.want || len(why) != c.reasons {
			t.Errorf("%+v, %d days later, %s: %s for %q, want %s for %d reasons", c.held, c.days, c.settings, got, why, c.want, c.reasons)
		}
	}
}

func TestTheVersionIsThatOfTheLastTraining(t *testing.T) {
	t.Parallel()
	for want, h := range []Held{{}, {Model: &Model{Version: 1}}, {Model: &Model{Version: 1}, Attempt: &Model{Version: 2}}} {
		if got := h.Version(); got != want {
			t.Errorf("%+v: version %d, want %d", h, got, want)
		}
	}
}
