package operation_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/operation"
)

// An import stores nothing if the member's role or the client's key ends while the file is read.
func TestAnImportStoresNothingAfterTheRoleEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	who, role := s.member(control.RoleAnalyst)
	upload := func(number string, during func()) error {
		file, remove, err := ingest.Spool(t.TempDir(), "orders.csv", strings.NewReader(
			"order_id,created_at,currency,total,channel\n"+number+",2026-03-02T15:00:00Z,USD,10.00,facebook\n"))
		if err != nil {
			t.Fatal(err)
		}
		defer remove()
		call := s.by(operation.Member(who.ID))
		call.Progress = func(int64, int64) { during() }
		_, err = operation.ImportFiles.Do(t.Context(), s.Service, call, operation.Import{Files: []ingest.File{file}})
		return err
	}
	if err := upload("1", func() {}); err != nil {
		t.Errorf("an analyst: %v", err)
	}
	if err := upload("2", func() { role(control.RoleViewer) }); fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("the role ends while the file is read: %v", err)
	}
	made, err := operation.CreateKey.Do(t.Context(), s.Service, s.by(operation.Operator("test")), auth.NewKey{Name: "tap", Scopes: control.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	key := made.Key
	w, err := s.Store.Workspace(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	caller := auth.Principal{Workspace: w, Actor: "key:" + string(key.ID), Kind: auth.ByKey, Key: key.ID, Scopes: key.Scopes}
	send := func(number string, during func()) error {
		messages := io.MultiReader(strings.NewReader(orderMessages(number)), hook(during))
		_, err := operation.ImportStream.Do(t.Context(), s.Service, s.by(operation.Client(caller)), operation.Stream{
			Messages: messages, Emit: func([]byte) error { return nil },
		})
		return err
	}
	if err := send("3", func() {}); err != nil {
		t.Errorf("a key: %v", err)
	}
	err = send("4", func() {
		if _, err := operation.RevokeKey.Do(t.Context(), s.Service, s.by(operation.Operator("test")), key.ID); err != nil {
			t.Error(err)
		}
	})
	if fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("the key ends while the tap sends: %v", err)
	}
	if c, err := s.Warehouse.Coverage(t.Context(), "w"); err != nil || c.Orders != 2 {
		t.Errorf("%d orders are stored, %v; want the two of callers with the permission", c.Orders, err)
	}
}

func orderMessages(number string) string {
	return `{"type":"SCHEMA","stream":"orders","key_properties":["id"],"schema":{"properties":{"id":{},"created_at":{},"total_price":{}}}}` + "\n" +
		fmt.Sprintf(`{"type":"RECORD","stream":"orders","record":{"id":%s,"name":"#%s","created_at":"2026-03-02T15:00:00Z","updated_at":"2026-03-02T15:00:00Z","currency":"USD","financial_status":"paid","total_price":"10.00","line_items":[]}}`, number, number) + "\n" +
		`{"type":"STATE","value":{"at":` + number + `}}` + "\n"
}

// hook is an empty reader that runs a function when it is read.
type hook func()

// Read implements [io.Reader].
func (h hook) Read([]byte) (int, error) {
	h()
	return 0, io.EOF
}

func TestClientsDoNotChangeWhoReceivesAlerts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, _ := s.member(control.RoleOwner)
	made, err := operation.CreateKey.Do(t.Context(), s.Service, s.by(operation.Operator("test")), auth.NewKey{Name: "k", Scopes: control.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	workspace, err := s.Store.Workspace(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	client := operation.Client(auth.Principal{
		Workspace: workspace, Actor: "key:" + string(made.Key.ID), Kind: auth.ByKey, Key: made.Key.ID, Scopes: control.Scopes(),
	})
	for name, call := range map[string]func() error{
		"add": func() error {
			_, err := operation.AddAlertEmail.Do(t.Context(), s.Service, s.by(client), owner.ID)
			return err
		},
		"remove": func() error {
			_, err := operation.RemoveDestination.Do(t.Context(), s.Service, s.by(client), "d1")
			return err
		},
	} {
		if err := call(); fault.KindOf(err) != fault.KindForbidden {
			t.Errorf("a client may %s a destination: %v", name, err)
		}
	}
}
