package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/jonboulle/clockwork"

	"assay/internal/fault"
	"assay/internal/panics"
)

const (
	lookEvery    = time.Minute // interval between checks whether a backup is due
	longestRetry = time.Hour   // maximum delay after a failed backup; shorter if backups are more frequent
)

// Schedule makes backups at intervals. It is safe for concurrent use.
type Schedule struct {
	*Maker

	Plan  Plan
	Clock clockwork.Clock // the real clock

	mu     sync.Mutex // guards the fields below
	since  time.Time  // when Run began; zero before Run begins
	tried  time.Time  // start of the last scheduled backup
	failed string     // why the last scheduled backup failed; "" if it succeeded
}

// Plan contains the folder, the interval and the number of scheduled backups.
type Plan struct {
	Dir   string // absolute; "": no scheduled backups
	Every time.Duration
	Keep  int // number of backups to keep
}

// State is the state of scheduled backups.
type State struct {
	Scheduled bool
	Last      time.Time // time of the newest backup in the folder; zero: none
	Next      time.Time // time of the next backup; zero before the service has started
	Problem   string    // one sentence; "" if the backups are on schedule
	Fix       string    // what to do about the problem
}

// Check returns a fault if backups cannot be made to the planned folder.
func (s *Schedule) Check() error {
	if s.Plan.Dir == "" {
		return nil
	}
	return s.apart(s.Plan.Dir)
}

// Run makes backups until ctx ends. A backup that was due while the service was down is made at once.
func (s *Schedule) Run(ctx context.Context) error {
	if s.Plan.Dir == "" {
		<-ctx.Done()
		return nil
	}
	s.mu.Lock()
	s.since = s.Clock.Now()
	s.mu.Unlock()
	clock, err := gocron.NewScheduler(gocron.WithClock(s.Clock), gocron.WithLocation(time.UTC))
	if err != nil {
		return fmt.Errorf("schedule of backups: %w", err)
	}
	_, err = clock.NewJob(gocron.DurationJob(lookEvery), gocron.NewTask(s.look, ctx),
		gocron.WithSingletonMode(gocron.LimitModeReschedule), gocron.WithStartAt(gocron.WithStartImmediately()))
	if err != nil {
		return fmt.Errorf("schedule of backups: %w", err)
	}
	clock.Start()
	<-ctx.Done()
	return clock.Shutdown()
}

// look makes a backup if one is due.
func (s *Schedule) look(ctx context.Context) {
	now := s.Clock.Now()
	if ctx.Err() != nil || now.Before(s.State().Next) {
		return
	}
	var made Made
	err := panics.Caught(func() (err error) {
		made, err = s.Make(ctx, Request{Dir: s.Plan.Dir, Keep: s.Plan.Keep}, nil)
		return errors.Join(err, made.Err())
	})
	if ctx.Err() != nil || fault.KindOf(err) == fault.KindConflict {
		return // the service stops, or a command makes a backup
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried, s.failed = now, ""
	if err == nil {
		s.Log.InfoContext(ctx, "backup is complete", slog.String("manifest", made.Manifest),
			slog.Int64("bytes", made.Bytes), slog.Int64("new_bytes", made.NewBytes), slog.Int("removed", made.Removed))
		return
	}
	s.Log.ErrorContext(ctx, "backup failed", slog.String("folder", s.Plan.Dir), slog.Any("error", err))
	s.failed = "see the service log for the cause"
	if text, hint, public := fault.Public(err); public {
		s.failed = text
		if hint != "" {
			s.failed += ". To do: " + hint
		}
	}
}

// State returns the state of scheduled backups now. Backups that a command makes in the same folder are included.
func (s *Schedule) State() State {
	if s.Plan.Dir == "" {
		return State{}
	}
	s.mu.Lock()
	since, tried, failed := s.since, s.tried, s.failed
	s.mu.Unlock()
	now := s.Clock.Now()
	last, ahead, err := Newest(s.Plan.Dir, now)
	state := State{Scheduled: true, Last: last}
	if !since.IsZero() {
		state.Next = since
		if !last.IsZero() && last.Add(s.Plan.Every).After(since) {
			state.Next = last.Add(s.Plan.Every)
		}
		if retry := tried.Add(min(s.Plan.Every, longestRetry)); failed != "" && retry.After(state.Next) {
			state.Next = retry
		}
	}
	limit := 2 * s.Plan.Every
	switch {
	case failed != "":
		state.Problem, state.Fix = "The last backup failed: "+failed, "Correct the cause; the service tries again."
	case err != nil:
		state.Problem = fmt.Sprintf("The backup folder %s cannot be read.", s.Plan.Dir)
		state.Fix = "Make it readable for the user that runs the service."
	case ahead:
		state.Problem = fmt.Sprintf("The backup folder %s has a backup with a date in the future.", s.Plan.Dir)
		state.Fix = "Correct the clock, then remove the manifest of that backup. Otherwise, a restore uses it as the newest backup."
	case last.IsZero() && !since.IsZero() && now.Sub(since) > limit:
		state.Problem, state.Fix = "There is no backup.", "Run assay backup "+s.Plan.Dir+" and read its error."
	case !last.IsZero() && now.Sub(last) > limit:
		at := last.UTC().Format("2006-01-02 15:04 UTC")
		state.Problem = fmt.Sprintf("The last backup is dated %s, which is more than twice backup_every ago.", at)
		state.Fix = "Run assay backup " + s.Plan.Dir + " and read its error."
	}
	return state
}

// clockError is the maximum difference between the clocks of two machines that use one folder.
const clockError = time.Minute

// Newest returns the time of the newest backup in a folder, or zero if there is none. It ignores backups with a date
// after now; ahead reports whether there is one. Newest reads only the names of the manifests.
func Newest(dir string, now time.Time) (newest time.Time, ahead bool, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, manifestsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return newest, false, err
	}
	for _, entry := range entries {
		name, isManifest := strings.CutSuffix(entry.Name(), ".json")
		at, err := time.Parse(nameForm, name)
		switch {
		case !isManifest || err != nil:
		case at.After(now.Add(clockError)):
			ahead = true
		case at.After(newest):
			newest = at
		}
	}
	return newest, ahead, nil
}
