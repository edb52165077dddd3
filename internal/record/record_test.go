package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/record"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse/storetest"
)

var errStore = errors.New("no control data")

// managed changes annotations and reports in a control store.
type managed struct {
	toolkit.Records
	*bench
}

func (m managed) AddAnnotation(ctx context.Context, p auth.Principal, a control.Annotation) (control.Kept[control.Annotation], error) {
	if m.fails {
		return control.Kept[control.Annotation]{}, errStore
	}
	a.Workspace = p.Workspace.ID
	return m.store.AddAnnotation(ctx, a, control.By{Actor: p.Actor, At: storetest.Now})
}

func (m managed) SaveReport(ctx context.Context, p auth.Principal, s control.SavedReport) (control.Kept[control.SavedReport], error) {
	if m.fails {
		return control.Kept[control.SavedReport]{}, errStore
	}
	s.Workspace = p.Workspace.ID
	return m.store.SaveReport(ctx, s, control.By{Actor: p.Actor, At: storetest.Now})
}

func (m managed) Reports(ctx context.Context, ws measure.WorkspaceID) ([]control.SavedReport, error) {
	return m.store.Reports(ctx, ws)
}

// bench contains the records of the workspace "shop".
type bench struct {
	store     *sqlstore.Store
	workspace control.Workspace
	fails     bool // changes fail
}

func newBench(t *testing.T) *bench {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	w := control.NewWorkspace("Shop")
	if w, err = store.CreateWorkspace(t.Context(), w, control.By{Actor: "test", At: storetest.Now}); err != nil {
		t.Fatal(err)
	}
	return &bench{store: store, workspace: w}
}

// call returns a call on the present records.
func (b *bench) call(t *testing.T) *toolkit.Call {
	t.Helper()
	notes, err := b.store.Annotations(t.Context(), b.workspace.ID)
	if err != nil {
		t.Fatal(err)
	}
	s := &snapshot.Snapshot{State: snapshot.State{Today: storetest.Today, Workspace: b.workspace, Stored: snapshot.Stored{Annotations: notes}}}
	return &toolkit.Call{
		Snapshot: s, Writer: answer.Writer{Figures: answer.Figures{Currency: "USD"}}, Principal: auth.Principal{Workspace: b.workspace, Actor: "key:k1"}, Managed: managed{bench: b},
		Reports: func(tool string, args json.RawMessage) error {
			if tool == "pause" {
				return fault.Invalid("params.tool %q cannot be saved", tool)
			}
			if strings.Contains(string(args), "joy") {
				return fault.Invalid("metric must be one of revenue and orders")
			}
			return nil
		},
	}
}

// plan returns the effect of an action.
func (b *bench) plan(t *testing.T, action string, params map[string]any) (*record.Change, error) {
	t.Helper()
	return record.Plan(t.Context(), b.call(t), action, params)
}

func day(text string) civil.Date { return civil.MustParse(text) }

func TestAnAnnotationIsPlannedAddedAndRecognized(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	params := map[string]any{"date": "2026-10-10", "label": " Sale \"1\" ", "end_date": "2026-10-12", "type": "promotion"}
	want := record.Record{Date: day("2026-10-10"), EndDate: day("2026-10-12"), Label: `Sale "1"`, Type: control.AnnotationType("promotion")}
	const object = `the annotation "Sale \"1\"" from 2026-10-10 to 2026-10-12`
	planned, err := b.plan(t, "create_annotation", params)
	if err != nil {
		t.Fatal(err)
	}
	if planned.Existing || planned.ID != "" || planned.Object != object || planned.Undo != "assay annotations remove ID --workspace shop" || !reflect.DeepEqual(planned.Record, want) {
		t.Errorf("plan %+v, want %q with %+v", planned, object, want)
	}
	b.fails = true
	if changed, err := planned.Do(t.Context()); changed || !errors.Is(err, errStore) || planned.ID != "" || !reflect.DeepEqual(planned.Record, want) {
		t.Errorf("a failure: %t, %v, %+v", changed, err, planned)
	}
	b.fails = false
	changed, err := planned.Do(t.Context())
	if err != nil || !changed || planned.ID == "" || planned.Undo != "assay annotations remove "+planned.ID+" --workspace shop" || !reflect.DeepEqual(planned.Record, want) {
		t.Errorf("execution: %t, %v, %+v", changed, err, planned)
	}
	id := planned.ID
	if changed, err := planned.Do(t.Context()); err != nil || changed || planned.ID != id {
		t.Errorf("a second execution: %t, %v, %+v", changed, err, planned)
	}
	again, err := b.plan(t, "create_annotation", params)
	if err != nil || !again.Existing || again.ID != id || again.Undo != planned.Undo || !reflect.DeepEqual(again.Record, want) {
		t.Errorf("the plan again: %+v, %v; want the existing annotation %s", again, err, id)
	}
	other, err := b.plan(t, "create_annotation", map[string]any{"date": "2026-10-10", "label": "Outage"})
	if want := `the annotation "Outage" on 2026-10-10`; err != nil || other.Existing || other.Object != want || other.Record.EndDate != day("2026-10-10") || other.Record.Type != control.OtherNote {
		t.Errorf("another annotation: %+v, %v; want %q", other, err, want)
	}
	if _, err := b.plan(t, "create_annotation", map[string]any{"date": "2026-10-10", "label": "x", "end_date": "2026-10-09"}); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("an end before the start: %v", err)
	}
}

