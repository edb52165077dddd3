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
	lookEvery     = time.Minute // how soon a change of a workspace's schedule counts
	forecastEvery = time.Hour   // how soon a new day, or days that are over, are noticed
)

// Run takes up work that was written down, trains by the workspaces' schedules until ctx ends, and then waits for what
// runs. A training that fell due while no service ran is made up for, once.
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

// schedule is the workspaces' schedules as they are in effect. One goroutine at a time looks after it.
type schedule struct {
	*Runner

	clock   gocron.Scheduler
	entries map[measure.WorkspaceID]entry
}

// entry is a schedule in effect.
type entry struct {
	retrain control.Retrain
	zone    string
	job     gocron.Job
}

// caught does something that the clock asks for. A defect in it does not keep the clock from the next time.
func (s *schedule) caught(ctx context.Context, do func(ctx context.Context)) {
	err := panics.Caught(func() error {
		do(ctx)
		return nil
	})
	if err != nil {
		s.Log.ErrorContext(ctx, "scheduled work failed", slog.Any("error", err))
	}
}

// resume starts what was written down before the service ended.
func (s *schedule) resume(ctx context.Context) error {
	asked, err := s.read()
	if err != nil {
		s.Log.WarnContext(ctx, "work of before is forgotten", slog.Any("error", err))
	}
	all, err := s.Workspaces.Workspaces(ctx)
	if err != nil {
		return fmt.Errorf("work of before: %w", err)
	}
	for _, w := range all {
		if slices.Contains(asked, w.ID) {
			s.start(ctx, w)
		}
	}
	return nil
}

// look puts changed schedules into effect.
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

// put replaces the workspace's schedule, and makes up for a training that is overdue by it.
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
		s.Log.ErrorContext(ctx, "schedule cannot be kept", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		return
	}
	e.job = job
	s.mu.Lock()
	s.next[w.ID] = job
	s.mu.Unlock()
	if known {
		return // a schedule that was just set begins with its next day
	}
	tried, err := s.Trainer.Tried(w)
	if err == nil && !tried.IsZero() && tried.Before(lastDue(w.Retrain, s.Clock.Now().In(w.Location()))) {
		s.start(ctx, w)
	}
}

// crontab is the schedule in the words of cron, "" for none. Hours are of the workspace's zone; one that the change of
// clocks skips falls away, and one that comes twice counts once.
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

// lastDue returns when the schedule last asked for a training before now, which is in the workspace's zone.
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

// due trains a workspace's model as it is then.
func (s *schedule) due(ctx context.Context, id measure.WorkspaceID) {
	all, err := s.Workspaces.Workspaces(ctx)
	if err != nil {
		s.Log.ErrorContext(ctx, "a training that is due cannot begin", slog.String("workspace", string(id)), slog.Any("error", err))
		return
	}
	for _, w := range all {
		if w.ID == id {
			s.start(ctx, w)
		}
	}
}

// start begins a training unless one runs.
func (s *schedule) start(ctx context.Context, w control.Workspace) {
	if err := s.Start(ctx, w); err != nil && fault.KindOf(err) != fault.KindConflict {
		s.Log.ErrorContext(ctx, "a training that is due cannot begin", slog.String("workspace", string(w.ID)), slog.Any("error", err))
	}
}

// forecast makes the forecasts of every workspace, one after the other. One that goes wrong does not keep the next ones from
// theirs; one that is deleted meanwhile has none.
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
