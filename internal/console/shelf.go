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

// Maximum number of uploaded files, and how long they are stored.
const (
	shelved   = 16
	shelfTime = 30 * time.Minute
)

// shelf stores uploaded files that were checked and can be imported. New files replace the oldest ones. A user has one file
// per workspace.
type shelf struct {
	mu    sync.Mutex // guards files and their elements
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
	seen      ingest.Seen // columns and first rows
	until     time.Time
	lent      int  // number of borrowers
	gone      bool // no longer on the shelf; removed when the last borrower releases it
}

// put stores a file and returns its ID.
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

// borrow returns a file to its owner and restarts its storage time. The file exists at least until release is called.
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

// forget removes a file from the shelf.
func (s *shelf) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(func(f *shelvedFile) bool { return f.id == id })
}

// drop removes files from the shelf. The caller holds the lock.
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

// end deletes a file that is off the shelf and has no borrower. The caller holds the lock.
func (f *shelvedFile) end() {
	if f.gone && f.lent == 0 {
		_ = f.remove() // the next start removes leftovers
	}
}
