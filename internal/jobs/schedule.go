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

// Routine is recurring work of a workspace. [Options].Routines lists all routines.
type Routine struct {
	Kind Kind
	What string // title, such as "Training the media mix model"
	Run  func(ctx context.Context, w control.Workspace, t *Task) error

	// Every is the interval between runs for all workspaces in turn. The first run is at startup. 0 means no runs.
	Every time.Duration
	// Schedule returns the times at which the work is due in a workspace. If it is nil, the work is never due.
	Schedule func(w control.Workspace) control.Retrain
	// Tried returns the end time of the workspace's last scheduled work, or zero if there was none. Work that was due
	// while the service was down runs after startup.
	Tried func(ctx context.Context, w control.Workspace) (time.Time, error)
}

// scheduler is the actor of jobs that a schedule starts.
const scheduler = "schedule"

// lookEvery is the maximum delay until a changed schedule takes effect.
const lookEvery = time.Minute

// routine returns the routine of a kind, or nil if there is none.
func (r *Runner) routine(kind string) *Routine {
	if at := slices.IndexFunc(r.Routines, func(each Routine) bool { return each.Kind.Name == kind }); at >= 0 {
		return &r.Routines[at]
	}
	return nil
}

// StartRoutine starts the routine of a kind for a workspace as a background job. A restarted service resumes the job.
func (r *Runner) StartRoutine(ctx context.Context, k Kind, w control.Workspace, by string) (Job, error) {
	routine := r.routine(k.Name)
	if routine == nil {
		return Job{}, fmt.Errorf("there is no routine of kind %s", k.Name)
	}
	return r.startRoutine(ctx, routine, w, by, time.Time{})
}

// startRoutine starts a routine. Work that was due at an instant is not repeated if another node has done it since.
func (r *Runner) startRoutine(ctx context.Context, routine *Routine, w control.Workspace, by string, due time.Time) (Job, error) {
	return Start(ctx, r, routine.spec(w, by), func(ctx context.Context, t *Task) (struct{}, error) {
		if !due.IsZero() && routine.Tried != nil {
			if tried, err := routine.Tried(ctx, w); err != nil || !tried.Before(due) {
				return struct{}{}, err
			}
		}
		return struct{}{}, routine.Run(ctx, w, t)
	})
}

func (r *Routine) spec(w control.Workspace, by string) Spec {
	return Spec{Kind: r.Kind, Workspace: w.ID, By: by, What: r.What}
}

// Run resumes interrupted jobs and runs the routines until ctx ends. Then it ends the background jobs and waits for them.
func (r *Runner) Run(ctx context.Context) error {
	r.mu.Lock()
	r.serving = ctx
	r.mu.Unlock()
	defer r.work.Wait()
	clock, err := gocron.NewScheduler(gocron.WithClock(r.Clock), gocron.WithLocation(time.UTC))
	if err != nil {
		return fmt.Errorf("schedule: %w", err)
	}
	s := schedule{Runner: r, clock: clock, entries: map[place]entry{}}
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.caught(ctx, s.look)
	look := gocron.NewTask(s.caught, ctx, s.look)
	if _, err := clock.NewJob(gocron.DurationJob(lookEvery), look, gocron.WithSingletonMode(gocron.LimitModeReschedule)); err != nil {
		return fmt.Errorf("schedule: %w", err)
	}
	for _, each := range r.Routines {
		if each.Every == 0 {
			continue
		}
		turn := gocron.NewTask(s.caught, ctx, func(ctx context.Context) { s.all(ctx, each) })
		_, err := clock.NewJob(gocron.DurationJob(each.Every), turn,
			gocron.WithSingletonMode(gocron.LimitModeReschedule), gocron.WithStartAt(gocron.WithStartImmediately()))
		if err != nil {
			return fmt.Errorf("schedule of %s: %w", each.Kind.Name, err)
		}
	}
	clock.Start()
	<-ctx.Done()
	return clock.Shutdown()
}

// place is the routine and the workspace of a schedule.
type place struct {
	kind      string
	workspace measure.WorkspaceID
}

// scheduled is an entry of the scheduler.
type scheduled interface{ NextRun() (time.Time, error) }

