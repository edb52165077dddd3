// Package pending stores uploaded files that were checked and can be imported.
package pending

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"assay/internal/control"
	"assay/internal/ingest"
	"assay/internal/measure"
)

// Time is how long a file is stored after its last use.
const Time = 30 * time.Minute

const maxFiles = 16

// Files stores uploaded files that were checked and can be imported. A new file replaces the oldest file when maxFiles
// files are stored. A user has at most one file per workspace.
type Files struct {
	mu    sync.Mutex // guards files and their elements
	files []*File
}

// Settings are the fields of the upload form. A field applies if the file does not contain its value.
type Settings struct{ Source, Channel, Currency, Zone string }

// ID identifies a stored file.
type ID string

// File is an uploaded file with the settings of its form.
type File struct {
	ID        ID
	Owner     control.UserID
	Workspace measure.WorkspaceID
	File      ingest.File
	Remove    func() error
	Settings  Settings
	Seen      ingest.Seen // columns and first rows
	Until     time.Time
	lent      int  // number of borrowers
	gone      bool // no longer in the store; removed when the last borrower releases it
}

// Put stores a file and returns its ID.
func (s *Files) Put(f File, now time.Time) ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.ID, f.Until = ID(rand.Text()), now.Add(Time)
	s.drop(func(other *File) bool {
		return other.Until.Before(now) || other.Owner == f.Owner && other.Workspace == f.Workspace
	})
	if len(s.files) >= maxFiles {
		oldest := s.files[0].ID
		s.drop(func(other *File) bool { return other.ID == oldest })
	}
	s.files = append(s.files, &f)
	return f.ID
}

// Borrow returns the owner's file with this ID and restarts the file's storage time. The file exists at least until the
// function release is called.
func (s *Files) Borrow(id ID, owner control.UserID, ws measure.WorkspaceID, now time.Time) (f File, release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(func(f *File) bool { return f.Until.Before(now) })
	at := slices.IndexFunc(s.files, func(f *File) bool { return f.ID == id && f.Owner == owner && f.Workspace == ws })
	if at < 0 {
		return File{}, nil, false
	}
	lent := s.files[at]
	lent.lent++
	lent.Until = now.Add(Time)
	return *lent, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		lent.lent--
		lent.end()
	}, true
}

// Forget removes a file from the store.
func (s *Files) Forget(id ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(func(f *File) bool { return f.ID == id })
}

// drop removes files from the store. The caller has the lock.
func (s *Files) drop(which func(*File) bool) {
	s.files = slices.DeleteFunc(s.files, func(f *File) bool {
		if !which(f) {
			return false
		}
		f.gone = true
		f.end()
		return true
	})
}

// end deletes the file if it was dropped and no caller uses it. The caller has the lock.
func (f *File) end() {
	if f.gone && f.lent == 0 {
		_ = f.Remove() // the next start removes leftovers
	}
}
