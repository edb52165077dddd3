package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/ingest/demo"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// storedExperiments are experiments that a test changes.
type storedExperiments struct{ all []control.Experiment }

func (k *storedExperiments) Experiments(context.Context, measure.WorkspaceID) ([]control.Experiment, error) {
	return k.all, nil
}

// experimentStore returns a demo store with its past experiments.
func experimentStore(t *testing.T, opt demo.Options) (mcp.Session, demo.Truth, *storedExperiments) {
	t.Helper()
	stored := &storedExperiments{}
	session, truth := demoStoreWith(t, opt, func(b *warehouse.Batch) warehouse.Batch {
		b.AdDays = slices.DeleteFunc(b.AdDays, func(d warehouse.AdDay) bool { return d.Channel != "facebook" && d.Channel != "google" })
		return warehouse.Batch{Orders: b.Orders, Touches: b.Touches, AdDays: b.AdDays}
	}, func(truth demo.Truth) toolkit.Deps {
		stored.all = demo.Experiments(truth)
		deps := plainDeps(nil, nil)
		deps.Experiments = stored
		return deps
	})
	return session, truth, stored
}

func experimentsOf(t *testing.T, s mcp.Session, args string) ExperimentsAnswer {
	t.Helper()
	r := callAs(t, s, "experiments", args)
	if r.IsError {
		t.Fatalf("experiments %s: %s", args, r.Content[0].Text)
	}
	return decoded[ExperimentsAnswer](t, r.StructuredContent)
}

// 90% intervals cover the planted lift. The short form checks the three experiments of one small store, with wide
// intervals. The nightly form checks the thirty experiments of ten full stores, without their ten A/A tests. At least
// 24 intervals must cover the lift. By chance, fewer do in 3% of runs.
func TestLiftIntervalsCoverPlantedLifts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: a store of 25,000 orders")
	}
	stores, least := []demo.Options{{Seed: 7, Days: 480, Orders: 25_000}}, 3
	if nightly() {
		stores, least = nil, 24
		for seed := range uint64(10) {
			stores = append(stores, demo.Options{Seed: seed + 1, Days: 730, Orders: 60_000})
		}
	}
	covered, all := 0, 0
	for _, opt := range stores {
		session, truth, stored := experimentStore(t, opt)
		rows := experimentsOf(t, session, `{"view":"results","detail_level":"debug"}`).Rows
		if len(rows) != len(truth.Experiments) || len(rows) < 3 {
			t.Fatalf("seed %d: %d experiments, %d planted", opt.Seed, len(rows), len(truth.Experiments))
		}
		for _, e := range truth.Experiments {
			for _, r := range rows {
				if string(r.ID) != e.ID {
					continue
				}
				tested := e.Factor != 1 // otherwise an A/A test, which has a lift and no return
				if r.Lift == nil || (r.Return != nil) != tested || (r.Factor != nil) != tested {
					t.Fatalf("seed %d: %s has the result %+v", opt.Seed, e.ID, r)
				}
				if !tested {
					t.Logf("seed %d: A/A test: estimate %.1f (%.1f to %.1f)", opt.Seed, r.Lift.Value, r.Lift.Low, r.Lift.High)
					continue
				}
				all++
				if planted := 100 * e.TrueLift; float64(r.Lift.Low) <= planted && planted <= float64(r.Lift.High) {
					covered++
				}
				t.Logf("seed %d: %s: planted lift %.1f%%, estimate %.1f (%.1f to %.1f)", opt.Seed, e.ID, 100*e.TrueLift, r.Lift.Value, r.Lift.Low, r.Lift.High)
			}
		}
		factorsFollowTheirState(t, session, stored)
		trendsFindPlantedAnomalies(t, session, truth)
		haloUsesExperiments(t, session, truth, stored)
	}
	if covered < least {
		t.Errorf("%d of %d intervals cover the planted lift, want %d", covered, all, least)
	}
}

