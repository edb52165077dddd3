package control

import (
	"fmt"
	"slices"

	"assay/internal/fault"
)

// Cadence is the interval of a schedule.
type Cadence string

// The cadences.
const (
	Never   Cadence = "off"
	Weekly  Cadence = "weekly"  // on Mondays
	Monthly Cadence = "monthly" // on the first day of a month
)

// Cadences lists all cadences.
func Cadences() []Cadence { return []Cadence{Never, Weekly, Monthly} }

// Retrain is the schedule for training a workspace's models.
type Retrain struct {
	Cadence Cadence
	Hour    int // hour in the workspace's time zone, 0 to 23
}

// usualHour is the default hour of scheduled training, in the workspace's time zone. At this hour, there are usually
// few calls, and yesterday's reports have usually arrived.
const usualHour = 4

// String returns the schedule as text.
func (r Retrain) String() string {
	switch r.Cadence {
	case Weekly:
		return fmt.Sprintf("Mondays at %d:00", r.Hour)
	case Monthly:
		return fmt.Sprintf("the first of a month at %d:00", r.Hour)
	case Never:
	}
	return string(Never)
}

// checked checks the schedule and returns it in the stored form. The zero value becomes off.
func (r Retrain) checked() (Retrain, error) {
	if r == (Retrain{}) {
		return Retrain{Cadence: Never, Hour: usualHour}, nil
	}
	if !slices.Contains(Cadences(), r.Cadence) {
		return Retrain{}, fault.Invalid("%q is not a training schedule", r.Cadence).WithHint("use one of %q", Cadences())
	}
	if r.Hour < 0 || r.Hour > 23 {
		return Retrain{}, fault.Invalid("%d is not an hour of the day", r.Hour).WithHint("use 0 to 23")
	}
	return r, nil
}
