package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// result is a line of the state file.
type result struct {
	mutant

	Package string  `json:"package"` // hash of the package's files
	Outcome outcome `json:"outcome"`
}

// state contains the results of earlier runs, so that an interrupted run can be resumed. A result is valid while the
// files of the mutant's package, tests included, are the same.
type state struct {
	file  *os.File // nil: nothing is stored
	known map[string]outcome
	last  map[string]outcome // the latest result of each mutant, for any files of its package
}

func openState(path string) (*state, error) {
	s := &state{known: map[string]outcome{}, last: map[string]outcome{}}
	if path == "" {
		return s, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a folder of the working copy
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644) //nolint:gosec // results are not secret
	if err != nil {
		return nil, err
	}
	s.file = file
	for decoder := json.NewDecoder(file); ; {
		var r result
		switch err := decoder.Decode(&r); {
		case errors.Is(err, io.EOF):
			return s, nil
		case err != nil:
			return nil, errors.Join(err, file.Close())
		}
		s.known[r.Package+"\n"+r.key()] = r.Outcome
		s.last[r.key()] = r.Outcome
	}
}

func (s *state) of(m *mutant, pkg string) (outcome, bool) {
	o, ok := s.known[pkg+"\n"+m.key()]
	return o, ok
}

func (s *state) add(m *mutant, pkg string, o outcome) error {
	s.known[pkg+"\n"+m.key()] = o
	if s.file == nil {
		return nil
	}
	return json.NewEncoder(s.file).Encode(result{mutant: *m, Package: pkg, Outcome: o})
}

func (s *state) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// hashOf returns a hash of a package's files and its testdata.
func hashOf(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if filepath.Dir(path) == dir && path != dir && entry.Name() != "testdata" { // a subfolder is another package
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path) //nolint:gosec // the files of this repository, which the developer runs anyway
		if err != nil {
			return err
		}
		of := sha256.Sum256(text)
		_, err = sum.Write(append([]byte(path[len(dir):]), of[:]...))
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}
