package auth

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/internal/fault"
)

func TestSecretIsCreatedOnceForItsOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "secret")
	first, err := LoadSecret(path)
	if err != nil || len(first) != InstallationSecretLen {
		t.Fatalf("LoadSecret = %d bytes, %v; want %d", len(first), err, InstallationSecretLen)
	}
	again, err := LoadSecret(path)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("the second LoadSecret gives another secret, %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Errorf("%v, %v; want only the secret in its folder", files, err)
	}
}

func TestProcessesThatStartAtOnceAgreeOnTheSecret(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	secrets := make([][]byte, 16)
	var wg sync.WaitGroup
	for i := range secrets {
		wg.Go(func() {
			var err error
			if secrets[i], err = LoadSecret(path); err != nil {
				t.Errorf("LoadSecret: %v", err)
			}
		})
	}
	wg.Wait()
	for i, s := range secrets {
		if !bytes.Equal(s, secrets[0]) {
			t.Errorf("secret %d differs from secret 0", i)
		}
	}
}

func TestSecretReadableByOthersIsRejected(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o640, 0o604, 0o660, 0o644} {
		path := filepath.Join(t.TempDir(), "secret")
		if _, err := LoadSecret(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := LoadSecret(path)
		wantKind(t, mode.String(), err, fault.KindMisconfigured)
		if _, hint, _ := fault.Public(err); hint != "chmod 600 "+path {
			t.Errorf("%s: hint = %q", mode, hint)
		}
	}
}

func TestDamagedSecretIsRejected(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "short": strings.Repeat("ab", 31), "long": strings.Repeat("ab", 33), "no hex": strings.Repeat("xy", 32),
		"huge": strings.Repeat("ab", 1<<16),
	} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadSecret(path)
		wantKind(t, name, err, fault.KindMisconfigured)
		if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestDerivedKeysAreStable(t *testing.T) {
	t.Parallel()
	secret := make([]byte, InstallationSecretLen)
	for i := range secret {
		secret[i] = byte(i)
	}
	in := NewInstallation(secret)
	clear(secret) // the installation has its own copy
	// The expected values are the two HMACs of RFC 5869, computed with Python's hmac.
	for name, c := range map[string]struct {
		got  []byte
		want string
	}{
		"api keys": {in.apiKeyHashing(), "56e9ded7c8c0254b46bf5aa387bd568efa31a6128281c908af18570870e123dc"},
		"contacts": {in.HashKey("acme"), "a10d73294f3a2fe910db76b4d29672c943d7f48e6df5e25cc83096502e9348b0"},
	} {
		if got := hex.EncodeToString(c.got); got != c.want {
			t.Errorf("key for %s = %s, want %s", name, got, c.want)
		}
	}
	if bytes.Equal(in.HashKey("acme"), in.HashKey("other")) {
		t.Error("two workspaces share a key")
	}
}

func wantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != want {
		t.Errorf("%s: error = %v (%s), want %s", what, err, fault.KindOf(err), want)
	}
}

func TestSealedSecretsBelongToTheirWorkspace(t *testing.T) {
	t.Parallel()
	here := NewInstallation(make([]byte, InstallationSecretLen))
	sealed := here.Seal("acme", "shpss_1")
	if got, err := here.Unseal("acme", sealed); got != "shpss_1" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if bytes.Contains(sealed, []byte("shpss_1")) || bytes.Equal(sealed, here.Seal("acme", "shpss_1")) {
		t.Error("the secret can be read, or compared")
	}
	elsewhere := NewInstallation(bytes.Repeat([]byte{1}, InstallationSecretLen))
	for what, open := range map[string]func() (string, error){
		"another workspace":    func() (string, error) { return here.Unseal("other", sealed) },
		"another installation": func() (string, error) { return elsewhere.Unseal("acme", sealed) },
		"cut":                  func() (string, error) { return here.Unseal("acme", sealed[:8]) },
	} {
		if got, err := open(); fault.KindOf(err) != fault.KindMisconfigured || got != "" {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
}
