package control

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
)

// ExperimentID identifies an experiment in its workspace.
type ExperimentID string

// Experiment is a test of a channel's incremental revenue. It contains the plan, the status and, for a study that
// another party ran, the result. The result of a geo experiment is not stored, because it is computed from the store's
// orders.
type Experiment struct {
	ID         ExperimentID // set by the store when empty
	Workspace  measure.WorkspaceID
	Name       string // derived from the channel when empty
	Hypothesis string // the expected result, in the planner's words
	Kind       ExperimentKind
	Channel    measure.Channel
	Status     ExperimentStatus
	Treated    []string    // regions with changed spend, sorted; geo experiments only
	HeldOut    []string    // control regions, sorted; empty: all others
	Days       civil.Range // zero: not decided yet
	Found      *Finding    // result of a study; nil until it is entered
	Applied    bool        // its incrementality factor corrects last-touch ROAS; completed experiments only
	CreatedAt  time.Time
	ChangedAt  time.Time
	ChangedBy  string // actor of the latest change, as in the audit log
	Version    int64  // increases with each change
}

// ExperimentKind is the design of an experiment.
type ExperimentKind string

// The kinds of experiments. Ad platforms run lift studies and conversion lift tests. Members enter the results.
const (
	GeoTest        ExperimentKind = "geo"
	LiftStudy      ExperimentKind = "lift_study"
	ConversionLift ExperimentKind = "conversion_lift"
)

// ExperimentKinds lists all kinds.
func ExperimentKinds() []ExperimentKind { return []ExperimentKind{GeoTest, LiftStudy, ConversionLift} }

// ExperimentStatus is the stage of an experiment.
type ExperimentStatus string

// The statuses of experiments.
const (
	ExperimentDraft     ExperimentStatus = "draft"
	ExperimentPlanned   ExperimentStatus = "planned"
	ExperimentRunning   ExperimentStatus = "running"
	ExperimentCompleted ExperimentStatus = "completed"
	ExperimentCancelled ExperimentStatus = "cancelled"
)

// ExperimentStatuses lists all statuses in order.
func ExperimentStatuses() []ExperimentStatus {
	return []ExperimentStatus{ExperimentDraft, ExperimentPlanned, ExperimentRunning, ExperimentCompleted, ExperimentCancelled}
}

// ParseExperimentStatus parses the name of a status. An unknown name is a fault of kind invalid.
func ParseExperimentStatus(name string) (ExperimentStatus, error) {
	status := ExperimentStatus(strings.TrimSpace(name))
	if !slices.Contains(ExperimentStatuses(), status) {
		return "", fault.Invalid("%q is not a status of an experiment", name).WithHint("use one of %q", ExperimentStatuses())
	}
	return status, nil
}

// After returns the statuses from which an experiment may reach this status.
func (s ExperimentStatus) After() []ExperimentStatus {
	switch s {
	case ExperimentPlanned:
		return []ExperimentStatus{ExperimentDraft}
	case ExperimentRunning:
		return []ExperimentStatus{ExperimentPlanned}
	case ExperimentCompleted:
		return []ExperimentStatus{ExperimentRunning}
	case ExperimentCancelled:
		return []ExperimentStatus{ExperimentDraft, ExperimentPlanned, ExperimentRunning}
	case ExperimentDraft:
	}
	return nil
}

// Before returns the statuses that can follow this status.
func (s ExperimentStatus) Before() []ExperimentStatus {
	return slices.DeleteFunc(ExperimentStatuses(), func(next ExperimentStatus) bool { return !slices.Contains(next.After(), s) })
}

// Settled reports whether experiments with this status reserve their channel and regions on their days. Planned,
// running and completed experiments do. Drafts and canceled experiments do not.
func (s ExperimentStatus) Settled() bool {
	return s == ExperimentPlanned || s == ExperimentRunning || s == ExperimentCompleted
}

// Open reports whether an experiment with this status can still change.
func (s ExperimentStatus) Open() bool { return len(s.Before()) > 0 }

