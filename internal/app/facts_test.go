package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
)

// An interrupted move of facts can leave the file and a local copy of the facts in ClickHouse. The copy is not used
// until the move has ended.
func TestAFileOfFactsPreventsTheUseOfACopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(dir, "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	w, err := store.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), control.By{})
	if err != nil {
		t.Fatal(err)
	}
	files := factFiles{store, dir}
	copies := copyFiles{files}
	if err := errors.Join(files.Opened(t.Context(), w.ID), os.WriteFile(files.path(w.ID), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := copies.Opened(t.Context(), w.ID); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("a copy next to the file of the facts is opened with %v; want a fault of kind unavailable", err)
	}
	if err := copies.Dropping(t.Context(), w.ID); err != nil {
		t.Error(err)
	}
	if has, err := store.HasFactsFile(t.Context(), w.ID); !has || err != nil {
		t.Errorf("after the copy is dropped, the file is recorded: %t, %v", has, err)
	}
	if err := errors.Join(os.Remove(files.path(w.ID)), copies.Opened(t.Context(), w.ID), copies.Dropping(t.Context(), w.ID)); err != nil {
		t.Error(err)
	}
	if has, err := store.HasFactsFile(t.Context(), w.ID); has || err != nil {
		t.Errorf("without the file, a file is recorded: %t, %v", has, err)
	}
}

func TestTheFirstErrorOfAMoveIsReported(t *testing.T) {
	t.Parallel()
	moving, closing := errors.New("moving"), errors.New("closing")
	for _, c := range []struct{ err, closing, want error }{
		{nil, nil, nil}, {moving, nil, moving}, {nil, closing, closing}, {moving, closing, moving},
	} {
		if got := joined(c.err, c.closing); got != c.want { //nolint:errorlint // the error itself
			t.Errorf("%v and %v: %v, want %v", c.err, c.closing, got, c.want)
		}
	}
}
