package tools

// finding is the result of one check.
type finding struct {
	Check    string   `json:"check"`
	Severity severity `json:"severity"`
	Finding  string   `json:"finding"`
	Fix      string   `json:"fix,omitempty"`

	about string // replaces the finding in the summary if it contains untrusted text
}

// severity is the severity of a finding.
type severity string

const (
	bad  severity = "error"   // answers are missing or wrong
	poor severity = "warning" // answers are incomplete
	note severity = "info"    // something is not set up
	fine severity = "ok"
)

// line returns the finding for the summary.
func (f finding) line() string {
	if f.about != "" {
		return f.about + "."
	}
	return f.Check + ": " + f.Finding
}
