package tools

import (
	"context"
	"fmt"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/toolkit"
)

// lateDays are looked back on for days that changed after they were shown.
const lateDays = 7

// checkHistory says what changed after it was shown, and whether a platform settles later than it is known for.
func checkHistory(ctx context.Context, c *toolkit.Call) (finding, error) {
	imported := civil.Range{First: c.Today.AddDays(1 - lateDays), Last: c.Today}
	parts, days, err := c.LateChanges(ctx, imported)
	if err != nil {
		return finding{}, err
	}
	f := finding{Check: "history", Severity: fine, Finding: fmt.Sprintf("No day changed in the last %d days after it was shown.", lateDays)}
	if parts > 0 {
		f.Finding = fmt.Sprintf("In the last %d days imports changed %s after they were shown, %s, each surface and platform counted apart.",
			lateDays, answer.Plural(parts, "day", "days"), answer.Dates(days))
	}
	for _, curve := range c.Store.Late {
		f.Severity = note
		f.Finding += fmt.Sprintf(" The %s of %s were still changing after its %d days.", curve.Noun(), answer.ChannelName(measure.Channel(curve.Name)), curve.Window)
		f.Fix = "Import its reports of more days again."
	}
	return f, nil
}
