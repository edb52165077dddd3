package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/go-co-op/gocron/v2"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/panics"
)

const (
	lookEvery     = time.Minute // delay until a changed schedule takes effect
	forecastEvery = time.Hour   // delay until a new day, or the end of days, is noticed
)

// Run resumes recorded work, trains on the workspaces' schedules until ctx ends, and then waits for running work. A
// training that was due while the service was down runs once.
func (r *Runner) Run(ctx context.Context) error {
	r.mu.Lock()
	r.serving = ctx
	r.mu.Unlock()
	defer r.work.Wait()
	clock, err := gocron.NewScheduler(gocron.WithClock(r.Clock), gocron.WithLocation(time.UTC))
	if err != nil {
		return fmt.Errorf("schedule: %w", err)
	}
	s := schedule{Runner: r, clock: clock, entries: map[measure.WorkspaceID]entry{}}
	if err := s.resume(ctx); err != nil {
		return err
	}
	s.caught(ctx, s.look)
	if _, err := clock.NewJob(gocron.DurationJob(lookEvery), gocron.NewTask(s.caught, ctx, s.look), gocron.WithSingletonMode(gocron.LimitModeReschedule)); err != nil {
		return fmt.Errorf("schedule: %w", err)
	}
	if r.Forecaster != nil {
		_, err := clock.NewJob(gocron.DurationJob(forecastEvery), gocron.NewTask(s.caught, ctx, s.forecast),
			gocron.WithSingletonMode(gocron.LimitModeReschedule), gocron.WithStartAt(gocron.WithStartImmediately()))
		if err != nil {
			return fmt.Errorf("schedule of forecasts: %w", err)
		}
	}
	clock.Start()
	<-ctx.Done()
	return clock.Shutdown()
}

// schedule is the active schedules. It is used by one goroutine at a time.
type schedule struct {
	*Runner

	clock   gocron.Scheduler
	entries map[measure.WorkspaceID]entry
}

// entry is an active schedule.
type entry struct {
	retrain control.Retrain
	zone    string
	job     gocron.Job
}

// caught runs scheduled work. A panic in it does not stop the scheduler.
func (s *schedule) caught(ctx context.Context, do func(ctx context.Context)) {
	err := panics.Caught(func() error {
		do(ctx)
		return nil
	})
	if err != nil {
		s.Log.ErrorContext(ctx, "scheduled work failed", slog.Any("error", err))
	}
}

// resume starts the recorded work of the previous run.
func (s *schedule) resume(ctx context.Context) error {
	asked, err := s.read()
	if err != nil {
		s.Log.WarnContext(ctx, "recorded work is discarded", slog.Any("error", err))
	}
	all, err := s.Workspaces.Workspaces(ctx)
	if err != nil {
		return fmt.Errorf("recorded work: %w", err)
	}
	for _, w := range all {
		if slices.Contains(asked, w.ID) {
			s.start(ctx, w)
		}
	}
	return nil
}

// look applies changed schedules.
func (s *schedule) look(ctx context.Context) {
	all, err := s.Workspaces.Workspaces(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "schedules cannot be read", slog.Any("error", err))
		}
		return
	}
	there := map[measure.WorkspaceID]bool{}
	for _, w := range all {
		there[w.ID] = true
		if have, known := s.entries[w.ID]; !known || have.retrain != w.Retrain || have.zone != w.Zone {
			s.put(ctx, w)
		}
	}
	for id := range s.entries {
		if !there[id] {
			s.remove(ctx, id)
		}
	}
}

func (s *schedule) remove(ctx context.Context, id measure.WorkspaceID) {
	if e := s.entries[id]; e.job != nil {
		if err := s.clock.RemoveJob(e.job.ID()); err != nil {
			s.Log.WarnContext(ctx, "schedule cannot be removed", slog.String("workspace", string(id)), slog.Any("error", err))
		}
	}
	delete(s.entries, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.next, id)
}

