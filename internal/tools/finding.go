package tools

// finding is what one check has to say.
type finding struct {
	Check    string   `json:"check"`
	Severity severity `json:"severity"`
	Finding  string   `json:"finding"`
	Fix      string   `json:"fix,omitempty"`

	about string // what the summary says instead, where the finding holds a stranger's text
}

// severity is how bad a finding is.
type severity string

const (
	bad  severity = "error"   // answers are missing or wrong
	poor severity = "warning" // answers are incomplete
	note severity = "info"    // something is not there yet
	fine severity = "ok"
)

// line is the finding as the summary says it.
func (f finding) line() string {
	if f.about != "" {
		return f.about + "."
	}
	return f.Check + ": " + f.Finding
}
