package datadir

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

// Lock is the lock of this process on a data directory.
type Lock struct{ file *os.File }

// ErrLocked reports that another process has locked the data directory. Commands on facts go through that process.
var ErrLocked = errors.New("locked by another process")

// Acquire creates the directory if it is missing and locks it for this process. The operating system releases the lock
// when the process ends, even if it is killed.
func Acquire(path string) (*Lock, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, Unwritable("created", path, err)
	}
	file, err := os.OpenFile(filepath.Join(path, lock), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, Unwritable("written", path, err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		owner := holder(file)
		file.Close()
		held := fault.Unavailable("data directory %s is in use by %s", path, owner)
		return nil, held.Wrap(ErrLocked).WithHint("stop that process, or pass another --data")
	}
	if err := file.Truncate(0); err != nil {
		file.Close()
		return nil, Unwritable("written", path, err)
	}
	if _, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		file.Close()
		return nil, Unwritable("written", path, err)
	}
	return &Lock{file}, nil
}

// Unwritable returns the fault of a data directory that cannot be used.
func Unwritable(how, path string, err error) error {
	return fault.Unavailable("data directory %s cannot be %s", path, how).Wrap(err).
		WithHint("pass --data with a directory that you own and that has free space, or make the user that runs assay its owner")
}

func holder(file *os.File) string {
	text := make([]byte, 20)
	n, err := file.ReadAt(text, 0)
	pid := strings.TrimSpace(string(text[:n]))
	if pid == "" || err != nil && n == 0 {
		return "another process"
	}
	return "process " + pid
}

// Release unlocks the directory.
func (l *Lock) Release() error { return l.file.Close() }

// longestSocket is the maximum length of a socket path, in bytes, that every system allows.
const longestSocket = 100

// SocketPath returns the path of the command socket of a data directory. If that path is too long for a socket, the
// service and the commands compute the same short path. The short path is in a folder of this user below the system's
// temporary folder. The folder is checked, because any user can create a folder of that name. If create is true, a
// missing folder is created.
func SocketPath(dataDir string, create bool) (string, error) {
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

// privateDir returns an error unless the path is a folder that only this user can access.
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
