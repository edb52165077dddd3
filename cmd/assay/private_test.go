package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wantPrivate checks that only the owner can read the files below a folder.
func wantPrivate(t *testing.T, when, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files++
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %s has mode %v", when, path, info.Mode())
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%s: %d files below %s, %v", when, files, dir, err)
	}
}

// Only the owner can read exported tables, and the files of a data directory after a demo, imports, an export and a
// service run.
func TestADataDirectoryIsPrivate(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	_, _, stop := serving(t, data, "demo", "--addr", "127.0.0.1:0", "--days", "90", "--orders", "500")
	wantPrivate(t, "while a demo is served", data)
	file := filepath.Join(t.TempDir(), "orders_export.csv")
	if err := os.WriteFile(file, []byte(orders), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, data, "workspace", "create", "shop")
	must(t, data, "import", file, "--workspace", "shop")
	tables := filepath.Join(t.TempDir(), "tables")
	must(t, data, "export", tables, "--workspace", "shop", "--format", "csv")
	wantPrivate(t, "after an import and an export next to the service", data)
	stop()
	wantPrivate(t, "when the service has stopped", data)
	must(t, data, "import", file, "--workspace", "demo", "--currency", "USD")
	must(t, data, "doctor")
	wantPrivate(t, "after commands without a service", data)
	wantPrivate(t, "exported tables", tables)
}

// Standard input is spooled in the data directory. If a command is killed, no other user can read its files there, and the next
// start removes them.
func TestAKilledImportLeavesNothing(t *testing.T) {
	t.Parallel()
	data, _ := shop(t)
	temporary := t.TempDir()
	cmd := program(t, data, "import", "-", "--workspace", "shop")
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := input.Write([]byte(orders)); err != nil {
		t.Fatal(err)
	}
	uploads := filepath.Join(data, "uploads")
	spooled := func() (text string) {
		files, _ := filepath.Glob(filepath.Join(uploads, "*"))
		for _, file := range files {
			content, _ := os.ReadFile(file)
			text += string(content)
		}
		return text
	}
	for !strings.Contains(spooled(), "Candle") {
		if t.Context().Err() != nil {
			t.Fatal("standard input is not spooled in the data directory")
		}
	}
	wantPrivate(t, "while standard input is read", uploads)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	must(t, data, "doctor")
	if left := spooled(); left != "" {
		t.Errorf("after the next start uploads contains\n%s", left)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("the system's temporary folder contains %v, %v", left, err)
	}
}

func TestStandardInputIsImported(t *testing.T) {
	t.Parallel()
	data, _ := shop(t)
	for _, when := range []string{"without a service", "next to a service"} {
		cmd := program(t, data, "import", "-", "--workspace", "shop")
		cmd.Stdin = strings.NewReader(orders)
		out, err := cmd.CombinedOutput()
		if want := map[string]string{"without a service": "69.80", "next to a service": "already imported"}[when]; err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", when, err, out)
		}
		if left, err := os.ReadDir(filepath.Join(data, "uploads")); err != nil || len(left) > 0 {
			t.Errorf("%s: uploads has %v, %v", when, left, err)
		}
		if when == "without a service" {
			serve(t, data)
		}
	}
}
