package tools

import (
	"slices"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

func TestAPlanSpellsChannelAndRegionsLikeTheStore(t *testing.T) {
	t.Parallel()
	s, w := fixtureService(t), newWorkspace("tested")
	if _, err := s.Planned(t.Context(), w, control.Experiment{Channel: "Meta Ads", Treated: []string{"us-oh", " ga"}, HeldOut: []string{"AL", "IA"}}); err == nil || !strings.Contains(err.Error(), `treated regions: "us-oh" has no orders; regions with orders: AL, AR`) {
		t.Errorf("a state without orders: %v", err)
	}
	e, err := s.Planned(t.Context(), w, control.Experiment{Channel: "Meta Ads", Treated: []string{"us-or", " ga"}, HeldOut: []string{"AL", "IA"}})
	if err != nil || e.Channel != "facebook" || !slices.Equal(e.Treated, []string{"OR", "GA"}) || !slices.Equal(e.HeldOut, []string{"AL", "IA"}) {
		t.Errorf("planned %+v, %v", e, err)
	}
	if e, err = s.Planned(t.Context(), w, control.Experiment{Channel: "tiktok"}); err != nil || e.Channel != "tiktok" {
		t.Errorf("a platform that the store has not used yet: %+v, %v", e, err)
	}
	for name, c := range map[string]struct {
		store measure.WorkspaceID
		plan  control.Experiment
		says  string
	}{
		"channel":           {"tested", control.Experiment{Channel: "fcebook"}, `channel "fcebook" does not exist; the channels of this store are facebook`},
		"no channel":        {"tested", control.Experiment{Channel: "unattributed"}, "cannot be tested"},
		"held out":          {"tested", control.Experiment{Channel: "facebook", HeldOut: []string{"Atlantis"}}, `held-out regions: "Atlantis" has no orders`},
		"before all orders": {"tested", control.Experiment{Channel: "facebook", Treated: []string{"OR"}, Days: civil.Range{First: civil.MustParse("2019-01-01"), Last: civil.MustParse("2019-01-31")}}, "no order has a region"},
		"no orders at all":  {"empty", control.Experiment{Channel: "facebook", Treated: []string{"CA"}}, "no order has a region"},
	} {
		_, err := s.Planned(t.Context(), newWorkspace(c.store), c.plan)
		if fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want it to contain %q", name, err, c.says)
		}
	}
	if _, err := s.Channel(t.Context(), w, "unattributed"); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a target of no channel: %v", err)
	}
}

func TestADraftListsOverlappingExperiments(t *testing.T) {
	t.Parallel()
	days := func(first, last string) civil.Range {
		return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
	}
	draft := control.Experiment{ID: "idea", Channel: "facebook", Status: control.ExperimentDraft, Days: days("2026-04-01", "2026-04-28"), Treated: []string{"CA"}}
	c := &toolkit.Call{Snapshot: &snapshot.Snapshot{State: snapshot.State{Stored: snapshot.Stored{Experiments: []control.Experiment{
		draft,
		{ID: "same", Channel: "facebook", Status: control.ExperimentPlanned, Days: days("2026-04-20", "2026-05-10")},
		{ID: "region", Channel: "tiktok", Status: control.ExperimentDraft, Days: days("2026-04-28", "2026-05-10"), HeldOut: []string{"CA"}},
		{ID: "gone", Channel: "facebook", Status: control.ExperimentCancelled, Days: days("2026-04-01", "2026-04-28")},
		{ID: "later", Channel: "facebook", Status: control.ExperimentPlanned, Days: days("2026-04-29", "2026-05-28")},
	}}}}}
	want := []string{
		"same (planned): it tests facebook too from 2026-04-20 to 2026-04-28",
		"region (draft): its control region CA is treated here from 2026-04-28 to 2026-04-28",
	}
	if got := overlaps(c, draft); !slices.Equal(got, want) {
		t.Errorf("overlaps %q, want %q", got, want)
	}
}
