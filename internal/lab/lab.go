// Package lab runs the methods of measure on plain files, for analysts without a store and for comparison with
// published data.
//
// A command reads a [Table], calls one method and returns a [Report]. Errors in the file are reported with name, line,
// column and value. Too little data gives a report that is not reportable, with reasons. The lab has no clock: the
// caller sets a report's duration.
package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"assay/internal/fault"
)

// Status says whether a report's figures can be used.
type Status string

// The states.
const (
	OK            Status = "ok"
	NotReportable Status = "not_reportable" // the reasons say why; figures are absent or unreliable
)

// Report is a lab command's output, one JSON object.
type Report interface {
	// Reportable reports whether the figures may be used.
	Reportable() bool
	// Took sets the only figure that may differ between two runs.
	Took(time.Duration)
}

// Verdict is the head of a report.
type Verdict struct {
	Status  Status   `json:"status"`
	Reasons []string `json:"reasons"` // why not, one sentence each; empty when the status is ok
}

// Reportable implements [Report].
func (v *Verdict) Reportable() bool { return v.Status == OK }

// Granted is the verdict of a reportable result.
func Granted() Verdict { return Verdict{Status: OK, Reasons: []string{}} }

// Refused is the verdict of a result that is not reportable.
func Refused(reasons ...string) Verdict { return Verdict{Status: NotReportable, Reasons: reasons} }

// VerdictOn turns a not-ready fault into a verdict. Other errors are returned.
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

// Clock is the tail of a report.
type Clock struct {
	Seconds float64 `json:"seconds"`
}

// Took implements [Report].
func (c *Clock) Took(d time.Duration) { c.Seconds = d.Seconds() }

// Write prints the report as one indented JSON object. A number that is not finite is an error.
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
