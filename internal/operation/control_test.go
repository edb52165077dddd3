package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/accounts"
	"assay/internal/ads"
	"assay/internal/ads/sandbox"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
	"assay/internal/warehouse"
)

var operator = operation.Operator("test")

// kind checks the kind of an error. The kind "" means that there must be no error.
func kind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if want == "" && err != nil || want != "" && fault.KindOf(err) != want {
		t.Errorf("%s: %v, want the kind %q", what, err, want)
	}
}

// ended returns a counter of how often cached data about callers are dropped.
func (s *site) ended() *int {
	n := new(int)
	s.AccessEnded = func() { *n++ }
	return n
}

// other creates a second workspace.
func (s *site) other() {
	s.Helper()
	_, err := operation.CreateWorkspace.Do(s.Context(), s.Service, operation.Call{Caller: operator}, control.Workspace{ID: "other", Name: "Other", Currency: "USD", Zone: "UTC"})
	kind(s.T, "another workspace", err, "")
}

func TestKeysBelongToTheirWorkspace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.other()
	ended := s.ended()
	made, err := operation.CreateKey.Do(t.Context(), s.Service, s.by(operator), auth.NewKey{Name: "tap", Workspace: "other", Scopes: []control.Scope{control.ScopeRead}})
	if err != nil || made.Key.Workspace != "w" || made.Key.Name != "tap" || *ended != 0 {
		t.Fatalf("%+v, %v", made, err)
	}
	elsewhere := operation.Call{Workspace: "other", Caller: operator}
	_, err = operation.RevokeKey.Do(t.Context(), s.Service, elsewhere, made.Key.ID)
	kind(t, "a key of another workspace is revoked", err, fault.KindNotFound)
	_, err = operation.RotateKey.Do(t.Context(), s.Service, elsewhere, operation.Rotation{ID: made.Key.ID})
	kind(t, "a key of another workspace is rotated", err, fault.KindNotFound)
	_, err = operation.RevokeKey.Do(t.Context(), s.Service, s.by(operator), "nothing")
	kind(t, "an unknown key is revoked", err, fault.KindNotFound)
	if *ended != 0 {
		t.Errorf("access has ended %d times without a change", *ended)
	}
	next, err := operation.RotateKey.Do(t.Context(), s.Service, s.by(operator), operation.Rotation{ID: made.Key.ID, Overlap: time.Hour})
	if err != nil || next.Key.ID == made.Key.ID || *ended != 1 {
		t.Errorf("%+v, %v, access has ended %d times", next, err, *ended)
	}
	if _, err = operation.RevokeKey.Do(t.Context(), s.Service, s.by(operator), next.Key.ID); err != nil || *ended != 2 {
		t.Errorf("%v, access has ended %d times", err, *ended)
	}
}

func TestSettingsThatDoNotChangeAreNotStored(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ended := s.ended()
	yes, usual, weekly := true, control.Retrain{Cadence: control.Never, Hour: 4}, control.Retrain{Cadence: control.Weekly, Hour: 5}
	for i, c := range []struct {
		change  operation.Settings
		version int64
		ended   int
	}{
		{operation.Settings{}, 1, 0},
		{operation.Settings{LogArguments: &yes}, 2, 1},
		{operation.Settings{LogArguments: &yes}, 2, 1},
		{operation.Settings{Retrain: &usual}, 2, 1},
		{operation.Settings{Retrain: &weekly}, 3, 2},
	} {
		w, err := operation.UpdateWorkspace.Do(t.Context(), s.Service, s.by(operator), c.change)
		if err != nil || w.Version != c.version || *ended != c.ended || w.LogArguments != (i > 0) {
			t.Errorf("change %d: version %d, access has ended %d times, %v; want %d, %d", i, w.Version, *ended, err, c.version, c.ended)
		}
	}
}

