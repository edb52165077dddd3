package backup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/fault"
	"assay/internal/warehouse"
)

const someHash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func someManifest() Manifest {
	return Manifest{
		Format: format, At: noon, Program: "v1", Installation: "test",
		Workspaces: []Workspace{{ID: "hats", File: "facts/hats.duckdb", Tables: []warehouse.TableTotals{}}},
		Files: []File{
			{"control.db", 1, someHash}, {"facts/hats.duckdb", 4, someHash}, {"models/hats.json", 0, someHash},
		},
	}
}

func textOf(t testing.TB, m Manifest) []byte {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAManifestIsUntrustedInput(t *testing.T) {
	t.Parallel()
	if _, err := parse(textOf(t, someManifest())); err != nil {
		t.Fatal(err)
	}
	withPath := func(path string) func(*Manifest) {
		return func(m *Manifest) { m.Files[2].Path = path }
	}
	for name, change := range map[string]func(*Manifest){
		"no format":           func(m *Manifest) { m.Format = 0 },
		"no time":             func(m *Manifest) { m.At = time.Time{} },
		"no installation":     func(m *Manifest) { m.Installation = "" },
		"no control data":     func(m *Manifest) { m.Files = m.Files[1:] },
		"no facts":            func(m *Manifest) { m.Files = m.Files[:1] },
		"a file twice":        func(m *Manifest) { m.Files = append(m.Files, m.Files[0]) },
		"a file as a folder":  withPath("facts"),
		"a workspace twice":   func(m *Manifest) { m.Workspaces = append(m.Workspaces, m.Workspaces[0]) },
		"facts elsewhere":     func(m *Manifest) { m.Workspaces[0].File = "control.db" },
		"an ID as a path":     func(m *Manifest) { m.Workspaces[0].ID = "../hats" },
		"a negative size":     func(m *Manifest) { m.Files[2].Size = -1 },
		"a hash as a path":    func(m *Manifest) { m.Files[2].SHA256 = "../" + someHash[3:] },
		"a short hash":        func(m *Manifest) { m.Files[2].SHA256 = someHash[1:] },
		"an upper-case hash":  func(m *Manifest) { m.Files[2].SHA256 = strings.ToUpper(someHash) },
		"an empty path":       withPath(""),
		"the directory":       withPath("."),
		"a parent":            withPath("../secret"),
		"a parent below":      withPath("models/../../secret"),
		"an unclean path":     withPath("models//hats.json"),
		"an absolute path":    withPath("/etc/passwd"),
		"a backslash":         withPath(`..\secret`),
		"a zero byte":         withPath("models/\x00"),
		"a very long path":    withPath(strings.Repeat("a/", 1000) + "a"),
		"a trailing slash":    withPath("models/"),
		"another file's path": withPath("control.db"),
	} {
		m := someManifest()
		change(&m)
		if _, err := parse(textOf(t, m)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for _, text := range []string{"", "null", "[]", `{"format":1,"more":1}`, string(textOf(t, someManifest())) + "{}"} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestABackupOfANewerFormatIsRejected(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	newer := filepath.Join(p.dir, manifestsDir, "2027-01-01T00-00-00.000Z.json")
	if err := os.MkdirAll(filepath.Dir(newer), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(newer, []byte(`{"format": 2, "what": "a field of a later release"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, restored := restore(t, p.dir, time.Time{})
	_, made := p.Make(t.Context(), Request{Dir: p.dir}, nil)
	for what, err := range map[string]error{"restore": restored, "backup": made} {
		text, hint, _ := fault.Public(err)
		if fault.KindOf(err) != fault.KindInvalid || !strings.Contains(text, "format 2") || !strings.Contains(hint, "newer") {
			t.Errorf("%s: %v (%s); want the format named", what, err, hint)
		}
	}
}

// A manifest names files of the data directory only, and a link in the folder of backups does not lead out of that
// folder.
func TestARestoreStaysInItsFolders(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, someHash), []byte("test"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	m := someManifest()
	m.Files, m.Workspaces = []File{{"control.db", 4, someHash}}, nil
	for _, sub := range []string{manifestsDir, filesDir} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, manifestsDir, "a.json"), textOf(t, m), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, filesDir, someHash[:2])); err != nil {
		t.Fatal(err)
	}
	data, _, err := restore(t, dir, time.Time{})
	if fault.KindOf(err) != fault.KindInvalid || len(content(t, data)) > 0 {
		t.Errorf("content behind a link out of the folder: %v, want a fault of kind invalid", err)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(textOf(f, someManifest()))
	f.Add([]byte(`{"format":1,"at":"2026-11-20T12:00:00Z","installation":"x",` +
		`"files":[{"path":"../control.db","size":1,"sha256":"` + someHash + `"}]}`))
	f.Add([]byte(`{"format":99}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parse(text)
		if err != nil {
			return
		}
		for _, file := range m.Files {
			if !filepath.IsLocal(filepath.FromSlash(file.Path)) || !filepath.IsLocal(contentPath(file.SHA256)) || file.Size < 0 {
				t.Errorf("accepted %+v", file)
			}
		}
		if again, err := parse(textOf(t, m)); err != nil || len(again.Files) != len(m.Files) {
			t.Errorf("an accepted manifest is rejected when it is written again: %v", err)
		}
	})
}
