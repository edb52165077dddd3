package toolkit

import (
	"context"
	"encoding/json"
	"fmt"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/snapshot"
)

// ModelCard is the resource that describes the workspace's media mix model. A rejected model has reasons and no
// figures.
type ModelCard struct {
	Status      string           `json:"status"`        // none, active, stale, refused
	Why         []string         `json:"why,omitempty"` // why the model is not active
	Training    bool             `json:"training"`
	How         string           `json:"how_to_train"`
	Version     int              `json:"version,omitempty"`
	Start       civil.Date       `json:"window_start,omitzero"`
	End         civil.Date       `json:"window_end,omitzero"`
	Weeks       int              `json:"weeks,omitempty"`
	Seed        uint64           `json:"seed,omitempty"`
	DataHash    string           `json:"data_hash,omitempty"`
	Revenue     string           `json:"money_and_revenue,omitempty"`
	Reasons     []mmm.Reason     `json:"reasons,omitempty"`
	LeftOut     []mix.LeftOut    `json:"left_out,omitempty"`
	Tests       []modelTest      `json:"tests,omitempty"`
	Channels    []string         `json:"channels,omitempty"`
	Events      []string         `json:"events,omitempty"`
	Spec        *mmm.Spec        `json:"spec,omitempty"`
	Accuracy    *mmm.Accuracy    `json:"accuracy_in_sample,omitempty"`
	Diagnostics *mmm.Diagnostics `json:"diagnostics,omitempty"`
	Drift       string           `json:"drift,omitempty"` // change of the window's data since the training
	Attempt     *refusedAttempt  `json:"newer_training_refused,omitempty"`
	Method      string           `json:"method"`
	Limits      []string         `json:"limits"`
}

// refusedAttempt is a rejected training that is newer than the model.
type refusedAttempt struct {
	Version int          `json:"version"`
	Start   civil.Date   `json:"window_start,omitzero"`
	End     civil.Date   `json:"window_end,omitzero"`
	Reasons []mmm.Reason `json:"reasons"`
}

// modelLimits lists the limits of the method.
var modelLimits = []string{
	"Confounding: if the spend of a channel follows demand, the model overstates the effect of the channel. Only an experiment can distinguish the effect of spend from demand.",
	"The model assumes constant effects over the window and no interaction between channels.",
	"Figures are revenue: the cost of goods is not subtracted.",
	"Estimates for spend above the observed range extrapolate the assumed saturation curve.",
	"With less than two years of data, seasonality is hard to distinguish from seasonal spend.",
}

func (s *Session) modelCard(ctx context.Context) (string, error) {
	snap, err := s.service.reader.Take(ctx, s.principal.Workspace, snapshot.Wants{})
	if err != nil {
		return "", fmt.Errorf("model card: %w", err)
	}
	held := snap.MMM
	card := ModelCard{
		Status: "none", Training: held.Training, How: "assay train mmm --workspace " + string(s.principal.Workspace.ID), Method: MmmMethod, Limits: modelLimits,
	}
	if m := held.Model; m != nil {
		card.Status, card.Version, card.Start, card.End, card.Weeks, card.Seed = string(m.Status), m.Version, m.Window.First, m.Window.Last, m.Weeks, m.Seed
		card.DataHash, card.Revenue, card.Reasons, card.LeftOut = m.DataHash, m.Settings, m.Reasons, m.LeftOut
		card.Events, card.Accuracy, card.Diagnostics = m.Events, m.Accuracy, m.Diagnostics
		card.Tests = modelTests(m)
		if held.Drift.Share > 0 {
			card.Drift = held.Drift.String()
		}
		for _, e := range m.Effects {
			card.Channels = append(card.Channels, answer.Clean(string(e.Channel)))
		}
		if m.Saved != nil {
			card.Spec = &m.Saved.Spec
		}
	}
	if status, why := ModelState(snap); status == mix.Stale {
		card.Status, card.Why = string(status), why
	}
	if m := held.Attempt; m != nil {
		card.Attempt = &refusedAttempt{m.Version, m.Window.First, m.Window.Last, m.Reasons}
	}
	text, err := json.Marshal(card)
	return string(text), err
}
