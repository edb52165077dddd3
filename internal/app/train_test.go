package app

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/jobs"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/operation"
	"assay/internal/warehouse"
)

// house is a data directory with one workspace, served by this process.
type house struct {
	*testing.T
	config config.Config
	app    *App
	stop   func() // ends the service and waits for it
}

func newHouse(t *testing.T) *house {
	t.Helper()
	c := config.Default()
	c.Data, c.Addr = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0"
	h := &house{T: t, config: c}
	h.serve()
	w := control.NewWorkspace("W")
	if _, err := h.app.control.Store.CreateWorkspace(t.Context(), w, control.By{}); err != nil {
		t.Fatal(err)
	}
	return h
}

// serve starts the service, again after stop.
func (h *house) serve() {
	h.Helper()
	var err error
	if h.app, err = Open(h.Context(), h.config, discard(), time.Now); err != nil {
		h.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	app := h.app
	go func() {
		err := app.Serve(ctx, func(string) error { close(ready); return nil })
		ended <- errors.Join(err, app.Close())
	}()
	stopped := false
	h.stop = func() {
		if cancel(); !stopped {
			stopped = true
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				h.Error(err)
			}
		}
	}
	h.Cleanup(h.stop)
	<-ready
}

// sell imports two years of orders and the random weekly spend of two channels.
func (h *house) sell() {
	h.Helper()
	r := rand.New(rand.NewPCG(4, 2))
	today := civil.DayOf(time.Now(), time.UTC)
	var b warehouse.Batch
	for first := today.AddDays(-7 * 104); first.Before(today); first = first.AddDays(7) {
		facebook, google := 500*r.Float64(), 300*r.Float64()
		for k := range 7 {
			day := first.AddDays(k)
			took := 4000 + 300*r.NormFloat64() + 2000*math.Tanh(facebook/500) + 300*math.Tanh(google/300)
			b.ChannelSpend = append(b.ChannelSpend,
				warehouse.ChannelSpend{Source: "test", Channel: "facebook", Day: day, Spend: int64(100 * facebook)},
				warehouse.ChannelSpend{Source: "test", Channel: "google", Day: day, Spend: int64(100 * google)})
			b.Orders = append(b.Orders, warehouse.Order{
				OrderRef: warehouse.OrderRef{Source: "test", Key: strconv.Itoa(len(b.Orders))}, Day: day,
				At: day.UTC().Add(12 * time.Hour), Surface: measure.OnlineStore, Charged: int64(100 * took),
			})
		}
	}
	load, err := h.app.facts.Begin(h.Context(), warehouse.ImportSpec{Workspace: "w", Source: "test", Base: "USD"})
	if err == nil {
		err = load.Add(h.Context(), &b)
	}
	if err == nil {
		_, err = load.Commit(h.Context())
	}
	if err != nil {
		h.Fatal(err)
	}
}

// retrain sets the workspace's schedule.
func (h *house) retrain(r control.Retrain) {
	h.Helper()
	store := h.app.control.Store
	w, err := store.Workspace(h.Context(), "w")
	if err == nil {
		w.Retrain = r
		_, err = store.UpdateWorkspace(h.Context(), w, control.By{})
	}
	if err != nil {
		h.Fatal(err)
	}
}

// age sets the training time of the stored model.
func (h *house) age(trained time.Time) {
	h.Helper()
	store, err := sqlstore.Open(h.Context(), sqlstore.Options{Path: filepath.Join(h.config.Data, datadir.Control)})
	if err != nil {
		h.Fatal(err)
	}
	defer store.Close()
	m, err := store.Models(h.Context(), "w")
	w, unknown := store.Workspace(h.Context(), "w")
	if err = errors.Join(err, unknown, store.RemoveModels(h.Context(), "w")); err == nil {
		m.Made, m.TrainedAt = w.CreatedAt, trained
		err = store.SaveModels(h.Context(), m)
	}
	if err != nil {
		h.Fatal(err)
	}
}

