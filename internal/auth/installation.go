package auth

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/measure"
)

// InstallationSecretLen is the length of an installation's secret in bytes.
const InstallationSecretLen = 32

// LoadSecret returns the installation's secret from a file of 64 hexadecimal digits. The first start creates the file.
// If several processes start at the same time, one creates the file and all return the same secret. A file that other
// users can read, or that has invalid content, is a fault of kind misconfigured.
func LoadSecret(path string) ([]byte, error) {
	secret, err := readSecret(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeSecret(path); err == nil {
			secret, err = readSecret(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("installation secret: %w", err)
	}
	return secret, nil
}

func readSecret(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// Windows has no such mode bits. On Windows, the directory's access control list protects the file.
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fault.New(fault.KindMisconfigured, "the file %s is readable by other users (mode %#o)", path, mode).
			WithHint("chmod 600 %s", path)
	}
	damaged := fault.New(fault.KindMisconfigured, "the file %s does not contain %d hexadecimal digits", path, 2*InstallationSecretLen).
		WithHint("restore it from a backup; with a new file, you must create all API keys again")
	text, err := io.ReadAll(io.LimitReader(f, 4*InstallationSecretLen)) // enough to detect a file that is too long
	if err != nil {
		return nil, err
	}
	secret, err := hex.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil || len(secret) != InstallationSecretLen {
		return nil, damaged
	}
	return secret, nil
}

// makeSecret writes a complete temporary file, then creates a hard link to it at path. This fails if another process
// created path first. Therefore no process reads a partial secret, and the first secret remains.
func makeSecret(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	aside, err := os.CreateTemp(dir, ".secret-*") // CreateTemp sets the mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(aside.Name())
	secret := make([]byte, InstallationSecretLen)
	rand.Read(secret) // never fails: Go ends the program if the system has no randomness
	_, err = fmt.Fprintln(aside, hex.EncodeToString(secret))
	if err := errors.Join(err, aside.Sync(), aside.Close()); err != nil {
		return err
	}
	if err := os.Link(aside.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return datadir.Sync(dir)
}

// Installation derives the keys of one installation from its secret, by HKDF-SHA256 without salt (RFC 5869). The names
// below are the values of the info parameter of the derivation. Their meaning never changes, because hashes under an
// old name could no longer be found.
//
//	assay/api-key/v1        hashes of API keys
//	assay/contact/v1/ID     hashes of email addresses and phone numbers in the workspace ID
//	assay/name/v1           name of the installation, which is not secret
//	assay/sealed/v1/ID      encrypted third-party secrets of the workspace ID
type Installation struct{ secret []byte }

// NewInstallation returns the installation with a secret from [LoadSecret].
func NewInstallation(secret []byte) Installation { return Installation{secret: bytes.Clone(secret)} }

// HashKey returns the 32-byte key with which the workspace's email addresses and phone numbers are hashed. Each
// workspace has its own key, so customers that two stores share cannot be identified.
func (i Installation) HashKey(ws measure.WorkspaceID) []byte {
	return i.derive("assay/contact/v1/" + string(ws))
}

// Name identifies the installation without disclosing its secret. Backups contain this name.
func (i Installation) Name() string { return hex.EncodeToString(i.derive("assay/name/v1")[:8]) }

// apiKeyHashing returns the 32-byte key under which API keys are hashed.
func (i Installation) apiKeyHashing() []byte { return i.derive("assay/api-key/v1") }

// Seal encrypts a secret that the workspace needs in plain text, with AES-256-GCM. A copy of the control data alone
// does not disclose the secret.
func (i Installation) Seal(ws measure.WorkspaceID, secret string) []byte {
	return i.sealing(ws).Seal(nil, nil, []byte(secret), nil) //nolint:gosec // the cipher generates a random nonce
}

// Unseal returns a secret that [Installation.Seal] encrypted for the workspace. It returns a fault of kind
// misconfigured if the installation's secret differs or the bytes were changed.
func (i Installation) Unseal(ws measure.WorkspaceID, sealed []byte) (string, error) {
	secret, err := i.sealing(ws).Open(nil, nil, sealed, nil)
	if err != nil {
		return "", fault.New(fault.KindMisconfigured, "a secret of workspace %q cannot be decrypted", ws).
			WithHint("the installation's secret has changed: restore the previous one, or remove the workspace's secret and add it again")
	}
	return string(secret), nil
}

func (i Installation) sealing(ws measure.WorkspaceID) cipher.AEAD {
	block, err := aes.NewCipher(i.derive("assay/sealed/v1/" + string(ws)))
	if err != nil {
		panic(err) // impossible: the key has a valid length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // impossible: AES has a valid block size
	}
	return aead
}

func (i Installation) derive(name string) []byte {
	key, err := hkdf.Key(sha256.New, i.secret, nil, name, sha256.Size)
	if err != nil {
		panic(err) // impossible: SHA-256 can provide this length
	}
	return key
}