// SamePlan reports whether two experiments have the same plan.
func (e Experiment) SamePlan(other Experiment) bool {
	return e.Name == other.Name && e.Hypothesis == other.Hypothesis && e.Kind == other.Kind && e.Channel == other.Channel &&
		e.Days == other.Days && slices.Equal(e.Treated, other.Treated) && slices.Equal(e.HeldOut, other.HeldOut)
}

// Finding is the reported result of a study: incremental revenue per unit of spend.
type Finding struct {
	Return    float64 // incremental return on spend
	Low, High float64 // interval of the return
	LevelPct  int     // nominal coverage of the interval in percent, 50 to 99
}

// Move changes the status of an experiment.
type Move struct {
	Workspace measure.WorkspaceID
	ID        ExperimentID
	To        ExperimentStatus
	Found     *Finding // result of a completed study
}

const (
	maxHypothesis = 1000 // characters
	maxRegions    = 500
	longestTest   = 366 // days
	maxReturn     = 1e6
)

// Checked returns the experiment with defaults for a missing ID, name, kind and status. An invalid value, or a missing
// value that the status requires, is a fault of kind invalid that names the field.
func (e Experiment) Checked() (Experiment, error) {
	if e.Channel = measure.ParseChannel(string(e.Channel)); e.Channel == "" || e.Channel == measure.Unattributed {
		return e, fault.Invalid("channel: an experiment needs a channel to test")
	}
	if e.ID == "" {
		e.ID = ExperimentID(newID("exp"))
	}
	if len(e.ID) > maxIDLen || !idForm.MatchString(string(e.ID)) {
		return e, fault.Invalid("experiment_id: %q is not a valid experiment ID", e.ID).
			WithHint("use at most %d lowercase letters, digits and single hyphens", maxIDLen)
	}
	if e.Kind == "" {
		e.Kind = GeoTest
	}
	if e.Name == "" {
		e.Name = "Test of " + string(e.Channel)
	}
	if e.Status == "" {
		e.Status = ExperimentDraft
	}
	var err error
	if e.Name, err = CheckedName(e.Name); err != nil {
		return e, err
	}
	if e.Treated, err = checkedRegions("treated regions", e.Treated); err != nil {
		return e, err
	}
	if e.HeldOut, err = checkedRegions("held-out regions", e.HeldOut); err != nil {
		return e, err
	}
	if err := e.check(); err != nil {
		return e, err
	}
	return e, e.whole()
}

// check rejects values that are invalid in every status.
func (e Experiment) check() error {
	switch {
	case !slices.Contains(ExperimentKinds(), e.Kind):
		return fault.Invalid("kind: %q is not a kind of experiment", e.Kind).WithHint("use one of %q", ExperimentKinds())
	case !slices.Contains(ExperimentStatuses(), e.Status):
		return fault.Invalid("status: %q is not a status of an experiment", e.Status).WithHint("use one of %q", ExperimentStatuses())
	case utf8.RuneCountInString(e.Hypothesis) > maxHypothesis || !utf8.ValidString(e.Hypothesis) || strings.ContainsFunc(e.Hypothesis, unprintable):
		return fault.Invalid("hypothesis: use at most %d printable characters", maxHypothesis)
	case e.Days.First.IsZero() != e.Days.Last.IsZero():
		return fault.Invalid("dates: enter a first and a last day, or neither")
	case e.Days.Last.Before(e.Days.First):
		return fault.Invalid("dates: the experiment ends on %s, before it starts on %s", e.Days.Last, e.Days.First).
			WithHint("swap the two days")
	case !e.Days.First.IsZero() && e.Days.Days() > longestTest:
		return fault.Invalid("dates: the experiment lasts %d days; the maximum is %d", e.Days.Days(), longestTest)
	case e.Kind != GeoTest && len(e.Treated)+len(e.HeldOut) > 0:
		return fault.Invalid("regions: a %s has no regions; only a geo experiment has regions", e.Kind)
	case e.Kind == GeoTest && e.Found != nil:
		return fault.Invalid("result: Assay computes the result of a geo experiment from orders; omit the result")
	case e.Applied && e.Status != ExperimentCompleted:
		return fault.Invalid("applied: only a completed experiment can be applied; this one is %s", e.Status)
	}
	for _, region := range e.Treated {
		if slices.Contains(e.HeldOut, region) {
			return fault.Invalid("regions: %q is both treated and held out", region)
		}
	}
	if e.Found != nil {
		return e.Found.check()
	}
	return nil
}

