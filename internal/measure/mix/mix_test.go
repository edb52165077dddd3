package mix

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats/hmc"
)

// switched returns two years of a store and the true return of search. Search has the given daily response, including
// adstock. Radio has no response. Spend is randomized weekly. The parameter carry is the share of a week's effect that
// continues into the next week.
func switched(seed uint64, carry float64, worth func(spend float64) float64) (s Store, truth float64) {
	r := rand.New(rand.NewPCG(seed, 2))
	s = Store{
		Days:    civil.Range{First: civil.MustParse("2024-01-01"), Last: civil.MustParse("2025-12-28")},
		Revenue: map[civil.Date]float64{}, Spend: map[measure.Channel]map[civil.Date]float64{"search": {}, "radio": {}},
	}
	var carried, spent, earned float64
	for first := s.Days.First; first.Before(s.Days.Last); first = first.AddDays(7) {
		search, radio := 500*r.Float64(), 300*r.Float64()
		carried = carry*carried + (1-carry)*search
		spent, earned = spent+search, earned+worth(carried)
		for k := range 7 {
			day := first.AddDays(k)
			s.Spend["search"][day], s.Spend["radio"][day] = search, radio
			s.Revenue[day] = 4000 + 300*r.NormFloat64() + worth(carried)
		}
	}
	return s, earned / spent
}

// logistic returns a concave daily response.
func logistic(spend float64) float64 { return 2000 * math.Tanh(1.2*spend/500) }

// planted returns the store of [switched] with the additional channel flyer, which has spend on one day.
func planted() (s Store, truth float64) {
	s, truth = switched(1, 0.25, logistic)
	s.Spend["flyer"] = map[civil.Date]float64{s.Days.First: 50}
	return s, truth
}

func TestModelRecoversSimulatedEffects(t *testing.T) {
	t.Parallel()
	s, truth := planted()
	m, err := Train(s, Training{Seed: 1, Settings: "USD"})
	if err != nil {
		t.Fatal(err)
	}
	if m.Status != Active || m.Weeks != 104 || len(m.Effects) != 2 {
		t.Fatalf("status %s, %d weeks, %d channels, reasons %v; want an active model of 104 weeks and 2 channels",
			m.Status, m.Weeks, len(m.Effects), m.Reasons)
	}
	radio, search := m.Effects[0], m.Effects[1]
	if search.ROAS.Q05 > truth || search.ROAS.Q95 < truth {
		t.Errorf("search is given %.2f to %.2f, planted was %.2f", search.ROAS.Q05, search.ROAS.Q95, truth)
	}
	if radio.ROAS.Q05 > 0.3 {
		t.Errorf("radio is given at least %.2f, planted was 0", radio.ROAS.Q05)
	}
	if len(m.LeftOut) != 1 || m.LeftOut[0].Channel != "flyer" {
		t.Errorf("left out: %v, want the flyer", m.LeftOut)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var again Model
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if err := again.Open(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Effects, again.Posterior().Effects()); diff != "" {
		t.Errorf("a stored model has other contents (-before +after):\n%s", diff)
	}
	held := Held{Model: &again}
	if status, why := held.State(m.Window.Last.AddDays(36), "USD"); status != Stale || len(why) != 1 {
		t.Errorf("36 days later it is %s, %v; want stale", status, why)
	}
	if status, _ := held.State(m.Window.Last.AddDays(35), "USD"); status != Active {
		t.Errorf("35 days later it is %s, want active", status)
	}
	if status, _ := held.State(m.Window.Last, "EUR"); status != Stale {
		t.Errorf("in another currency it is %s, want stale", status)
	}
}

func TestAStoreWithoutEnoughDataIsRefused(t *testing.T) {
	t.Parallel()
	whole, _ := planted()
	short, same, still := whole, whole, whole
	short.Days.Last = short.Days.First.AddDays(7*leastWeeks - 2)
	same.Spend = map[measure.Channel]map[civil.Date]float64{"search": same.Spend["search"], "twin": same.Spend["search"]}
	still.Spend = nil
	for name, c := range map[string]struct {
		store Store
		want  mmm.Code
	}{
		"short": {short, mmm.TooFewPeriods}, "two channels that move together": {same, mmm.Collinear},
		"no spend":       {still, mmm.NoSpend},
		"nothing at all": {Store{}, mmm.TooFewPeriods},
	} {
		m, err := Train(c.store, Training{Seed: 1})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Status != Refused || m.Saved != nil || m.Effects != nil || len(m.Reasons) == 0 || m.Reasons[0].Code != c.want {
			t.Errorf("%s: %s for %v with %d effects; want a refusal for %s without figures",
				name, m.Status, m.Reasons, len(m.Effects), c.want)
		}
		status, why := Held{Model: m}.State(c.store.Days.Last, "")
		if status != Refused || len(why) == 0 || !strings.Contains(why[0], ";") {
			t.Errorf("%s: state %s, %v; want the reason and its remedy", name, status, why)
		}
	}
}

func TestWeeksEndWithTheLastDayAndSumToTheStore(t *testing.T) {
	t.Parallel()
	s, _ := planted()
	f := newFrame(s)
	var want, got float64
	for d := f.window.First; !d.After(f.window.Last); d = d.AddDays(1) {
		want += s.Revenue[d]
	}
	for _, v := range f.data.Target {
		got += v
	}
	if math.Abs(got-want) > 1e-6 || f.window.Last != s.Days.Last || f.window.Days() != 7*f.weeks {
		t.Errorf("%d weeks in %s sum to %v, want %v up to %s", f.weeks, f.window, got, want, s.Days.Last)
	}
}

func TestAStoppedTrainingGivesNoModel(t *testing.T) {
	t.Parallel()
	s, _ := planted()
	m, err := Train(s, Training{Seed: 1, Stopped: func() bool { return true }})
	if m != nil || !errors.Is(err, hmc.ErrStopped) {
		t.Errorf("got %v, %v; want ErrStopped", m, err)
	}
}
