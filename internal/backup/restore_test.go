package backup

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// Another program changes the data directory while the restored files are compared.
func TestAFailedMoveLeavesTheDataDirectoryAsItWas(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	hats := p.shop(t, "Hats", 50)
	p.write(t, "jobs.json", "[]")
	p.write(t, "models/hats.json", "a model")
	p.mustMake(t, Request{})
	for _, c := range []struct {
		what   string
		change func(data string) error
		left   map[string]int64 // files that remain, with their sizes
		named  string
		kind   fault.Kind
	}{
		{
			"a folder with the name of the control data",
			func(data string) error {
				folder := filepath.Join(data, datadir.Control)
				return errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, "own"), []byte("own"), 0o600))
			},
			map[string]int64{datadir.Control + "/own": 3},
			datadir.Control, fault.KindConflict,
		},
		{
			"a file with the name of a restored file",
			func(data string) error { return os.WriteFile(filepath.Join(data, "jobs.json"), []byte("own"), 0o600) },
			map[string]int64{"jobs.json": 3},
			"jobs.json", fault.KindConflict,
		},
		{
			"the control data are lost",
			func(data string) error { return os.Remove(filepath.Join(data, RestoringDir, datadir.Control)) },
			map[string]int64{},
			datadir.Control, fault.KindUnavailable,
		},
	} {
		data := t.TempDir()
		into := Restore{Dir: p.dir, Data: data}
		into.Totals = func(ctx context.Context, path string) ([]warehouse.TableTotals, error) {
			totals, err := duckdb.FileTotals(ctx, path)
			return totals, errors.Join(err, c.change(data))
		}
		_, err := into.Run(t.Context(), nil)
		text, hint, _ := fault.Public(err)
		says := strings.Contains(text, c.named) && strings.Contains(text, "nothing was restored") && hint != ""
		if fault.KindOf(err) != c.kind || !says {
			t.Errorf("%s: %v (%s); want %s, with %s and what to do", c.what, err, hint, c.kind, c.named)
		}
		if left := content(t, data); !maps.Equal(left, c.left) {
			t.Errorf("%s: the data directory has %v, want %v", c.what, left, c.left)
		}
		if _, err := os.Lstat(filepath.Join(data, RestoringDir)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the folder of the restore remains: %v", c.what, err)
		}
		for name := range c.left {
			if err := os.RemoveAll(filepath.Join(data, strings.Split(name, "/")[0])); err != nil {
				t.Fatal(err)
			}
		}
		into.Totals = duckdb.FileTotals
		if _, err := into.Run(t.Context(), nil); err != nil {
			t.Errorf("%s: the repeated restore: %v", c.what, err)
			continue
		}
		wantOrders(t, data, hats, 50)
	}
}

func TestFilesThatCannotBeMovedBackAreNamed(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	staging := filepath.Join(data, RestoringDir)
	for _, name := range []string{"facts", "models", RestoringDir, RestoringDir + "/facts"} {
		if err := os.Mkdir(filepath.Join(data, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"facts/hats.duckdb", "models/hats.json", RestoringDir + "/facts/other"} {
		if err := os.WriteFile(filepath.Join(data, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cause := fault.Unavailable("the disk failed")
	r := Restore{Data: data}
	err := r.moveBack(staging, []string{"facts", "models"}, cause)
	text, hint, _ := fault.Public(err)
	says := strings.Contains(text, "facts remain in data directory "+data) && strings.Contains(hint, RestoringDir)
	if !errors.Is(err, errRemains) || !errors.Is(err, cause) || !says {
		t.Errorf("got %v (%s), want the folder facts and the cause", err, hint)
	}
	want := map[string]int64{
		"facts/hats.duckdb": 1, RestoringDir + "/facts/other": 1, RestoringDir + "/models/hats.json": 1,
	}
	if left := content(t, data); !maps.Equal(left, want) {
		t.Errorf("the data directory has %v, want %v", left, want)
	}
}
