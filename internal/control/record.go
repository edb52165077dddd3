package control

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
)

// The kinds of audit events about annotations, reports, insights and coupon codes. The subject is the record's ID.
const (
	AnnotationAdded   EventKind = "annotation_added"
	AnnotationRemoved EventKind = "annotation_removed"
	ReportSaved       EventKind = "report_saved"
	ReportRemoved     EventKind = "report_removed"
	InsightDismissed  EventKind = "insight_dismissed"
	InsightRestored   EventKind = "insight_restored"
	CouponMapped      EventKind = "coupon_mapped" // the subject is the code, the detail is its channel
)

// The maximum numbers of records of a workspace.
const (
	MaxAnnotations = 1000
	MaxReports     = 200
	MaxDismissed   = 1000
)

const (
	maxLabel     = 120 // characters of an annotation
	maxWhy       = 300
	maxInsightID = 100
	maxArguments = 4 << 10 // bytes of a report's arguments
	longestNote  = 366     // days of an annotation
)

// Kept is the result of a call that adds or changes a record. A repeated identical call returns the existing record and
// changes nothing.
type Kept[T any] struct {
	Record  T    `json:"record"`
	Changed bool `json:"changed"`
}

// AnnotationID identifies an annotation in its workspace.
type AnnotationID string

// Annotation is a note about an event on a day or in a period. Charts and time series show it.
type Annotation struct {
	ID        AnnotationID        `json:"id"` // set by the store
	Workspace measure.WorkspaceID `json:"-"`
	Days      civil.Range         `json:"days"` // a single day: both ends are equal
	Label     string              `json:"label"`
	Type      AnnotationType      `json:"type"`
	Author    string              `json:"author"` // actor, as in the audit log
	At        time.Time           `json:"at"`
}

// AnnotationType is the subject of an annotation.
type AnnotationType string

// The types of annotations.
const (
	Promotion AnnotationType = "promotion"
	Outage    AnnotationType = "outage"
	Launch    AnnotationType = "launch"
	OtherNote AnnotationType = "other"
)

// AnnotationTypes lists all types.
func AnnotationTypes() []AnnotationType {
	return []AnnotationType{Promotion, Outage, Launch, OtherNote}
}

// Checked returns the annotation with defaults for a missing ID, last day and type. An invalid value is a fault of kind
// invalid that names the field.
func (a Annotation) Checked() (Annotation, error) {
	if a.ID == "" {
		a.ID = AnnotationID(newID("note"))
	}
	if a.Days.Last.IsZero() {
		a.Days.Last = a.Days.First
	}
	if a.Type == "" {
		a.Type = OtherNote
	}
	var err error
	switch a.Label, err = line("label", a.Label, maxLabel); {
	case err != nil:
		return a, err
	case a.Label == "":
		return a, fault.Invalid("label is required; it must be a string that is not empty")
	case a.Days.First.IsZero():
		return a, fault.Invalid("date is required; it must be a calendar date in the form YYYY-MM-DD")
	case a.Days.Last.Before(a.Days.First):
		return a, fault.Invalid("end_date %s is before date %s", a.Days.Last, a.Days.First).WithHint("Swap the two days, or omit end_date.")
	case a.Days.Days() > longestNote:
		return a, fault.Invalid("the annotation covers %d days; the maximum is %d", a.Days.Days(), longestNote).WithHint("Use an earlier end_date.")
	case !slices.Contains(AnnotationTypes(), a.Type):
		return a, fault.Invalid("type %q is not a type of annotation", a.Type).WithHint("Use one of %q.", AnnotationTypes())
	}
	return a, nil
}

// Same reports whether two annotations have the same content.
func (a Annotation) Same(other Annotation) bool {
	return a.Days == other.Days && a.Label == other.Label && a.Type == other.Type
}

// AnnotationsIn returns the annotations that share a day with the period.
func AnnotationsIn(all []Annotation, days civil.Range) []Annotation {
	var in []Annotation
	for _, a := range all {
		if a.Days.Intersect(days).Days() > 0 {
			in = append(in, a)
		}
	}
	return in
}

// ReportID identifies a saved report in its workspace.
type ReportID string

// SavedReport is a named call of a read-only tool. Each read of the report runs the call again.
type SavedReport struct {
	ID        ReportID            `json:"id"` // set by the store
	Workspace measure.WorkspaceID `json:"-"`
	Name      string              `json:"name"` // unique in the workspace
	Tool      string              `json:"tool"`
	Arguments json.RawMessage     `json:"arguments"` // a JSON object, minified
	Author    string              `json:"author"`
	At        time.Time           `json:"at"`
}

// Checked returns the report with an ID and minified arguments. An invalid value is a fault of kind invalid that names
// the field. The caller validates the tool and the arguments.
func (r SavedReport) Checked() (SavedReport, error) {
	if r.ID == "" {
		r.ID = ReportID(newID("report"))
	}
	if len(r.Arguments) == 0 {
		r.Arguments = json.RawMessage("{}")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, r.Arguments); err != nil || compact.Bytes()[0] != '{' {
		return r, fault.Invalid("arguments must be an object")
	}
	if compact.Len() > maxArguments {
		return r, fault.Invalid("arguments have %d bytes; the maximum is %d", compact.Len(), maxArguments)
	}
	r.Arguments = compact.Bytes()
	var err error
	if r.Name, err = CheckedName(r.Name); err != nil {
		return r, err
	}
	if r.Tool == "" {
		return r, fault.Invalid("tool is required")
	}
	return r, nil
}

// Same reports whether two reports have the same content.
func (r SavedReport) Same(other SavedReport) bool {
	return r.Name == other.Name && r.Tool == other.Tool && bytes.Equal(r.Arguments, other.Arguments)
}

// InsightID identifies a generated insight.
type InsightID string

// DismissedInsight is an insight that a person has dismissed.
type DismissedInsight struct {
	Insight   InsightID           `json:"insight_id"`
	Workspace measure.WorkspaceID `json:"-"`
	Reason    string              `json:"reason,omitempty"`
	Author    string              `json:"author"`
	At        time.Time           `json:"at"`
}

// Checked returns the record with a trimmed reason. An invalid value is a fault of kind invalid that names the field.
func (d DismissedInsight) Checked() (DismissedInsight, error) {
	if d.Insight == "" || len(d.Insight) > maxInsightID || !Printable(string(d.Insight)) {
		return d, fault.Invalid("insight_id must be 1 to %d printable characters", maxInsightID)
	}
	var err error
	d.Reason, err = line("reason", d.Reason, maxWhy)
	return d, err
}

// line returns the trimmed text. A text with unprintable characters, such as a line break, or with too many characters
// is a fault of kind invalid.
func line(field, text string, most int) (string, error) {
	text = strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(text); {
	case !Printable(text):
		return "", fault.Invalid("%s contains characters that cannot be printed", field).WithHint("Use one line of text.")
	case n > most:
		return "", fault.Invalid("%s has %d characters; the maximum is %d", field, n, most)
	}
	return text, nil
}

// newID returns a random ID with a prefix.
func newID(prefix string) string { return prefix + "-" + strings.ToLower(rand.Text()[:12]) }
