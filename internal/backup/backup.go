// Package backup copies a data directory to a folder of backups while the service runs, and restores it.
//
// A backup is complete once its manifest is written. Files are stored under the hash of their content, so backups share
// unchanged files. The control data are copied before the facts. Changes that only the copied facts contain are still
// pending in the copied control data. After a restore they are applied again without effect (decision 26).
package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/internal/control/sqlstore"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Control copies the control data. The control store implements it.
type Control interface {
	Snapshot(ctx context.Context, path string) error
}

// Source is the data directory to back up.
type Source struct {
	Data         string // the data directory
	SecretFile   string // the installation's secret; "": the file secret of the data directory
	Control      Control
	Facts        warehouse.Snapshotter
	Installation string // name of the installation, derived from its secret
	Program      string // version of the program
	Now          func() time.Time
	Log          *slog.Logger
}

// Maker makes backups of a data directory, one at a time.
type Maker struct {
	Source

	busy sync.Mutex
}

// NewMaker returns a maker for a data directory.
func NewMaker(s Source) *Maker { return &Maker{Source: s} }

// Request describes one backup.
type Request struct {
	Dir        string `json:"dir"` // absolute, because another process may write the backup
	WithSecret bool   `json:"with_secret,omitempty"`
	Keep       int    `json:"keep,omitempty"` // number of backups to keep; 0: all
}

// Made is the result of a backup.
type Made struct {
	Manifest   string                `json:"manifest"` // path
	At         time.Time             `json:"at"`
	WithSecret bool                  `json:"with_secret"`
	Workspaces int                   `json:"workspaces"`
	Copied     []measure.WorkspaceID `json:"copied"` // workspaces with facts that changed since the last backup
	Files      int                   `json:"files"`
	Bytes      int64                 `json:"bytes"`     // size of all files of the backup
	NewBytes   int64                 `json:"new_bytes"` // size of the files that were not in the folder yet
	Removed    int                   `json:"removed"`   // old backups
	Problems   []string              `json:"problems,omitempty"`
}

// Err returns a fault if the facts of a workspace could not be copied.
func (m Made) Err() error {
	if len(m.Problems) == 0 {
		return nil
	}
	return fault.Unavailable("the backup lacks current facts: %s", strings.Join(m.Problems, "; ")).
		WithHint("run assay doctor, correct the workspaces and repeat the backup")
}

// attempts is the maximum number of attempts to make a backup. The backup starts again if a workspace is deleted during
// an attempt.
const attempts = 3

// errDeleted reports that a workspace of the copied control data was deleted.
var errDeleted = errors.New("a workspace was deleted during the backup")

// Make writes a backup and calls the function progress with the bytes copied so far. If the facts of a workspace cannot
// be read, the backup refers to the facts of the previous backup. The result names the workspace.
func (b *Maker) Make(ctx context.Context, r Request, progress func(done, total int64)) (Made, error) {
	if !b.busy.TryLock() {
		return Made{}, fault.Conflict("a backup is running").WithHint("wait until it has ended")
	}
	defer b.busy.Unlock()
	if err := b.apart(r.Dir); err != nil {
		return Made{}, err
	}
	f, err := lockFolder(r.Dir)
	if err != nil {
		return Made{}, err
	}
	made, err := b.into(ctx, f, r, progress)
	return made, errors.Join(err, f.close())
}

// apart rejects a backup folder that is inside the data directory or contains it, because the backups could be lost
// with the data.
func (b *Maker) apart(dir string) error {
	data, err := real(b.Data)
	if err != nil {
		return err
	}
	to, err := real(dir)
	if err != nil {
		return err
	}
	for _, pair := range [][2]string{{data, to}, {to, data}} {
		if inside, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(inside) {
			return fault.Invalid("the backup folder %s and the data directory %s cannot contain each other", dir, b.Data).
				WithHint("name a folder outside of the data directory, preferably on another disk")
		}
	}
	return nil
}

// real returns the absolute path without symbolic links, even of a folder that does not exist yet.
func real(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("folder %q: %w", path, err)
	}
	resolved, err := filepath.EvalSymlinks(path)
	switch {
	case err == nil:
		return resolved, nil
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path:
		above, err := real(filepath.Dir(path))
		return filepath.Join(above, filepath.Base(path)), err
	}
	return "", fault.Invalid("folder %s cannot be used: %v", path, reason(err))
}

