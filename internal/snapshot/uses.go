package snapshot

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/control"
	"assay/internal/experiment"
	"assay/internal/measure"
	"assay/internal/measure/mix"
)

// Use states whether an estimate uses an experiment, and why.
type Use struct {
	By   string // factor, model or halo
	Used bool
	Why  string
}

// Uses returns which estimates use an experiment, and why. The incrementality factor ignores an experiment until a
// member applies it. The media mix model and the halo effects weight each experiment by its precision, so they also use
// inconclusive experiments.
func Uses(ctx context.Context, c *Snapshot, r *experiment.Result) ([]Use, error) {
	used, why := r.FactorUse()
	all := []Use{{"factor", used, why}, modelUse(c, r)}
	if r.Status != control.ExperimentCompleted {
		return append(all, Use{By: "halo", Why: "the experiment is not completed"}), nil
	}
	found, err := c.surfaceTest(ctx, r.Experiment)
	if err != nil {
		return nil, fmt.Errorf("experiment %q by surface: %w", r.ID, err)
	}
	surfaces := []measure.Surface{}
	for _, e := range found {
		if e.Surface != homeOf(e.Channel) {
			surfaces = append(surfaces, e.Surface)
		}
	}
	switch {
	case r.Kind != control.GeoTest:
		return append(all, Use{By: "halo", Why: "a lift study has no result by surface"}), nil
	case len(surfaces) == 0:
		return append(all, Use{By: "halo", Why: "the spend by region is unknown, or other surfaces have too few orders"}), nil
	}
	return append(all, Use{"halo", true, fmt.Sprintf("the priors of %d surfaces include the experiment, weighted by its precision", len(surfaces))}), nil
}

func modelUse(c *Snapshot, r *experiment.Result) Use {
	u := Use{By: "model"}
	m := UsableModel(c)
	switch {
	case r.Status != control.ExperimentCompleted:
		u.Why = "the experiment is not completed"
		return u
	case m == nil:
		u.Why = "there is no usable media mix model"
		return u
	}
	at := slices.IndexFunc(m.Tests, func(t mix.Calibration) bool { return t.ID == string(r.ID) })
	switch {
	case at < 0:
		u.Why = fmt.Sprintf("model %d was trained without the experiment", m.Version)
	case !m.Tests[at].Used():
		u.Why = m.Tests[at].Why
	default:
		u.Used, u.Why = true, fmt.Sprintf("the experiment calibrates model %d, weighted by its precision", m.Version)
		if m.Tests[at].Contradicts() {
			u.Why += ", but contradicts the observational fit"
		}
	}
	return u
}
