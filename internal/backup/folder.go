package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"assay/internal/fault"
)

// folder is a folder of backups:
//
//	manifests/TIME.json   one per backup, written last
//	files/ab/abcd…        the content of files by its SHA-256, shared by all backups
//	unfinished/           files of a running or killed backup
//	lock                  locked by a running backup
//
// All access goes through [os.Root], which follows no symbolic link out of the folder.
type folder struct {
	path string
	root *os.Root
	lock *os.File // nil: read-only
}

const (
	manifestsDir  = "manifests"
	filesDir      = "files"
	unfinishedDir = "unfinished"
	lockFile      = "lock"

	nameForm = "2006-01-02T15-04-05.000Z" // form of manifest names, without their ending
)

// openFolder opens a folder of backups to read it.
func openFolder(dir string) (*folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.Invalid("folder %s cannot be read: %v", dir, reason(err)).
			WithHint("name the folder that assay backup uses")
	}
	return &folder{path: dir, root: root}, nil
}

// lockFolder opens a folder to write a backup, and creates it if it is missing. It removes the remains of killed
// backups.
func lockFolder(dir string) (f *folder, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unwritable(dir, err)
	}
	if f, err = openFolder(dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if f.lock, err = f.root.OpenFile(lockFile, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return f, unwritable(dir, err)
	}
	if err := syscall.Flock(int(f.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return f, fault.Conflict("another backup to %s is running", dir).WithHint("wait until it has ended")
	}
	if err := f.root.RemoveAll(unfinishedDir); err != nil {
		return f, unwritable(dir, err)
	}
	for _, name := range []string{manifestsDir, filesDir, unfinishedDir} {
		if err := f.root.MkdirAll(name, 0o700); err != nil {
			return f, unwritable(dir, err)
		}
	}
	return f, nil
}

// close releases the folder and removes unfinished files.
func (f *folder) close() error {
	var errs []error
	if f.lock != nil {
		errs = append(errs, f.root.RemoveAll(unfinishedDir), f.lock.Close())
	}
	return errors.Join(append(errs, f.root.Close())...)
}

// unwritable returns the fault of a folder that cannot be written.
func unwritable(dir string, err error) error {
	if isFull(err) {
		return full(dir, err)
	}
	return fault.Unavailable("the backup folder %s cannot be written", dir).Wrap(err).
		WithHint("make the user that runs the service the owner of the folder, and repeat the backup")
}

func full(dir string, err error) error {
	return fault.Unavailable("no disk space left in %s: no backup was made, earlier backups are unchanged", dir).Wrap(err).
		WithHint("free space on that disk, or remove old backups with `assay backup %s --keep N`", dir)
}

// isFull reports whether a disk is full, or a quota or a limit of the file size is reached.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// reason returns the cause of a file error, without the operation and the paths.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// manifests returns all backups of the folder, oldest first. An unreadable manifest is an error that names the
// manifest. No file may be removed or reused before all manifests are read.
func (f *folder) manifests() ([]Manifest, error) {
	entries, err := fs.ReadDir(f.root.FS(), manifestsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Invalid("folder %s cannot be read: %v", filepath.Join(f.path, manifestsDir), reason(err))
	}
	var all []Manifest
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		m, err := f.manifest(path.Join(manifestsDir, entry.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Manifest) int { return a.At.Compare(b.At) })
	return all, nil
}

func (f *folder) manifest(name string) (Manifest, error) {
	text, err := f.read(name)
	if err == nil {
		var m Manifest
		if m, err = parse(text); err == nil {
			m.name = name
			return m, nil
		}
	}
	if _, hint, known := fault.Public(err); known {
		return Manifest{}, fault.Invalid("manifest %s: %v", filepath.Join(f.path, name), err).WithHint("%s", hint)
	}
	return Manifest{}, fault.Invalid("manifest %s is damaged: %v", filepath.Join(f.path, name), reason(err)).
		WithHint("move the manifest out of the folder to use the other backups")
}

// read returns the content of a small regular file.
func (f *folder) read(name string) ([]byte, error) {
	file, err := f.regular(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostManifest+1))
	if err == nil && len(text) > mostManifest {
		err = fmt.Errorf("it has more than %d MiB", mostManifest>>20)
	}
	return text, err
}

// regular opens a file that is neither a symbolic link nor a device.
func (f *folder) regular(name string) (*os.File, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return f.root.Open(name)
}