// Next returns the time at which the work of a kind is due next in the workspace, or zero if it is not scheduled.
func (r *Runner) Next(k Kind, ws measure.WorkspaceID) time.Time {
	r.mu.Lock()
	entry := r.next[place{k.Name, ws}]
	r.mu.Unlock()
	if entry == nil {
		return time.Time{}
	}
	next, err := entry.NextRun()
	if err != nil { // the service is stopping
		return time.Time{}
	}
	return next
}

// schedule contains the active schedules. One goroutine at a time uses it.
type schedule struct {
	*Runner

	clock   gocron.Scheduler
	entries map[place]entry
}

// entry is an active schedule.
type entry struct {
	when control.Retrain
	zone string
	job  gocron.Job
}

// caught runs scheduled work. A panic in the work does not stop the scheduler.
func (s *schedule) caught(ctx context.Context, do func(ctx context.Context)) {
	err := panics.Caught(func() error {
		do(ctx)
		return nil
	})
	if err != nil {
		s.Log.ErrorContext(ctx, "scheduled work failed", slog.Any("error", err))
	}
}

// begin takes over the records of an earlier release and the leases of an ended process.
func (s *schedule) begin(ctx context.Context) error {
	if err := s.takeOver(ctx); err != nil || !s.Alone {
		return err
	}
	return s.Store.ReleaseJobs(ctx)
}

// resume starts the interrupted jobs of ended nodes again.
func (s *schedule) resume(ctx context.Context, all []control.Workspace) {
	interrupted, err := s.Store.InterruptedJobs(ctx, s.Clock.Now())
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "interrupted jobs cannot be read", slog.Any("error", err))
		}
		return
	}
	for _, one := range interrupted {
		at := slices.IndexFunc(all, func(w control.Workspace) bool { return w.ID == one.Workspace })
		if routine := s.routine(one.Kind); at >= 0 && routine != nil {
			s.start(ctx, routine, all[at], one.By, one.Asked)
		}
	}
}

// look resumes interrupted jobs and applies changed schedules.
func (s *schedule) look(ctx context.Context) {
	all, err := s.Store.Workspaces(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "schedules cannot be read", slog.Any("error", err))
		}
		return
	}
	s.resume(ctx, all)
	there := map[place]bool{}
	for i := range s.Routines {
		routine := &s.Routines[i]
		if routine.Schedule == nil {
			continue
		}
		for _, w := range all {
			at := place{routine.Kind.Name, w.ID}
			there[at] = true
			if have, known := s.entries[at]; !known || have.when != routine.Schedule(w) || have.zone != w.Zone {
				s.put(ctx, routine, w)
			}
		}
	}
	for at := range s.entries {
		if !there[at] {
			s.remove(ctx, at)
		}
	}
}

func (s *schedule) remove(ctx context.Context, at place) {
	if e := s.entries[at]; e.job != nil {
		if err := s.clock.RemoveJob(e.job.ID()); err != nil {
			s.Log.WarnContext(ctx, "schedule cannot be removed", slog.String("workspace", string(at.workspace)), slog.Any("error", err))
		}
	}
	delete(s.entries, at)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.next, at)
}