func TestAReportIsPlannedSavedAndRecognized(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	orders := map[string]any{"name": "Weekly", "tool": "trends", "arguments": map[string]any{"metric": "orders"}}
	planned, err := b.plan(t, "save_report", orders)
	if err != nil {
		t.Fatal(err)
	}
	const object, undo = `the report "Weekly", which calls the trends tool`, "assay reports remove ID --workspace shop"
	if planned.Existing || planned.Refusal != nil || planned.ID != "" || planned.Object != object || planned.Undo != undo || planned.Record.Name != "Weekly" || planned.Record.Tool != "trends" || planned.Record.URI != "" {
		t.Errorf("plan %+v, want %q", planned, object)
	}
	b.fails = true
	if changed, err := planned.Do(t.Context()); changed || !errors.Is(err, errStore) || planned.ID != "" || planned.Undo != undo {
		t.Errorf("a failure: %t, %v, %+v", changed, err, planned)
	}
	b.fails = false
	changed, err := planned.Do(t.Context())
	if err != nil || !changed || planned.ID == "" || planned.Record.URI != toolkit.ReportURI+planned.ID || planned.Undo != "assay reports remove "+planned.ID+" --workspace shop" {
		t.Errorf("execution: %t, %v, %+v", changed, err, planned)
	}
	for name, c := range map[string]struct {
		params   map[string]any
		existing bool
		refused  bool
	}{
		"the same report":   {orders, true, false},
		"other arguments":   {map[string]any{"name": "Weekly", "tool": "trends", "arguments": map[string]any{"metric": "revenue"}}, false, true},
		"no arguments":      {map[string]any{"name": "Weekly", "tool": "trends"}, false, true},
		"empty arguments":   {map[string]any{"name": "Weekly", "tool": "trends", "arguments": map[string]any{}}, false, true},
		"another tool":      {map[string]any{"name": "Weekly", "arguments": map[string]any{"metric": "orders"}}, false, true},
		"another name":      {map[string]any{"name": "Daily", "tool": "trends", "arguments": map[string]any{"metric": "orders"}}, false, false},
		"only another name": {map[string]any{"name": "Monthly"}, false, false},
	} {
		got, err := b.plan(t, "save_report", c.params)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Existing != c.existing || (got.Refusal != nil) != c.refused || c.refused && fault.KindOf(got.Refusal) != fault.KindConflict {
			t.Errorf("%s: existing %t, refusal %v; want %t, a refusal: %t", name, got.Existing, got.Refusal, c.existing, c.refused)
		}
		if want := c.existing; (got.ID == planned.ID) != want || (got.Record.URI == planned.Record.URI) != want || (got.Undo == planned.Undo) != want {
			t.Errorf("%s: %+v; want the record of the saved report: %t", name, got, want)
		}
	}
	saved, err := b.store.Reports(t.Context(), b.workspace.ID)
	if err != nil || len(saved) != 1 || string(saved[0].Arguments) != `{"metric":"orders"}` || saved[0].Tool != "trends" {
		t.Errorf("saved reports %+v, %v", saved, err)
	}
	plain, err := b.plan(t, "save_report", map[string]any{"name": "Plain"})
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := plain.Do(t.Context()); err != nil || !changed || plain.Record.Tool != "performance" {
		t.Errorf("a report without arguments: %t, %v, %+v", changed, err, plain)
	}
	if stored, err := b.store.Report(t.Context(), b.workspace.ID, control.ReportID(plain.ID)); err != nil || string(stored.Arguments) != "{}" {
		t.Errorf("a report without arguments is %+v, %v", stored, err)
	}
	for name, params := range map[string]map[string]any{
		"no name":              {"tool": "trends"},
		"a tool that writes":   {"name": "x", "tool": "pause"},
		"an invalid argument":  {"name": "x", "tool": "trends", "arguments": map[string]any{"metric": "joy"}},
		"no object":            {"name": "x", "arguments": []any{}},
		"an unknown parameter": {"name": "x", "title": "y"},
	} {
		if _, err := b.plan(t, "save_report", params); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v, want a fault of kind invalid", name, err)
		}
	}
}
