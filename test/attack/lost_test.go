package attack

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/app"
	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/doctor"
	"assay/internal/fault"
	"assay/internal/operation"
)

// A missing facts file is an error that names the workspace to the operator. The service does not treat the workspace
// as an empty store, and imports do not replace the file. A workspace without imports is an empty store.
func TestAMissingFactsFileIsAnError(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, stop, err := run(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.goods(t)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(data, "facts", "acme.duckdb")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s, stop, err = run(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := s.browser(t)
	ask := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"discover","arguments":{}}}`
	if a := b.say(s.key, ask); !strings.Contains(a.body, "are missing") || !strings.Contains(a.body, `"isError":true`) || strings.Contains(a.body, data) {
		t.Errorf("the workspace: %d %s; want an error without the path", a.status, a.body)
	}
	if a := b.say(s.otherKey, ask); a.status != http.StatusOK || strings.Contains(a.body, `"isError":true`) {
		t.Errorf("another workspace: %d %s", a.status, a.body)
	}
	_, err = s.imported(t, "acme", orderFile(t))
	if _, hint, _ := fault.Public(err); fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(hint, "backup") {
		t.Errorf("an import: %v", err)
	}
	fresh := control.NewWorkspace("Fresh")
	if _, err := s.control.Store.CreateWorkspace(t.Context(), fresh, control.By{Actor: "test", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if result, err := s.imported(t, "fresh", orderFile(t)); err != nil || result.Err() != nil {
		t.Errorf("an import into a new workspace: %v, %v", err, result.Err())
	}
	if a := b.get("/readyz"); a.status != http.StatusOK || strings.Contains(a.body, `"ready"`) {
		t.Errorf("readiness: %d %s", a.status, a.body)
	}
	if log := s.log.String(); !strings.Contains(log, "workspace=acme") || !strings.Contains(log, path) {
		t.Errorf("the log does not name the workspace and its file:\n%s", log)
	}
	diagnosed := func(when string) {
		t.Helper()
		findings := doctor.Diagnose(t.Context(), config.Config{Data: data}.WithDefaults(), time.Now)
		if !slices.ContainsFunc(findings, func(f doctor.Finding) bool {
			return f.Check == "facts of acme" && f.State == doctor.Broken && strings.Contains(f.Fix, "backup")
		}) {
			t.Errorf("assay doctor, %s: %+v", when, findings)
		}
	}
	diagnosed("while the service runs")
	if err := stop(); err != nil {
		t.Error(err)
	}
	diagnosed("when it has stopped")
}

// A workspace that is deleted and created again starts without facts.
func TestADeletedWorkspaceCanBeCreatedAgain(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.goods(t)
	settings := config.Config{Data: s.data}.WithDefaults()
	if _, err := app.Do(t.Context(), settings, operation.DeleteWorkspace, operator("other"), operation.None{}, time.Now); err != nil {
		t.Fatal(err)
	}
	if _, err := s.control.Store.CreateWorkspace(t.Context(), control.NewWorkspace("Other"), control.By{Actor: "test", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := app.ClearFacts(t.Context(), settings, "other", operation.Operator("test"), time.Now); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if result, err := s.imported(t, "other", orderFile(t)); err != nil || result.Err() != nil {
			t.Errorf("an import: %v, %v", err, result.Err())
		}
		if err := app.ClearFacts(t.Context(), settings, "other", operation.Operator("test"), time.Now); err != nil {
			t.Fatal(err)
		}
	}
}

// orderFile writes a file with an order.
func orderFile(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "orders.csv")
	if err := os.WriteFile(path, []byte("order_id,created_at,currency,total\n1,2026-03-04T15:00:00Z,USD,1.00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