// interrupted returns the recorded jobs with expired or released leases.
func (h *house) interrupted() []control.JobLease {
	h.Helper()
	store, err := sqlstore.Open(context.Background(), sqlstore.Options{Path: filepath.Join(h.config.Data, datadir.Control)})
	if err != nil {
		h.Fatal(err)
	}
	defer store.Close()
	all, err := store.InterruptedJobs(context.Background(), time.Now())
	if err != nil {
		h.Fatal(err)
	}
	return all
}

// held returns the workspace's model.
func (h *house) held() mix.Held {
	h.Helper()
	w, err := h.app.control.Store.Workspace(h.Context(), "w")
	if err != nil {
		h.Fatal(err)
	}
	held, err := h.app.models.MMM(h.Context(), w)
	if err != nil {
		h.Fatal(err)
	}
	return held
}

// until waits until a condition is true.
func (h *house) until(is func() bool) {
	h.Helper()
	for tick := time.NewTicker(2 * time.Millisecond); !is(); <-tick.C {
		if h.Context().Err() != nil {
			h.Fatal("the test ended before the condition was true")
		}
	}
}

// train trains the model with a command.
func (h *house) train(progress func(done, total int64)) (operation.Trained, error) {
	call := operation.Call{Workspace: "w", Caller: operation.Operator("test"), Progress: progress}
	return Do(h.Context(), h.config, operation.TrainModel, call, operation.Training{}, time.Now)
}

// cancelTraining cancels the training with another command.
func (h *house) cancelTraining() error {
	_, err := Do(h.Context(), h.config, operation.CancelTraining, operation.Call{Workspace: "w", Caller: operation.Operator("test")}, operation.None{}, time.Now)
	return err
}

// TestTrainingsAreCanceledScheduledAndResumed checks three trainings. A command starts the first, and another command
// cancels it. The second is scheduled and overdue when the service starts. The service stops during the second
// training, and the third resumes it.
func TestTrainingsAreCanceledScheduledAndResumed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	empty, err := h.train(nil)
	if err != nil || empty.Status != mix.Refused || empty.Version != 1 {
		t.Fatalf("a store without sales: %+v, %v; want model 1, refused", empty, err)
	}
	if err := h.cancelTraining(); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("cancel without a training: got %v, want a fault of kind not_found", err)
	}

	h.sell()
	cancel := func(int64, int64) {
		if err := h.cancelTraining(); err != nil && fault.KindOf(err) != fault.KindNotFound {
			t.Error(err)
		}
	}
	_, err = h.train(cancel)
	if fault.KindOf(err) != fault.KindConflict || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("the training ends with %v, want an error that states the cancellation", err)
	}
	if held := h.held(); held.Training || held.Version() != 1 {
		t.Errorf("after the cancellation: training %v, model %d; want none and model 1", held.Training, held.Version())
	}

	h.retrain(control.Retrain{Cadence: control.Weekly})
	h.stop()
	h.age(time.Now().AddDate(0, 0, -15))
	h.serve()
	h.until(func() bool { job, runs := h.app.jobs.Active(jobs.Training, "w"); return runs && job.Percent > 0 })
	h.retrain(control.Retrain{Cadence: control.Never}) // from here on only the stored request continues
	h.stop()
	if left := h.interrupted(); len(left) != 1 || left[0].Kind != jobs.Training.Name || left[0].By != "schedule" {
		t.Fatalf("stopped during a training, the interrupted jobs are %+v", left)
	}

	h.serve()
	h.until(func() bool { held := h.held(); return held.Version() == 2 && !held.Training })
	if held := h.held(); held.Model.Status != mix.Active {
		t.Errorf("resumed training: got %s %v, want active", held.Model.Status, held.Model.Reasons)
	}
	h.until(func() bool { job, _ := h.app.jobs.Last(jobs.Training, "w"); return job.State == jobs.Done })
	h.stop()
	if left := h.interrupted(); len(left) > 0 {
		t.Errorf("after the training the interrupted jobs are %+v", left)
	}
}
