// Package doctor checks a data directory for `assay doctor`.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"assay/internal/app"
	"assay/internal/backup"
	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/socket"
)

// Finding is the result of one check.
type Finding struct {
	Check string `json:"check"`
	State State  `json:"state"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"`
}

// State is the outcome of a check.
type State string

// The states.
const (
	Fine    State = "ok"
	Careful State = "warning"
	Broken  State = "problem"
)

const littleSpace = 1 << 30 // minimum free bytes; an import needs space for the old and the new state

// Diagnose checks a data directory by opening its stores, which also migrates them. The `diagnose` tool of a running
// service checks the facts that the service has open.
func Diagnose(ctx context.Context, c config.Config, now func() time.Time) []Finding {
	d := &diagnosis{config: c, now: now}
	if d.directory() {
		d.address()
		d.space()
		d.secret()
		d.backups()
		d.stores(ctx)
	}
	return d.findings
}

type diagnosis struct {
	config   config.Config
	now      func() time.Time
	findings []Finding
}

func (d *diagnosis) add(check string, state State, fix, format string, args ...any) {
	d.findings = append(d.findings, Finding{Check: check, State: state, Text: fmt.Sprintf(format, args...), Fix: fix})
}

// failed adds a failure with its hint.
func (d *diagnosis) failed(check string, err error) {
	_, hint, _ := fault.Public(err)
	d.add(check, Broken, hint, "%v", err)
}

func (d *diagnosis) directory() bool {
	info, err := os.Stat(d.config.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.add("data directory", Broken, "pass --data, or create one with `assay workspace create` or `assay demo`", "%s does not exist", d.config.Data)
	case err != nil:
		d.add("data directory", Broken, "", "%v", err)
	case !info.IsDir():
		d.add("data directory", Broken, "pass another --data", "%s is not a directory", d.config.Data)
	case info.Mode().Perm()&0o077 != 0:
		d.add("data directory", Careful, "chmod 700 "+d.config.Data, "%s is readable by other users of this machine", d.config.Data)
		return true
	default:
		d.add("data directory", Fine, "", "%s", d.config.Data)
		return true
	}
	return false
}

// address warns if passwords and API keys would cross the network without encryption.
func (d *diagnosis) address() {
	if d.config.PlainHTTP() {
		d.add("address", Careful, "set base_url to the https URL of a reverse proxy, or listen on 127.0.0.1",
			"passwords and API keys cross the network without encryption: addr is %s and base_url is not set", d.config.Addr)
	}
}

func (d *diagnosis) space() {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(d.config.Data, &stat); err != nil {
		d.add("disk", Careful, "", "free space cannot be read: %v", err)
		return
	}
	free := stat.Bavail * uint64(stat.Bsize)
	if free < littleSpace {
		d.add("disk", Careful, "free disk space before the next import", "%d MB free", free>>20)
		return
	}
	d.add("disk", Fine, "", "%d GB free", free>>30)
}

func (d *diagnosis) secret() {
	path := d.config.SecretFile
	if path == "" {
		path = filepath.Join(d.config.Data, datadir.Secret)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.add("secret", Careful, "none needed: the first start creates it", "the installation secret does not exist yet")
	case err != nil:
		d.add("secret", Broken, "", "%v", err)
	case info.Mode().Perm()&0o077 != 0:
		d.add("secret", Broken, "chmod 600 "+path, "the installation secret is readable by other users")
	default:
		d.add("secret", Fine, "", "readable by its owner only")
	}
}

// backups checks the age of scheduled backups.
func (d *diagnosis) backups() {
	if d.config.BackupDir == "" {
		return
	}
	last, ahead, err := backup.Newest(d.config.BackupDir, d.now())
	fix := "assay backup " + d.config.BackupDir
	switch {
	case err != nil:
		d.add("backups", Broken, "make the folder readable", "%v", err)
	case ahead:
		d.add("backups", Broken, "correct the clock, then remove the manifest of that backup",
			"%s has a backup with a date in the future", d.config.BackupDir)
	case last.IsZero():
		d.add("backups", Careful, fix, "%s has no backup", d.config.BackupDir)
	case d.now().Sub(last) > 2*d.config.BackupEvery:
		d.add("backups", Broken, fix, "the last backup is dated %s", last.UTC().Format("2006-01-02 15:04 UTC"))
	default:
		d.add("backups", Fine, "", "the last backup is dated %s", last.UTC().Format("2006-01-02 15:04 UTC"))
	}
}

