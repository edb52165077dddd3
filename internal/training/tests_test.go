package training

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// regions is the number of regions of a [regionStore]. The size of a region increases with its index.
const regions = 16

func regionName(i int) string { return fmt.Sprintf("R%02d", i) }

func regionSize(i int) float64 { return 0.6 + 0.05*float64(i) }

// contribution is the daily incremental revenue of facebook spend in a store of size 1.
func contribution(spend float64) float64 { return 90 * math.Tanh(spend/40) }

// regionStore is a store with 80 weeks of facebook spend and sales by region. In four regions, spend is tripled for
// four weeks and exceeds all earlier spend. At that spend, the observational fit depends on the assumed curve shape,
// which is wrong.
type regionStore struct {
	testStore

	kept  experiments
	clock time.Time
	today civil.Date // the current day by the clock of answers
}

type experiments struct{ all []control.Experiment }

func (e *experiments) Experiments(context.Context, measure.WorkspaceID) ([]control.Experiment, error) {
	return e.all, nil
}

func newRegionStore(t *testing.T) *regionStore {
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close(context.Background()) })
	w := control.NewWorkspace("W")
	w.Currency = "USD"
	store, w := newControl(t, filepath.Join(t.TempDir(), "control.db"), w)
	last := civil.MustParse("2026-11-20")
	s := &regionStore{
		testStore: testStore{
			T: t, facts: warehouse.New(engine), control: store, workspace: w, days: civil.Range{First: last.AddDays(1 - 7*80), Last: last},
		},
		clock: time.Unix(1e9, 0), today: last.AddDays(1),
	}
	s.kept.all = []control.Experiment{s.test("facebook-scale-up", "facebook", 12, 4, 0, 5, 10, 15)}
	r := rand.New(rand.NewPCG(7, 2))
	var b warehouse.Batch
	for first := s.days.First; !first.After(last); first = first.AddDays(7) {
		season := math.Sin(2 * math.Pi * float64(first.Sub(s.days.First)) / 365)
		facebook, google := 25+12*season+15*r.Float64(), 300*r.Float64()
		for k := range 7 {
			day := first.AddDays(k)
			b.ChannelSpend = append(b.ChannelSpend, spendOn(day, "google", google))
			for i := range regions {
				spend := facebook
				if s.treats(i, day) {
					spend *= 3
				}
				size := regionSize(i)
				took := size * (250 + 12*r.NormFloat64() + contribution(spend) + 20*math.Tanh(google/300))
				name := regionName(i)
				b.Orders = append(b.Orders, warehouse.Order{
					OrderRef: warehouse.OrderRef{Source: "test", Key: day.String() + name}, Day: day, At: day.UTC().
							Add(12 * time.Hour),
					Surface: measure.OnlineStore, Charged: int64(100 * took), Country: "US", Region: name,
				})
				b.AdDays = append(b.AdDays, warehouse.AdDay{
					Source: "facebook_ads", Platform: measure.Facebook, Account: "a", Channel: "facebook", Day: day, CampaignID: "f",
					AdSetID: "s", AdID: "1",
					Country: "US", Region: name, Spend: int64(100 * size * spend),
				})
			}
		}
	}
	s.load(&b)
	return s
}

// test returns a completed geo experiment that began the given number of weeks before the store's last day.
func (s *regionStore) test(
	id control.ExperimentID, channel measure.Channel, ago, weeks int, treated ...int,
) control.Experiment {
	first := s.days.Last.AddDays(1 - 7*ago)
	e := control.Experiment{
		ID: id, Workspace: s.workspace.ID, Name: string(id), Kind: control.GeoTest, Channel: channel,
		Status: control.ExperimentCompleted,
		Days:   civil.Range{First: first, Last: first.AddDays(7*weeks - 1)}, Version: 1,
	}
	for _, i := range treated {
		e.Treated = append(e.Treated, regionName(i))
	}
	return e
}

func (s *regionStore) treats(region int, day civil.Date) bool {
	return s.kept.all[0].Days.Contains(day) && slices.Contains(s.kept.all[0].Treated, regionName(region))
}

// keeper returns a keeper with a clock that advances by an hour per call, so that nothing is cached.
func (s *regionStore) keeper() *Keeper {
	now := func() time.Time { s.clock = s.clock.Add(time.Hour); return s.clock }
	return New(Options{
		Store: s.control, Facts: s.facts, Experiments: &s.kept, Now: now,
		Today: func(control.Workspace) civil.Date { return s.today }, Log: slog.New(slog.DiscardHandler),
	})
}

