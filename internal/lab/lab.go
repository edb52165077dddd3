// Package lab runs the methods of measure on plain files: for analysts without a store, and so that every method can
// be checked against published data.
//
// A command reads a [Table], calls one method and returns a [Report]. What is wrong with the file is refused with its
// name, line, column and value; what a method finds too little to report on is a report that says so. The lab knows no
// clock: whoever runs a command tells the report how long it took.
package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"assay/internal/fault"
)

// Status says whether the figures of a report may be used.
type Status string

// The states.
const (
	OK            Status = "ok"
	NotReportable Status = "not_reportable" // the reasons say why; the figures are absent or not to be relied on
)

// Report is the answer of a command of the lab, one JSON object.
type Report interface {
	// Reportable reports whether the figures may be used.
	Reportable() bool
	// Took sets the only figure that may differ between two runs.
	Took(time.Duration)
}

// Verdict opens a report.
type Verdict struct {
	Status  Status   `json:"status"`
	Reasons []string `json:"reasons"` // why not, one sentence each; empty when the status is ok
}

// Reportable implements [Report].
func (v *Verdict) Reportable() bool { return v.Status == OK }

// Granted is the verdict on figures that may be used.
func Granted() Verdict { return Verdict{Status: OK, Reasons: []string{}} }

// Refused is the verdict on figures that may not.
func Refused(reasons ...string) Verdict { return Verdict{Status: NotReportable, Reasons: reasons} }

// VerdictOn turns a failure of a method into a verdict: too little data is a result that is not reportable. Any other
// failure is returned as it is.
func VerdictOn(err error) (Verdict, error) {
	if err == nil {
		return Granted(), nil
	}
	if fault.KindOf(err) != fault.KindNotReady {
		return Verdict{}, err
	}
	reasons := []string{err.Error()}
	if _, hint, ok := fault.Public(err); ok && hint != "" {
		reasons = append(reasons, hint)
	}
	return Refused(reasons...), nil
}

// Clock closes a report.
type Clock struct {
	Seconds float64 `json:"seconds"`
}

// Took implements [Report].
func (c *Clock) Took(d time.Duration) { c.Seconds = d.Seconds() }

// Write prints the report as one indented JSON object. A report with a number that is not finite is not printed: that
// is a defect of the method.
func Write(w io.Writer, r Report) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(text.Bytes())
	return err
}
