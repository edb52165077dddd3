package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// privateNames are the files and folders of a data directory, as patterns of [filepath.Match]. Other files in it are not the
// service's. The installation's secret is not listed: one that others can read is an error, see [auth.LoadSecret].
var privateNames = []string{
	"lock", "control.db*", signingSecretFile, jobsFile, demoFile, demoStoreFile, truthFile, factsDir, modelsDir, uploadsDir,
}

// othersRights are the rights of group and others.
const othersRights = 0o077

// makePrivate takes the rights of group and others off the files and folders of a data directory. New files have none, by the
// umask that cmd/assay sets; earlier releases and copies made by hand left some.
func makePrivate(dataDir string) error {
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

// withoutOthers takes the rights of group and others off a file or folder.
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
