package sqlstore

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/control"
)

func TestTheAuditLogIsAppendOnlyInTheDatabase(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Path: filepath.Join(t.TempDir(), "control.db")})
	young := time.Now().Add(-729 * 24 * time.Hour) // the database uses its own clock
	if err := s.AppendEvent(t.Context(), control.Event{At: young, Kind: control.SignedIn, Actor: "user:anna"}); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`UPDATE events SET actor = 'nobody'`,
		`DELETE FROM events`,
		`INSERT OR REPLACE INTO events SELECT id, 0, '', 'forged', '', '', '' FROM events`,
	} {
		if _, err := s.write.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v, want an error", statement, err)
		}
	}
	if events, err := s.Events(t.Context(), control.EventFilter{Limit: 10}); err != nil || len(events) != 1 || events[0].Actor != "user:anna" {
		t.Errorf("the log is %+v, %v", events, err)
	}
}

func TestOldAuditEventsAreRemoved(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Path: filepath.Join(t.TempDir(), "control.db")})
	now := time.Now() // the database uses its own clock
	then := control.By{Actor: "assay test", At: now.Add(-732 * 24 * time.Hour)}
	if _, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), then); err != nil {
		t.Fatal(err)
	}
	key := control.Key{ID: "k1", Workspace: "acme", Name: "without end", Hash: []byte("h"), CreatedAt: then.At}
	if err := s.CreateKey(t.Context(), key, then); err != nil {
		t.Fatal(err)
	}
	if err := s.Prune(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if events, err := s.Events(t.Context(), control.EventFilter{Limit: 10}); err != nil || len(events) != 1 || events[0].Kind != control.KeyMade {
		t.Errorf("the log is %+v, %v; want the author of the key", events, err)
	}
}
