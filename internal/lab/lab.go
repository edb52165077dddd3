// Package lab runs the methods of measure on plain files, for analysts without a store and for comparison with
// published data.
//
// A command reads a [Table], calls one method and returns a [Report]. The error for an invalid cell names the file,
// line, column and value. If there are too few data, the report is not reportable and states the reasons. The caller
// sets a report's duration.
package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"assay/internal/fault"
)

// Status indicates whether a report's figures are usable.
type Status string

// The statuses.
const (
	OK            Status = "ok"
	NotReportable Status = "not_reportable" // figures are absent or unreliable; see the reasons
)

// Report is a lab command's output, one JSON object.
type Report interface {
	// Reportable reports whether the figures are usable.
	Reportable() bool
	// Took sets the duration of the run, the only figure that may differ between two runs.
	Took(time.Duration)
}

// Verdict states whether the figures of a report are usable, with the reasons if they are not.
type Verdict struct {
	Status  Status   `json:"status"`
	Reasons []string `json:"reasons"` // reasons, one sentence each; empty if the status is ok
}

// Reportable implements [Report].
func (v *Verdict) Reportable() bool { return v.Status == OK }

// Granted returns the verdict of a reportable result.
func Granted() Verdict { return Verdict{Status: OK, Reasons: []string{}} }

// Refused returns the verdict of a result that is not reportable.
func Refused(reasons ...string) Verdict { return Verdict{Status: NotReportable, Reasons: reasons} }

// VerdictOn converts a not-ready fault to a verdict. It returns other errors unchanged.
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

// Clock contains the duration of a run. It is the last part of a report.
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