// unprintable reports whether r is not allowed in multi-line text.
func unprintable(r rune) bool { return unicode.IsControl(r) && r != '\n' }

func (f Finding) check() error {
	for _, x := range []float64{f.Return, f.Low, f.High} {
		if math.IsNaN(x) || math.Abs(x) > maxReturn {
			return fault.Invalid("result: %v is not a valid iROAS", x)
		}
	}
	switch {
	case f.Low > f.Return || f.Return > f.High || f.Low == f.High:
		return fault.Invalid("result: the iROAS %v is outside its interval from %v to %v", f.Return, f.Low, f.High)
	case f.LevelPct < 50 || f.LevelPct > 99:
		return fault.Invalid("result: the interval's level is %d%%; use 50 to 99", f.LevelPct)
	}
	return nil
}

// whole rejects an experiment without a value that its status requires.
func (e Experiment) whole() error {
	switch {
	case !e.Status.Settled():
	case e.Days.First.IsZero():
		return fault.Invalid("dates: a %s experiment needs a first and a last day", e.Status)
	case e.Kind == GeoTest && len(e.Treated) == 0:
		return fault.Invalid("treated regions: a %s geo experiment needs at least one", e.Status)
	case e.Kind != GeoTest && e.Status == ExperimentCompleted && e.Found == nil:
		return fault.Invalid("result: a completed %s needs an iROAS with an interval", e.Kind)
	}
	return nil
}

// checkedRegions returns the regions sorted and without duplicates.
func checkedRegions(what string, names []string) ([]string, error) {
	if len(names) > maxRegions {
		return nil, fault.Invalid("%s: %d regions; the maximum is %d", what, len(names), maxRegions)
	}
	var regions []string
	for _, name := range names {
		name, err := CheckedName(name)
		if err != nil {
			return nil, fault.Invalid("%s: %v", what, err)
		}
		regions = append(regions, name)
	}
	slices.Sort(regions)
	return slices.Compact(regions), nil
}

// Clash returns the reason why two experiments would invalidate each other, or "" if they do not. On the same days,
// they must not test the same channel or treat the same region. Neither experiment may treat a control region of the
// other. Drafts and canceled experiments never conflict.
func (e Experiment) Clash(other Experiment) string {
	if !e.Status.Settled() || !other.Status.Settled() {
		return ""
	}
	return e.Overlap(other)
}

// Overlap works like [Experiment.Clash], but for any status. For a draft, it returns the reason why the draft cannot be
// planned together with the other experiment.
func (e Experiment) Overlap(other Experiment) string {
	shared := e.Days.Intersect(other.Days)
	if e.ID == other.ID || e.Days.First.IsZero() || other.Days.First.IsZero() || shared.Days() == 0 {
		return ""
	}
	when := "from " + shared.First.String() + " to " + shared.Last.String()
	if e.Channel == other.Channel {
		return "it tests " + string(e.Channel) + " too " + when
	}
	for _, region := range e.Treated {
		switch {
		case slices.Contains(other.Treated, region):
			return "it treats " + region + " too " + when
		case slices.Contains(other.HeldOut, region):
			return "its control region " + region + " is treated here " + when
		}
	}
	for _, region := range other.Treated {
		if slices.Contains(e.HeldOut, region) {
			return "its treated region " + region + " is a control region here " + when
		}
	}
	return ""
}
