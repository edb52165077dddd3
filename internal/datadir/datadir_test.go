package datadir_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"assay/internal/datadir"
	"assay/internal/fault"
)

func write(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // the umask does not apply
		t.Fatal(err)
	}
}

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestADirectoryIsLockedByOneOwner(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	first, err := datadir.Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	if mode := modeOf(t, dir); mode != 0o700 {
		t.Errorf("the directory has mode %#o, want 0700", mode)
	}
	_, err = datadir.Acquire(dir)
	text, hint, _ := fault.Public(err)
	if !errors.Is(err, datadir.ErrLocked) || fault.KindOf(err) != fault.KindUnavailable {
		t.Fatalf("a second lock: got %v, want %v", err, datadir.ErrLocked)
	}
	if want := "in use by process " + strconv.Itoa(os.Getpid()); !strings.HasSuffix(text, want) || !strings.Contains(hint, "--data") {
		t.Errorf("got %q with the hint %q, want it to end with %q", text, hint, want)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := datadir.Acquire(dir)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}

// The process ID of an earlier owner may be longer than the process ID of the new owner.
func TestTheLockNamesItsOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "lock"), []byte("1234567890123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lock, err := datadir.Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	text, err := os.ReadFile(filepath.Join(dir, "lock"))
	if want := strconv.Itoa(os.Getpid()) + "\n"; err != nil || string(text) != want {
		t.Errorf("got %q, %v; want %q", text, err, want)
	}
	if err := os.Truncate(filepath.Join(dir, "lock"), 0); err != nil {
		t.Fatal(err)
	}
	_, err = datadir.Acquire(dir)
	if public, _, _ := fault.Public(err); !strings.HasSuffix(public, "in use by another process") {
		t.Errorf("a lock without a process ID: got %q", public)
	}
}

func TestADirectoryThatIsAFileCannotBeUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, 0o600)
	_, err := datadir.Acquire(file)
	text, hint, _ := fault.Public(err)
	if fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(text, "cannot be created") || !strings.Contains(hint, "--data") {
		t.Errorf("got %v with the hint %q", err, hint)
	}
	if err := datadir.Empty(filepath.Join(file, "folder")); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("emptying a folder below a file: %v", err)
	}
	if err := datadir.WriteJSON(filepath.Join(file, "name.json"), 1); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("writing below a file: %v", err)
	}
	if err := datadir.WriteJSON(filepath.Join(t.TempDir(), "name.json"), func() {}); err == nil {
		t.Error("a value that has no JSON is written")
	}
}

func TestFilesAreReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "name.json")
	for _, value := range []map[string]int{{"old": 1, "more": 2}, {"new": 3}} {
		if err := datadir.WriteJSON(path, value); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	var got map[string]int
	if err := errors.Join(err, json.Unmarshal(text, &got)); err != nil || len(got) != 1 || got["new"] != 3 {
		t.Errorf("got %q, %v; want the new value", text, err)
	}
	if !strings.HasSuffix(string(text), "}\n") {
		t.Errorf("%q does not end with a line break", text)
	}
	if mode := modeOf(t, path); mode != 0o600 {
		t.Errorf("the file has mode %#o, want 0600", mode)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder contains %v, %v; want one file", entries, err)
	}
}

func TestAFolderIsEmptied(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "uploads")
	write(t, filepath.Join(dir, "deep", "file"), 0o600)
	for range 2 { // also if it is empty
		if err := datadir.Empty(dir); err != nil {
			t.Fatal(err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("the folder contains %v, %v; want nothing", entries, err)
		}
	}
	if mode := modeOf(t, dir); mode != 0o700 {
		t.Errorf("the folder has mode %#o, want 0700", mode)
	}
}

// The test sets the system's temporary folder, so it does not run in parallel.
func TestPathsOfCommandSocketsAreShort(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for length, inside := range map[int]bool{20: true, 89: true, 90: false, 300: false} {
		dir := "/" + strings.Repeat("d", length-1) // with the name of the socket, 11 characters more
		path, err := datadir.SocketPath(dir, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(path, dir+"/"); got != inside {
			t.Errorf("a data directory of %d characters has the socket %s", length, path)
		}
		if !inside {
			private := filepath.Dir(path)
			if mode := modeOf(t, private); mode != 0o700 {
				t.Errorf("the folder of the socket has mode %#o, want 0700", mode)
			}
			again, err := datadir.SocketPath(dir, false)
			other, err2 := datadir.SocketPath(dir+"e", false)
			if err := errors.Join(err, err2); err != nil || again != path || other == path {
				t.Errorf("got %s, then %s, and for another directory %s, %v", path, again, other, err)
			}
		}
	}
}

// Another user can create the folder of the sockets before the service does.
func TestAFolderThatOthersCanAccessHasNoSocket(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	long := "/" + strings.Repeat("d", 200)
	private := filepath.Join(temporary, "assay-"+strconv.Itoa(os.Geteuid()))
	if _, err := datadir.SocketPath(long, false); err != nil {
		t.Errorf("a folder that is missing where none is created: %v", err)
	}
	if _, err := os.Lstat(private); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is created: %v", err)
	}
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	for mode, valid := range map[fs.FileMode]bool{0o700: true, 0o710: false, 0o704: false, 0o777: false} {
		if err := os.Chmod(private, mode); err != nil {
			t.Fatal(err)
		}
		for _, create := range []bool{false, true} {
			_, err := datadir.SocketPath(long, create)
			if (err == nil) != valid || err != nil && fault.KindOf(err) != fault.KindUnavailable {
				t.Errorf("mode %#o, create %v: got %v, want valid %v", mode, create, err, valid)
			}
		}
	}
	if err := os.Remove(private); err != nil {
		t.Fatal(err)
	}
	write(t, private, 0o600)
	if _, err := datadir.SocketPath(long, true); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a file: got %v", err)
	}
	if err := os.Remove(private); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), private); err != nil {
		t.Fatal(err)
	}
	if _, err := datadir.SocketPath(long, true); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a link: got %v", err)
	}
}

func TestFilesOfTheServiceBecomePrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "models")
	want := map[string]fs.FileMode{
		filepath.Join(dir, "lock"):              0o600,
		filepath.Join(dir, "control.db"):        0o600,
		filepath.Join(dir, "control.db-wal"):    0o600,
		filepath.Join(dir, "jobs.json"):         0o600,
		filepath.Join(dir, "facts", "a.duckdb"): 0o600,
		filepath.Join(dir, "secret"):            0o644, // package auth rejects it
		filepath.Join(dir, "notes.txt"):         0o644, // not the service's
		filepath.Join(elsewhere, "a.model"):     0o600,
	}
	for path := range want {
		write(t, path, 0o644)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "models")); err != nil {
		t.Fatal(err)
	}
	want[filepath.Join(dir, "facts")], want[elsewhere] = 0o700, 0o700
	if err := datadir.MakePrivate(dir); err != nil {
		t.Fatal(err)
	}
	for path, mode := range want {
		if got := modeOf(t, path); got != mode {
			t.Errorf("%s has mode %#o, want %#o", path, got, mode)
		}
	}
	if err := datadir.MakePrivate(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory: got %v", err)
	}
}
