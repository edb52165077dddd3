package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/app"
	"assay/internal/control"
)

// written writes a file to a temporary directory and returns its path.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestALostSecretIsNotReplaced(t *testing.T) {
	t.Parallel()
	data, _ := shop(t)
	if err := os.Remove(filepath.Join(data, "secret")); err != nil {
		t.Fatal(err)
	}
	_, errs, code := finish(t, data, "keys", "list", "--workspace", "shop")
	if code != exitUsage || !strings.Contains(errs, "secret") || !strings.Contains(errs, "is gone") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(data, "secret")); !os.IsNotExist(err) {
		t.Errorf("a new secret replaced it: %v", err)
	}
}

func TestAWorkspaceDoesNotInheritFactsThatWereLeftBehind(t *testing.T) {
	t.Parallel()
	data, _ := shop(t)
	must(t, data, "import", written(t, "orders_export.csv", orders), "--workspace", "shop")
	facts := filepath.Join(data, "facts", "shop.duckdb")
	kept, err := os.ReadFile(facts)
	if err != nil {
		t.Fatal(err)
	}
	must(t, data, "workspace", "delete", "shop", "--yes")
	if err := os.WriteFile(facts, kept, 0o600); err != nil { // as after a crash between the steps of the deletion
		t.Fatal(err)
	}
	must(t, data, "workspace", "create", "shop")
	if found := must(t, data, "doctor"); !strings.Contains(found, "no orders") {
		t.Errorf("the new workspace contains the facts of the old one:\n%s", found)
	}
}

func TestRowsThatWereSkippedCanBeImportedLater(t *testing.T) {
	t.Parallel()
	data, _ := shop(t)
	mixed := written(t, "orders.csv", "order_id,created_at,currency,total\n1,2026-03-02T15:00:00Z,USD,10.00\n2,2026-03-02T15:00:00Z,CAD,100.00\n")
	if out := must(t, data, "import", mixed, "--workspace", "shop", "--skip-rejected"); !strings.Contains(out, "1 rejected") {
		t.Errorf("the row without a rate is not rejected:\n%s", out)
	}
	must(t, data, "import", written(t, "rates.csv", "date,from,to,rate\n2026-03-02,CAD,USD,0.7000\n"), "--workspace", "shop")
	must(t, data, "import", mixed, "--workspace", "shop")
	if found := must(t, data, "doctor"); !strings.Contains(found, "2 orders") {
		t.Errorf("the skipped row is lost:\n%s", found)
	}
}

func TestAReportThatLacksRowsSaysWhatItRemoves(t *testing.T) {
	t.Parallel()
	data, _ := shop(t)
	const head = "Reporting starts,Reporting ends,Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Link clicks,Purchases,Purchases conversion value\n"
	const first, second = "2026-03-01,2026-03-01,2026-03-01,A,11,5.00,10,1,0,0\n", "2026-03-01,2026-03-01,2026-03-01,B,12,7.00,10,1,0,0\n"
	must(t, data, "import", written(t, "meta.csv", head+first+second), "--workspace", "shop")
	filtered := written(t, "filtered.csv", head+first)
	dry := must(t, data, "import", filtered, "--workspace", "shop", "--dry-run")
	if !strings.Contains(dry, "this file lacks 1 of the rows that were there, and they would be removed") {
		t.Errorf("the dry run does not report the rows to remove:\n%s", dry)
	}
	mangled := written(t, "mangled.csv", head+strings.Replace(first, ",11,", ",1.20265E+17,", 1))
	if _, errs, code := finish(t, data, "import", mangled, "--workspace", "shop"); code != exitUsage || !strings.Contains(errs, "shortened") {
		t.Errorf("an id that a spreadsheet shortened: exit code %d: %s", code, errs)
	}
}

func TestTheDemosKeyGoesOnlyToTheDemo(t *testing.T) {
	t.Parallel()
	var sent string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent = r.Header.Get("Authorization") }))
	defer other.Close()
	data := t.TempDir()
	demo := `{"base_url":"http://127.0.0.1:1","api_key":"asy_secret"}`
	if err := os.WriteFile(filepath.Join(data, "demo.json"), []byte(demo), 0o600); err != nil {
		t.Fatal(err)
	}
	_, errs, code := finish(t, data, "call", "performance", "--url", other.URL)
	if code != exitUsage || sent != "" {
		t.Errorf("exit code %d, %q was sent: %s", code, sent, errs)
	}
}

func TestAServiceOnAllAddressesIsReachedOnLoopback(t *testing.T) {
	t.Parallel()
	data, key := shop(t)
	url, _ := serveAt(t, data, ":0")
	must(t, data, "call", "discover", "--url", url, "--key", key)
}

func TestAWrongCallSaysWhatToDoNext(t *testing.T) {
	t.Parallel()
	data, key := shop(t)
	url, _ := serveAt(t, data, "127.0.0.1:0")
	for hint, wrong := range map[string][]string{
		"hint: the tools are performance, email": {"perform", "--key", key}, "hint: pass a valid key": {"performance", "--key", "asy_wrong"},
		"which begins with asy_": {"performance", "--key", "KEY"},
	} {
		if _, errs, code := finish(t, data, append([]string{"call", "--url", url}, wrong...)...); code == exitOK || !strings.Contains(errs, hint) {
			t.Errorf("call %q: exit code %d, %s", wrong[0], code, errs)
		}
	}
}

func TestAMappingThatNoLongerFitsDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	data, _ := shop(t)
	must(t, data, "mapping", "save", written(t, "rates.yaml", "name: rates\nkind: fx_rates\ncolumns: {date: Day, from: A, to: B, rate: C}\n"), "--workspace", "shop")
	store, err := app.OpenControl(context.Background(), app.ControlOptions{Data: data, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Store.SaveMapping(t.Context(), control.Mapping{Workspace: "shop", Name: "older", Content: "name: older\nkind: gone\n", At: time.Unix(0, 0)}, control.By{At: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	out, errs, code := finish(t, data, "mapping", "list", "--workspace", "shop")
	if code != 0 || !strings.Contains(out, "fx_rates") || !strings.Contains(out, "older") || !strings.Contains(errs, `older cannot be used: mapping "older": kind is "gone"`) {
		t.Errorf("exit code %d:\n%s%s", code, out, errs)
	}
}
