package tools

import (
	"strings"
	"testing"

	"assay/internal/ingest/demo"
	"assay/internal/measure/geo"
	"assay/internal/warehouse"
)

// The demo store has orders and spend in all states, so a geo experiment can be planned. Given regions are used
// unchanged, in either spelling.
func TestPreflightOfDemoStore(t *testing.T) {
	t.Parallel()
	session, _ := demoStore(t, demo.Options{Seed: 7, Days: 200, Orders: 6_000}, func(b *warehouse.Batch) warehouse.Batch {
		return warehouse.Batch{Orders: b.Orders, AdDays: b.AdDays}
	})
	found := decoded[PreflightAnswer](t, callAs(t, session, "geo_experiment_preflight", `{"channel":"meta","detail_level":"analyst"}`).StructuredContent)
	m := found.Metrics
	if m.Regions < 40 || m.MDE == nil || *m.MDE <= 0 || m.Return == nil || len(found.Rows) != 10 || len(found.Treatment) < 2 || m.Donors != m.Regions-len(found.Treatment) {
		t.Errorf("preflight %+v with %d gates and the regions %v", m, len(found.Rows), found.Treatment)
	}
	named := decoded[PreflightAnswer](t, callAs(t, session, "geo_experiment_preflight", `{"channel":"meta","treatmentRegions":["US-OH","ga","OH"]}`).StructuredContent)
	if len(named.Treatment) != 2 || named.Treatment[0] != geo.Region("GA") || named.Treatment[1] != geo.Region("OH") {
		t.Errorf("treated are %v, want GA and OH", named.Treatment)
	}
}

// Errors state the reason: the given regions leave too few donors, or have no orders.
func TestPreflightErrorsStateTheReason(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"channel":"facebook","treatmentRegions":["AL","AR","AZ","CO","CT","GA","IA","KS","MD","MN","NV","OR","SC","UT","WA","WI"]}`: "too few donors remain",
		`{"channel":"facebook","treatmentRegions":["ZZ"]}`:           `"ZZ" has no orders`,
		`{"channel":"facebook","treatmentRegions":["AL","nowhere"]}`: `"nowhere" has no orders`,
	} {
		r := call(t, "tested", "geo_experiment_preflight", args)
		if text := r.Content[0].Text; !r.IsError || !strings.Contains(text, want) || strings.Contains(text, "NaN") {
			t.Errorf("%s: %v %s, want it to contain %q", args, r.IsError, text, want)
		}
	}
}
