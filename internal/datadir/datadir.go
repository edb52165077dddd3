// Package datadir defines the data directory of an installation: the names and permissions of its files, the lock of
// its process, and its command socket.
package datadir

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"assay/internal/fault"
)

// Files and folders of a data directory.
const (
	Control     = "control.db"
	Secret      = "secret"    // secret of the installation
	Facts       = "facts"     // one file per workspace
	Copies      = "copies"    // local copies of facts in ClickHouse; can be deleted while the service is stopped
	Models      = "models"    // models of an earlier release, one file per workspace; see package training
	Jobs        = "jobs.json" // interrupted jobs of an earlier release; see package jobs
	Uploads     = "uploads"   // files to be imported; emptied at every start
	OAuthSecret = "oauth-secret"
	Demo        = "demo.json"
	DemoStore   = "demo-store.json"
	Truth       = "truth.json"
	Sandbox     = "sandbox" // simulated ad accounts of the demo store

	lock = "lock"
)

// Empty deletes all files that an ended or ending process has left in a folder.
func Empty(dir string) error {
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return fault.Unavailable("folder %s cannot be emptied", dir).Wrap(err)
	}
	return nil
}

// WriteFile replaces a file in one step, so that a reader gets the complete old or the complete new file.
func WriteFile(path string, text []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// WriteJSON writes a value as indented JSON to a file. It replaces the file in one step.
func WriteJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := WriteFile(path, append(text, '\n')); err != nil {
		return fault.Unavailable("%s cannot be written", filepath.Base(path)).Wrap(err)
	}
	return nil
}