func TestADeletedWorkspaceHasNoFacts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ended := s.ended()
	dropped := 0
	drop := s.Drop
	s.Drop = func(ctx context.Context, ws measure.WorkspaceID) error {
		dropped++
		if *ended != 1 {
			t.Error("facts are dropped before callers lose access")
		}
		return drop(ctx, ws)
	}
	_, err := operation.DeleteWorkspace.Do(t.Context(), s.Service, s.by(operator), operation.None{})
	kind(t, "the workspace is deleted", err, "")
	if *ended != 1 || dropped != 1 {
		t.Errorf("access has ended %d times, facts are dropped %d times", *ended, dropped)
	}
	_, err = operation.ListTargets.Do(t.Context(), s.Service, s.by(operator), operation.None{})
	kind(t, "it is used", err, fault.KindNotFound)
	_, err = operation.ClearFacts.Do(t.Context(), s.Service, s.by(operator), operation.None{})
	kind(t, "it is cleared", err, fault.KindNotFound)
	s.Unopened = func() map[measure.WorkspaceID]error {
		return map[measure.WorkspaceID]error{"x": errors.New("a broken file")}
	}
	got, err := operation.ListUnopened.Do(t.Context(), s.Service, operation.Call{Caller: operator}, operation.None{})
	if diff := cmp.Diff(map[measure.WorkspaceID]string{"x": "a broken file"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Only the operator may run operations of the installation.
func TestTheInstallationIsTheOperators(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, _ := s.member(control.RoleOwner)
	for name, c := range map[string]struct {
		caller operation.Caller
		want   fault.Kind
	}{
		"the operator": {operator, ""}, "an owner": {operation.Member(owner.ID), fault.KindForbidden}, "the service": {operation.System("jobs"), fault.KindForbidden},
	} {
		_, err := operation.ListUnopened.Do(t.Context(), s.Service, operation.Call{Caller: c.caller}, operation.None{})
		kind(t, name, err, c.want)
	}
	_, err := operation.ResetPassword.Do(t.Context(), s.Service, operation.Call{Caller: operator}, operation.NewPassword{User: owner.ID, Password: "another horse battery"})
	kind(t, "the password is reset", err, "")
	_, err = operation.ListTargets.Do(t.Context(), s.Service, s.by(operation.System("jobs")), operation.None{})
	kind(t, "the service reads", err, "")
}

// A viewer may read. An analyst may also write. An admin and an owner may also manage the workspace.
func TestRolesAllowOperations(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	who, role := s.member(control.RoleViewer)
	for _, c := range []struct {
		role                control.Role
		read, write, manage fault.Kind
	}{
		{control.RoleViewer, "", fault.KindForbidden, fault.KindForbidden}, {control.RoleAnalyst, "", "", fault.KindForbidden}, {control.RoleAdmin, "", "", ""}, {control.RoleOwner, "", "", ""},
	} {
		role(c.role)
		call := s.by(operation.Member(who.ID))
		_, err := operation.ListTargets.Do(t.Context(), s.Service, call, operation.None{})
		kind(t, string(c.role)+" reads", err, c.read)
		_, err = operation.SetTarget.Do(t.Context(), s.Service, call, operation.Target{Metric: "orders", Period: "monthly", Start: start, Value: 1})
		kind(t, string(c.role)+" writes", err, c.write)
		_, err = operation.UpdateWorkspace.Do(t.Context(), s.Service, call, operation.Settings{})
		kind(t, string(c.role)+" manages", err, c.manage)
	}
}

// A key acts in its workspace, with its scopes, and never manages the workspace.
func TestKeysAllowOperations(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.other()
	w, err := s.Store.Workspace(t.Context(), "w")
	kind(t, "the workspace", err, "")
	caller := func(scopes ...control.Scope) operation.Caller {
		made, err := operation.CreateKey.Do(t.Context(), s.Service, s.by(operator), auth.NewKey{Name: "k", Scopes: scopes})
		kind(t, "a key", err, "")
		return operation.Client(auth.Principal{Workspace: w, Actor: "key:" + string(made.Key.ID), Kind: auth.ByKey, Key: made.Key.ID, Scopes: scopes})
	}
	reader, writer := caller(control.ScopeRead), caller(control.ScopeRead, control.ScopeWrite)
	target := operation.Target{Metric: "orders", Period: "monthly", Start: start, Value: 1}
	_, err = operation.ListTargets.Do(t.Context(), s.Service, s.by(reader), operation.None{})
	kind(t, "a reader reads", err, "")
	_, err = operation.SetTarget.Do(t.Context(), s.Service, s.by(reader), target)
	kind(t, "a reader writes", err, fault.KindForbidden)
	_, err = operation.SetTarget.Do(t.Context(), s.Service, s.by(writer), target)
	kind(t, "a writer writes", err, "")
	_, err = operation.SetTarget.Do(t.Context(), s.Service, operation.Call{Workspace: "other", Caller: writer}, target)
	kind(t, "a writer writes elsewhere", err, fault.KindForbidden)
	_, err = operation.UpdateWorkspace.Do(t.Context(), s.Service, s.by(writer), operation.Settings{})
	kind(t, "a writer manages", err, fault.KindForbidden)
	events, err := s.Store.Events(t.Context(), control.EventFilter{Workspace: "w", Kinds: []control.EventKind{control.TargetSet}, Limit: 5})
	if err != nil || len(events) != 1 || !strings.HasPrefix(events[0].Actor, "key:") || events[0].Detail != "1" || events[0].Subject != "orders, monthly from 2036-11-01" {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestTargetsOfAChannel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	set := func(channel measure.Channel, value float64) {
		_, err := operation.SetTarget.Do(t.Context(), s.Service, s.by(operator), operation.Target{Metric: "roas", Period: "monthly", Start: start, Channel: channel, Value: value})
		kind(t, string(channel), err, "")
	}
	set("TikTok", 2.5)
	set("tiktok", 3)
	got, err := operation.ListTargets.Do(t.Context(), s.Service, s.by(operator), operation.None{})
	if diff := cmp.Diff([]operation.Target{{Metric: "roas", Period: "monthly", Start: start, Channel: "tiktok", Value: 3}}, got, cmp.Comparer(func(a, b civil.Date) bool { return a == b })); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	events, err := s.Store.Events(t.Context(), control.EventFilter{Workspace: "w", Kinds: []control.EventKind{control.TargetSet}, Limit: 5})
	if err != nil || len(events) != 2 || events[0].Detail != "3, was 2.5" || events[0].Subject != "roas, monthly from 2036-11-01, tiktok" {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestMembersJoinAndLeave(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, _ := s.member(control.RoleOwner)
	add := func(in operation.NewMember) (control.User, error) {
		return operation.AddMember.Do(t.Context(), s.Service, s.by(operator), in)
	}
	ben, err := add(operation.NewMember{Email: "ben@example.com", Password: "correct horse battery", Role: control.RoleViewer})
	kind(t, "a new account", err, "")
	_, err = add(operation.NewMember{Email: "ben@example.com", Password: "correct horse battery", Role: control.RoleViewer})
	kind(t, "an account that exists", err, fault.KindConflict)
	_, err = add(operation.NewMember{Email: "cleo@example.com", Role: control.RoleViewer})
	kind(t, "a missing account", err, fault.KindNotFound)
	if again, err := add(operation.NewMember{Email: "ben@example.com", Role: control.RoleAnalyst}); err != nil || again.ID != ben.ID {
		t.Errorf("an account without a password: %+v, %v", again, err)
	}
	by := s.by(operation.Member(owner.ID))
	invited, err := operation.Invite.Do(t.Context(), s.Service, by, operation.Invitee{Email: "dora@example.com", Role: control.RoleViewer})
	if err != nil || invited.Invitation.ID == "" || invited.Link == "" {
		t.Errorf("%+v, %v", invited, err)
	}
	_, err = operation.Invite.Do(t.Context(), s.Service, s.by(operator), operation.Invitee{Email: "dora@example.com", Role: control.RoleViewer})
	kind(t, "the operator invites", err, fault.KindForbidden)
	_, err = operation.WithdrawInvitation.Do(t.Context(), s.Service, by, invited.Invitation.ID)
	kind(t, "the invitation is withdrawn", err, "")
	_, err = operation.ChangeRole.Do(t.Context(), s.Service, by, operation.NewRole{User: ben.ID, Role: control.RoleAdmin})
	kind(t, "the role changes", err, "")
	_, err = operation.RemoveMember.Do(t.Context(), s.Service, s.by(operation.Member(ben.ID)), ben.ID)
	kind(t, "a member leaves", err, "")
	_, err = operation.ListTargets.Do(t.Context(), s.Service, s.by(operation.Member(ben.ID)), operation.None{})
	kind(t, "a former member reads", err, fault.KindForbidden)
	_, err = operation.RevokeGrant.Do(t.Context(), s.Service, by, "nothing")
	kind(t, "an unknown connection", err, fault.KindNotFound)
}

func TestWebhookSecretsAreChecked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	add := func(shop, secret string) (control.HookSecretID, error) {
		return operation.AddWebhookSecret.Do(t.Context(), s.Service, s.by(operator), operation.WebhookSecret{Shop: shop, Secret: secret})
	}
	id, err := add(" Acme.myshopify.com ", " secret ")
	if err != nil || len(id) != 10 {
		t.Fatalf("%q, %v", id, err)
	}
	all, err := s.Store.HookSecrets(t.Context(), "w")
	if err != nil || len(all) != 1 || all[0].Shop != "acme.myshopify.com" || all[0].ID != id {
		t.Fatalf("%+v, %v", all, err)
	}
	if opened, err := s.Installation.Unseal("w", all[0].Sealed); err != nil || opened != "secret" || strings.Contains(string(all[0].Sealed), "secret") {
		t.Errorf("the secret is stored as %q and opened as %q (%v)", all[0].Sealed, opened, err)
	}
	for what, c := range map[string]struct {
		shop, secret string
		want         fault.Kind
	}{
		"no secret": {"", " ", fault.KindInvalid}, "the longest": {strings.Repeat("a", 256), strings.Repeat("x", 256), ""}, "a longer secret": {"", strings.Repeat("x", 257), fault.KindInvalid},
		"a longer shop": {strings.Repeat("a", 257), "x", fault.KindInvalid}, "an address": {"https://acme.myshopify.com", "x", fault.KindInvalid}, "two shops": {"a b", "x", fault.KindInvalid},
	} {
		_, err := add(c.shop, c.secret)
		kind(t, what, err, c.want)
	}
	_, err = operation.RemoveWebhookSecret.Do(t.Context(), s.Service, s.by(operator), id)
	kind(t, "it is removed", err, "")
	_, err = operation.RemoveWebhookSecret.Do(t.Context(), s.Service, s.by(operator), id)
	kind(t, "it is removed again", err, fault.KindNotFound)
}

const mapping = "name: till\nkind: orders\ncolumns: {order: No, at: When, total: Sum}\n"

func TestMappingsAreSavedAndUsed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	save := func(text string) (string, error) {
		return operation.SaveMapping.Do(t.Context(), s.Service, s.by(operator), text)
	}
	for range 2 { // the second replaces the first
		if name, err := save(mapping); err != nil || name != "till" {
			t.Fatalf("%q, %v", name, err)
		}
	}
	_, err := save("name: [")
	kind(t, "no YAML", err, fault.KindInvalid)
	_, err = save(mapping + "#" + strings.Repeat("x", 256<<10-len(mapping)-1))
	kind(t, "the largest", err, "")
	_, err = save(mapping + "#" + strings.Repeat("x", 256<<10-len(mapping)))
	kind(t, "a larger one", err, fault.KindInvalid)
	_, err = save(strings.Replace(mapping, "till", "orders", 1))
	kind(t, "the name of a source", err, fault.KindInvalid)

	file := func(content string) ingest.File {
		return ingest.File{Name: "till.csv", Size: int64(len(content)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
	}
	load := func(in operation.Import) (operation.Imported, error) {
		return operation.ImportFiles.Do(t.Context(), s.Service, s.by(operator), in)
	}
	const till = "No,When,Sum\n1,2026-03-02 23:30,10.00\n"
	done, err := load(operation.Import{Files: []ingest.File{file(till)}, MappingName: "till", Currency: "usd", Zone: "America/New_York"})
	if err != nil || done.Err() != nil || done.Report.Files[0].Tables["orders"].Inserted != 1 || done.Report.Files[0].Totals.Charged["USD"] != "10.00" {
		t.Errorf("%+v, %v", done, err)
	}
	path := filepath.Join(t.TempDir(), "map.yaml")
	if err := os.WriteFile(path, []byte(mapping), 0o600); err != nil {
		t.Fatal(err)
	}
	if done, err = load(operation.Import{Files: []ingest.File{file(till + "2,2026-03-03 10:00,1.00\n")}, MappingName: path}); err != nil || done.Err() != nil {
		t.Errorf("a mapping in a file: %+v, %v", done, err)
	}
	done, err = load(operation.Import{Files: []ingest.File{file(till + "3,soon,1.00\n")}, MappingName: "till"})
	if err != nil || fault.KindOf(done.Err()) != fault.KindInvalid || done.Report.Files[0].Status != ingest.Refused || done.Refused.Text == "" {
		t.Errorf("a rejected file: %+v, %v", done, err)
	}
	for what, in := range map[string]operation.Import{
		"no file":       {Paths: []string{filepath.Join(t.TempDir(), "none.csv")}},
		"no zone":       {Files: []ingest.File{file(till)}, Zone: "Mars"},
		"a local zone":  {Files: []ingest.File{file(till)}, Zone: "Local"},
		"no currency":   {Files: []ingest.File{file(till)}, Currency: "money"},
		"no map's file": {Files: []ingest.File{file(till)}, MappingName: filepath.Join(t.TempDir(), "none.yaml")},
	} {
		_, err := load(in)
		kind(t, what, err, fault.KindInvalid)
	}
	_, err = load(operation.Import{Files: []ingest.File{file(till)}, MappingName: "none"})
	kind(t, "an unknown mapping", err, fault.KindNotFound)
	_, err = operation.DeleteMapping.Do(t.Context(), s.Service, s.by(operator), "till")
	kind(t, "the mapping is deleted", err, "")
	_, err = operation.DeleteMapping.Do(t.Context(), s.Service, s.by(operator), "till")
	kind(t, "the mapping is deleted again", err, fault.KindNotFound)
	if (operation.Imported{}).Err() != nil {
		t.Error("an import without a rejected file has an error")
	}
}

func TestAnExportOverwritesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	export := func(dir string) ([]warehouse.ExportedTable, error) {
		return operation.Export.Do(t.Context(), s.Service, s.by(operator), operation.Folder{Dir: dir, Format: warehouse.CSV})
	}
	tables, err := export(dir)
	if err != nil || len(tables) == 0 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v", info.Mode(), err)
	}
	_, err = export(dir)
	kind(t, "a folder that is not empty", err, fault.KindInvalid)
	_, err = export(filepath.Join(dir, tables[0].File))
	kind(t, "a file", err, fault.KindInvalid)
	_, err = export(t.TempDir())
	kind(t, "an empty folder", err, "")
}

// The history contains the totals of a day before a later import changed them.
func TestTheHistoryOfADay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	load := func(name, total string) {
		content := "order_id,created_at,currency,total\n1,2026-03-02T15:00:00Z,USD," + total + "\n"
		f := ingest.File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
		done, err := operation.ImportFiles.Do(t.Context(), s.Service, s.by(operator), operation.Import{Files: []ingest.File{f}})
		kind(t, name, errors.Join(err, done.Err()), "")
	}
	load("first.csv", "10.00")
	between := time.Now()
	load("second.csv", "12.50")
	ask := func(q operation.HistoryRequest) operation.History {
		h, err := operation.ReadHistory.Do(t.Context(), s.Service, s.by(operator), q)
		kind(t, "history", err, "")
		return h
	}
	day := civil.New(2026, 3, 2)
	h := ask(operation.HistoryRequest{Day: day})
	if len(h.Versions) != 2 || h.Versions[0].Figures["charged"] != "10.00" || h.Versions[1].Figures["charged"] != "12.50" || h.Versions[1].Figures["orders"] != "1" || h.Versions[1].File != "second.csv" || h.Versions[0].Day != day || h.Currency == "" {
		t.Errorf("versions %+v", h.Versions)
	}
	for asOf, want := range map[string]json.Number{between.Format(time.RFC3339Nano): "10.00", civil.DayOf(time.Now(), time.UTC).AddDays(1).String(): "12.50"} {
		for _, days := range []civil.Range{{}, {First: day, Last: day}} {
			if h := ask(operation.HistoryRequest{AsOf: asOf, Days: days}); len(h.Totals) != 1 || h.Totals[0].Figures["charged"] != want || h.AsOf == nil {
				t.Errorf("as of %s: %+v, want %s", asOf, h.Totals, want)
			}
		}
	}
	if h := ask(operation.HistoryRequest{AsOf: "2020-01-01"}); len(h.Totals) != 0 || !h.AsOf.Equal(civil.StartOf(civil.New(2020, 1, 2), time.UTC).Add(-time.Microsecond)) {
		t.Errorf("as of 2020: %+v at %s", h.Totals, h.AsOf)
	}
	if h := ask(operation.HistoryRequest{AsOf: between.Format(time.RFC3339Nano), Days: civil.Range{First: day.AddDays(1), Last: day.AddDays(2)}}); len(h.Totals) != 0 {
		t.Errorf("other days: %+v", h.Totals)
	}
	changes := ask(operation.HistoryRequest{}).Changes
	for _, c := range changes {
		for _, m := range c.Moves {
			if m.Figure == "charged" && (*m.First != "10.00" || *m.Now != "12.50" || !m.Money) {
				t.Errorf("%+v", m)
			}
		}
	}
	_, err := operation.ReadHistory.Do(t.Context(), s.Service, s.by(operator), operation.HistoryRequest{AsOf: "yesterday"})
	kind(t, "no instant", err, fault.KindInvalid)
}

func TestExperimentsAreBoundToTheWorkspace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.other()
	e, err := operation.CreateExperiment.Do(t.Context(), s.Service, s.by(operator), control.Experiment{
		Workspace: "other", Name: "Study", Channel: "tiktok", Kind: control.LiftStudy, Days: civil.Range{First: civil.New(2026, 1, 1), Last: civil.New(2026, 1, 28)},
	})
	if err != nil || e.Workspace != "w" || e.ID == "" || e.Status != control.ExperimentDraft {
		t.Fatalf("%+v, %v", e, err)
	}
	elsewhere := operation.Call{Workspace: "other", Caller: operator}
	_, err = operation.MoveExperiment.Do(t.Context(), s.Service, elsewhere, control.Move{Workspace: "w", ID: e.ID, To: control.ExperimentRunning})
	kind(t, "it is moved from elsewhere", err, fault.KindNotFound)
	_, err = operation.ApplyFactor.Do(t.Context(), s.Service, elsewhere, operation.Factor{Experiment: e.ID, Applied: true})
	kind(t, "its factor is applied from elsewhere", err, fault.KindNotFound)
	if all, err := s.Store.Experiments(t.Context(), "w"); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}

// A repeated call changes nothing. Other conflicts are errors.
func TestAnExperimentIsMovedOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.other()
	e, err := operation.CreateExperiment.Do(t.Context(), s.Service, s.by(operator), control.Experiment{
		Name: "Study", Channel: "tiktok", Kind: control.LiftStudy, Days: civil.Range{First: civil.New(2026, 1, 1), Last: civil.New(2026, 1, 28)},
	})
	kind(t, "an experiment is created", err, "")
	elsewhere := operation.Call{Workspace: "other", Caller: operator}
	unknown := control.ExperimentID("unknown")
	for _, step := range []struct {
		what    string
		call    operation.Call
		id      control.ExperimentID
		to      control.ExperimentStatus
		kind    fault.Kind
		changed bool
	}{
		{"a draft that runs", s.by(operator), e.ID, control.ExperimentRunning, fault.KindConflict, false},
		{"from another workspace", elsewhere, e.ID, control.ExperimentPlanned, fault.KindNotFound, false},
		{"an unknown experiment", s.by(operator), unknown, control.ExperimentPlanned, fault.KindNotFound, false},
		{"a plan", s.by(operator), e.ID, control.ExperimentPlanned, "", true},
		{"the plan again", s.by(operator), e.ID, control.ExperimentPlanned, "", false},
		{"the plan from another workspace", elsewhere, e.ID, control.ExperimentPlanned, fault.KindNotFound, false},
		{"a start", s.by(operator), e.ID, control.ExperimentRunning, "", true},
		{"the plan after the start", s.by(operator), e.ID, control.ExperimentPlanned, fault.KindConflict, false},
		{"a cancellation", s.by(operator), e.ID, control.ExperimentCancelled, "", true},
		{"the cancellation again", s.by(operator), e.ID, control.ExperimentCancelled, "", false},
		{"a start after the cancellation", s.by(operator), e.ID, control.ExperimentRunning, fault.KindConflict, false},
	} {
		kept, err := operation.MoveExperimentOnce.Do(t.Context(), s.Service, step.call, control.Move{Workspace: "w", ID: step.id, To: step.to})
		kind(t, step.what, err, step.kind)
		if step.kind == "" && (kept.Changed != step.changed || kept.Record.ID != e.ID || kept.Record.Status != step.to) {
			t.Errorf("%s: %+v; want a change: %t", step.what, kept, step.changed)
		}
	}
}

