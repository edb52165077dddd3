package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// privateNames are the service's files and folders in a data directory, as patterns of [filepath.Match]. The
// installation secret is not listed, because package auth rejects a secret that others can read.
var privateNames = []string{
	lock, Control + "*", OAuthSecret, Jobs, Demo, DemoStore, Truth, Facts, Copies, Models, Uploads,
}

// othersRights is the mask of the permissions of group and others.
const othersRights = 0o077

// MakePrivate removes the permissions of group and others from the files and folders of a data directory. New files do
// not have these permissions, because cmd/assay sets the umask. Files of earlier releases and manual copies may have
// them.
func MakePrivate(dataDir string) error {
	entries, err := os.ReadDir(dataDir)
	if err != nil {
		return err
	}
	var failed []error
	for _, entry := range entries {
		if !slices.ContainsFunc(privateNames, func(name string) bool { ok, _ := filepath.Match(name, entry.Name()); return ok }) {
			continue
		}
		path, err := filepath.EvalSymlinks(filepath.Join(dataDir, entry.Name())) // a folder may be on another disk
		if err == nil {
			err = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
				if err == nil {
					err = withoutOthers(path, entry)
				}
				if errors.Is(err, fs.ErrNotExist) { // another process has closed the control database
					return nil
				}
				return err
			})
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// withoutOthers removes the permissions of group and others from a file or folder.
func withoutOthers(path string, entry fs.DirEntry) error {
	if !entry.IsDir() && !entry.Type().IsRegular() {
		return nil
	}
	info, err := entry.Info()
	if err != nil || info.Mode().Perm()&othersRights == 0 {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&^othersRights)
}