// put replaces the workspace's schedule, and starts an overdue training.
func (s *schedule) put(ctx context.Context, w control.Workspace) {
	_, known := s.entries[w.ID]
	s.remove(ctx, w.ID)
	e := entry{retrain: w.Retrain, zone: w.Zone}
	defer func() { s.entries[w.ID] = e }()
	line := crontab(w)
	if line == "" {
		return
	}
	job, err := s.clock.NewJob(gocron.CronJob(line, false), gocron.NewTask(s.caught, ctx, func(ctx context.Context) { s.due(ctx, w.ID) }), gocron.WithName(string(w.ID)))
	if err != nil {
		s.Log.ErrorContext(ctx, "schedule cannot be set", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		return
	}
	e.job = job
	s.mu.Lock()
	s.next[w.ID] = job
	s.mu.Unlock()
	if known {
		return // a new schedule starts on its next day
	}
	tried, err := s.Trainer.Tried(w)
	if err == nil && !tried.IsZero() && tried.Before(lastDue(w.Retrain, s.Clock.Now().In(w.Location()))) {
		s.start(ctx, w)
	}
}

// crontab is the schedule in cron syntax, "" for none. Hours are in the workspace's time zone. An hour skipped by a
// clock change is skipped, a repeated one runs once.
func crontab(w control.Workspace) string {
	switch w.Retrain.Cadence {
	case control.Weekly:
		return fmt.Sprintf("CRON_TZ=%s 0 %d * * 1", w.Zone, w.Retrain.Hour)
	case control.Monthly:
		return fmt.Sprintf("CRON_TZ=%s 0 %d 1 * *", w.Zone, w.Retrain.Hour)
	case control.Never:
	}
	return ""
}

// lastDue returns the last scheduled training before now, which is in the workspace's time zone.
func lastDue(r control.Retrain, now time.Time) time.Time {
	day := time.Date(now.Year(), now.Month(), now.Day(), r.Hour, 0, 0, 0, now.Location())
	for day.After(now) || !isDay(r.Cadence, day) {
		day = day.AddDate(0, 0, -1)
	}
	return day
}

// isDay reports whether a training is due on the day.
func isDay(c control.Cadence, day time.Time) bool {
	switch c {
	case control.Weekly:
		return day.Weekday() == time.Monday
	case control.Monthly:
		return day.Day() == 1
	case control.Never:
	}
	return true
}

// due trains a workspace's model.
func (s *schedule) due(ctx context.Context, id measure.WorkspaceID) {
	all, err := s.Workspaces.Workspaces(ctx)
	if err != nil {
		s.Log.ErrorContext(ctx, "a scheduled training cannot start", slog.String("workspace", string(id)), slog.Any("error", err))
		return
	}
	for _, w := range all {
		if w.ID == id {
			s.start(ctx, w)
		}
	}
}

// start starts a training unless one is running.
func (s *schedule) start(ctx context.Context, w control.Workspace) {
	if err := s.Start(ctx, w); err != nil && fault.KindOf(err) != fault.KindConflict {
		s.Log.ErrorContext(ctx, "a scheduled training cannot start", slog.String("workspace", string(w.ID)), slog.Any("error", err))
	}
}

// forecast makes the forecasts of all workspaces, one after the other. A failure does not affect the others; workspaces
// deleted in the meantime are skipped.
func (s *schedule) forecast(ctx context.Context) {
	all, err := s.Workspaces.Workspaces(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "workspaces to forecast cannot be read", slog.Any("error", err))
		}
		return
	}
	for _, w := range all {
		if ctx.Err() != nil {
			return
		}
		err := panics.Caught(func() error { return s.Forecaster.Forecast(ctx, w) })
		if err != nil && ctx.Err() == nil && fault.KindOf(err) != fault.KindNotFound {
			s.Log.ErrorContext(ctx, "forecasts cannot be made", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		}
	}
}
