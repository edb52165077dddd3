package attack

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/app"
	"assay/internal/config"
	"assay/internal/fault"
	"assay/internal/operation"
)

// A workspace is deleted while its tools are called, files are imported, its tables are exported and its model is
// trained. Each of these operations succeeds or fails with a reason. Nothing of the workspace remains, and other
// workspaces are not affected.
func TestAWorkspaceIsDeletedDuringOtherOperations(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.goods(t)
	settings := config.Config{Data: s.data}.WithDefaults()
	ask := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"performance","arguments":{"start_date":"2026-03-01","end_date":"2026-03-07"}}}`
	gone := make(chan struct{})
	var working sync.WaitGroup
	loop := func(do func(n int)) {
		working.Go(func() {
			for n := 0; ; n++ {
				do(n)
				select {
				case <-gone:
					return
				default:
				}
			}
		})
	}
	said := func(what string, err error) {
		switch fault.KindOf(err) {
		case fault.KindInternal:
			if err != nil {
				t.Errorf("%s during the deletion: %v", what, err)
			}
		default: // a reason
		}
	}
	files := t.TempDir()
	b := s.browser(t)
	for range 2 {
		loop(func(int) {
			if a := b.say(s.otherKey, ask); a.status >= http.StatusInternalServerError {
				t.Errorf("a call during the deletion: %d %s", a.status, a.body)
			}
		})
	}
	loop(func(int) {
		if a := b.say(s.key, ask); a.status != http.StatusOK || strings.Contains(a.body, `"isError":true`) {
			t.Errorf("a call to another workspace: %d %s", a.status, a.body)
		}
	})
	loop(func(n int) {
		path := filepath.Join(files, fmt.Sprint(n, ".csv"))
		if err := os.WriteFile(path, fmt.Appendf(nil, "order_id,created_at,currency,total\nmore-%d,2026-03-04T15:00:00Z,USD,1.00\n", n), 0o600); err != nil {
			t.Error(err)
		}
		_, err := s.imported(t, "other", path)
		said("an import", err)
	})
	loop(func(n int) {
		_, err := app.Do(t.Context(), settings, operation.Export, operator("other"), operation.Folder{Dir: filepath.Join(files, fmt.Sprint("tables", n)), Format: "csv"}, time.Now)
		said("an export", err)
	})
	loop(func(int) {
		_, err := app.Do(t.Context(), settings, operation.TrainModel, operator("other"), operation.Training{}, time.Now)
		said("a training", err)
	})
	for range 5 { // all of it is under way
		b.say(s.otherKey, ask)
	}
	if _, err := app.Do(t.Context(), settings, operation.DeleteWorkspace, operator("other"), operation.None{}, time.Now); err != nil {
		t.Errorf("the deletion: %v", err)
	}
	if a := b.say(s.otherKey, ask); a.status != http.StatusUnauthorized {
		t.Errorf("a call after the deletion: %d %s", a.status, a.body)
	}
	close(gone)
	working.Wait()
	for _, left := range []string{"facts/other.duckdb", "facts/other.duckdb.wal"} {
		if _, err := os.Stat(filepath.Join(s.data, left)); err == nil {
			t.Errorf("%s remains", left)
		}
	}
	if log := s.log.String(); strings.Contains(log, "msg=panic") {
		t.Errorf("a panic is in the log:\n%s", log)
	}
}
