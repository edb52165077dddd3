package operation_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
	"assay/internal/jobs"
	"assay/internal/measure"
	"assay/internal/oauth/people"
	"assay/internal/operation"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// site is a service with the workspace "w" on real stores.
type site struct {
	*testing.T
	*operation.Service
	hold chan struct{} // see lock; nil: channels are resolved at once
}

func newSite(t *testing.T) *site {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler), Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close(context.Background()) })
	installation := auth.NewInstallation(make([]byte, 32))
	s := &site{T: t}
	s.Service = operation.New(operation.Control{
		Store: store, Installation: installation, Now: time.Now, Log: slog.New(slog.DiscardHandler), AccessEnded: func() {},
		Keys:   auth.NewKeys(auth.KeysOptions{Store: store, Installation: installation, Now: time.Now}),
		People: people.New(people.Options{Store: store, Now: time.Now}),
	}, operation.Facts{
		Warehouse: warehouse.New(engine), Known: s, Parquet: duckdb.ParquetToCSV, Drop: engine.Drop, Unopened: engine.Unopened,
		Jobs: jobs.New(jobs.Options{
			Store: store, Clock: clockwork.NewRealClock(), Log: slog.New(slog.DiscardHandler),
		}),
	})
	if _, err := operation.CreateWorkspace.Do(t.Context(), s.Service, operation.Call{Caller: operation.Operator("test")}, control.NewWorkspace("W")); err != nil {
		t.Fatal(err)
	}
	return s
}

// Channel implements [operation.Known].
func (s *site) Channel(_ context.Context, _ control.Workspace, name string) (measure.Channel, error) {
	if s.hold != nil {
		s.hold <- struct{}{}
		<-s.hold
	}
	return measure.ParseChannel(name), nil
}

// Channels implements [operation.Known].
func (s *site) Channels(context.Context, control.Workspace) ([]measure.Channel, error) {
	return []measure.Channel{"facebook"}, nil
}

// Regions implements [operation.Known].
func (s *site) Regions(context.Context, control.Workspace) ([]string, error) {
	return []string{"CA"}, nil
}

// Planned implements [operation.Known].
func (s *site) Planned(_ context.Context, _ control.Workspace, e control.Experiment) (control.Experiment, error) {
	return e, nil
}

// lock occupies the workspace with another operation until unlock is called.
func (s *site) lock() (unlock func()) {
	s.Helper()
	s.hold = make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := operation.SetTarget.Do(s.Context(), s.Service, s.by(operation.Operator("test")), operation.Target{Metric: "orders", Period: "monthly", Start: start, Channel: "tiktok", Value: 1})
		done <- err
	}()
	<-s.hold
	return func() {
		close(s.hold)
		if err := <-done; err != nil {
			s.Error(err)
		}
	}
}

func (s *site) by(c operation.Caller) operation.Call {
	return operation.Call{Workspace: "w", Caller: c}
}

// member creates an account and returns it with a function that changes its role.
func (s *site) member(role control.Role) (control.User, func(control.Role)) {
	s.Helper()
	who, err := s.People.Create(s.Context(), "ana@example.com", "correct horse battery", "test")
	if err != nil {
		s.Fatal(err)
	}
	change := func(r control.Role) {
		if err := s.Store.SetRole(s.Context(), who.ID, "w", r, control.By{Actor: "test", At: time.Now()}); err != nil {
			s.Error(err)
		}
	}
	change(role)
	return who, change
}

func TestEveryOperationStatesItsPermissionAndUndo(t *testing.T) {
	t.Parallel()
	var names []string
	for _, o := range operation.All() {
		spec := o.Describe()
		if slices.Contains(names, spec.Name) {
			t.Errorf("two operations are named %s", spec.Name)
		}
		names = append(names, spec.Name)
		if spec.Needs == 0 {
			t.Errorf("%s needs no permission", spec.Name)
		}
		question := spec.Undo == ""
		if question && spec.Needs != operation.Read {
			t.Errorf("%s changes state and does not state how to undo it", spec.Name)
		}
		if !question && !strings.HasSuffix(spec.Undo, ".") {
			t.Errorf("%s: undo %q is not a sentence", spec.Name, spec.Undo)
		}
		if spec.Job.Name != "" && !spec.Facts {
			t.Errorf("%s is a job and does not use facts", spec.Name)
		}
		if spec.Locks && !spec.Facts {
			t.Errorf("%s locks the facts and does not use them", spec.Name)
		}
	}
}

// A viewer may run only operations that need read permission. Callers of other workspaces may run none.
func TestOperationsNeedTheirPermission(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	viewer, _ := s.member(control.RoleViewer)
	for _, o := range operation.All() {
		spec := o.Describe()
		for name, caller := range map[string]operation.Caller{
			"a viewer": operation.Member(viewer.ID), "an unknown person": operation.Member("unknown"),
			"a person without an ID": operation.Member(""), "the zero caller": {},
		} {
			if name == "a viewer" && spec.Needs == operation.Read && spec.Scope == operation.OneWorkspace {
				continue
			}
			_, err := o.Serve(t.Context(), s.Service, s.by(caller), input(spec.Name))
			if fault.KindOf(err) != fault.KindForbidden {
				t.Errorf("%s runs %s: %v, want a fault of kind forbidden", name, spec.Name, err)
			}
		}
	}
}

// input is JSON that the operation can decode.
func input(name string) []byte {
	switch name {
	case "job.cancel", "key.revoke", "grant.revoke", "member.withdraw", "member.remove", "webhook.remove",
		"alert.remove", "alert.email.add", "weekly.choose", "weekly.stop", "alert.destination.remove", "mapping.save", "mapping.delete", "budget_change.show",
		"annotation.remove", "report.remove", "insight.restore", "share.revoke":
		return []byte(`"x"`)
	}
	return []byte(`{}`)
}
