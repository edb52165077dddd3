package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/decision"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// storedRecords changes records in a control store. The facts of the fixed store do not change.
type storedRecords struct {
	*sqlstore.Store
	coupons sync.Map // channels of codes
}

func actorOf(p auth.Principal) control.By { return control.By{Actor: p.Actor, At: fixtureNow} }

func (s *storedRecords) AddAnnotation(ctx context.Context, p auth.Principal, a control.Annotation) (control.Kept[control.Annotation], error) {
	a.Workspace = p.Workspace.ID
	return s.Store.AddAnnotation(ctx, a, actorOf(p))
}

func (s *storedRecords) SaveReport(ctx context.Context, p auth.Principal, r control.SavedReport) (control.Kept[control.SavedReport], error) {
	r.Workspace = p.Workspace.ID
	return s.Store.SaveReport(ctx, r, actorOf(p))
}

func (s *storedRecords) CreateAlert(ctx context.Context, p auth.Principal, a control.Alert) (control.Kept[control.Alert], error) {
	a.ID, a.Workspace = "alert-"+control.AlertID(a.Threshold.String()), p.Workspace.ID
	return s.Store.CreateAlert(ctx, a, actorOf(p))
}

func (s *storedRecords) MapCoupon(_ context.Context, _ auth.Principal, m warehouse.CouponChannel) (control.Kept[warehouse.CouponChannel], error) {
	before, _ := s.coupons.Swap(m.Code, m.Channel)
	was, _ := before.(measure.Channel)
	return control.Kept[warehouse.CouponChannel]{Record: warehouse.CouponChannel{Code: m.Code, Channel: was}, Changed: was != m.Channel}, nil
}

func (s *storedRecords) AddExperiment(ctx context.Context, p auth.Principal, e control.Experiment) (control.Kept[control.Experiment], error) {
	e.Workspace = p.Workspace.ID
	return s.Store.AddExperiment(ctx, e, actorOf(p))
}

func (s *storedRecords) MoveExperiment(ctx context.Context, p auth.Principal, m control.Move) (control.Kept[control.Experiment], error) {
	m.Workspace = p.Workspace.ID
	if now, err := s.Experiment(ctx, m.Workspace, m.ID); err == nil && now.Status == m.To {
		return control.Kept[control.Experiment]{Record: now}, nil
	}
	moved, err := s.Store.MoveExperiment(ctx, m, actorOf(p))
	return control.Kept[control.Experiment]{Record: moved, Changed: err == nil}, err
}

func (s *storedRecords) DismissInsight(ctx context.Context, p auth.Principal, d control.DismissedInsight) (control.Kept[control.DismissedInsight], error) {
	d.Workspace = p.Workspace.ID
	return s.Store.DismissInsight(ctx, d, actorOf(p))
}

// recording opens a session with a write key on a separate control database.
func recording(t *testing.T) mcp.Session {
	t.Helper()
	deps := fixtureDeps(t)
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w := newWorkspace("full")
	if _, err := store.CreateWorkspace(t.Context(), w, control.By{Actor: "test", At: fixtureNow}); err != nil {
		t.Fatal(err)
	}
	deps.Records, deps.Annotations, deps.Experiments, deps.Governance = &storedRecords{Store: store}, store, store, store
	service, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	p := reader(w)
	p.Scopes = append(p.Scopes, control.ScopeWrite)
	return service.Session(p, "r1")
}

func manageAnswer(t *testing.T, r mcp.CallResult) ManageAnswer {
	t.Helper()
	var a ManageAnswer
	if err := json.Unmarshal(r.StructuredContent, &a); err != nil || r.IsError {
		t.Fatalf("%v in %+v", err, r)
	}
	return a
}

