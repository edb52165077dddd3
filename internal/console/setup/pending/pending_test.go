package pending_test

import (
	"fmt"
	"testing"
	"time"

	"assay/internal/console/setup/pending"
	"assay/internal/control"
	"assay/internal/measure"
)

var now = time.Date(2026, 3, 11, 2, 0, 0, 0, time.UTC)

// put stores a file of an owner. The result removed counts the removals of the file.
func put(s *pending.Files, owner control.UserID, ws measure.WorkspaceID, at time.Time) (id pending.ID, removed *int) {
	removed = new(int)
	id = s.Put(pending.File{Owner: owner, Workspace: ws, Settings: pending.Settings{Source: "orders"}, Remove: func() error {
		*removed++
		return nil
	}}, at)
	return id, removed
}

func has(s *pending.Files, id pending.ID, owner control.UserID, ws measure.WorkspaceID, at time.Time) bool {
	_, release, ok := s.Borrow(id, owner, ws, at)
	if ok {
		release()
	}
	return ok
}

func TestAFileBelongsToItsOwner(t *testing.T) {
	t.Parallel()
	var s pending.Files
	id, _ := put(&s, "ada", "shop", now)
	other, _ := put(&s, "ben", "shop", now)
	if id == other || len(id) < 20 {
		t.Errorf("IDs %q and %q", id, other)
	}
	if has(&s, id, "ben", "shop", now) || has(&s, id, "ada", "other", now) || has(&s, "", "ada", "shop", now) {
		t.Error("another user borrows the file")
	}
	f, release, ok := s.Borrow(id, "ada", "shop", now)
	if !ok || f.ID != id || f.Settings.Source != "orders" {
		t.Fatalf("the owner gets %+v, %t", f, ok)
	}
	release()
}

// A file is stored for half an hour after its last use.
func TestAFileEndsAfterItsTime(t *testing.T) {
	t.Parallel()
	var s pending.Files
	id, removed := put(&s, "ada", "shop", now)
	if !has(&s, id, "ada", "shop", now.Add(pending.Time)) || !has(&s, id, "ada", "shop", now.Add(2*pending.Time)) {
		t.Error("the file has ended before its time")
	}
	if has(&s, id, "ada", "shop", now.Add(3*pending.Time+1)) || *removed != 1 {
		t.Errorf("the file still exists after its time; removed %d times", *removed)
	}
	_, late := put(&s, "ada", "shop", now)
	_, kept := put(&s, "ben", "shop", now.Add(1))
	if put(&s, "cleo", "shop", now.Add(pending.Time+1)); *late != 1 || *kept != 0 {
		t.Errorf("a later upload removes the ended file %d times and the other %d times", *late, *kept)
	}
}

func TestANewFileReplacesTheOldFileOfItsOwner(t *testing.T) {
	t.Parallel()
	var s pending.Files
	first, removed := put(&s, "ada", "shop", now)
	elsewhere, kept := put(&s, "ada", "other", now)
	put(&s, "ada", "shop", now)
	if *removed != 1 || has(&s, first, "ada", "shop", now) || *kept != 0 || !has(&s, elsewhere, "ada", "other", now) {
		t.Errorf("the replaced file is removed %d times, that of another workspace %d times", *removed, *kept)
	}
	for i := range 14 {
		put(&s, control.UserID(fmt.Sprint(i)), "shop", now)
	}
	if !has(&s, elsewhere, "ada", "other", now) {
		t.Error("16 files do not fit")
	}
	if put(&s, "one more", "shop", now); *kept != 1 || has(&s, elsewhere, "ada", "other", now) {
		t.Errorf("the oldest of 17 files is removed %d times", *kept)
	}
}

// A borrowed file exists until it is released, even if it is replaced or removed from the store before its release.
func TestABorrowedFileExistsUntilItsRelease(t *testing.T) {
	t.Parallel()
	var s pending.Files
	id, removed := put(&s, "ada", "shop", now)
	_, one, _ := s.Borrow(id, "ada", "shop", now)
	_, two, _ := s.Borrow(id, "ada", "shop", now)
	if s.Forget(id); *removed != 0 || has(&s, id, "ada", "shop", now) {
		t.Errorf("a forgotten file is removed %d times before its release", *removed)
	}
	if one(); *removed != 0 {
		t.Error("the file is removed before its second release")
	}
	if two(); *removed != 1 {
		t.Errorf("the file is removed %d times", *removed)
	}
	kept, count := put(&s, "ada", "shop", now)
	s.Forget("another")
	if !has(&s, kept, "ada", "shop", now) || *count != 0 {
		t.Error("another file is removed")
	}
}
