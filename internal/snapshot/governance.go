package snapshot

import (
	"context"
	"hash/fnv"
	"strconv"

	"assay/internal/control"
	"assay/internal/measure"
)

// Governance reads the members' decisions about insights and changes on ad platforms. The control store implements it.
type Governance interface {
	DismissedInsights(ctx context.Context, ws measure.WorkspaceID) ([]control.DismissedInsight, error)
	Guardrails(ctx context.Context, ws measure.WorkspaceID) (control.Guardrails, error)
}

// govern reads the dismissed insights and the guardrails of a workspace, with the hash that identifies them.
func (r *Reader) govern(ctx context.Context, id measure.WorkspaceID, s *Stored) (err error) {
	s.Guardrails = control.NewGuardrails(id)
	if r.Governance == nil {
		return nil
	}
	if s.Dismissed, err = r.Governance.DismissedInsights(ctx, id); err != nil {
		return err
	}
	if s.Guardrails, err = r.Governance.Guardrails(ctx, id); err != nil {
		return err
	}
	h := fnv.New64a()
	for _, d := range s.Dismissed {
		_, _ = h.Write([]byte(string(d.Insight) + "\n")) // a hash never returns an error
	}
	_, _ = h.Write([]byte(strconv.FormatInt(s.Guardrails.Version, 10)))
	s.state.governance = h.Sum64()
	return nil
}

// sharedKey identifies a result that several tools use.
type sharedKey struct {
	Key
	name string
}

const maxShared = 200

// shared is a result with the queries that it used.
type shared struct {
	value any
	reads []Question
}

// Shared returns a result that several calls use and that depends only on the facts, the model and the experiments. It
// calculates the result once per state of these data, from a separate snapshot. The result is read-only.
func Shared[T any](ctx context.Context, c *Snapshot, name string, calculate func(ctx context.Context, c *Snapshot) (T, error)) (T, error) {
	calculated := func(ctx context.Context, _ sharedKey) (shared, error) {
		own := c.fresh()
		value, err := calculate(ctx, own)
		return shared{value, own.reads}, err
	}
	key := sharedKey{c.Key, name}
	key.annotations, key.governance, key.alertEvents, key.forecasts = 0, 0, 0, control.ForecastState{}
	get := calculated
	if c.Versioned() {
		get = func(ctx context.Context, key sharedKey) (shared, error) {
			return c.reader.shared.Get(ctx, key, Loading(calculated))
		}
	}
	found, err := get(ctx, key)
	if err != nil {
		var none T
		return none, err
	}
	c.reads = append(c.reads, found.reads...)
	return found.value.(T), nil
}
