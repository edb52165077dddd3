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

// ModelCard is the resource that says what the workspace's media mix model is. A model that was refused has reasons
// there, and no figures.
type ModelCard struct {
	Status      string           `json:"status"`        // none, active, stale, refused
	Why         []string         `json:"why,omitempty"` // it is not active
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
	Drift       string           `json:"drift,omitempty"` // of the figures inside the window since
	Attempt     *refusedAttempt  `json:"newer_training_refused,omitempty"`
	Method      string           `json:"method"`
	Limits      []string         `json:"limits"`
}

// refusedAttempt is a training that came after the model and was refused.
type refusedAttempt struct {
	Version int          `json:"version"`
	Start   civil.Date   `json:"window_start,omitzero"`
	End     civil.Date   `json:"window_end,omitzero"`
	Reasons []mmm.Reason `json:"reasons"`
}

// modelLimits is what no model of this kind can tell.
var modelLimits = []string{
	"Spend that follows demand is taken for its cause; only an experiment tells the two apart.",
	"Effects are taken not to change over the window, and channels not to act on each other.",
	"Figures are revenue, not profit: costs of goods are not part of them.",
	"Beyond the spend that was ever seen, the assumed shape of saturation speaks.",
	"With less than two years of weeks, waves of the year are hardly told from spend that follows them.",
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
