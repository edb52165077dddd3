package singer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"

	"assay/internal/civil"
	"assay/internal/ingest"
	"assay/internal/ingest/shopify"
	"assay/internal/panics"
	"assay/internal/warehouse"
)

// keeping is a step that writes facts while later messages are read. The code that starts the step must wait for its
// end.
type keeping struct {
	work     panics.Group
	outcomes []warehouse.Outcome
	passed   int // number of states
	err      error
}

// keep writes the collected facts, each kind in a separate step. It emits the last state when all facts before the
// state are stored. At the end of the run (end = true), it also writes the facts that wait for this end.
func (t *target) keep(ctx context.Context, end bool) error {
	known, err := t.store.FXRates(ctx, t.Workspace.ID)
	if err != nil {
		return err
	}
	rates, err := ingest.RatesOf(known)
	if err != nil {
		return err
	}
	loads, rejected := t.facts.loads(rates, end)
	if end && t.polled() {
		loads = endRun(loads)
	}
	for _, r := range rejected {
		if err := t.reject(r.stream, r.err); err != nil {
			return err
		}
	}
	if err := t.settle(); err != nil {
		return err
	}
	t.since, t.waiting, t.began = 0, 0, t.Clock()
	state := ""
	if end || !t.facts.waits() { // waiting facts precede the state
		state, t.state = t.state, ""
	}
	k := &keeping{}
	t.kept = k
	k.work.Go(func() { k.err = t.write(ctx, k, loads, state) })
	if end {
		return t.settle()
	}
	return nil
}

// polled reports whether the run has read all orders through yesterday. A run across midnight may lack the last orders
// of the previous day. A tap sends a state after its last record, so a run without this state was interrupted.
func (t *target) polled() bool {
	zone := t.Workspace.Location()
	return t.ended && civil.DayOf(t.started, zone) == civil.DayOf(t.Clock(), zone) &&
		slices.ContainsFunc(slices.Collect(maps.Values(t.streams)), func(s *stream) bool { return s.shape == orderRecords })
}

// endRun marks the last step of orders as the end of the run. A run without new orders gets a step without rows.
func endRun(loads []load) []load {
	last := -1
	for i, l := range loads {
		if l.source == shopify.OrdersSource {
			last = i
		}
	}
	if last < 0 {
		return append(loads, load{source: shopify.OrdersSource, file: warehouse.TapRunFile})
	}
	loads[last].file = warehouse.TapRunFile
	return loads
}

// settle waits for the previous step.
func (t *target) settle() error {
	k := t.kept
	if k == nil {
		return nil
	}
	t.kept = nil
	k.work.Wait()
	for _, out := range k.outcomes {
		t.report.add(out)
		t.notes.AddShared(out.Shared)
	}
	t.report.StatesPassed += k.passed
	return k.err
}

// pass emits the last state when all facts before it are stored.
func (t *target) pass() error {
	if err := t.settle(); err != nil || t.facts.waits() {
		return err
	}
	k := &keeping{}
	err := t.emit(k, t.state)
	t.state = ""
	t.report.StatesPassed += k.passed
	return err
}

// write stores facts and then emits the next state, if any.
func (t *target) write(ctx context.Context, k *keeping, loads []load, state string) error {
	for i := range loads {
		out, err := t.writeLoad(ctx, &loads[i])
		if err != nil {
			return err
		}
		k.outcomes = append(k.outcomes, out)
	}
	return t.emit(k, state)
}

func (t *target) emit(k *keeping, state string) error {
	if state == "" || t.DryRun || t.Emit == nil {
		return nil
	}
	var line bytes.Buffer
	if err := json.Compact(&line, []byte(state)); err != nil {
		return err
	}
	k.passed++
	return t.Emit(line.Bytes())
}

func (t *target) writeLoad(ctx context.Context, l *load) (out warehouse.Outcome, err error) {
	into, err := t.store.Begin(ctx, warehouse.ImportSpec{
		Workspace: t.Workspace.ID, Source: l.source, File: cmp.Or(l.file, "singer: "+l.what), DryRun: t.DryRun, Base: t.Workspace.Currency,
		Zone: t.Workspace.Location(), Feed: true,
	})
	if err != nil {
		return out, err
	}
	defer into.Abort()
	if err := into.Add(ctx, &l.batch); err != nil {
		return out, err
	}
	into.Replace(l.windows...)
	if out, err = into.Commit(ctx); err != nil {
		return out, err
	}
	t.Log.InfoContext(ctx, "singer records stored", slog.String("workspace", string(t.Workspace.ID)), slog.String("source", l.source), slog.Int("changed_days", out.DaysHit))
	return out, nil
}
