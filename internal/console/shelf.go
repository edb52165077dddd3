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
	mu    sync.Mutex // guards files
	files []shelvedFile
}

// shelvedFile is a file on the shelf.
type shelvedFile struct {
	id        string
	owner     control.UserID
	workspace measure.WorkspaceID
	file      ingest.File
	remove    func() error
	form      uploadForm
	until     time.Time
}

// put takes a file over and returns the id by which it is taken from the shelf.
func (s *shelf) put(f shelvedFile, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.id, f.until = rand.Text(), now.Add(shelfTime)
	s.drop(func(other shelvedFile) bool {
		return other.until.Before(now) || other.owner == f.owner && other.workspace == f.workspace
	})
	if len(s.files) >= shelved {
		oldest := s.files[0].id
		s.drop(func(other shelvedFile) bool { return other.id == oldest })
	}
	s.files = append(s.files, f)
	return f.id
}

// take gives a file to its owner, once.
func (s *shelf) take(id string, owner control.UserID, ws measure.WorkspaceID, now time.Time) (shelvedFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(func(f shelvedFile) bool { return f.until.Before(now) })
	at := slices.IndexFunc(s.files, func(f shelvedFile) bool { return f.id == id && f.owner == owner && f.workspace == ws })
	if at < 0 {
		return shelvedFile{}, false
	}
	f := s.files[at]
	s.files = slices.Delete(s.files, at, at+1)
	return f, true
}

// drop removes files. The caller holds the lock.
func (s *shelf) drop(which func(shelvedFile) bool) {
	s.files = slices.DeleteFunc(s.files, func(f shelvedFile) bool {
		if !which(f) {
			return false
		}
		_ = f.remove() // what stays is removed at the next start
		return true
	})
}
