package doctor_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/app"
	"assay/internal/auth"
	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/datadir"
	"assay/internal/doctor"
	"assay/internal/measure"
	"assay/internal/warehouse/storetest"
)

func TestPlainHTTPOnANetworkIsAWarning(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{"192.168.1.10:8080": true, "127.0.0.1:8080": false} {
		c := config.Config{Addr: addr, Data: t.TempDir()}.WithDefaults()
		findings := doctor.Diagnose(t.Context(), c, time.Now)
		got := slices.ContainsFunc(findings, func(f doctor.Finding) bool {
			return f.Check == "address" && f.State == doctor.Careful && f.Fix != ""
		})
		if got != want {
			t.Errorf("%s: warned %v, want %v: %+v", addr, got, want, findings)
		}
	}
}

// clock returns the time of the tests.
func clock() time.Time { return storetest.Now }

// installed creates a data directory with workspaces.
func installed(t *testing.T, names ...string) config.Config {
	t.Helper()
	c := config.Config{Data: filepath.Join(t.TempDir(), "data")}.WithDefaults()
	o := app.ControlOf(c, clock)
	o.Create = true
	opened, err := app.OpenControl(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := opened.Store.CreateWorkspace(t.Context(), control.NewWorkspace(name), control.By{Actor: "test", At: clock()}); err != nil {
			t.Fatal(err)
		}
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

// found returns the findings of a check, each with its state, text and fix.
func found(findings []doctor.Finding, check string) (all []string) {
	for _, f := range findings {
		if f.Check == check {
			all = append(all, fmt.Sprintf("%s: %s [%s]", f.State, f.Text, f.Fix))
		}
	}
	return all
}

func wantFound(t *testing.T, findings []doctor.Finding, check, want string) {
	t.Helper()
	got := found(findings, check)
	if want == "" && got != nil || want != "" && (len(got) != 1 || got[0] != want) {
		t.Errorf("%s: %q, want %q", check, got, want)
	}
}

func TestTheDataDirectoryIsCheckedFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing, file, public := filepath.Join(dir, "missing"), filepath.Join(dir, "file"), filepath.Join(dir, "public")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(public, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(public, 0o755); err != nil { // not with Mkdir, because of the umask
		t.Fatal(err)
	}
	for data, c := range map[string]struct {
		want string
		more bool // other checks follow
	}{
		missing: {"problem: " + missing + " does not exist [pass --data, or create one with `assay workspace create` or `assay demo`]", false},
		file:    {"problem: " + file + " is not a directory [pass another --data]", false},
		public:  {"warning: " + public + " is readable by other users of this machine [chmod 700 " + public + "]", true},
	} {
		findings := doctor.Diagnose(t.Context(), config.Config{Data: data}.WithDefaults(), clock)
		wantFound(t, findings, "data directory", c.want)
		if (len(findings) > 1) != c.more || (found(findings, "disk") != nil) != c.more {
			t.Errorf("%s: findings %+v", data, findings)
		}
	}
}

func TestAnInstallationIsDiagnosed(t *testing.T) {
	t.Parallel()
	c := installed(t)
	findings := doctor.Diagnose(t.Context(), c, clock)
	wantFound(t, findings, "data directory", "ok: "+c.Data+" []")
	wantFound(t, findings, "secret", "ok: readable by its owner only []")
	wantFound(t, findings, "workspaces", "warning: no workspaces [assay workspace create NAME]")
	wantFound(t, findings, "backups", "")
	wantFound(t, findings, "address", "")

	secret := filepath.Join(c.Data, datadir.Secret)
	if err := os.Chmod(secret, 0o640); err != nil {
		t.Fatal(err)
	}
	wantFound(t, doctor.Diagnose(t.Context(), c, clock), "secret", "problem: the installation secret is readable by other users [chmod 600 "+secret+"]")
	if err := os.Remove(secret); err != nil {
		t.Fatal(err)
	}
	findings = doctor.Diagnose(t.Context(), c, clock)
	wantFound(t, findings, "secret", "warning: the installation secret does not exist yet [none needed: the first start creates it]")
	if got := found(findings, "stores"); len(got) != 1 || !strings.HasPrefix(got[0], "problem: ") || !strings.Contains(got[0], "restore the file from a backup") {
		t.Errorf("stores without their secret: %q", got)
	}
}

// A key that expires within a week is reported. Keys that are not valid do not count.
func TestKeysAndFactsOfEachWorkspaceAreDiagnosed(t *testing.T) {
	t.Parallel()
	c := installed(t, "None", "Soon", "Valid")
	a, err := app.Open(t.Context(), c, slog.New(slog.DiscardHandler), clock)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Load(t, a.Facts(), "valid", "shop.csv", storetest.Shop())
	opened, err := app.OpenControl(t.Context(), app.ControlOf(c, clock))
	if err != nil {
		t.Fatal(err)
	}
	const week = 7 * 24 * time.Hour
	for _, k := range []struct {
		ws       measure.WorkspaceID
		lifetime time.Duration // 0: no expiry
		revoked  bool
	}{
		{"none", week, true},
		{"soon", week - time.Hour, false},
		{"soon", week + time.Hour, false},
		{"soon", time.Hour, true},
		{"soon", 0, false},
		{"valid", week, false},
		{"valid", 0, false},
	} {
		_, key, err := opened.Keys.Create(t.Context(), auth.NewKey{Workspace: k.ws, Name: "k", Lifetime: k.lifetime, NoExpiry: k.lifetime == 0}, "test")
		if err == nil && k.revoked {
			_, err = opened.Keys.Revoke(t.Context(), key.ID, "test")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
	keys := func(findings []doctor.Finding) {
		t.Helper()
		wantFound(t, findings, "keys of none", "warning: no valid API key: clients cannot call tools [assay keys create --workspace none]")
		wantFound(t, findings, "keys of soon", "warning: 1 of 3 valid keys expire within a week [assay keys rotate ID]")
		wantFound(t, findings, "keys of valid", "ok: 2 valid []")
		wantFound(t, findings, "workspaces", "")
	}
	locked := doctor.Diagnose(t.Context(), c, clock) // the directory is locked, and no service answers
	keys(locked)
	if got := found(locked, "service"); len(got) != 1 || !strings.HasPrefix(got[0], "problem: ") {
		t.Errorf("a service that does not answer: %q", got)
	}
	wantFound(t, locked, "facts of valid", "")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	findings := doctor.Diagnose(t.Context(), c, clock)
	keys(findings)
	wantFound(t, findings, "facts of none", "warning: no orders [assay import FILE... --workspace none]")
	wantFound(t, findings, "facts of valid", "ok: 120 orders, "+storetest.First.String()+" to "+storetest.Today.String()+" []")
	wantFound(t, findings, "stores", "")
	wantFound(t, findings, "service", "")
	later := doctor.Diagnose(t.Context(), c, func() time.Time { return clock().Add(week) })
	wantFound(t, later, "keys of soon", "warning: 1 of 2 valid keys expire within a week [assay keys rotate ID]")
	wantFound(t, later, "keys of valid", "ok: 1 valid []")
}

func TestTheAgeOfBackupsIsDiagnosed(t *testing.T) {
	t.Parallel()
	c := installed(t)
	c.BackupDir, c.BackupEvery = filepath.Join(t.TempDir(), "backups"), 24*time.Hour
	fix := "[assay backup " + c.BackupDir + "]"
	dated := func(age time.Duration) string { return clock().Add(-age).UTC().Format("2006-01-02 15:04 UTC") }
	for _, step := range []struct {
		what string
		age  time.Duration
		make bool
		want string
	}{
		{"no folder", 0, false, "warning: " + c.BackupDir + " has no backup " + fix},
		{"too old", 49 * time.Hour, true, "problem: the last backup is dated " + dated(49*time.Hour) + " " + fix},
		{"at most twice the interval", 48 * time.Hour, true, "ok: the last backup is dated " + dated(48*time.Hour) + " []"},
		{"recent", time.Hour, true, "ok: the last backup is dated " + dated(time.Hour) + " []"},
		{"in the future", -48 * time.Hour, true, "problem: " + c.BackupDir + " has a backup with a date in the future [correct the clock, then remove the manifest of that backup]"},
	} {
		if step.make {
			name := filepath.Join(c.BackupDir, "manifests", clock().Add(-step.age).UTC().Format("2006-01-02T15-04-05.000Z")+".json")
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := found(doctor.Diagnose(t.Context(), c, clock), "backups"); len(got) != 1 || got[0] != step.want {
			t.Errorf("%s: %q, want %q", step.what, got, step.want)
		}
	}
}