// A code is mapped to a channel of the store. The result has the previous mapping.
func TestACouponIsMappedToAChannel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	known := &channels{Known: s}
	s.Known = known
	for _, step := range []struct {
		what, code string
		channel    measure.Channel
		kind       fault.Kind
		changed    bool
		before     measure.Channel
		event      string // detail of the audit event; "": none
	}{
		{"an unknown channel", "ANNA10", "carrier pigeon", fault.KindInvalid, false, "", ""},
		{"no code", " ", "TikTok", fault.KindInvalid, false, "", ""},
		{"no mapping is removed", "ANNA10", measure.Unattributed, "", false, "", ""},
		{"a mapping", "ANNA10", "TikTok", "", true, "", "tiktok, was unattributed"},
		{"the same mapping", " ANNA10 ", "tiktok", "", false, "tiktok", ""},
		{"another channel", "ANNA10", "facebook", "", true, "tiktok", "facebook, was tiktok"},
		{"no channel", "ANNA10", measure.Unattributed, "", true, "facebook", "unattributed, was facebook"},
		{"no channel again", "ANNA10", measure.Unattributed, "", false, "", ""},
	} {
		before := s.events(control.CouponMapped)
		kept, err := operation.MapCoupon.Do(t.Context(), s.Service, s.by(operator), warehouse.CouponChannel{Code: step.code, Channel: step.channel})
		kind(t, step.what, err, step.kind)
		if kept.Changed != step.changed || kept.Record.Channel != step.before {
			t.Errorf("%s: %+v; want a change: %t, from %q", step.what, kept, step.changed, step.before)
		}
		added := s.events(control.CouponMapped)[len(before):]
		var details []string
		for _, e := range added {
			if details = append(details, e.Detail); e.Subject != kept.Record.Code || e.Actor != "test" || e.Workspace != "w" {
				t.Errorf("%s: event %+v", step.what, e)
			}
		}
		if got := strings.Join(details, "; "); got != step.event {
			t.Errorf("%s: events %q, want %q", step.what, got, step.event)
		}
	}
	if known.asked != 5 {
		t.Errorf("%d names of channels are resolved, want 5: unattributed is not a channel", known.asked)
	}
	now, err := s.Warehouse.CouponChannel(t.Context(), "w", "ANNA10")
	if err != nil || now.Channel != "" {
		t.Errorf("the code has the channel %q, %v; want none", now.Channel, err)
	}
}