// haloUsesExperiments checks that the `omnichannel` tool uses the experiments. Effects of tested channels on surfaces
// with daily orders must use experiments and must not be less precise. Their intervals must cover the planted effects.
func haloUsesExperiments(t *testing.T, s mcp.Session, truth demo.Truth, stored *storedExperiments) {
	t.Helper()
	const asked = `{"detail_level":"debug","compact":true}`
	with := decoded[OmnichannelAnswer](t, callAs(t, s, "omnichannel", asked).StructuredContent)
	tests := stored.all
	stored.all = nil
	without := decoded[OmnichannelAnswer](t, callAs(t, s, "omnichannel", asked).StructuredContent)
	stored.all = tests
	if without.HaloModel.Grade != "correlation" || with.HaloModel.Grade != "correlation and experiments" {
		t.Errorf("halo has grade %q without experiments and %q with them", without.HaloModel.Grade, with.HaloModel.Grade)
	}
	planted, alone := map[[2]string]float64{}, map[[2]string]HaloEffect{}
	for _, h := range truth.Halo {
		planted[[2]string{string(h.Channel), string(h.Surface)}] = h.Coefficient
	}
	for _, e := range without.Halo {
		alone[[2]string{string(e.Channel), string(e.Surface)}] = e
	}
	tested, inside := 0, 0
	for _, e := range with.Halo {
		pair := [2]string{string(e.Channel), string(e.Surface)}
		if e.Grade != "both" && e.Grade != "experiment" {
			continue
		}
		tested++
		t.Logf("%v: %v (%v to %v) by %s, planted %v; without experiments %v (%v to %v)", pair, *e.Coefficient, *e.Low, *e.High, e.Grade, planted[pair],
			ratioText(alone[pair].Coefficient), ratioText(alone[pair].Low), ratioText(alone[pair].High))
		if float64(*e.Low) <= planted[pair]+0.005 && planted[pair]-0.005 <= float64(*e.High) {
			inside++
		}
		if was := alone[pair]; was.Low != nil && float64(*e.High-*e.Low) > 1.15*float64(*was.High-*was.Low) {
			t.Errorf("%v: with experiments %v to %v, without %v to %v", pair, *e.Low, *e.High, *was.Low, *was.High)
		}
	}
	if tested < 2 || inside < tested-max(1, tested/4) {
		t.Errorf("%d effects use experiments, %d of them cover the planted effect", tested, inside)
	}
}

func ratioText(r *answer.Ratio) string {
	if r == nil {
		return "unknown"
	}
	return fmt.Sprint(float64(*r))
}

// factorsFollowTheirState applies and removes factors.
func factorsFollowTheirState(t *testing.T, s mcp.Session, stored *storedExperiments) {
	t.Helper()
	const asked = `{"view":"true_vs_reported","detail_level":"debug","compact":true}`
	set := func(applied bool) {
		changed := append([]control.Experiment(nil), stored.all...)
		for i := range changed {
			changed[i].Applied, changed[i].Version = applied, changed[i].Version+1
		}
		stored.all = changed
	}
	set(false)
	if a := experimentsOf(t, s, asked); a.Metrics.Incremental != nil || float64(*a.Metrics.Covered) != 0 {
		t.Errorf("without an applied factor: %+v", a.Metrics)
	}
	set(true)
	a := experimentsOf(t, s, asked)
	tests, sum := 0, 0.0
	for _, r := range a.Rows {
		if r.Factor == nil {
			continue
		}
		tests += r.Tests
		sum += float64(r.Incremental.Value)
		// ratios are written with two decimals
		for part, f := range map[string][3]answer.Ratio{
			"value": {r.Return.Value, r.Factor.Value, *r.ROAS}, "low": {r.Return.Low, r.Factor.Low, *r.ROAS}, "high": {r.Return.High, r.Factor.High, *r.ROAS},
		} {
			if want := float64(f[1]) * float64(f[2]); math.Abs(float64(f[0])-want) > 0.006*(1+math.Abs(float64(f[1]))+math.Abs(float64(f[2]))) {
				t.Errorf("%s: %s of the incremental return is %v, want %v", r.Channel, part, f[0], want)
			}
		}
	}
	if tests != 3 {
		t.Errorf("%d experiments behind the factors, want 3", tests)
	}
	near(t, "incremental revenue", sum, float64(a.Metrics.Incremental.Value), len(a.Rows)+1)
}