// stores opens the stores as a service does.
func (d *diagnosis) stores(ctx context.Context) {
	a, err := app.Open(ctx, d.config, slog.New(slog.DiscardHandler), d.now)
	if errors.Is(err, datadir.ErrLocked) {
		d.running(ctx)
		d.workspacesOf(ctx, nil)
		return
	}
	if err != nil {
		d.failed("stores", err)
		return
	}
	defer a.Close()
	d.workspacesOf(ctx, a)
}

// running asks the service that has locked the directory for the facts that the service cannot open.
func (d *diagnosis) running(ctx context.Context) {
	var unopened map[measure.WorkspaceID]string
	s, err := socket.Connect(d.config.Data)
	if err == nil {
		unopened, err = socket.Ask[operation.None, map[measure.WorkspaceID]string](ctx, s, operation.ListUnopened.Name,
			operation.Call{Caller: operation.Operator("assay doctor")}, operation.None{})
	}
	if err != nil {
		d.failed("service", err)
		return
	}
	d.add("facts", Fine, "", "a service is running on this directory: call its diagnose tool")
	for _, ws := range slices.Sorted(maps.Keys(unopened)) {
		d.add("facts of "+string(ws), Broken, unopenedFix, "%s", unopened[ws])
	}
}

const unopenedFix = "restore the workspace's file from a backup, or make it readable; the service tries again every minute"

// workspacesOf checks each workspace, and its facts if this process has them open.
func (d *diagnosis) workspacesOf(ctx context.Context, a *app.App) {
	store, err := app.OpenControl(ctx, app.ControlOf(d.config, d.now))
	if err != nil {
		d.failed("control data", err)
		return
	}
	defer store.Close()
	all, err := store.Store.Workspaces(ctx)
	if err != nil {
		d.failed("control data", err)
		return
	}
	if len(all) == 0 {
		d.add("workspaces", Careful, "assay workspace create NAME", "no workspaces")
	}
	for _, w := range all {
		d.keys(ctx, store, w)
		if a != nil {
			d.facts(ctx, a, w)
		}
	}
}

func (d *diagnosis) keys(ctx context.Context, store *app.Control, w control.Workspace) {
	keys, err := store.Keys.List(ctx, w.ID)
	if err != nil {
		d.failed("keys of "+string(w.ID), err)
		return
	}
	valid, soon := 0, 0
	for _, k := range keys {
		if k.Valid(d.now()) {
			valid++
			if !k.ExpiresAt.IsZero() && k.ExpiresAt.Sub(d.now()) < 7*24*time.Hour {
				soon++
			}
		}
	}
	check := "keys of " + string(w.ID)
	switch {
	case valid == 0:
		d.add(check, Careful, "assay keys create --workspace "+string(w.ID), "no valid API key: clients cannot call tools")
	case soon > 0:
		d.add(check, Careful, "assay keys rotate ID", "%d of %d valid keys expire within a week", soon, valid)
	default:
		d.add(check, Fine, "", "%d valid", valid)
	}
}

func (d *diagnosis) facts(ctx context.Context, a *app.App, w control.Workspace) {
	check := "facts of " + string(w.ID)
	coverage, err := a.Facts().Coverage(ctx, w.ID)
	switch {
	case err != nil:
		_, hint, _ := fault.Public(err)
		d.add(check, Broken, cmp.Or(hint, unopenedFix), "%v", err)
	case coverage.Orders == 0:
		d.add(check, Careful, "assay import FILE... --workspace "+string(w.ID), "no orders")
	default:
		d.add(check, Fine, "", "%d orders, %s", coverage.Orders, coverage.OrderDays)
	}
}
