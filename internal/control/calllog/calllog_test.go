package calllog

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/limit"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func now() time.Time { return noon }

func newStore(t *testing.T) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if _, err := store.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), control.By{Actor: "test", At: noon}); err != nil {
		t.Fatal(err)
	}
	return store
}

func call(tool string) control.Call {
	return control.Call{At: noon, Workspace: "acme", Tool: tool, Status: control.CallOK, Actor: "key:k1"}
}

func TestCallsAreWrittenInBatches(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	r := New(Options{Store: store, Now: now})
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := r.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	var noting sync.WaitGroup
	for range 4 {
		noting.Go(func() {
			for range 200 {
				r.Note(call("ask"))
			}
		})
	}
	noting.Wait()
	stop()
	wg.Wait()
	r.Note(call("last"))
	r.Flush(t.Context())
	calls, err := store.Calls(t.Context(), control.CallFilter{Workspace: "acme", Limit: 10_000})
	if err != nil || len(calls) != 801 || r.Dropped() != 0 {
		t.Errorf("%d calls are stored and %d dropped, %v; want 801 and none", len(calls), r.Dropped(), err)
	}
}

// broken fails to store calls.
type broken struct{ Store }

func (broken) AppendCalls(context.Context, []control.Call) error { return errors.New("no disk") }

func TestCallsThatCannotBeWrittenAreDroppedAndCounted(t *testing.T) {
	t.Parallel()
	r := New(Options{Store: broken{}, Now: now})
	for range capacity + 3 {
		r.Note(call("ask"))
	}
	if got := r.Dropped(); got != 3 {
		t.Errorf("%d calls are dropped, want 3", got)
	}
	r.Flush(t.Context())
	if got := r.Dropped(); got != capacity+3 {
		t.Errorf("%d calls are dropped after the failure, want %d", got, capacity+3)
	}
}

func TestRejectedScopesAreInTheAuditLogUpToALimit(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	r := New(Options{Store: store, Counter: limit.NewCounter(), Now: now})
	for i := range 100 {
		c := call("pause_campaign")
		c.Status, c.Missing, c.Actor = control.CallRefused, control.ScopeApprove, fmt.Sprint("key:k", i%2)
		r.Note(c)
	}
	r.Note(call("ask"))
	r.Flush(t.Context())
	events, err := store.Events(t.Context(), control.EventFilter{Workspace: "acme", Kinds: []control.EventKind{control.ScopeRefused}, Limit: 1000})
	if err != nil || len(events) != 40 {
		t.Fatalf("%d lines, %v; want 20 for each of two callers", len(events), err)
	}
	if e := events[0]; e.Subject != "pause_campaign" || !strings.HasPrefix(e.Actor, "key:k") || !strings.Contains(e.Detail, "approve_execution") {
		t.Errorf("a line is %+v", e)
	}
}

// counting counts removals of old calls.
type counting struct {
	Store
	pruned int
	before time.Time
}

func (c *counting) PruneCalls(_ context.Context, before time.Time, _ int) error {
	c.pruned, c.before = c.pruned+1, before
	return nil
}

func TestOldCallsAreRemovedEachHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &counting{}
		r := New(Options{Store: store, Now: now})
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Hour+time.Minute)
		defer stop()
		if err := r.Run(ctx); err != nil || store.pruned != 3 || !store.before.Equal(noon.Add(-KeptFor)) {
			t.Errorf("removed %d times, before %s, %v; want 3 times", store.pruned, store.before, err)
		}
	})
}

func TestArgumentsAreCutAtAWholeCharacter(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, "": "", "a\xffb": "ab",
		strings.Repeat("é", MaxArguments): strings.Repeat("é", MaxArguments/2-2) + "…",
	} {
		if got := Arguments([]byte(in)); got != want || len(got) > MaxArguments || !utf8.ValidString(got) {
			t.Errorf("Arguments of %d bytes = %q, want %q", len(in), got, want)
		}
	}
}

func BenchmarkNote(b *testing.B) {
	r := New(Options{Store: broken{}, Now: now})
	c := call("ask")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%capacity == 0 {
			r.Flush(b.Context())
		}
		r.Note(c)
	}
}
