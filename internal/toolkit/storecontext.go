package toolkit

import (
	"context"
	"encoding/json"
	"fmt"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/snapshot"
)

// StoreContext is the resource that describes a workspace and its data: the context that a reader of answers needs
// first.
type StoreContext struct {
	Workspace   measure.WorkspaceID `json:"workspace"`
	Name        string              `json:"name"`
	Currency    money.Currency      `json:"currency"`
	Timezone    string              `json:"timezone"`
	Today       civil.Date          `json:"today"`
	Revenue     string              `json:"revenue_basis"`
	FirstOrder  civil.Date          `json:"first_order_day,omitzero"`
	LastOrder   civil.Date          `json:"last_order_day,omitzero"`
	FirstReport civil.Date          `json:"first_ad_report_day,omitzero"`
	LastReport  civil.Date          `json:"last_ad_report_day,omitzero"`
	Rows        map[string]int64    `json:"rows"` // number of rows by kind of data
	Channels    []string            `json:"channels"`
	Sources     []storeSource       `json:"sources"`
	Experiments []storeExperiment   `json:"experiments"`
	Model       storeModel          `json:"media_mix_model"`
	DataVersion uint64              `json:"data_version"`
}

type storeSource struct {
	Source  string     `json:"source"`
	Kind    string     `json:"kind"`
	Status  string     `json:"status"` // current, stale or gaps
	LastDay civil.Date `json:"last_day,omitzero"`
}

type storeExperiment struct {
	ID      control.ExperimentID     `json:"experiment_id"`
	Channel measure.Channel          `json:"channel"`
	Status  control.ExperimentStatus `json:"status"`
	Start   civil.Date               `json:"start,omitzero"`
	End     civil.Date               `json:"end,omitzero"`
}

type storeModel struct {
	Status string   `json:"status"` // none, active, stale, refused
	Why    []string `json:"why,omitempty"`
}

func (s *Session) storeContext(ctx context.Context) (string, error) {
	snap, err := s.service.reader.Take(ctx, s.principal.Workspace, snapshot.Wants{Experiments: true})
	if err != nil {
		return "", fmt.Errorf("store context: %w", err)
	}
	w := snap.Workspace
	store := StoreContext{
		Workspace: w.ID, Name: answer.Clean(w.Name), Currency: w.Currency, Timezone: w.Zone, Today: snap.Today, Revenue: w.Basis.String(),
		FirstOrder: snap.Store.OrderDays.First, LastOrder: snap.Store.OrderDays.Last,
		FirstReport: snap.Store.AdDays.First, LastReport: snap.Store.AdDays.Last,
		Rows: map[string]int64{}, Channels: []string{}, Sources: []storeSource{}, Experiments: []storeExperiment{}, DataVersion: snap.Store.Version,
	}
	for kind, n := range snap.Store.Counts {
		if n > 0 {
			store.Rows[kind] = n
		}
	}
	for _, v := range snap.Store.Channels {
		store.Channels = append(store.Channels, answer.Clean(string(v.Channel)))
	}
	for _, source := range snap.Store.Sources {
		store.Sources = append(store.Sources, storeSource{answer.Clean(source.Source), source.Kind, snap.SourceStatus(source), source.Days.Last})
	}
	for _, e := range snap.Experiments {
		store.Experiments = append(store.Experiments, storeExperiment{e.ID, e.Channel, e.Status, e.Days.First, e.Days.Last})
	}
	store.Model.Status = "none"
	if status, why := ModelState(snap); status != "" {
		store.Model = storeModel{string(status), why}
	}
	text, err := json.Marshal(store)
	return string(text), err
}
