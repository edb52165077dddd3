package snapshot

import (
	"context"
	"fmt"
	"hash/fnv"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
)

// AlertDays is the number of days before today for which past alerts are shown.
const AlertDays = 28

// AlertEvents lists the days that met an alert rule, from a day on. The control store implements it.
type AlertEvents interface {
	AlertEvents(ctx context.Context, ws measure.WorkspaceID, since civil.Date) ([]control.AlertEvent, error)
}

// stateOfAlertEvents returns a hash of events. It includes their values, because a later import may correct them.
func stateOfAlertEvents(all []control.AlertEvent) uint64 {
	h := fnv.New64a()
	for _, e := range all {
		_, _ = fmt.Fprintln(h, e.Alert.ID, e.Day, e.Value) // a hash never returns an error
	}
	return h.Sum64()
}
