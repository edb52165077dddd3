package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func by() control.By { return control.By{Actor: "test", At: noon} }

// place is a data directory with its open stores.
type place struct {
	*Maker

	store  *sqlstore.Store
	engine *duckdb.Engine
	facts  *warehouse.Warehouse
	ticks  atomic.Int64
	dir    string // folder of backups
}

// openPlace opens a data directory. The clock advances by a minute with each reading.
func openPlace(ctx context.Context, data, dir string) (*place, error) {
	p := &place{dir: dir}
	now := func() time.Time { return noon.Add(time.Duration(p.ticks.Add(1)) * time.Minute) }
	var err error
	if p.store, err = sqlstore.Open(ctx, sqlstore.Options{Path: filepath.Join(data, "control.db")}); err != nil {
		return nil, err
	}
	options := duckdb.Options{Dir: filepath.Join(data, "facts"), Clock: now, Files: filesOf{p.store}, Threads: 1}
	if p.engine, err = duckdb.Open(ctx, options); err != nil {
		return nil, err
	}
	p.facts = warehouse.New(p.engine)
	p.Maker = NewMaker(Source{
		Data: data, Control: p.store, Facts: p.engine, Installation: "test", Program: "v1", Now: now,
		Log: slog.New(slog.DiscardHandler),
	})
	return p, nil
}

func (p *place) close(ctx context.Context) error {
	return errors.Join(p.engine.Close(ctx), p.store.Close())
}

// filesOf records which workspaces have a facts file, as the service does.
type filesOf struct{ store *sqlstore.Store }

func (f filesOf) MayMake(ctx context.Context, ws measure.WorkspaceID) error {
	had, err := f.store.HasFactsFile(ctx, ws)
	if err != nil || !had {
		return err
	}
	return fault.Unavailable("the facts of workspace %q are missing", ws)
}

func (f filesOf) Opened(ctx context.Context, ws measure.WorkspaceID) error {
	return f.store.SetHasFactsFile(ctx, ws, true)
}

