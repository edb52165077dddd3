package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/config"
	"assay/internal/fault"
)

// With a long path of the data directory the command socket is in a folder that only this user can reach.
func TestALongPathHasItsSocketInAPrivateFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	data := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	listener, err := listenSocket(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	path := listener.Addr().String()
	folder, err := os.Lstat(filepath.Dir(path))
	if err != nil || folder.Mode().Perm() != 0o700 || filepath.Dir(path) == os.TempDir() {
		t.Errorf("the socket is %s, in a folder %v, %v; want one of mode 0700", path, folder, err)
	}
	client, err := connect(data)
	if err != nil || client.path != path {
		t.Errorf("a command looks for %+v, %v; want %s", client, err, path)
	}
}

// Everybody can make folders below the system's temporary folder. Neither side uses one that somebody else can change.
func TestAFolderThatOthersCanChangeHasNoSocket(t *testing.T) {
	for name, plant := range map[string]func(t *testing.T, path string) error{
		"mode 0777": func(_ *testing.T, path string) error {
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return os.Chmod(path, 0o777)
		},
		"link": func(t *testing.T, path string) error { return os.Symlink(t.TempDir(), path) },
		"file": func(_ *testing.T, path string) error { return os.WriteFile(path, nil, 0o600) },
		"other user": func(t *testing.T, path string) error {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return os.Chown(path, 1, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			data := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
			planted, err := listenSocket(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Dir(planted.Addr().String())
			planted.Close()
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := plant(t, dir); err != nil {
				t.Fatal(err)
			}
			if listener, err := listenSocket(t.Context(), data); err == nil {
				listener.Close()
				t.Error("the service listens there")
			} else if _, hint, _ := fault.Public(err); fault.KindOf(err) != fault.KindUnavailable || hint == "" {
				t.Errorf("the service: %v", err)
			}
			if _, err := connect(data); err == nil {
				t.Error("a command would connect there")
			}
		})
	}
}

// Files that an earlier release or a copy by hand left readable become private when the directory is opened. What is not the
// service's stays as it is.
func TestOpeningADirectoryMakesItsFilesPrivate(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	foreign := filepath.Join(data, "notes.txt")
	elsewhere := t.TempDir() // facts may be on another disk
	if err := os.Symlink(elsewhere, filepath.Join(data, factsDir)); err != nil {
		t.Fatal(err)
	}
	readable := []string{
		filepath.Join(elsewhere, "shop.duckdb.bak"), filepath.Join(data, modelsDir, "shop.json"),
		filepath.Join(data, demoFile), filepath.Join(data, truthFile), filepath.Join(data, jobsFile),
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
	for _, path := range append(readable, filepath.Join(data, modelsDir)) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&othersRights != 0 {
			t.Errorf("%s has mode %v, %v; want none for others", path, info.Mode(), err)
		}
	}
	if info, err := os.Stat(foreign); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%s has mode %v, %v; want 0644 as before", foreign, info.Mode(), err)
	}
}
