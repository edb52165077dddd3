package jobs

import (
	"time"

	"assay/internal/measure"
)

// ID identifies a job.
type ID string

// State is the current activity of a job, or how it ended.
type State string

// The states of a job. A waiting job waits for other jobs or for exclusive access to the data that it changes.
const (
	Waiting   State = "waiting"
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Ended reports whether a job in this state has ended.
func (s State) Ended() bool { return s == Done || s == Failed || s == Cancelled }

// Unit is the unit of a job's progress: bytes or draws.
type Unit string

// The units.
const (
	Bytes Unit = "bytes"
	Draws Unit = "draws" // draws of the posterior distribution
)

// Kind describes a kind of job. The name identifies the kind in stored leases.
type Kind struct {
	Name       string
	Unit       Unit   // "" if the work reports no progress
	Alone      bool   // a workspace has one such job at a time; another is a fault of kind conflict
	Slots      int    // maximum number of jobs that run at a time; others wait; 0: no limit
	Most       int    // maximum number of background jobs at a time; more are a fault of kind unavailable; 0: no limit
	Cancelling string // the effect of canceling, as a sentence
}

// The kinds of jobs.
var (
	Import = Kind{
		Name: "import", Unit: Bytes, Most: 4,
		Cancelling: "A canceled import stores nothing of the file that it is reading.",
	}
	Stream = Kind{
		Name:       "stream",
		Cancelling: "A canceled stream stores the records up to its last state.",
	}
	Training = Kind{
		Name: "training", Unit: Draws, Alone: true, Slots: 1, // one at a time, so that a core remains for calls
		Cancelling: "A canceled training does not change the current model.",
	}
	Forecast = Kind{
		Name: "forecast", Alone: true, Slots: 1,
		Cancelling: "Canceled forecasts are computed within the next hour.",
	}
)

// InternalFailure is the failure of a job that ended with an internal error. The error is not disclosed.
const InternalFailure = "internal error; see the service log for the cause"

// Job is the current state of a workspace's long-running work.
type Job struct {
	ID          ID                  `json:"id"`
	Kind        string              `json:"kind"`
	Workspace   measure.WorkspaceID `json:"workspace"`
	By          string              `json:"by"`   // the actor, as in the audit log
	What        string              `json:"what"` // title, such as "Importing orders.csv"
	State       State               `json:"state"`
	WaitsFor    string              `json:"waits_for,omitempty"` // what the job waits for if its result cannot be stored yet
	Done        int64               `json:"done"`
	Total       int64               `json:"total"` // 0: unknown
	Unit        Unit                `json:"unit,omitempty"`
	Percent     int                 `json:"percent"`                // never decreases; below 100 until the job is done
	LeftSeconds int64               `json:"left_seconds,omitempty"` // estimate; 0: unknown
	Asked       time.Time           `json:"asked_at"`
	Began       time.Time           `json:"began_at,omitzero"` // zero while it waits for other jobs
	Ended       time.Time           `json:"ended_at,omitzero"`
	Failure     string              `json:"failure,omitempty"` // why it failed
	Cancelling  string              `json:"cancelling,omitempty"`
}

// Left returns the estimated remaining time, or 0 if it is unknown.
func (j Job) Left() time.Duration { return time.Duration(j.LeftSeconds) * time.Second }

// Spec describes a job to start.
type Spec struct {
	Kind      Kind
	Workspace measure.WorkspaceID
	By        string
	What      string
}