// channels knows all channels except carrier pigeons.
type channels struct {
	operation.Known
	asked int
}

// Channel implements [operation.Known].
func (c *channels) Channel(ctx context.Context, w control.Workspace, name string) (measure.Channel, error) {
	c.asked++
	if name == "carrier pigeon" {
		return "", fault.Invalid("channel %q is unknown", name)
	}
	return c.Known.Channel(ctx, w, name)
}

// events returns the audit events of a kind, oldest first.
func (s *site) events(of control.EventKind) []control.Event {
	s.Helper()
	all, err := s.Store.Events(s.Context(), control.EventFilter{Workspace: "w", Kinds: []control.EventKind{of}, Limit: 100})
	kind(s.T, "audit events", err, "")
	slices.Reverse(all)
	return all
}

// granted stores a grant of a member and returns its ID.
func (s *site) granted(who control.UserID, name string, ends time.Time) control.GrantID {
	s.Helper()
	now, by := time.Now(), control.By{Actor: "test", At: time.Now()}
	user, err := s.Store.User(s.Context(), who)
	kind(s.T, "the member", err, "")
	session := control.Session{Hash: []byte("session " + name), User: who, CreatedAt: now, SeenAt: now, EndsAt: now.Add(time.Hour)}
	request := control.AuthRequest{Hash: []byte("request " + name), Session: session.Hash, User: who, Client: "c1", ExpiresAt: now.Add(time.Minute)}
	grant := control.Grant{ID: control.GrantID(name), User: who, Workspace: "w", Client: "c1", Scopes: []control.Scope{control.ScopeRead}, CreatedAt: now, EndsAt: ends}
	kind(s.T, "a grant", errors.Join(
		s.Store.CreateSession(s.Context(), control.NewSession{Session: session, Password: user.Password}, by), s.Store.KeepRequest(s.Context(), request),
		s.Store.ApproveRequest(s.Context(), request.Hash, grant, control.Code{Hash: []byte("code " + name), Grant: grant.ID, ExpiresAt: now.Add(time.Minute)}, by),
	), "")
	return grant.ID
}

