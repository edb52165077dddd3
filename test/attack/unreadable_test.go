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
)

// If the facts of one workspace cannot be opened, calls of other workspaces are answered. Anonymous callers see that a
// workspace has a problem, but not which workspace. The operator sees its name.
func TestAnUnreadableFactsFileDoesNotAffectOtherWorkspaces(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	before, err := app.OpenControl(t.Context(), app.ControlOptions{Data: data, Create: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := before.Store.CreateWorkspace(t.Context(), control.NewWorkspace("Damaged Goods"), control.By{Actor: "test", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(data, "facts", "damaged-goods.duckdb")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, stop, err := run(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := s.browser(t)
	ready := func() answer { return b.get("/readyz") }
	for tries := 0; !strings.Contains(ready().body, "impaired") && tries < 200_000; tries++ { // files are opened in the background
		continue
	}
	if a := ready(); a.status != http.StatusOK || !strings.Contains(a.body, `"impaired"`) || strings.Contains(a.body, "damaged") {
		t.Errorf("readiness: %d %s; want 200, impaired and no name", a.status, a.body)
	}
	if a := b.say(s.key, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"discover","arguments":{}}}`); a.status != http.StatusOK || strings.Contains(a.body, `"isError":true`) {
		t.Errorf("another workspace: %d %s", a.status, a.body)
	}
	if log := s.log.String(); strings.Count(log, "facts file of a workspace cannot be opened") != 1 || !strings.Contains(log, "workspace=damaged-goods") {
		t.Errorf("the log does not name the workspace once:\n%s", log)
	}
	named := func(when string) {
		t.Helper()
		findings := doctor.Diagnose(t.Context(), config.Config{Data: data}.WithDefaults(), time.Now)
		if !slices.ContainsFunc(findings, func(f doctor.Finding) bool {
			return f.Check == "facts of damaged-goods" && f.State == doctor.Broken && f.Fix != ""
		}) {
			t.Errorf("assay doctor, %s: %+v", when, findings)
		}
	}
	named("while the service runs")
	if err := stop(); err != nil {
		t.Error(err)
	}
	named("when it has stopped")
}
