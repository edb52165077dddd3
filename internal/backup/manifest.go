package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// format is the version of the manifest and of the layout of the folder.
const format = 1

// Manifest describes one backup: the files of a data directory and the totals that a restored data directory must have.
type Manifest struct {
	Format       int              `json:"format"`
	At           time.Time        `json:"at"`
	Program      string           `json:"program"`      // version of the program that made the backup
	Installation string           `json:"installation"` // name of the installation, derived from its secret
	WithSecret   bool             `json:"with_secret"`
	ControlRows  map[string]int64 `json:"control_rows"` // number of rows by table
	Workspaces   []Workspace      `json:"workspaces"`
	Files        []File           `json:"files"`

	name string // name of the manifest in its folder
}

// Workspace describes the facts of one workspace.
type Workspace struct {
	ID      measure.WorkspaceID     `json:"id"`
	File    string                  `json:"file"` // path in the data directory
	State   warehouse.SnapshotState `json:"state"`
	Tables  []warehouse.TableTotals `json:"tables"`
	Problem string                  `json:"problem,omitempty"` // reason why the facts are from an earlier backup, or missing
}

// File is one file of the data directory. Its content is stored under its hash.
type File struct {
	Path   string `json:"path"` // relative to the data directory, with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const (
	mostManifest = 256 << 20 // bytes
	mostPath     = 1024      // bytes
)

var (
	hashForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
	idForm   = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)
)

// parse reads a manifest. A manifest is untrusted input, so parse rejects paths outside the data directory.
func parse(text []byte) (Manifest, error) {
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return Manifest{}, fmt.Errorf("it is not JSON: %w", err)
	}
	if version.Format > format {
		return Manifest{}, fault.Invalid("the backup has format %d; this release reads up to %d", version.Format, format).
			WithHint("use the release that made the backup, or a newer one")
	}
	var m Manifest
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields()
	if err := reader.Decode(&m); err != nil {
		return Manifest{}, err
	}
	if _, err := reader.Token(); !errors.Is(err, io.EOF) {
		return Manifest{}, errors.New("it has text after the JSON object")
	}
	return m, m.check()
}

func (m Manifest) check() error {
	if m.Format != format || m.At.IsZero() || m.Installation == "" {
		return errors.New("its format, time or installation is missing")
	}
	files := map[string]bool{}
	for _, f := range m.Files {
		if err := f.check(); err != nil {
			return err
		}
		if files[f.Path] {
			return fmt.Errorf("it lists %q twice", f.Path)
		}
		files[f.Path] = true
	}
	for name := range files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if files[dir] {
				return fmt.Errorf("it lists %q as a file and as a folder", dir)
			}
		}
	}
	if !files[datadir.Control] {
		return fmt.Errorf("it does not list %s", datadir.Control)
	}
	seen := map[measure.WorkspaceID]bool{}
	for _, w := range m.Workspaces {
		switch {
		case !idForm.MatchString(string(w.ID)) || seen[w.ID]:
			return fmt.Errorf("%q is not the ID of one workspace", w.ID)
		case w.File != factsPath(w.ID) || !files[w.File] && w.Problem == "":
			return fmt.Errorf("it has no facts of workspace %s", w.ID)
		}
		seen[w.ID] = true
	}
	return nil
}

func (f File) check() error {
	local := f.Path != "" && len(f.Path) <= mostPath && path.Clean(f.Path) == f.Path && f.Path != "." &&
		filepath.IsLocal(filepath.FromSlash(f.Path)) && !strings.ContainsAny(f.Path, "\\\x00")
	switch {
	case !local:
		return fmt.Errorf("%.100q is not a path inside the data directory", f.Path)
	case f.Size < 0 || !hashForm.MatchString(f.SHA256):
		return fmt.Errorf("the size or the SHA-256 of %s is not valid", f.Path)
	}
	return nil
}

// factsPath returns the path of a workspace's facts in the data directory.
func factsPath(id measure.WorkspaceID) string { return path.Join(datadir.Facts, string(id)+".duckdb") }

// file returns the file with a path.
func (m Manifest) file(path string) (File, bool) {
	for _, f := range m.Files {
		if f.Path == path {
			return f, true
		}
	}
	return File{}, false
}

// workspace returns the workspace with an ID.
func (m Manifest) workspace(id measure.WorkspaceID) (Workspace, bool) {
	for _, w := range m.Workspaces {
		if w.ID == id {
			return w, true
		}
	}
	return Workspace{}, false
}

// Bytes returns the size of all files.
func (m Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}
