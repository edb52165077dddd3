package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/internal/datadir"
	"assay/internal/fault"
)

// Control data that cannot be opened are an error. No secret is then created next to them.
func TestControlDataThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		url    string
		change func(data string) error
		kind   fault.Kind
	}{
		"no data directory":           {t.Context(), "", os.Remove, fault.KindNotFound},
		"no data directory of a node": {t.Context(), "postgres://localhost/assay", os.Remove, fault.KindNotFound},
		"a database that is not used": {canceled, "postgres://localhost/assay", nil, ""},
		"a URL without a port":        {t.Context(), "postgres://localhost:port/assay", nil, ""},
		"a lost secret": {t.Context(), "", func(data string) error {
			return os.WriteFile(filepath.Join(data, datadir.Control), nil, 0o600)
		}, fault.KindMisconfigured},
	} {
		data := t.TempDir()
		if c.change != nil {
			if err := c.change(data); err != nil {
				t.Fatal(err)
			}
		}
		opened, err := OpenControl(c.ctx, ControlOptions{Data: data, URL: c.url, Now: time.Now})
		if err == nil || opened != nil || c.kind != "" && fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v, want the kind %q", name, err, c.kind)
		}
		if _, err := os.Stat(filepath.Join(data, datadir.Secret)); err == nil {
			t.Errorf("%s: a secret was created", name)
		}
	}
}

// A directory without control data gets a secret, and keeps it.
func TestTheFirstStartCreatesTheSecret(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	var secrets [2]string
	for i := range secrets {
		opened, err := OpenControl(t.Context(), ControlOptions{Data: data, Create: true, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(filepath.Join(data, datadir.Secret))
		if err != nil {
			t.Fatal(err)
		}
		secrets[i] = string(text)
	}
	if secrets[0] == "" || secrets[1] != secrets[0] {
		t.Errorf("the secret has %d bytes and changes: %t", len(secrets[0]), secrets[1] != secrets[0])
	}
}
