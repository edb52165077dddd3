package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/internal/control/sqlstore"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// RestoringDir is the folder in a data directory that contains the files of a restore until all are verified.
const RestoringDir = "restoring"

// Restore describes a restore.
type Restore struct {
	Dir  string    // the folder of backups
	Data string    // the data directory; the caller has checked that it is empty, and locked it
	At   time.Time // restores the newest backup made at or before this time; zero: the newest backup
	// Totals returns the totals of a facts file, without changing it.
	Totals func(ctx context.Context, path string) ([]warehouse.TableTotals, error)
}

// Restored is the result of a restore.
type Restored struct {
	Manifest Manifest
	Compared []Comparison // comparisons by workspace and table; the control data have the workspace ""
	// LacksSecret is true if the installation's secret must be added before a service can start.
	LacksSecret bool
}

// Comparison compares a table of the restored data directory with the manifest.
type Comparison struct {
	Workspace measure.WorkspaceID `json:"workspace,omitempty"`
	Table     string              `json:"table"`
	Rows      int64               `json:"rows"`     // number of rows in the manifest
	Restored  int64               `json:"restored"` // number of rows in the restored file
	Equal     bool                `json:"equal"`    // the numbers of rows and the totals are equal, overall and for each day
}

// Run restores a backup. It verifies the SHA-256 of every file and the totals of every table before it moves the files
// into the data directory. After a failure, it moves all files back. If files cannot be moved back, the error lists
// them, and [RestoringDir] remains.
func (r Restore) Run(ctx context.Context, progress func(done, total int64)) (restored Restored, err error) {
	f, err := openFolder(r.Dir)
	if err != nil {
		return restored, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	all, err := f.manifests()
	if err != nil {
		return restored, err
	}
	m, err := pick(all, r.Dir, r.At)
	if err != nil {
		return restored, err
	}
	staging := filepath.Join(r.Data, RestoringDir)
	if err := os.Mkdir(staging, 0o700); err != nil {
		return restored, r.unwritable(err)
	}
	defer func() {
		if !errors.Is(err, errRemains) {
			err = errors.Join(err, os.RemoveAll(staging))
		}
	}()
	if progress == nil {
		progress = func(int64, int64) {}
	}
	if err := r.copyFiles(ctx, f, m, staging, progress); err != nil {
		return restored, err
	}
	restored = Restored{Manifest: m, LacksSecret: !m.WithSecret}
	if restored.Compared, err = r.compare(ctx, m, staging); err != nil {
		return restored, err
	}
	for _, c := range restored.Compared {
		if !c.Equal {
			return restored, fault.Invalid("the restored data differ from the backup's manifest; nothing was restored").
				WithHint("restore an earlier backup with --at")
		}
	}
	return restored, r.moveIn(staging)
}

// pick returns the newest backup made at or before a time.
func pick(all []Manifest, dir string, at time.Time) (Manifest, error) {
	if len(all) == 0 {
		return Manifest{}, fault.Invalid("folder %s has no backup", dir).
			WithHint("name the folder that assay backup uses")
	}
	for _, m := range slices.Backward(all) {
		if at.IsZero() || !m.At.After(at) {
			return m, nil
		}
	}
	times := make([]string, 0, len(all))
	for _, m := range all[:min(len(all), 10)] {
		times = append(times, m.At.UTC().Format(time.RFC3339))
	}
	return Manifest{}, fault.Invalid("folder %s has no backup from %s or earlier", dir, at.UTC().Format(time.RFC3339)).
		WithHint("the earliest backups are from %s", strings.Join(times, ", "))
}

func (r Restore) unwritable(err error) error {
	if isFull(err) {
		return fault.Unavailable("no disk space left in %s; nothing was restored", r.Data).Wrap(err).
			WithHint("free space on that disk and repeat the command")
	}
	return fault.Unavailable("data directory %s cannot be written", r.Data).Wrap(err).
		WithHint("name a folder that you own; run the command as the user that runs the service")
}

// copyFiles copies all files to the staging folder and verifies their content.
func (r Restore) copyFiles(
	ctx context.Context, f *folder, m Manifest, staging string, progress func(done, total int64),
) (err error) {
	root, err := os.OpenRoot(staging)
	if err != nil {
		return r.unwritable(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	done, total := int64(0), m.Bytes()
	for _, file := range m.Files {
		if dir := path.Dir(file.Path); dir != "." {
			if err := root.MkdirAll(dir, 0o700); err != nil {
				return r.unwritable(err)
			}
		}
		if err := r.copyFile(ctx, f, file, root); err != nil {
			return err
		}
		done += file.Size
		progress(done, total)
	}
	return nil
}

func (r Restore) copyFile(ctx context.Context, f *folder, file File, root *os.Root) error {
	stored := filepath.Join(f.path, filepath.FromSlash(contentPath(file.SHA256)))
	damaged := func(what string) error {
		return fault.Invalid("%s of the backup is damaged: %s %s; nothing was restored", file.Path, stored, what).
			WithHint("copy the file from another copy of the folder, or restore an earlier backup with --at")
	}
	from, err := f.regular(contentPath(file.SHA256))
	if err != nil {
		return damaged(fmt.Sprintf("cannot be read (%v)", reason(err)))
	}
	defer from.Close()
	to, err := root.OpenFile(file.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return r.unwritable(err)
	}
	hash := sha256.New()
	// Reading up to one byte more than expected detects a file that is too long.
	size, err := io.Copy(io.MultiWriter(to, hash), reader(ctx, io.LimitReader(from, file.Size+1)))
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return r.unwritable(err)
	}
	switch {
	case size > file.Size:
		return damaged(fmt.Sprintf("has more than %d bytes", file.Size))
	case size < file.Size:
		return damaged(fmt.Sprintf("has %d of %d bytes", size, file.Size))
	case hex.EncodeToString(hash.Sum(nil)) != file.SHA256:
		return damaged("has a SHA-256 that differs from its name")
	}
	return nil
}

// compare compares the restored stores with the manifest.
func (r Restore) compare(ctx context.Context, m Manifest, staging string) (all []Comparison, err error) {
	counts, err := sqlstore.Counts(ctx, filepath.Join(staging, datadir.Control))
	if err != nil {
		return nil, err
	}
	tables := maps.Clone(counts)
	maps.Copy(tables, m.ControlRows)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		want, listed := m.ControlRows[name]
		got, there := counts[name]
		all = append(all, Comparison{Table: name, Rows: want, Restored: got, Equal: want == got && listed && there})
	}
	for _, w := range m.Workspaces {
		if _, has := m.file(w.File); !has {
			continue
		}
		found, err := r.Totals(ctx, filepath.Join(staging, filepath.FromSlash(w.File)))
		if err != nil {
			return nil, err
		}
		all = append(all, compareTables(w, found)...)
	}
	return all, nil
}

func compareTables(w Workspace, found []warehouse.TableTotals) (all []Comparison) {
	by := map[string][2]*warehouse.TableTotals{}
	for i, lists := range [][]warehouse.TableTotals{w.Tables, found} {
		for _, t := range lists {
			pair := by[t.Table]
			pair[i] = &t
			by[t.Table] = pair
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		c := Comparison{Workspace: w.ID, Table: name}
		want, got := by[name][0], by[name][1]
		if want != nil {
			c.Rows = want.Rows
		}
		if got != nil {
			c.Restored = got.Rows
		}
		c.Equal = want != nil && got != nil && want.Equal(*got)
		all = append(all, c)
	}
	return all
}

// moveIn moves the verified files into the data directory. The control data are moved last, because a data directory
// without control data cannot be opened. After a failure, moveIn moves all files back.
func (r Restore) moveIn(staging string) error {
	entries, err := os.ReadDir(staging)
	if err != nil {
		return r.unwritable(err)
	}
	names := []string{}
	for _, entry := range entries {
		if entry.Name() != datadir.Control {
			names = append(names, entry.Name())
		}
	}
	names = append(names, datadir.Control)
	for i, name := range names {
		if err := r.move(staging, name); err != nil {
			return r.moveBack(staging, names[:i], err)
		}
	}
	dir, err := os.Open(r.Data)
	if err == nil {
		err = errors.Join(dir.Sync(), dir.Close())
	}
	if err != nil {
		return r.moveBack(staging, names, r.unwritable(err))
	}
	return nil
}

// move moves a file or folder from the staging folder to the data directory. It never replaces an existing file or
// folder.
func (r Restore) move(staging, name string) error {
	to := filepath.Join(r.Data, name)
	if _, err := os.Lstat(to); err == nil {
		return fault.Conflict("another program created %s during the restore; nothing was restored", to).
			WithHint("stop that program, move its files away and repeat the command")
	}
	if err := os.Rename(filepath.Join(staging, name), to); err != nil {
		return fault.Unavailable("%s cannot be moved into data directory %s (%v); nothing was restored",
			name, r.Data, reason(err)).Wrap(err).
			WithHint("check the disk and the owner of the directory, and repeat the command; the backup is unchanged")
	}
	return nil
}

// errRemains reports that restored files remain in the data directory after a failure. The staging folder then remains
// too, so no service starts on partial data.
var errRemains = errors.New("restored files remain")

// moveBack moves files and folders back to the staging folder, last first. It returns the cause, or a fault that lists
// what remains in the data directory.
func (r Restore) moveBack(staging string, names []string, cause error) error {
	var left []string
	errs := []error{errRemains, cause}
	for _, name := range slices.Backward(names) {
		if err := os.Rename(filepath.Join(r.Data, name), filepath.Join(staging, name)); err != nil {
			left, errs = append(left, name), append(errs, err)
		}
	}
	if len(left) == 0 {
		return cause
	}
	slices.Sort(left)
	return fault.Unavailable("the restore failed, and %s remain in data directory %s", strings.Join(left, ", "), r.Data).
		Wrap(errors.Join(errs...)).
		WithHint("remove these files and the folder %s, and repeat the command; the backup is unchanged", RestoringDir)
}
