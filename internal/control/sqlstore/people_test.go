package sqlstore

import (
	"path/filepath"
	"testing"

	"assay/internal/control/controltest"
)

func TestSQLiteKeepsPeopleAndGrants(t *testing.T) {
	t.Parallel()
	controltest.RunPeople(t, func(t *testing.T) controltest.PeopleStore {
		return open(t, Options{Path: filepath.Join(t.TempDir(), "control.db")})
	})
}
