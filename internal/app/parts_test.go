package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/datadir"
	"assay/internal/jobs"
	"assay/internal/warehouse"
)

func TestShutdownWaitsForPartsForABoundedTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		group, running := newParts(ctx)
		release := make(chan struct{})
		defer close(release)
		group.Go("ends", func() error { <-running.Done(); return nil })
		group.Go("ignores cancellation", func() error { <-release; return nil })
		group.Go("ends late", func() error { <-running.Done(); time.Sleep(4 * time.Second); return nil })
		cancel()
		began := time.Now()
		cutOff, err := group.wait(5 * time.Second)
		if waited := time.Since(began); waited != 5*time.Second || !slices.Equal(cutOff, []string{"ignores cancellation"}) || err != nil {
			t.Errorf("%q are cut off after %s, %v", cutOff, waited, err)
		}
	})
}

func TestPartsEndWithTheFirstError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		group, running := newParts(t.Context())
		own := errors.New("first")
		group.Go("fails", func() error { return own })
		group.Go("ends late", func() error { <-running.Done(); time.Sleep(time.Second); return errors.New("another") })
		began := time.Now()
		cutOff, err := group.wait(time.Minute)
		if waited := time.Since(began); waited != time.Second || len(cutOff) > 0 || !errors.Is(err, own) {
			t.Errorf("%q are cut off after %s, %v; want the first error once all have ended", cutOff, waited, err)
		}
	})
}

// stubborn is a training that ignores cancellation and has an import open.
type stubborn struct {
	*App
	began, release chan struct{}
}

func (s stubborn) train(ctx context.Context, w control.Workspace, _ *jobs.Task) error {
	into, err := s.facts.Begin(ctx, warehouse.ImportSpec{Workspace: w.ID, Source: "orders", File: "orders.csv", Base: w.Currency, Zone: w.Location()})
	close(s.began)
	<-s.release
	if err == nil {
		into.Abort()
	}
	return err
}

// Serve and Close return even if a training never ends and uses the store. If they waited for it, this test would never
// end.
func TestShutdownEndsWhileWorkIgnoresCancellation(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	data := t.TempDir()
	c := config.Config{Addr: "127.0.0.1:0", Data: data, ShutdownTimeout: 50 * time.Millisecond}
	a, err := Open(t.Context(), c.WithDefaults(), slog.New(slog.NewTextHandler(&log, nil)), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.control.Store.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), control.By{Actor: "test", At: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, datadir.Jobs), []byte(`["acme"]`), 0o600); err != nil { // to resume
		t.Fatal(err)
	}
	work := stubborn{a, make(chan struct{}), make(chan struct{})}
	a.jobs = jobs.New(jobs.Options{
		File: filepath.Join(data, datadir.Jobs), Routines: []jobs.Routine{{Kind: jobs.Training, Run: work.train}}, Store: a.control.Store, Clock: clockwork.NewRealClock(), Log: discard(),
	})
	engine := a.engine
	t.Cleanup(func() {
		close(work.release)
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	ctx, shutDown := context.WithCancel(t.Context())
	err = a.Serve(ctx, func(string) error {
		<-work.began
		shutDown()
		return nil
	})
	if err != nil || !strings.Contains(log.String(), `work=[jobs]`) {
		t.Errorf("%v; the log does not name the parts that were cut off:\n%s", err, log.String())
	}
	if err := a.Close(); err == nil || !strings.Contains(err.Error(), "1 users of the store still run") {
		t.Errorf("the store closes during an import: %v", err)
	}
}