// Each action is previewed, executed with the call that the preview offers, and repeated without effect.
func TestEachActionIsPreviewedExecutedAndRepeated(t *testing.T) {
	t.Parallel()
	s := recording(t)
	for _, args := range []string{
		`{"action":"create_annotation","params":{"date":"2026-10-10","label":"Sale \"1\"","end_date":"2026-10-12","type":"promotion"}}`,
		`{"action":"map_coupon","params":{"code":"autumn","channel":"google"}}`,
		`{"action":"create_experiment","params":{"channel":"facebook","start_date":"2027-01-04","end_date":"2027-01-31"}}`,
		`{"action":"create_alert","params":{"metric":"revenue","condition":"below","threshold":1000}}`,
		`{"action":"save_report","params":{"name":"Weekly","tool":"trends","arguments":{"metric":"orders"}}}`,
	} {
		preview := manageAnswer(t, callAs(t, s, "manage", args))
		if preview.Executed || preview.Status != managePreview || len(preview.Next) != 1 || preview.Undo == "" {
			t.Fatalf("preview of %s: %+v", args, preview)
		}
		confirmed, err := json.Marshal(preview.Next[0].Arguments)
		if err != nil {
			t.Fatal(err)
		}
		done := manageAnswer(t, callAs(t, s, "manage", string(confirmed)))
		if !done.Executed || done.Status != manageExecuted || done.ID == "" {
			t.Errorf("%s: %+v", confirmed, done)
		}
		if strings.Contains(args, "experiment") && string(done.ExperimentID) != done.ID {
			t.Errorf("%s: experiment_id %q, id %q", args, done.ExperimentID, done.ID)
		}
		again := manageAnswer(t, callAs(t, s, "manage", string(confirmed)))
		if again.Executed || again.Status != manageUnchanged || again.ID != done.ID {
			t.Errorf("%s again: %+v", confirmed, again)
		}
		if repeated := manageAnswer(t, callAs(t, s, "manage", args)); repeated.Executed || repeated.Undo != done.Undo || strings.Contains(repeated.Undo, " ID ") {
			t.Errorf("preview of %s again: %+v, want the undo %q", args, repeated, done.Undo)
		}
	}
	answered := callAs(t, s, "trends", `{"start_date":"2026-10-12","end_date":"2026-10-20"}`)
	if !strings.Contains(answered.Content[0].Text, `"annotations":[{"date":"2026-10-10","end_date":"2026-10-12"`) {
		t.Errorf("trends does not list the annotation: %s", answered.Content[0].Text)
	}
}

func TestADismissedInsightIsNotShownAgain(t *testing.T) {
	t.Parallel()
	s := recording(t)
	insights := func() InsightsAnswer {
		var a InsightsAnswer
		r := callAs(t, s, "insights", `{"limit":100,"detail_level":"debug"}`)
		if err := json.Unmarshal(r.StructuredContent, &a); err != nil || r.IsError {
			t.Fatalf("%v in %+v", err, r)
		}
		return a
	}
	before := insights()
	id := before.Rows[0].ID
	args := fmt.Sprintf(`{"action":"dismiss_insight","params":{"insight_id":%q,"reason":"planned"},"confirmed":true}`, id)
	if done := manageAnswer(t, callAs(t, s, "manage", args)); !done.Executed || done.ID != string(id) {
		t.Fatalf("%s: %+v", args, done)
	}
	after := insights()
	if after.Pagination.Total != before.Pagination.Total-1 || slices.ContainsFunc(after.Rows, func(i decision.Insight) bool { return i.ID == id }) {
		t.Errorf("%d insights before, %d after the dismissal of %s", before.Pagination.Total, after.Pagination.Total, id)
	}
	if again := manageAnswer(t, callAs(t, s, "manage", args)); again.Executed || again.Status != manageUnchanged {
		t.Errorf("%s again: %+v", args, again)
	}
}

func TestTenEqualCallsAtOnceMakeOneRecord(t *testing.T) {
	t.Parallel()
	s := recording(t)
	for _, args := range []string{
		`{"action":"create_annotation","params":{"date":"2026-10-10","label":"Sale"},"confirmed":true}`,
		`{"action":"create_experiment","params":{"channel":"facebook"},"confirmed":true}`,
		`{"action":"save_report","params":{"name":"Weekly"},"confirmed":true}`,
		`{"action":"create_alert","params":{"metric":"revenue","condition":"below","threshold":500},"confirmed":true}`,
	} {
		var executed atomic.Int64
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				// A session belongs to one request.
				encoded, err := s.For(mcp.Client{}).CallTool(t.Context(), "manage", json.RawMessage(args))
				if err != nil {
					t.Error(err)
				}
				if strings.Contains(string(encoded), `"executed":true`) {
					executed.Add(1)
				}
			})
		}
		all.Wait()
		if executed.Load() != 1 {
			t.Errorf("%d of ten calls executed %s", executed.Load(), args)
		}
	}
}