func (f filesOf) Dropping(ctx context.Context, ws measure.WorkspaceID) error {
	return f.store.SetHasFactsFile(ctx, ws, false)
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p, err := openPlace(t.Context(), t.TempDir(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return p
}

// shop makes a workspace with orders.
func (p *place) shop(t *testing.T, name string, orders int) measure.WorkspaceID {
	t.Helper()
	w, err := p.store.CreateWorkspace(t.Context(), control.NewWorkspace(name), by())
	if err != nil {
		t.Fatal(err)
	}
	p.sell(t, w.ID, name, orders)
	return w.ID
}

func (p *place) sell(t *testing.T, ws measure.WorkspaceID, prefix string, orders int) {
	t.Helper()
	if err := sell(t.Context(), p.facts, ws, prefix, orders); err != nil {
		t.Fatal(err)
	}
}

func sell(ctx context.Context, w *warehouse.Warehouse, ws measure.WorkspaceID, prefix string, orders int) error {
	in, err := w.Begin(ctx, warehouse.ImportSpec{Workspace: ws, Source: "test"})
	if err != nil {
		return err
	}
	defer in.Abort()
	b := sales(prefix, orders)
	if err := in.Add(ctx, &b); err != nil {
		return err
	}
	_, err = in.Commit(ctx)
	return err
}

func sales(prefix string, n int) (b warehouse.Batch) {
	for i := range n {
		day := civil.New(2026, 1, 1).AddDays(i % 28)
		b.Orders = append(b.Orders, warehouse.Order{
			OrderRef: warehouse.OrderRef{Source: "test", Key: fmt.Sprintf("%s%07d", prefix, i)}, At: day.UTC(), Day: day,
			Customer: fmt.Sprintf("%s-%x", prefix, i*7919), Charged: 100,
		})
	}
	return b
}

// write writes a file of the data directory.
func (p *place) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.Data, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mustMake makes a backup.
func (p *place) mustMake(t *testing.T, r Request) Made {
	t.Helper()
	r.Dir = p.dir
	made, err := p.Make(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// restore restores into a new data directory.
func restore(t *testing.T, dir string, at time.Time) (data string, r Restored, err error) {
	t.Helper()
	data = t.TempDir()
	r, err = Restore{Dir: dir, Data: data, At: at, Totals: duckdb.FileTotals}.Run(t.Context(), nil)
	return data, r, err
}

// wantOrders checks the number of orders of a restored workspace.
func wantOrders(t *testing.T, data string, ws measure.WorkspaceID, want int64) {
	t.Helper()
	p, err := openPlace(t.Context(), data, "")
	if err != nil {
		t.Fatal(err)
	}
	coverage, err := p.facts.Coverage(t.Context(), ws)
	if err = errors.Join(err, p.close(t.Context())); err != nil || coverage.Orders != want {
		t.Errorf("restored workspace %s has %d orders, %v; want %d", ws, coverage.Orders, err, want)
	}
}

// content returns the files of a folder with their sizes.
func content(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	sizes := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			info, err := entry.Info()
			if err != nil {
				return err
			}
			below, _ := filepath.Rel(dir, path)
			sizes[below] = info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

// manifestOf reads a manifest.
func manifestOf(t *testing.T, path string) Manifest {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestABackupRestoresEverything(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	hats, shoes := p.shop(t, "Hats", 500), p.shop(t, "Shoes", 30)
	p.write(t, "models/hats.json", "a model")
	p.write(t, "jobs.json", "[]")
	p.write(t, "secret", "hush")
	p.write(t, "uploads/file.csv", "temporary")
	p.write(t, "models/hats.json.new", "unfinished")
	made := p.mustMake(t, Request{})
	if made.Workspaces != 2 || len(made.Copied) != 2 || made.Bytes != made.NewBytes || made.Files != 5 {
		t.Errorf("made %+v, want 5 files with the facts of 2 workspaces", made)
	}
	p.sell(t, hats, "later", 10)
	data, restored, err := restore(t, p.dir, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	wantOrders(t, data, hats, 500)
	wantOrders(t, data, shoes, 30)
	if model, err := os.ReadFile(filepath.Join(data, "models/hats.json")); err != nil || string(model) != "a model" {
		t.Errorf("restored model %q, %v", model, err)
	}
	for _, name := range []string{"secret", "uploads", "models/hats.json.new", RestoringDir} {
		if _, err := os.Lstat(filepath.Join(data, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is restored, %v", name, err)
		}
	}
	if !restored.LacksSecret || len(restored.Compared) < 50 {
		t.Errorf("lacks the secret: %v; %d tables compared", restored.LacksSecret, len(restored.Compared))
	}
	p.mustMake(t, Request{WithSecret: true})
	data, restored, err = restore(t, p.dir, time.Time{})
	if err != nil || restored.LacksSecret {
		t.Fatalf("restore with secret: lacks it: %v, %v", restored.LacksSecret, err)
	}
	if text, err := os.ReadFile(filepath.Join(data, "secret")); err != nil || string(text) != "hush" {
		t.Errorf("restored secret %q, %v", text, err)
	}
	wantOrders(t, data, hats, 510)
}

func TestABackupDuringAnImportHasTheStateBeforeIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	hats := p.shop(t, "Hats", 100)
	running, err := p.facts.Begin(t.Context(), warehouse.ImportSpec{Workspace: hats})
	if err != nil {
		t.Fatal(err)
	}
	defer running.Abort()
	b := sales("running", 5000)
	if err := running.Add(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	p.mustMake(t, Request{})
	if _, err := running.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	data, _, err := restore(t, p.dir, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	wantOrders(t, data, hats, 100)
	p.mustMake(t, Request{})
	if data, _, err = restore(t, p.dir, time.Time{}); err != nil {
		t.Fatal(err)
	}
	wantOrders(t, data, hats, 5100)
}

func TestASecondBackupCopiesOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	hats, shoes := p.shop(t, "Hats", 500), p.shop(t, "Shoes", 30)
	p.write(t, "models/hats.json", "a model")
	first := p.mustMake(t, Request{})
	before := content(t, p.dir)
	if _, err := p.store.CreateWorkspace(t.Context(), control.NewWorkspace("New"), by()); err != nil {
		t.Fatal(err)
	}
	second := p.mustMake(t, Request{})
	added := int64(0)
	for name, size := range content(t, p.dir) {
		if _, had := before[name]; !had && strings.HasPrefix(name, "files/") {
			added += size
		}
	}
	m := manifestOf(t, second.Manifest)
	copied, _ := m.file(datadir.Control)
	if len(second.Copied) != 0 || second.NewBytes != added || added != copied.Size || second.Bytes < 2*added {
		t.Errorf("second backup: %+v; %d bytes are new, want the %d of the control data", second, added, copied.Size)
	}
	p.sell(t, shoes, "later", 5)
	if third := p.mustMake(t, Request{}); !slices.Equal(third.Copied, []measure.WorkspaceID{shoes}) {
		t.Errorf("third backup copies %v, want %s", third.Copied, shoes)
	}
	data, _, err := restore(t, p.dir, first.At)
	if err != nil {
		t.Fatal(err)
	}
	wantOrders(t, data, shoes, 30)
	if data, _, err = restore(t, p.dir, time.Time{}); err != nil {
		t.Fatal(err)
	}
	wantOrders(t, data, hats, 500)
	wantOrders(t, data, shoes, 35)
	if _, _, err := restore(t, p.dir, noon.AddDate(-1, 0, 0)); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("restore of a time before the first backup: %v, want invalid", err)
	}
}

func TestOldBackupsAreRemovedWithTheirFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	hats := p.shop(t, "Hats", 50)
	for i := range 4 {
		p.sell(t, hats, fmt.Sprintf("a%d", i), 5)
		made := p.mustMake(t, Request{Keep: 2})
		if want := max(0, i-1); made.Removed != min(1, want) {
			t.Errorf("backup %d removed %d others", i, made.Removed)
		}
	}
	files := content(t, p.dir)
	manifests, contents := 0, 0
	for name := range files {
		switch {
		case strings.HasPrefix(name, manifestsDir):
			manifests++
		case strings.HasPrefix(name, filesDir):
			contents++
		}
	}
	if manifests != 2 || contents != 3 {
		t.Errorf("%d manifests and %d files remain, want 2 and 3 (the same control data, facts of each): %v",
			manifests, contents, files)
	}
	data, _, err := restore(t, p.dir, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	wantOrders(t, data, hats, 70)
}

func TestADamagedFileIsNamed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.shop(t, "Hats", 50)
	made := p.mustMake(t, Request{})
	m := manifestOf(t, made.Manifest)
	facts, _ := m.file("facts/hats.duckdb")
	path := filepath.Join(p.dir, contentPath(facts.SHA256))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, damage := range map[string]func() error{
		"a changed bit": func() error { return os.WriteFile(path, flipped, 0o600) },
		"a lost end":    func() error { return os.WriteFile(path, whole[:len(whole)-1], 0o600) },
		"a longer end":  func() error { return os.WriteFile(path, append(slices.Clone(whole), 0), 0o600) },
		"a lost file":   func() error { return os.Remove(path) },
		"a link": func() error {
			other := filepath.Join(t.TempDir(), "whole")
			return errors.Join(os.WriteFile(other, whole, 0o600), os.Remove(path), os.Symlink(other, path))
		},
	} {
		if err := damage(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		data, _, err := restore(t, p.dir, time.Time{})
		text, hint, _ := fault.Public(err)
		named := strings.Contains(text, "facts/hats.duckdb") && strings.Contains(text, path)
		if fault.KindOf(err) != fault.KindInvalid || !named || hint == "" {
			t.Errorf("%s: %v (%s); want the file named", name, err, hint)
		}
		if left := content(t, data); len(left) > 0 {
			t.Errorf("%s: the data directory has %v", name, left)
		}
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, whole, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := restore(t, p.dir, time.Time{}); err != nil {
		t.Errorf("the whole file: %v", err)
	}
}

func TestAManifestWithOtherTotalsIsNotRestored(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.shop(t, "Hats", 50)
	made := p.mustMake(t, Request{})
	text, err := os.ReadFile(made.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `"charged": "5000"`, `"charged": "5001"`, 1)
	if changed == string(text) {
		t.Fatalf("the manifest has no sum of 5000:\n%s", text)
	}
	if err := os.WriteFile(made.Manifest, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	data, restored, err := restore(t, p.dir, time.Time{})
	unequal := slices.DeleteFunc(restored.Compared, func(c Comparison) bool { return c.Equal })
	one := len(unequal) == 1 && unequal[0].Workspace == "hats"
	if fault.KindOf(err) != fault.KindInvalid || !one || len(content(t, data)) > 0 {
		t.Errorf("restored %v, %v; want one table that differs and an empty directory", unequal, err)
	}
}

func TestOneBackupWritesToAFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.shop(t, "Hats", 5)
	p.mustMake(t, Request{})
	other := newPlace(t)
	other.Installation = "other"
	if _, err := other.Make(t.Context(), Request{Dir: p.dir}, nil); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a backup of another installation: %v, want invalid", err)
	}
	f, err := lockFolder(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Make(t.Context(), Request{Dir: p.dir}, nil); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a backup during another one: %v, want a conflict", err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{p.Data, filepath.Join(p.Data, "backups"), filepath.Dir(p.Data)} {
		if _, err := p.Make(t.Context(), Request{Dir: dir}, nil); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("a backup of %s to %s: %v, want invalid", p.Data, dir, err)
		}
	}
}

func TestFactsThatCannotBeReadAreReportedAndOthersAreBackedUp(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	hats, shoes := p.shop(t, "Hats", 50), p.shop(t, "Shoes", 30)
	p.mustMake(t, Request{})
	p.sell(t, shoes, "later", 5)
	p.Facts = brokenFacts{p.engine, hats}
	made := p.mustMake(t, Request{})
	text, _, _ := fault.Public(made.Err())
	if !strings.Contains(text, "hats") || !slices.Equal(made.Copied, []measure.WorkspaceID{shoes}) {
		t.Errorf("made %+v, %v; want shoes copied and hats named", made, made.Err())
	}
	data, restored, err := restore(t, p.dir, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	wantOrders(t, data, hats, 50) // as in the last backup
	wantOrders(t, data, shoes, 35)
	if w, _ := restored.Manifest.workspace(hats); w.Problem == "" {
		t.Error("the manifest does not report the problem")
	}
}

// brokenFacts cannot read one workspace.
type brokenFacts struct {
	warehouse.Snapshotter
	id measure.WorkspaceID
}

func (b brokenFacts) State(ctx context.Context, ws measure.WorkspaceID) (warehouse.SnapshotState, error) {
	if ws == b.id {
		return warehouse.SnapshotState{}, fault.Unavailable("the file is damaged")
	}
	return b.Snapshotter.State(ctx, ws)
}

func TestACancelledBackupLeavesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.shop(t, "Hats", 50)
	p.mustMake(t, Request{})
	before := content(t, p.dir)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := p.Make(ctx, Request{Dir: p.dir, WithSecret: true}, func(int64, int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	for name := range content(t, p.dir) {
		if _, had := before[name]; !had && !strings.HasPrefix(name, filesDir) {
			t.Errorf("%s remains", name)
		}
	}
	p.mustMake(t, Request{})
}

func TestProgressEndsAtTheTotal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.shop(t, "Hats", 50)
	var done, total int64
	if _, err := p.Make(t.Context(), Request{Dir: p.dir}, func(d, of int64) { done, total = d, of }); err != nil {
		t.Fatal(err)
	}
	if done != total || total == 0 {
		t.Errorf("progress ends at %d of %d", done, total)
	}
	var restored int64
	into := Restore{Dir: p.dir, Data: t.TempDir(), Totals: duckdb.FileTotals}
	_, err := into.Run(t.Context(), func(d, of int64) { restored, total = d, of })
	if err != nil || restored != total || total == 0 {
		t.Errorf("progress of the restore ends at %d of %d, %v", restored, total, err)
	}
}

// The secret of the installation may have another name. A backup without the secret must not contain it under that
// name.
func TestASecretWithAnotherNameIsOnlyInABackupWithTheSecret(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "keys/own", "hush")
	p.SecretFile = filepath.Join(p.Data, "keys", "own")
	if _, has := manifestOf(t, p.mustMake(t, Request{}).Manifest).file("keys/own"); has {
		t.Error("a backup without the secret contains it")
	}
	p.mustMake(t, Request{WithSecret: true})
	data, restored, err := restore(t, p.dir, time.Time{})
	if err != nil || restored.LacksSecret {
		t.Fatalf("lacks the secret: %v, %v", restored.LacksSecret, err)
	}
	if text, err := os.ReadFile(filepath.Join(data, "secret")); err != nil || string(text) != "hush" {
		t.Errorf("restored secret %q, %v", text, err)
	}
}

func TestABackupWithTheSecretFailsIfTheSecretCannotBeRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.SecretFile = filepath.Join(p.Data, "nowhere")
	if _, err := p.Make(t.Context(), Request{Dir: p.dir, WithSecret: true}, nil); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("made: %v", err)
	}
}

// Local copies of facts are also in ClickHouse, and they change while a backup reads them.
func TestLocalCopiesOfFactsAreNotInABackup(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "copies/hats.duckdb", "a copy")
	p.write(t, "copies/spill/x.tmp", "a part of a query")
	for _, f := range manifestOf(t, p.mustMake(t, Request{}).Manifest).Files {
		if strings.HasPrefix(f.Path, "copies/") {
			t.Errorf("%s is in the backup", f.Path)
		}
	}
}

func TestAReaderStopsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	source := strings.NewReader("abcd")
	r := reader(ctx, source)
	p := make([]byte, 2)
	if n, err := r.Read(p); n != 2 || err != nil || string(p) != "ab" {
		t.Errorf("%d bytes %q, %v", n, p, err)
	}
	cancel()
	if n, err := r.Read(p); n != 0 || !errors.Is(err, context.Canceled) || source.Len() != 2 {
		t.Errorf("after the end of the context: %d bytes, %v; %d bytes of the source are left, want 2", n, err, source.Len())
	}
}
