package health

import "assay/internal/civil"

// Finding is the result of one check.
type Finding struct {
	Check    string   `json:"check"`
	Severity Severity `json:"severity"`
	Finding  string   `json:"finding"`
	Fix      string   `json:"fix,omitempty"`

	Gap civil.Date `json:"-"` // latest missing day of a daily source; zero: none

	about string // text for the summary when the finding contains untrusted input
}

// Severity is how serious a finding is.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // answers are missing or wrong
	SeverityWarning Severity = "warning" // answers are incomplete
	SeverityInfo    Severity = "info"    // data are not present yet
	SeverityOK      Severity = "ok"
)

// Line returns the finding for a summary, without untrusted text.
func (f Finding) Line() string {
	if f.about != "" {
		return f.about + "."
	}
	return f.Finding
}