// put replaces the schedule of a routine in a workspace, and starts overdue work.
func (s *schedule) put(ctx context.Context, routine *Routine, w control.Workspace) {
	at := place{routine.Kind.Name, w.ID}
	_, known := s.entries[at]
	s.remove(ctx, at)
	e := entry{when: routine.Schedule(w), zone: w.Zone}
	defer func() { s.entries[at] = e }()
	line := crontab(e.when, w.Zone)
	if line == "" {
		return
	}
	task := gocron.NewTask(s.caught, ctx, func(ctx context.Context) { s.due(ctx, routine, w.ID) })
	job, err := s.clock.NewJob(gocron.CronJob(line, false), task, gocron.WithName(at.kind+" "+string(w.ID)))
	if err != nil {
		s.Log.ErrorContext(ctx, "schedule cannot be set", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		return
	}
	e.job = job
	s.mu.Lock()
	s.next[at] = job
	s.mu.Unlock()
	if known || routine.Tried == nil {
		return // a new schedule starts on its next day
	}
	tried, err := routine.Tried(ctx, w)
	due := lastDue(e.when, s.Clock.Now().In(w.Location()))
	if err == nil && !tried.IsZero() && tried.Before(due) {
		s.start(ctx, routine, w, scheduler, due)
	}
}

// crontab returns the schedule in cron syntax, or "" for none. Hours are in the workspace's time zone. If a clock
// change skips the hour, there is no run. If a clock change repeats the hour, there is one run.
func crontab(when control.Retrain, zone string) string {
	switch when.Cadence {
	case control.Weekly:
		return fmt.Sprintf("CRON_TZ=%s 0 %d * * 1", zone, when.Hour)
	case control.Monthly:
		return fmt.Sprintf("CRON_TZ=%s 0 %d 1 * *", zone, when.Hour)
	case control.Never:
	}
	return ""
}

// lastDue returns the latest time, at or before now, at which the work was due. The parameter now is in the workspace's
// time zone.
func lastDue(r control.Retrain, now time.Time) time.Time {
	day := time.Date(now.Year(), now.Month(), now.Day(), r.Hour, 0, 0, 0, now.Location())
	for day.After(now) || !isDay(r.Cadence, day) {
		day = day.AddDate(0, 0, -1)
	}
	return day
}

// isDay reports whether work is due on the day.
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

// early is the maximum time by which scheduled work starts too early if the clock is set back after its timer started.
const early = time.Minute

// due starts scheduled work of a workspace. While the store does not respond, due tries again every minute for up to a
// day. The next scheduled time may be a month later.
func (s *schedule) due(ctx context.Context, routine *Routine, id measure.WorkspaceID) {
	began := s.Clock.Now()
	for {
		err := s.startDue(ctx, routine, id, began.Add(early))
		if err == nil || fault.KindOf(err) == fault.KindConflict || ctx.Err() != nil {
			return
		}
		if fault.KindOf(err) != fault.KindUnavailable || s.Clock.Since(began) >= storeTime {
			s.failed(ctx, routine, id, err)
			return
		}
		select {
		case <-s.Clock.After(lookEvery):
		case <-ctx.Done():
			return
		}
	}
}

// startDue starts the work that was last due before an instant, with the workspace's current settings.
func (s *schedule) startDue(ctx context.Context, routine *Routine, id measure.WorkspaceID, before time.Time) error {
	all, err := s.Store.Workspaces(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(w control.Workspace) bool { return w.ID == id })
	if i < 0 {
		return nil
	}
	w := all[i]
	_, err = s.startRoutine(ctx, routine, w, scheduler, lastDue(routine.Schedule(w), before.In(w.Location())))
	return err
}

// start starts a routine that was due at an instant, unless it is running on any node.
func (s *schedule) start(ctx context.Context, routine *Routine, w control.Workspace, by string, due time.Time) {
	if _, err := s.startRoutine(ctx, routine, w, by, due); err != nil && fault.KindOf(err) != fault.KindConflict {
		s.failed(ctx, routine, w.ID, err)
	}
}

func (s *schedule) failed(ctx context.Context, routine *Routine, id measure.WorkspaceID, err error) {
	s.Log.ErrorContext(ctx, "scheduled job failed",
		slog.String("kind", routine.Kind.Name), slog.String("workspace", string(id)), slog.Any("error", err))
}

// all runs a routine for all workspaces in turn. A failure does not affect other workspaces. A workspace that was
// deleted meanwhile is skipped.
func (s *schedule) all(ctx context.Context, routine Routine) {
	all, err := s.Store.Workspaces(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "workspaces cannot be read", slog.String("kind", routine.Kind.Name), slog.Any("error", err))
		}
		return
	}
	for _, w := range all {
		if ctx.Err() != nil {
			return
		}
		_, err := Do(ctx, s.Runner, routine.spec(w, scheduler), func(ctx context.Context, t *Task) (struct{}, error) {
			return struct{}{}, routine.Run(ctx, w, t)
		})
		if k := fault.KindOf(err); err != nil && ctx.Err() == nil && k != fault.KindNotFound && k != fault.KindConflict {
			s.failed(ctx, &routine, w.ID, err)
		}
	}
}