func (s *regionStore) learnt(k *Keeper) mix.Store {
	s.Helper()
	store, err := k.data(s.Context(), s.workspace)
	if err != nil {
		s.Fatal(err)
	}
	return store
}

// TestATestOfSomeRegionsScalesToTheWholeStore compares a test with the simulation. The response per unit of size is the
// same in all regions. Therefore the store's response to triple spend everywhere is known.
func TestATestOfSomeRegionsScalesToTheWholeStore(t *testing.T) {
	t.Parallel()
	s := newRegionStore(t)
	k := s.keeper()
	store := s.learnt(k)
	if len(store.Tests) != 1 || store.Tests[0].Lift == nil {
		t.Fatalf("the store's tests are %+v, want one with a result", store.Tests)
	}
	test := store.Tests[0]
	lift, size, treated := *test.Lift, 0.0, 0.0
	for i := range regions {
		size += regionSize(i)
		if s.treats(i, test.Days.First) {
			treated += regionSize(i)
		}
	}
	var spend, change float64 // weekly spend and response of the whole store during the test
	for day := test.Days.First; !day.After(test.Days.Last); day = day.AddDays(1) {
		x := store.Spend["facebook"][day] / (size + 2*treated) // a region of size 1 that is not treated
		spend += size * x / 4
		change += size * (contribution(3*x) - contribution(x)) / 4
	}
	// Sales vary, so the regions' shares of sales differ slightly from their sizes. Spend before the test also differs
	// from spend during the test.
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s is %.1f, want %.1f", what, got, want)
		}
	}
	near("the share of the treated regions", 100*test.Share, 100*treated/size, 1)
	near("spend of a week without the test", lift.X, spend, 0.02*spend)
	near("the change of a week's spend", lift.DeltaX, 2*spend, 0.04*spend)
	share, _ := mix.Shown(28)
	near("the change of a week's revenue", lift.DeltaY*share, change, 2.5*lift.Sigma) // there is no adstock here
	if lift.Sigma > change/3 {
		t.Errorf("the standard error is %.0f of %.0f: the store is too noisy for a test", lift.Sigma, change)
	}
	if again := s.learnt(k); !reflect.DeepEqual(store.Tests, again.Tests) {
		t.Errorf("on the second read, the test is %+v, want %+v", *again.Tests[0].Lift, lift)
	}

	net := s.workspace
	net.Basis.WithoutTax = true
	s.load(&warehouse.Batch{Orders: []warehouse.Order{{ // two thirds of the order are tax
		OrderRef: warehouse.OrderRef{Source: "test", Key: test.Days.First.AddDays(-30).String() + regionName(0)},
		Day:      test.Days.First.AddDays(-30),
		At:       test.Days.First.AddDays(-30).UTC().Add(12 * time.Hour), Surface: measure.OnlineStore, Charged: 30_000,
		Tax: 20_000, Country: "US", Region: regionName(0),
	}}})
	taxed, err := k.data(t.Context(), net)
	if err != nil || taxed.Tests[0].Lift == nil || !(taxed.Tests[0].Lift.DeltaY < s.learnt(k).Tests[0].Lift.DeltaY) {
		t.Errorf("without tax: %+v, %v; want the revenue part of the change", taxed.Tests, err)
	}
}

func TestUnusableTestsHaveAReason(t *testing.T) {
	t.Parallel()
	s := newRegionStore(t)
	k := s.keeper()
	study := s.test("study", "facebook", 40, 4)
	study.Kind, study.Found = control.LiftStudy, &control.Finding{Return: 1, Low: 0.5, High: 1.5, LevelPct: 90}
	s.kept.all = append(s.kept.all,
		s.test("elsewhere", "tiktok", 30, 4, 1, 2), s.test("no-spend-by-region", "google", 40, 4, 1, 2),
		s.test("unchanged", "facebook", 50, 4, 1, 2, 3),
		s.test("old", "facebook", 100, 4, 1, 2), s.test("future", "facebook", 1, 4, 1, 2),
		s.test("nowhere", "facebook", 60, 4, 99), study,
	)
	running := s.test("running", "facebook", 20, 4, 1, 2)
	running.Status = control.ExperimentRunning
	s.kept.all = append(s.kept.all, running)
	want := map[string]string{
		"facebook-scale-up": "", "elsewhere": "not in the model", "no-spend-by-region": "spend by region",
		"unchanged": "barely changed",
		"old":       "orders do not cover", "future": "orders do not cover",
		"nowhere": "no order came from the treated region R99", "study": "it is a lift study of an ad platform",
	}
	store := s.learnt(k)
	whys := map[string]string{}
	for _, test := range store.Tests {
		whys[test.ID] = test.Why
	}
	for id, part := range want {
		if why, known := whys[id]; !known || (part == "") != (why == "") || !strings.Contains(why, part) {
			t.Errorf("%s: %q, want it to contain %q", id, why, part)
		}
	}
	if len(whys) != len(want) {
		t.Errorf("got the tests %v, want the tests of %v", whys, want)
	}
}