// A member who does not manage the workspace revokes only their own grants.
func TestGrantsAreRevokedByTheirPersonOrByManagers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.other()
	ana, _ := s.member(control.RoleViewer)
	ben, err := s.People.Create(t.Context(), "ben@example.com", "correct horse battery", "test")
	kind(t, "another member", err, "")
	kind(t, "its role", s.Store.SetRole(t.Context(), ben.ID, "w", control.RoleAdmin, control.By{Actor: "test", At: time.Now()}), "")
	later := time.Now().Add(time.Hour)
	anas, bens, more := s.granted(ana.ID, "anas", later), s.granted(ben.ID, "bens", later), s.granted(ana.ID, "more", later)
	last, over := s.granted(ana.ID, "last", later), s.granted(ana.ID, "over", time.Now().Add(-time.Second))
	for _, step := range []struct {
		what string
		call operation.Call
		id   control.GrantID
		kind fault.Kind
	}{
		{"a viewer and the grant of another person", s.by(operation.Member(ana.ID)), bens, fault.KindNotFound},
		{"an unknown grant", s.by(operation.Member(ben.ID)), "unknown", fault.KindNotFound},
		{"a grant that has ended", s.by(operation.Member(ana.ID)), over, fault.KindNotFound},
		{"from another workspace", operation.Call{Workspace: "other", Caller: operator}, anas, fault.KindNotFound},
		{"a viewer and their own grant", s.by(operation.Member(ana.ID)), anas, ""},
		{"a revoked grant", s.by(operation.Member(ana.ID)), anas, fault.KindNotFound},
		{"an admin and the grant of another person", s.by(operation.Member(ben.ID)), more, ""},
		{"an admin and their own grant", s.by(operation.Member(ben.ID)), bens, ""},
		{"the operator", s.by(operator), last, ""},
	} {
		_, err := operation.RevokeGrant.Do(t.Context(), s.Service, step.call, step.id)
		kind(t, step.what, err, step.kind)
	}
	grants, err := s.Store.Grants(t.Context(), "w")
	kind(t, "the grants", err, "")
	for _, g := range grants {
		if g.RevokedAt.IsZero() != (g.ID == over) {
			t.Errorf("grant %s is revoked at %s", g.ID, g.RevokedAt)
		}
	}
}

func TestInputThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, err := operation.ListTargets.Serve(t.Context(), s.Service, s.by(operator), json.RawMessage(`[`))
	kind(t, "no JSON", err, fault.KindInvalid)
	if got, err := operation.ListTargets.Serve(t.Context(), s.Service, s.by(operator), json.RawMessage(`{}`)); err != nil || len(got.([]operation.Target)) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// withAccounts gives the site a registry of ad accounts on simulated platforms. It returns the credentials of a Meta
// account.
func (s *site) withAccounts() (credentials string) {
	s.Helper()
	platforms, err := sandbox.Open(sandbox.Options{Dir: s.T.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	kind(s.T, "the sandbox", err, "")
	credentials, err = platforms.Create(sandbox.Account{
		Platform: measure.Facebook, ID: "123", Name: "Acme US", Currency: "USD", Zone: "America/New_York",
		Campaigns: []sandbox.Campaign{{ID: "1801", Name: "Prospecting", Daily: money.Amount{Minor: 5000, Currency: "USD"}}},
	})
	kind(s.T, "the account", err, "")
	options := platforms.Options(ads.Options{Timeout: time.Minute, Clock: ads.RealClock(time.Now), Jitter: func() float64 { return 0 }})
	s.Accounts = accounts.New(accounts.Options{
		Store: s.Store, Unseal: s.Installation.Unseal, Now: time.Now, Log: slog.New(slog.DiscardHandler), Platforms: options, Sandbox: options,
	})
	return credentials
}

func TestAnAdAccountIsConnectedTestedAndRemoved(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	credentials := s.withAccounts()
	add := func(platform, credentials string) (operation.ConnectionLine, error) {
		return operation.AddConnection.Do(t.Context(), s.Service, s.by(operator), operation.NewConnection{Platform: platform, Credentials: credentials})
	}
	_, err := add("snapchat", credentials)
	kind(t, "an unknown platform", err, fault.KindInvalid)
	_, err = add("facebook", `{"account_id":"123"}`)
	kind(t, "credentials without a token", err, fault.KindInvalid)
	line, err := add("meta", credentials+"\n")
	if err != nil || line.Platform != "facebook" || line.Account != "123" || line.Status != control.ConnectionOK || line.Name != "Acme US" {
		t.Fatalf("%+v, %v", line, err)
	}
	stored, err := s.Store.Connections(t.Context(), "w")
	if err != nil || len(stored) != 1 || strings.Contains(string(stored[0].Sealed), "sandbox-token") {
		t.Fatalf("stored %+v, %v", stored, err)
	}
	if line, err = add("facebook", `{"account_id":"act_123","access_token":"expired"}`); err != nil || line.Status != control.ConnectionError || line.Hint == "" {
		t.Errorf("a rejected token: %+v, %v", line, err)
	}
	if line, err = add("facebook", credentials); err != nil || line.Status != control.ConnectionOK {
		t.Errorf("new credentials: %+v, %v", line, err)
	}
	lines, err := operation.TestConnections.Do(t.Context(), s.Service, s.by(operator), operation.TestedConnections{})
	if err != nil || len(lines) != 1 || lines[0].Status != control.ConnectionOK {
		t.Errorf("tested %+v, %v", lines, err)
	}
	_, err = operation.TestConnections.Do(t.Context(), s.Service, s.by(operator), operation.TestedConnections{Platform: "tiktok"})
	kind(t, "a test of a platform without connection", err, fault.KindNotFound)
	remove := func(o operation.OldConnection) error {
		_, err := operation.RemoveConnection.Do(t.Context(), s.Service, s.by(operator), o)
		return err
	}
	if _, err = add("facebook", `{"account_id":"456","access_token":"x"}`); err != nil {
		t.Fatal(err)
	}
	kind(t, "removal without an account", remove(operation.OldConnection{Platform: "facebook"}), fault.KindInvalid)
	kind(t, "removal of another account", remove(operation.OldConnection{Platform: "facebook", Account: "789"}), fault.KindNotFound)
	kind(t, "removal", remove(operation.OldConnection{Platform: "facebook", Account: "act_456"}), "")
	kind(t, "removal of the last account", remove(operation.OldConnection{Platform: "facebook"}), "")
	kind(t, "removal without a connection", remove(operation.OldConnection{Platform: "facebook"}), fault.KindNotFound)
	lines, err = operation.ListConnections.Do(t.Context(), s.Service, s.by(operator), operation.None{})
	if err != nil || lines == nil || len(lines) != 0 {
		t.Errorf("left %+v, %v", lines, err)
	}
}
