package health

import (
	"context"
	"fmt"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/toolkit"
)

// lateDays is the number of days of imports that checkHistory covers.
const lateDays = 7

// checkHistory reports the days for which a recent import changed figures that were already reported. It also reports
// platforms with figures that still changed after the attribution window.
func checkHistory(ctx context.Context, c *toolkit.Call) (Finding, error) {
	today := c.RealDay(c.Real) // imports run by the real clock, also if the store's day is fixed
	imported := civil.Range{First: today.AddDays(1 - lateDays), Last: today}
	parts, days, err := c.LateChanges(ctx, imported)
	if err != nil {
		return Finding{}, err
	}
	f := Finding{Check: "history", Severity: SeverityOK, Finding: fmt.Sprintf("In the last %d days, no import changed figures that were already reported.", lateDays)}
	if parts > 0 {
		f.Finding = fmt.Sprintf("In the last %d days, imports changed already reported figures of %s (%s). Days are counted per surface and platform.",
			lateDays, answer.Plural(parts, "day", "days"), answer.Dates(days))
	}
	for _, curve := range c.Store.Late {
		f.Severity = SeverityInfo
		f.Finding += fmt.Sprintf(" The %s of %s still changed after the platform's attribution window of %d days.", curve.Noun(), answer.ChannelName(measure.Channel(curve.Name)), curve.Window)
		f.Fix = "Import the platform's reports again, for a longer period."
	}
	return f, nil
}