// TestNewTestsMakeAModelStaleAndEnterTheNext follows a test from its completion into the model. The test corrects the
// model where the observational fit is wrong. A model that lacks a completed test is stale.
func TestNewTestsMakeAModelStaleAndEnterTheNext(t *testing.T) {
	t.Parallel()
	s := newRegionStore(t)
	k := s.keeper()
	done, settings := s.kept.all, s.workspace.ModelSettings()
	with, err := k.Train(t.Context(), s.workspace, mix.Request{})
	if err != nil || with.Status != mix.Active {
		t.Fatalf("a store with a test: %+v, %v; want an active model", with, err)
	}
	used := with.TestsOf("facebook")
	if len(used) != 1 || used[0].Observational == nil {
		t.Fatalf("the model's tests are %+v, want one with the observational fit", with.Tests)
	}
	t.Log(used[0])
	if status, why := s.held(k).State(s.days.Last, settings); status != mix.Active {
		t.Errorf("just trained: %s %v, want active", status, why)
	}
	planted, spent := s.planted()
	for _, e := range with.Effects {
		if e.Channel != "facebook" {
			continue
		}
		alone := used[0].Observational.ROAS
		t.Logf("planted %.2f, without the test %.2f (%.2f to %.2f), with it %.2f (%.2f to %.2f)",
			planted/spent, alone.Mean, alone.Q05, alone.Q95, e.ROAS.Mean, e.ROAS.Q05, e.ROAS.Q95)
		if truth := planted / spent; e.ROAS.Q05 > truth || truth > e.ROAS.Q95 {
			t.Errorf("the planted return %.2f is outside", truth)
		}
	}
	lift := *used[0].Lift
	taught, before := with.Posterior().PredictLift(lift).Mean, used[0].Observational.Change.Mean
	if !used[0].Contradicts() || math.Abs(taught-lift.DeltaY) >= math.Abs(before-lift.DeltaY) {
		t.Errorf("observational prediction %.0f per week, model with the test %.0f, test result %.0f ± %.0f",
			before, taught, lift.DeltaY, lift.Sigma)
	}

	s.kept.all = append(slices.Clone(done), s.test("facebook-again", "facebook", 30, 4, 1, 6),
		s.test("tiktok-holdout", "tiktok", 30, 4, 2, 7))
	for name, keeper := range map[string]*Keeper{"at once": k, "after a restart": s.keeper()} {
		held := s.held(keeper)
		if status, why := held.State(s.days.Last, settings); status != mix.Stale || len(why) != 1 ||
			!strings.Contains(why[0], "geo experiment on facebook") {
			t.Errorf("%s: after another test was completed: %s %v; want stale for that of facebook alone", name, status, why)
		}
		if text, _ := json.Marshal(held.Model.Tests); !strings.Contains(string(text), "facebook-scale-up") {
			t.Errorf("%s: the model lost its tests: %s", name, text)
		}
	}
	s.kept.all = done
	if status, why := s.held(k).State(s.days.Last, settings); status != mix.Active {
		t.Errorf("with the previous tests: %s %v, want active", status, why)
	}
	s.kept.all = append(slices.Clone(done), s.test("facebook-until-today", "facebook", 4, 4, 1, 6))
	for today, want := range map[civil.Date]mix.Status{s.days.Last: mix.Active, s.days.Last.AddDays(1): mix.Stale} {
		s.today = today
		if status, why := s.held(k).State(s.days.Last, settings); status != want {
			t.Errorf("on %s a test that ends on %s makes the model %s %v, want %s", today, s.days.Last, status, why, want)
		}
	}
}

// planted returns facebook's true incremental revenue and its cost.
func (s *regionStore) planted() (brings, costs float64) {
	spent, err := s.facts.RegionSpend(s.Context(), s.workspace.ID, "facebook", s.days)
	if err != nil {
		s.Fatal(err)
	}
	for _, d := range spent {
		var i int
		if _, err := fmt.Sscanf(d.Region, "R%d", &i); err != nil {
			s.Fatal(err)
		}
		spend := float64(d.Spend) / 100
		brings += regionSize(i) * contribution(spend/regionSize(i))
		costs += spend
	}
	return brings, costs
}
