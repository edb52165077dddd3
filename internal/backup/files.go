package backup

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"assay/internal/datadir"
	"assay/internal/fault"
)

// left lists the names in a data directory that are not copied as files. They are state of the running process, or data
// that are copied in another way. The names are patterns of [path.Match].
var left = []string{
	"lock", "assay.sock", datadir.Uploads, unwritten, datadir.Secret, ".secret-*", RestoringDir,
	datadir.Control, datadir.Control + "-*", datadir.Facts, datadir.Copies,
}

// unwritten is the pattern of files that are being written. They are renamed when they are complete.
const unwritten = "*.new"

// secret lists the names in a data directory that only a backup with the secret contains. They are the token secret and
// the credentials of a demo. The installation's secret is copied separately because it may be in another place.
var secret = []string{datadir.OAuthSecret, datadir.Demo}

// others returns the files of the data directory that are copied unchanged, sorted. These are all files except the
// installation's secret, those in the list left and, in a backup without the secret, those in the list secret.
func (r *run) others() ([]string, error) {
	entries, err := os.ReadDir(r.Data)
	if err != nil {
		return nil, fault.Unavailable("data directory %s cannot be read", r.Data).Wrap(err)
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if matches(left, name) || matches(secret, name) && !r.request.WithSecret {
			continue
		}
		found, err := filesBelow(r.Data, name)
		if err != nil {
			return nil, fault.Unavailable("%s cannot be read", filepath.Join(r.Data, name)).Wrap(err).
				WithHint("make it readable for the user that runs the service")
		}
		names = append(names, found...)
	}
	if own, err := real(r.secretPath()); err == nil { // the secret may have another name in the data directory
		names = slices.DeleteFunc(names, func(name string) bool {
			path, err := real(filepath.Join(r.Data, name))
			return err == nil && path == own
		})
	}
	slices.Sort(names)
	return names, nil
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
}

// filesBelow returns the regular files of an entry of the data directory. The entry itself may be a symbolic link,
// because a folder may be on another disk.
func filesBelow(dir, name string) (files []string, err error) {
	from, err := filepath.EvalSymlinks(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(from, func(found string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !entry.Type().IsRegular() || matches([]string{unwritten}, entry.Name()):
			return nil
		}
		below, err := filepath.Rel(from, found)
		files = append(files, filepath.Join(name, below))
		return err
	})
	return files, err
}
