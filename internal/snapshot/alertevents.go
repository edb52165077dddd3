package snapshot

import (
	"context"
	"fmt"
	"hash/fnv"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
)

// AlertDays is the number of days before today for which answers contain alerts.
const AlertDays = 28

// AlertEvents lists the days on or after a given day that met the condition of an alert rule. The control store
// implements it.
type AlertEvents interface {
	AlertEvents(ctx context.Context, ws measure.WorkspaceID, since civil.Date) ([]control.AlertEvent, error)
}

// stateOfAlertEvents returns a hash of events. The hash includes the values, because a later import may correct them.
func stateOfAlertEvents(all []control.AlertEvent) uint64 {
	h := fnv.New64a()
	for _, e := range all {
		_, _ = fmt.Fprintln(h, e.Alert.ID, e.Day, e.Value) // a hash never returns an error
	}
	return h.Sum64()
}