func (b *Maker) into(ctx context.Context, f *folder, r Request, progress func(done, total int64)) (Made, error) {
	earlier, err := f.manifests()
	if err != nil {
		return Made{}, err
	}
	for _, m := range earlier {
		if m.Installation != b.Installation {
			return Made{}, fault.Invalid("folder %s has backups of another installation", f.path).WithHint("name another folder")
		}
	}
	if progress == nil {
		progress = func(int64, int64) {}
	}
	for attempt := 1; ; attempt++ {
		run := &run{Maker: b, folder: f, request: r, progress: progress}
		if len(earlier) > 0 {
			run.last = &earlier[len(earlier)-1]
		}
		made, err := run.make(ctx, earlier)
		if !errors.Is(err, errDeleted) || attempt == attempts {
			return made, err
		}
	}
}

// run is one attempt to make a backup.
type run struct {
	*Maker

	folder   *folder
	request  Request
	last     *Manifest // nil: the first backup
	progress func(done, total int64)

	manifest    Manifest
	made        Made
	done, total int64 // bytes
}

func (r *run) make(ctx context.Context, earlier []Manifest) (Made, error) {
	r.manifest = Manifest{
		Format: format, At: r.Now().UTC().Truncate(time.Millisecond), Program: r.Program, Installation: r.Installation,
		WithSecret: r.request.WithSecret, Workspaces: []Workspace{},
	}
	others, err := r.others()
	if err != nil {
		return Made{}, err
	}
	r.total = r.sizes(others)
	ids, err := r.control(ctx)
	if err != nil {
		return Made{}, err
	}
	for _, id := range ids {
		if err := r.facts(ctx, id); err != nil {
			return Made{}, err
		}
	}
	for _, name := range others {
		if err := r.other(ctx, name); err != nil {
			return Made{}, err
		}
	}
	if r.request.WithSecret {
		if err := r.copySecret(ctx); err != nil {
			return Made{}, err
		}
	}
	slices.SortFunc(r.manifest.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if r.made.Manifest, err = r.folder.finish(r.manifest); err != nil {
		return Made{}, err
	}
	r.made.At, r.made.WithSecret, r.made.Workspaces = r.manifest.At, r.manifest.WithSecret, len(ids)
	r.made.Files, r.made.Bytes = len(r.manifest.Files), r.manifest.Bytes()
	r.progress(r.total, r.total)
	r.made.Removed, err = r.folder.prune(append(slices.Clone(earlier), r.manifest), r.request.Keep)
	return r.made, err
}

// sizes estimates the bytes to copy.
func (r *run) sizes(others []string) (n int64) {
	facts, _ := filepath.Glob(filepath.Join(r.Data, datadir.Facts, "*.duckdb")) // the pattern is valid
	for _, path := range append(facts, filepath.Join(r.Data, datadir.Control)) {
		if info, err := os.Stat(path); err == nil {
			n += info.Size()
		}
	}
	for _, name := range others {
		if info, err := os.Stat(filepath.Join(r.Data, name)); err == nil {
			n += info.Size()
		}
	}
	return n
}

// advance reports progress.
func (r *run) advance(by int64) {
	r.done = min(r.done+by, r.total)
	r.progress(r.done, r.total)
}

// keep adds a file to the manifest.
func (r *run) keep(file File, added int64) {
	r.manifest.Files = append(r.manifest.Files, file)
	r.made.NewBytes += added
	r.advance(file.Size)
}

// control copies the control data and returns the workspaces that have facts according to the copy.
func (r *run) control(ctx context.Context) ([]measure.WorkspaceID, error) {
	name := unfinishedDir + "/" + datadir.Control
	if err := r.folder.root.RemoveAll(name); err != nil {
		return nil, unwritable(r.folder.path, err)
	}
	path := filepath.Join(r.folder.path, filepath.FromSlash(name))
	if err := r.Control.Snapshot(ctx, path); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fault.Unavailable("the control data cannot be copied to %s", r.folder.path).Wrap(err).
			WithHint("free space on that disk and check that the folder can be written; earlier backups are unchanged")
	}
	var err error
	if r.manifest.ControlRows, err = sqlstore.Counts(ctx, path); err != nil {
		return nil, err
	}
	ids, err := sqlstore.FactsFiles(ctx, path)
	if err != nil {
		return nil, err
	}
	file, added, err := r.folder.adopt(ctx, datadir.Control, name)
	if err != nil {
		return nil, err
	}
	r.keep(file, added)
	return ids, nil
}

