package alert

import (
	"fmt"
	"strings"

	"assay/internal/control"
)

// Describe states an event: value, threshold, reference and day. If the day is only assumed to be complete, it also
// states the day of the last order.
func Describe(e control.AlertEvent, w control.Workspace) string {
	text := describe(e, w)
	if !e.LastOrder.IsZero() {
		text += fmt.Sprintf(" No orders have been received since %s. If the shop has newer orders, check its webhooks or its Singer tap.", e.LastOrder)
	}
	return text
}

func describe(e control.AlertEvent, w control.Workspace) string {
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
	return text + fmt.Sprintf(", %+.1f%% compared with %s, the mean of the same weekday in the previous %d weeks. The threshold is a change of %s%%.",
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
