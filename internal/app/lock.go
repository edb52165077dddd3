package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"assay/internal/fault"
)

// directory is a data directory that this process holds alone.
type directory struct {
	path string
	lock *os.File
}

// errHeld says that another process holds the data directory. Commands on facts go through that process.
var errHeld = errors.New("held by another process")

// hold creates the directory where it is missing and takes it for this process. The operating system gives it
// back when the process ends, however it ends.
func hold(path string) (*directory, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, unwritable("made", path, err)
	}
	file, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unwritable("written", path, err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		owner := holder(file)
		file.Close()
		held := fault.Unavailable("data directory %s is in use by %s", path, owner)
		return nil, held.Wrap(errHeld).WithHint("stop that process, or pass another --data")
	}
	if err := file.Truncate(0); err != nil {
		file.Close()
		return nil, unwritable("written", path, err)
	}
	if _, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		file.Close()
		return nil, unwritable("written", path, err)
	}
	return &directory{path: path, lock: file}, nil
}

// unwritable says that a data directory cannot be used, and what to do about it.
func unwritable(how, path string, err error) error {
	return fault.Unavailable("data directory %s cannot be %s", path, how).Wrap(err).
		WithHint("pass --data with a directory that belongs to you and has room, or give this one to who runs assay")
}

func holder(lock *os.File) string {
	text := make([]byte, 20)
	n, err := lock.ReadAt(text, 0)
	pid := strings.TrimSpace(string(text[:n]))
	if pid == "" || err != nil && n == 0 {
		return "another process"
	}
	return "process " + pid
}

func (d *directory) release() error { return d.lock.Close() }

// longestSocket is how many bytes the path of a socket may have on every system.
const longestSocket = 100

// socketPath returns where the service that holds the directory listens for commands. When the path is too long for a socket,
// it is a short one in a folder of this user below the system's temporary folder, which both sides compute. That folder is
// checked, because everybody can make one of that name; create makes it where it is missing.
func socketPath(dataDir string, create bool) (string, error) {
	full, err := filepath.Abs(dataDir)
	if err != nil {
		return "", fmt.Errorf("data directory %q: %w", dataDir, err)
	}
	path := filepath.Join(full, "assay.sock")
	if len(path) <= longestSocket {
		return path, nil
	}
	dir := filepath.Join(os.TempDir(), "assay-"+strconv.Itoa(os.Geteuid()))
	err = privateDir(dir, create)
	if missing := errors.Is(err, fs.ErrNotExist); err != nil && (create || !missing) {
		return "", fault.Unavailable("folder %s cannot be used for the command socket", dir).Wrap(err).
			WithHint("remove the folder, or pass --data with an absolute path of at most %d bytes", longestSocket-len("/assay.sock"))
	}
	sum := sha256.Sum256([]byte(full))
	return filepath.Join(dir, hex.EncodeToString(sum[:8])+".sock"), nil
}

// privateDir reports why a path is not a folder that this user alone can reach.
func privateDir(path string, create bool) error {
	if create {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", path)
	case !known || int(owner.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user", path)
	case info.Mode().Perm()&othersRights != 0:
		return fmt.Errorf("%s has mode %#o, want 0700", path, info.Mode().Perm())
	}
	return nil
}
