package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/internal/config"
	"assay/internal/datadir"
)

// Files that an earlier release or a manual copy left readable become private when the directory is opened. The
// permissions of other files do not change.
func TestOpeningADirectoryMakesItsFilesPrivate(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	foreign := filepath.Join(data, "notes.txt")
	elsewhere := t.TempDir() // facts may be on another disk
	if err := os.Symlink(elsewhere, filepath.Join(data, datadir.Facts)); err != nil {
		t.Fatal(err)
	}
	readable := []string{
		filepath.Join(elsewhere, "shop.duckdb.bak"), filepath.Join(data, datadir.Models, "shop.json"),
		filepath.Join(data, datadir.Demo), filepath.Join(data, datadir.Truth), filepath.Join(data, datadir.Jobs),
	}
	for _, path := range append(readable, foreign) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, err := Open(t.Context(), config.Config{Data: data}.WithDefaults(), discard(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, path := range append(readable, filepath.Join(data, datadir.Models)) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, %v; want none for others", path, info.Mode(), err)
		}
	}
	if info, err := os.Stat(foreign); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%s has mode %v, %v; want 0644 as before", foreign, info.Mode(), err)
	}
}
