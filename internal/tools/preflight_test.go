package tools

import (
	"testing"

	"assay/internal/ingest/demo"
	"assay/internal/measure/geo"
	"assay/internal/warehouse"
)

// The demo store sells in all states and its reports know spend by state: a test can be planned. Named regions are
// taken as they are, in either spelling.
func TestTheDemoStoreCanBeJudgedForATest(t *testing.T) {
	t.Parallel()
	session, _ := demoStore(t, demo.Options{Seed: 7, Days: 200, Orders: 6_000}, func(b *warehouse.Batch) warehouse.Batch {
		return warehouse.Batch{Orders: b.Orders, AdDays: b.AdDays}
	})
	found := decoded[preflightAnswer](t, callAs(t, session, "geo_experiment_preflight", `{"channel":"meta","detail_level":"analyst"}`).StructuredContent)
	m := found.Metrics
	if m.Regions < 40 || m.MDE == nil || *m.MDE <= 0 || m.Return == nil || len(found.Rows) != 10 || len(found.Treatment) < 2 || m.Donors != m.Regions-len(found.Treatment) {
		t.Errorf("preflight %+v with %d gates and the regions %v", m, len(found.Rows), found.Treatment)
	}
	named := decoded[preflightAnswer](t, callAs(t, session, "geo_experiment_preflight", `{"channel":"meta","treatmentRegions":["US-OH","ga","OH"]}`).StructuredContent)
	if len(named.Treatment) != 2 || named.Treatment[0] != geo.Region("GA") || named.Treatment[1] != geo.Region("OH") {
		t.Errorf("treated are %v, want GA and OH", named.Treatment)
	}
}