func TestRejectedParamsNameTheParameterAndTheAllowedValues(t *testing.T) {
	t.Parallel()
	s := recording(t)
	for _, c := range []struct{ args, want string }{
		{`{"action":"save_report","params":{"title":"x"}}`, `params.name is required; it must be a string that is not empty. params has no member "title"; the allowed members are name, tool, arguments`},
		{`{"action":"create_annotation","params":{"date":"2026-02-30","label":"x"}}`, "params.date must be a calendar date in the form YYYY-MM-DD; got \"2026-02-30\""},
		{`{"action":"create_annotation","params":{"date":"2026-10-10","label":"x","end_date":"2026-10-09"}}`, "end_date 2026-10-09 is before date 2026-10-10"},
		{`{"action":"create_annotation"}`, "params.date is required"},
		{`{"action":"create_alert","params":{"metric":"zzz","condition":"lower","threshold":"many"}}`, "params.metric must be one of revenue, orders, spend, roas, aov"},
		{`{"action":"map_coupon","params":{"code":"X","channel":"nowhere"}}`, "channels of this store are"},
		{`{"action":"save_report","params":{"name":"x","tool":"pause_campaign"}}`, `params.tool "pause_campaign" cannot be saved`},
		{`{"action":"save_report","params":{"name":"x","tool":"trends","arguments":{"metric":"joy"}}}`, "metric must be one of"},
		{`{"action":"dismiss_insight","params":{"insight_id":"no-such-insight"}}`, `"no-such-insight" is not a current insight`},
		{`{"action":"update_experiment","params":{"experiment_id":"none","status":"running"}}`, `there is no experiment "none"`},
		{`{"action":"update_experiment","params":{"experiment_id":"none","status":"over"}}`, "one of draft, planned, running, completed, cancelled"},
	} {
		for _, confirmed := range []string{"", `,"confirmed":true`} {
			args := strings.TrimSuffix(c.args, "}") + confirmed + "}"
			r := callAs(t, s, "manage", args)
			if !r.IsError || !strings.Contains(r.Content[0].Text, c.want) {
				t.Errorf("%s: %s, want an error with %q", args, r.Content[0].Text, c.want)
			}
		}
	}
}

func TestAnExperimentMovesAsFarAsItCan(t *testing.T) {
	t.Parallel()
	s := recording(t)
	id := manageAnswer(t, callAs(t, s, "manage", `{"action":"create_experiment","params":{"channel":"facebook"},"confirmed":true}`)).ID
	move := func(status, confirmed string) mcp.CallResult {
		return callAs(t, s, "manage", fmt.Sprintf(`{"action":"update_experiment","params":{"experiment_id":%q,"status":%q},"confirmed":%s}`, id, status, confirmed))
	}
	preview := manageAnswer(t, move("running", "false"))
	if !strings.Contains(preview.Problem, "The next status can be planned or cancelled") || len(preview.Next) > 0 {
		t.Errorf("preview of a move that is not possible: %+v", preview)
	}
	if r := move("running", "true"); !r.IsError || !strings.Contains(r.Content[0].Text, "The next status can be planned or cancelled") {
		t.Errorf("a draft that runs: %+v", r)
	}
	if a := manageAnswer(t, move("cancelled", "true")); !a.Executed || a.Record.Status != control.ExperimentCancelled {
		t.Errorf("canceled: %+v", a)
	}
	if a := manageAnswer(t, move("cancelled", "true")); a.Status != manageUnchanged {
		t.Errorf("canceled again: %+v", a)
	}
}

// A saved report is a resource of its workspace. The resource contains today's answer.
func TestASavedReportIsAResource(t *testing.T) {
	t.Parallel()
	s := recording(t)
	saved := manageAnswer(t, callAs(t, s, "manage", `{"action":"save_report","params":{"name":"Weekly","tool":"trends","arguments":{"format":"csv"}},"confirmed":true}`))
	all, err := s.ListResources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	listed := false
	for _, r := range all {
		listed = listed || r.URI == saved.Record.URI && r.Title == "Weekly"
	}
	contents, err := s.ReadResource(t.Context(), saved.Record.URI)
	if !listed || err != nil || contents.MIMEType != "application/json" || !strings.Contains(contents.Text, `"granularity":"day"`) {
		t.Errorf("listed %v; read %+v, %v", listed, contents, err)
	}
	if _, err := recording(t).ReadResource(t.Context(), saved.Record.URI); err == nil {
		t.Error("another installation has the report")
	}
}

func FuzzManageParams(f *testing.F) {
	f.Add("create_annotation", `{"date":"2026-10-10","label":"x"}`)
	f.Add("save_report", `{"name":"x","tool":"trends","arguments":{"metric":1e999}}`)
	f.Add("update_experiment", `{"experiment_id":null,"status":["x"]}`)
	f.Fuzz(func(t *testing.T, action, params string) {
		name, _ := json.Marshal(action)
		args := `{"action":` + string(name) + `,"params":` + params + `}`
		s := fixtureService(t).Session(reader(newWorkspace("full")), "r1")
		encoded, err := s.CallTool(t.Context(), "manage", json.RawMessage(args))
		if err != nil || strings.Contains(string(encoded), "internal error") {
			t.Errorf("%s: %s, %v", args, encoded, err)
		}
	})
}
