package app

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
)

// Of whom the role or the key ends while an import is read, nothing is kept.
func TestARoleThatEndsDuringAnImportKeepsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	who, err := h.app.people(func() {}).Create(t.Context(), "ana@example.com", "correct horse battery", "test")
	if err != nil {
		t.Fatal(err)
	}
	store, by := h.app.control.Store, control.By{Actor: "test", At: time.Now()}
	role := func(r control.Role) {
		if err := store.SetRole(t.Context(), who.ID, "w", r, by); err != nil {
			t.Error(err)
		}
	}
	upload := func(number string, during func()) error {
		file, remove, err := ingest.Spool(t.TempDir(), "orders.csv", strings.NewReader(
			"order_id,created_at,currency,total,channel\n"+number+",2026-03-02T15:00:00Z,USD,10.00,facebook\n"))
		if err != nil {
			t.Fatal(err)
		}
		defer remove()
		_, err = h.app.importUpload(t.Context(), console.Upload{
			Workspace: "w", By: who.ID, File: file, Source: ingest.Auto, Progress: func(int64, int64) { during() },
		})
		return err
	}
	role(control.RoleAnalyst)
	if err := upload("1", func() {}); err != nil {
		t.Errorf("an analyst: %v", err)
	}
	if err := upload("2", func() { role(control.RoleViewer) }); fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("the role ends while the file is read: %v", err)
	}
	_, key, err := h.app.control.Keys.Create(t.Context(), auth.NewKey{Workspace: "w", Name: "tap", Scopes: control.Scopes()}, "test")
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.Workspace(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	caller := auth.Principal{Workspace: w, Actor: "key:" + key.ID, Kind: auth.ByKey, Credential: key.ID, Scopes: key.Scopes}
	send := func(number string, during func()) error {
		messages := io.MultiReader(strings.NewReader(orderMessages(number)), hook(during))
		_, _, err := h.app.singerOverHTTP(t.Context(), caller, messages, false)
		return err
	}
	if err := send("3", func() {}); err != nil {
		t.Errorf("a key: %v", err)
	}
	err = send("4", func() {
		if _, err := h.app.control.Keys.Revoke(t.Context(), key.ID, "test"); err != nil {
			t.Error(err)
		}
	})
	if fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("the key ends while the tap sends: %v", err)
	}
	if c, err := h.app.facts.Coverage(t.Context(), "w"); err != nil || c.Orders != 2 {
		t.Errorf("%d orders are kept, %v; want the two of those who might", c.Orders, err)
	}
}

func orderMessages(number string) string {
	return `{"type":"SCHEMA","stream":"orders","key_properties":["id"],"schema":{"properties":{"id":{},"created_at":{},"total_price":{}}}}` + "\n" +
		fmt.Sprintf(`{"type":"RECORD","stream":"orders","record":{"id":%s,"name":"#%s","created_at":"2026-03-02T15:00:00Z","updated_at":"2026-03-02T15:00:00Z","currency":"USD","financial_status":"paid","total_price":"10.00","line_items":[]}}`, number, number) + "\n" +
		`{"type":"STATE","value":{"at":` + number + `}}` + "\n"
}

// hook is the end of what is read, and does something there.
type hook func()

// Read implements [io.Reader].
func (h hook) Read([]byte) (int, error) {
	h()
	return 0, io.EOF
}
