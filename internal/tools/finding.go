package tools

// finding is the result of one check.
type finding struct {
	Check    string   `json:"check"`
	Severity severity `json:"severity"`
	Finding  string   `json:"finding"`
	Fix      string   `json:"fix,omitempty"`

	about string // text for the summary when the finding contains untrusted input
}

// severity is how serious a finding is.
type severity string

const (
	bad  severity = "error"   // answers are missing or wrong
	poor severity = "warning" // answers are incomplete
	note severity = "info"    // data are not present yet
	fine severity = "ok"
)

// line is the finding in the summary.
func (f finding) line() string {
	if f.about != "" {
		return f.about + "."
	}
	return f.Check + ": " + f.Finding
}
