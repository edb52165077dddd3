package alert

import (
	"fmt"
	"strings"

	"assay/internal/control"
)

// Describe states an event in one sentence: value, threshold, reference and day.
func Describe(e control.AlertEvent, w control.Workspace) string {
	a := e.Alert
	text := fmt.Sprintf("%s: %s was %s on %s", a.Name, subject(a), a.Text(e.Value, w.Currency), e.Day)
	switch a.Condition {
	case control.Above, control.Below:
		return text + fmt.Sprintf(", %s the threshold of %s.", a.Condition, a.Text(a.Threshold, w.Currency))
	case control.ChangeAbove:
	}
	if e.Reference == nil || *e.Reference == 0 {
		return text + "."
	}
	change := 100 * (e.Value.Float()/e.Reference.Float() - 1)
	return text + fmt.Sprintf(", %+.1f%% compared with %s, the mean of the same weekday of the %d weeks before. The threshold is a change of %s%%.",
		change, a.Text(*e.Reference, w.Currency), weeks, a.Threshold)
}

func subject(a control.Alert) string {
	text := string(a.Metric)
	if a.Metric == control.AlertROAS || a.Metric == control.AlertAOV {
		text = strings.ToUpper(text)
	}
	if a.Channel != "" {
		text += " of " + string(a.Channel)
	}
	return text
}
