package socket

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/fault"
)

// If the path of the data directory is long, the command socket is in a folder that only this user can access.
func TestALongPathHasItsSocketInAPrivateFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	data := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	listener, err := Listen(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	path := listener.Addr().String()
	folder, err := os.Lstat(filepath.Dir(path))
	if err != nil || folder.Mode().Perm() != 0o700 || filepath.Dir(path) == os.TempDir() {
		t.Errorf("the socket is %s, in a folder %v, %v; want one of mode 0700", path, folder, err)
	}
	client, err := Connect(data)
	if err != nil || client.path != path {
		t.Errorf("a command looks for %+v, %v; want %s", client, err, path)
	}
}

// Any user can create folders below the system's temporary folder. Neither the service nor a command uses a folder that
// other users can change.
func TestAFolderThatOthersCanChangeGetsNoSocket(t *testing.T) {
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
				t.Skip("only root can change the owner of a folder")
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
			planted, err := Listen(t.Context(), data)
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
			if listener, err := Listen(t.Context(), data); err == nil {
				listener.Close()
				t.Error("the service listens there")
			} else if _, hint, _ := fault.Public(err); fault.KindOf(err) != fault.KindUnavailable || hint == "" {
				t.Errorf("the service: %v", err)
			}
			if _, err := Connect(data); err == nil {
				t.Error("a command would connect there")
			}
		})
	}
}