// facts copies the facts of a workspace unless the last backup has the same state.
func (r *run) facts(ctx context.Context, id measure.WorkspaceID) error {
	w, file, added, err := r.current(ctx, id)
	if err == nil {
		r.manifest.Workspaces = append(r.manifest.Workspaces, w)
		r.keep(file, added)
		return nil
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errDeleted) || fault.KindOf(err) == fault.KindNotFound:
		return errDeleted
	case isFull(err) || strings.Contains(err.Error(), "no disk space left"):
		return err
	}
	r.Log.ErrorContext(ctx, "facts of a workspace cannot be backed up",
		slog.String("workspace", string(id)), slog.Any("error", err))
	problem, _, public := fault.Public(err)
	if !public {
		problem = "the facts cannot be read; see the service log for the cause"
	}
	r.made.Problems = append(r.made.Problems, fmt.Sprintf("workspace %s: %s", id, problem))
	w = Workspace{ID: id, File: factsPath(id), Tables: []warehouse.TableTotals{}}
	if had, old, ok := r.earlier(id); ok {
		w = had
		r.keep(old, 0)
	}
	w.Problem = problem
	r.manifest.Workspaces = append(r.manifest.Workspaces, w)
	return nil
}

// current returns the workspace's current facts. It copies them only if they changed since the last backup.
func (r *run) current(ctx context.Context, id measure.WorkspaceID) (w Workspace, file File, added int64, err error) {
	state, err := r.Facts.State(ctx, id)
	if err != nil {
		return w, file, 0, err
	}
	if state == (warehouse.SnapshotState{}) { // the workspace was deleted and created again
		return w, file, 0, errDeleted
	}
	if had, old, ok := r.earlier(id); ok && had.State == state && had.Problem == "" {
		return had, old, 0, nil
	}
	copied, err := r.Facts.Snapshot(ctx, id, filepath.Join(r.folder.path, unfinishedDir))
	if err != nil {
		return w, file, 0, err
	}
	w = Workspace{ID: id, File: factsPath(id), State: copied.State, Tables: copied.Tables}
	file, added, err = r.folder.adopt(ctx, w.File, unfinishedDir+"/"+filepath.Base(copied.Path))
	if err == nil {
		r.made.Copied = append(r.made.Copied, id)
	}
	return w, file, added, err
}

// earlier returns the workspace's facts in the last backup, if the folder still has them.
func (r *run) earlier(id measure.WorkspaceID) (w Workspace, file File, ok bool) {
	if r.last == nil {
		return w, file, false
	}
	w, known := r.last.workspace(id)
	if !known {
		return w, file, false
	}
	file, known = r.last.file(w.File)
	return w, file, known && r.folder.has(file)
}

// other copies a file of the data directory, unless it was removed meanwhile.
func (r *run) other(ctx context.Context, name string) error {
	from, err := os.Open(filepath.Join(r.Data, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Unavailable("file %s cannot be read", filepath.Join(r.Data, name)).Wrap(err).
			WithHint("make it readable for the user that runs the service")
	}
	defer from.Close()
	file, added, err := r.folder.add(ctx, filepath.ToSlash(name), from)
	if err == nil {
		r.keep(file, added)
	}
	return err
}

// secretPath returns the path of the installation's secret.
func (b *Maker) secretPath() string {
	return cmp.Or(b.SecretFile, filepath.Join(b.Data, datadir.Secret))
}

// copySecret copies the installation's secret under the name that it has in a data directory. If the secret cannot be
// read, the backup fails.
func (r *run) copySecret(ctx context.Context) error {
	from, err := os.Open(r.secretPath())
	if err != nil {
		return fault.Unavailable("the installation secret %s cannot be read", r.secretPath()).Wrap(err).
			WithHint("make it readable for the user that runs the service, or create the backup without the secret")
	}
	defer from.Close()
	file, added, err := r.folder.add(ctx, datadir.Secret, from)
	if err == nil {
		r.keep(file, added)
	}
	return err
}
