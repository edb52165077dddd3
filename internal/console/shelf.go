package console

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"assay/internal/control"
	"assay/internal/ingest"
	"assay/internal/measure"
)

// How many files wait to be imported, and for how long.
const (
	shelved   = 16
	shelfTime = 30 * time.Minute
)

// shelf keeps files that were looked at and may be imported next. The oldest make room for new ones; a person has one
// in each workspace.
type shelf struct {
	mu    sync.Mutex // guards files and what is in them
	files []*shelvedFile
}

// shelvedFile is a file on the shelf.
type shelvedFile struct {
	id        string
	owner     control.UserID
	workspace measure.WorkspaceID
	file      ingest.File
	remove    func() error
	form      uploadForm
	seen      ingest.Seen // its columns and first rows
	until     time.Time
	lent      int  // to so many
	gone      bool // from the shelf; removed when nobody has it any more
}

// put takes a file over and returns the id by which it is borrowed.
func (s *shelf) put(f shelvedFile, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.id, f.until = rand.Text(), now.Add(shelfTime)
	s.drop(func(other *shelvedFile) bool {
		return other.until.Before(now) || other.owner == f.owner && other.workspace == f.workspace
	})
	if len(s.files) >= shelved {
		oldest := s.files[0].id
		s.drop(func(other *shelvedFile) bool { return other.id == oldest })
	}
	s.files = append(s.files, &f)
	return f.id
}

// borrow lends a file to its owner until release is called, and lets it wait as long again.
func (s *shelf) borrow(id string, owner control.UserID, ws measure.WorkspaceID, now time.Time) (f shelvedFile, release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(func(f *shelvedFile) bool { return f.until.Before(now) })
	at := slices.IndexFunc(s.files, func(f *shelvedFile) bool { return f.id == id && f.owner == owner && f.workspace == ws })
	if at < 0 {
		return shelvedFile{}, nil, false
	}
	lent := s.files[at]
	lent.lent++
	lent.until = now.Add(shelfTime)
	return *lent, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		lent.lent--
		lent.end()
	}, true
}

// forget takes a file from the shelf.
func (s *shelf) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(func(f *shelvedFile) bool { return f.id == id })
}

// drop takes files from the shelf. The caller holds the lock.
func (s *shelf) drop(which func(*shelvedFile) bool) {
	s.files = slices.DeleteFunc(s.files, func(f *shelvedFile) bool {
		if !which(f) {
			return false
		}
		f.gone = true
		f.end()
		return true
	})
}

// end removes a file that is on no shelf and in nobody's hands. The caller holds the lock.
func (f *shelvedFile) end() {
	if f.gone && f.lent == 0 {
		_ = f.remove() // what stays is removed at the next start
	}
}