// contentPath returns the path of the content with a hash.
func contentPath(hash string) string { return path.Join(filesDir, hash[:2], hash) }

// has reports whether the folder has content with the hash and size of a file.
func (f *folder) has(file File) bool {
	info, err := f.root.Lstat(contentPath(file.SHA256))
	return err == nil && info.Mode().IsRegular() && info.Size() == file.Size
}

// add stores the content of a reader under its hash. The content gets its name only when it is complete and on disk.
func (f *folder) add(ctx context.Context, path string, from io.Reader) (file File, added int64, err error) {
	name := unfinishedDir + "/content"
	to, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return file, 0, unwritable(f.path, err)
	}
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(to, hash), reader(ctx, from))
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return file, 0, f.failed(ctx, path, err)
	}
	file = File{Path: path, Size: size, SHA256: hex.EncodeToString(hash.Sum(nil))}
	added, err = f.place(file, name)
	return file, added, err
}

// adopt stores an unfinished file under its hash without copying it.
func (f *folder) adopt(ctx context.Context, path, name string) (file File, added int64, err error) {
	from, err := f.regular(name)
	if err != nil {
		return file, 0, f.failed(ctx, path, err)
	}
	hash := sha256.New()
	size, err := io.Copy(hash, reader(ctx, from))
	if err = errors.Join(err, from.Sync(), from.Close()); err != nil {
		return file, 0, f.failed(ctx, path, err)
	}
	file = File{Path: path, Size: size, SHA256: hex.EncodeToString(hash.Sum(nil))}
	added, err = f.place(file, name)
	return file, added, err
}

// place renames a complete file to its final name. It replaces a file of the same name, which repairs a damaged file.
func (f *folder) place(file File, name string) (added int64, err error) {
	to := contentPath(file.SHA256)
	if !f.has(file) {
		added = file.Size
	}
	if err := f.root.MkdirAll(path.Dir(to), 0o700); err != nil {
		return 0, unwritable(f.path, err)
	}
	if err := errors.Join(f.root.Rename(name, to), f.sync(path.Dir(to)), f.sync(filesDir)); err != nil {
		return 0, unwritable(f.path, err)
	}
	return added, nil
}

// failed returns the fault of a file that cannot be copied.
func (f *folder) failed(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if isFull(err) {
		return full(f.path, err)
	}
	return fmt.Errorf("backup of %s: %w", path, err)
}

// sync writes new names in a folder to disk, so they remain after a power failure.
func (f *folder) sync(name string) error {
	dir, err := f.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// finish writes the manifest, which completes the backup.
func (f *folder) finish(m Manifest) (name string, err error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return "", err
	}
	unfinished := unfinishedDir + "/manifest"
	name = path.Join(manifestsDir, m.At.Format(nameForm)+".json")
	to, err := f.root.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", unwritable(f.path, err)
	}
	_, err = to.Write(append(text, '\n'))
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return "", unwritable(f.path, err)
	}
	if _, err := f.root.Lstat(name); err == nil {
		return "", fault.Conflict("folder %s has a backup with the same time", f.path).WithHint("repeat the backup")
	}
	if err := errors.Join(f.root.Rename(unfinished, name), f.sync(manifestsDir)); err != nil {
		return "", unwritable(f.path, err)
	}
	return filepath.Join(f.path, filepath.FromSlash(name)), nil
}

// prune keeps the newest backups, up to the number keep, and removes all others and the content that no remaining
// manifest lists. If keep is 0, prune removes no backup.
func (f *folder) prune(all []Manifest, keep int) (removed int, err error) {
	if keep > 0 && len(all) > keep {
		for _, m := range all[:len(all)-keep] {
			if err := f.root.Remove(m.name); err != nil {
				return removed, unwritable(f.path, err)
			}
			removed++
		}
		all = all[len(all)-keep:]
		if err := f.sync(manifestsDir); err != nil {
			return removed, unwritable(f.path, err)
		}
	}
	used := map[string]bool{}
	for _, m := range all {
		for _, file := range m.Files {
			used[contentPath(file.SHA256)] = true
		}
	}
	err = fs.WalkDir(f.root.FS(), filesDir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || used[name] {
			return err
		}
		return f.root.Remove(name)
	})
	if err != nil {
		return removed, unwritable(f.path, err)
	}
	return removed, nil
}

// reader returns a reader of source that fails when ctx has ended.
func reader(ctx context.Context, source io.Reader) io.Reader {
	return readFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return source.Read(p)
	})
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