// trendsFindPlantedAnomalies checks that the `trends` tool finds every planted anomaly of revenue and spend within a
// quarter.
func trendsFindPlantedAnomalies(t *testing.T, s mcp.Session, truth demo.Truth) {
	t.Helper()
	checked := 0
	for _, planted := range truth.Anomalies {
		if planted.Metric != "revenue" && planted.Metric != "spend" {
			continue // `trends` has no metric for attributed orders
		}
		checked++
		quarter := civil.Range{First: planted.Date.AddDays(-60), Last: planted.Date.AddDays(15)}
		args := `{"metric":"` + planted.Metric + `","start_date":"` + quarter.First.String() + `","end_date":"` + quarter.Last.String() + `"}`
		found := false
		for _, r := range decoded[TrendsAnswer](t, callAs(t, s, "trends", args[:len(args)-1]+`,"limit":100,"detail_level":"debug"}`).StructuredContent).Rows {
			if r.Date == planted.Date {
				t.Logf("%s %s x%.2f: %+v z %v q %v", planted.Metric, planted.Date, planted.Factor, r, *r.Z, *r.Q)
			}
		}
		for _, r := range decoded[TrendsAnswer](t, callAs(t, s, "trends", args).StructuredContent).Rows {
			found = found || r.Date == planted.Date && r.Actionable && (*r.Z > 0) == (planted.Factor > 1)
		}
		if !found {
			t.Errorf("%s on %s, times %.2f, is not among the actionable anomalies of %s", planted.Metric, planted.Date, planted.Factor, quarter)
		}
	}
	if checked < 4 {
		t.Errorf("%d planted anomalies, want at least 4", checked)
	}
}

func TestExperimentChangesUpdateTheAnswer(t *testing.T) {
	t.Parallel()
	deps := fixtureDeps(t)
	stored := &storedExperiments{}
	deps.Experiments = stored
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	session := s.Session(reader(newWorkspace("full")), "r1")
	study := control.Experiment{
		ID: "study", Channel: "google", Kind: control.LiftStudy, Status: control.ExperimentCompleted, Version: 1, Applied: true,
		Days:  civil.Range{First: civil.MustParse("2026-01-05"), Last: civil.MustParse("2026-02-01")},
		Found: &control.Finding{Return: 1, Low: .5, High: 1.5, LevelPct: 90},
	}
	for _, all := range [][]control.Experiment{nil, {study}} {
		stored.all = all
		if got := len(experimentsOf(t, session, `{}`).Rows); got != len(all) {
			t.Errorf("%d factors of %d experiments", got, len(all))
		}
	}
	study.Applied, study.Version = false, 2
	stored.all = []control.Experiment{study}
	if row := experimentsOf(t, session, `{}`).Rows[0]; *row.Applied {
		t.Errorf("after the factor is removed: %+v", row)
	}
}

func TestPreflightListsConflictingExperiments(t *testing.T) {
	t.Parallel()
	deps := fixtureDeps(t)
	deps.Experiments = &storedExperiments{all: []control.Experiment{{
		ID: "other", Channel: "google", Kind: control.GeoTest, Status: control.ExperimentRunning, Treated: []string{"GA"},
		Days: civil.Range{First: fixtureToday, Last: fixtureToday.AddDays(20)},
	}}}
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	r := callAs(t, s.Session(reader(newWorkspace("tested")), "r1"), "geo_experiment_preflight", `{"channel":"facebook","treatmentRegions":["AL","IA"]}`)
	for _, g := range decoded[PreflightAnswer](t, r.StructuredContent).Rows {
		if g.Gate == "conflicts" && strings.Contains(g.Detail, "other is running") {
			return
		}
	}
	t.Errorf("no gate lists the running experiment: %s", r.Content[0].Text)
}

func TestGuideCoversEveryTopic(t *testing.T) {
	t.Parallel()
	topics := strings.Fields("overview geo_experiments did synthetic_control factors icpa_iroas interpreting_results")
	if len(topics) != len(passages) {
		t.Errorf("%d topics in the contract, %d in the guide", len(topics), len(passages))
	}
	for _, name := range topics {
		topic := GuideTopic(name)
		a := answerAs[ExperimentsAnswer](t, "experiments", `{"view":"guide","topic":"`+string(topic)+`"}`)
		if a.Topic != topic || len(a.Rows) < 3 || a.Summary == "" {
			t.Errorf("topic %s: %d passages, %q", topic, len(a.Rows), a.Summary)
		}
	}
}
