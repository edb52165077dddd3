package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// SetCost stores a cost of the workspace and returns the workspace. It replaces a cost with the same kind, surface,
// channel and first day. An invalid cost is a fault of kind invalid. A person who may not write receives a fault of
// kind forbidden, also from RemoveCost. An identical cost changes nothing.
func (s *workspaceStore) SetCost(ctx context.Context, id measure.WorkspaceID, r measure.CostRule, by control.By) (control.Workspace, error) {
	return s.changeCosts(ctx, id, by, func(w control.Workspace) (change costChange, err error) {
		if err := control.CheckCost(r, w.Currency); err != nil {
			return change, err
		}
		before, replaced := w.Costs.Find(r)
		change = costChange{rules: w.Costs.With(r), kind: control.CostSet, detail: r.String()}
		if replaced {
			change.detail += ", was " + before.Value()
		}
		change.same = before == r
		if len(change.rules) > control.MaxCosts {
			return change, fault.Conflict("the workspace has %d costs, which is the maximum", control.MaxCosts).WithHint("Remove one first.")
		}
		return change, nil
	})
}

// RemoveCost removes the cost with the same kind, surface, channel and first day, and returns the workspace. A missing
// cost is a fault of kind not_found.
func (s *workspaceStore) RemoveCost(ctx context.Context, id measure.WorkspaceID, r measure.CostRule, by control.By) (control.Workspace, error) {
	return s.changeCosts(ctx, id, by, func(w control.Workspace) (change costChange, err error) {
		before, ok := w.Costs.Find(r)
		if !ok {
			return change, fault.NotFound("the workspace has no matching cost of kind %q", r.Kind).WithHint("list the costs with: assay costs list --workspace %s", id)
		}
		return costChange{rules: w.Costs.Without(r), kind: control.CostRemoved, detail: before.String()}, nil
	})
}

// costChange is a change of a workspace's costs with its audit event.
type costChange struct {
	rules  measure.CostRules
	kind   control.EventKind
	detail string
	same   bool // nothing changes
}

func (s *workspaceStore) changeCosts(
	ctx context.Context, id measure.WorkspaceID, by control.By, make func(control.Workspace) (costChange, error),
) (w control.Workspace, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		if w, err = workspace(ctx, tx, id); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, id, by, control.Role.Writes); err != nil {
			return err
		}
		change, err := make(w)
		if err != nil || change.same {
			return err
		}
		w.Costs, w.Version = change.rules, w.Version+1
		if _, err := tx.ExecContext(ctx, `UPDATE workspaces SET cost_rules = $1, version = $2 WHERE id = $3`, costRules{&w.Costs}, w.Version, id); err != nil {
			return err
		}
		return record(ctx, tx, id, change.kind, by, string(id), change.detail)
	})
	if err != nil {
		return control.Workspace{}, fmt.Errorf("costs of workspace %q: %w", id, err)
	}
	return w, nil
}

// costRules is a column with a workspace's costs as a JSON array.
type costRules struct{ rules *measure.CostRules }

// Value implements [driver.Valuer].
func (c costRules) Value() (driver.Value, error) {
	if len(*c.rules) == 0 {
		return "[]", nil
	}
	text, err := json.Marshal(*c.rules)
	return string(text), err
}

// Scan implements [sql.Scanner].
func (c costRules) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("costs: a %T is not text", from)
	}
	*c.rules = nil
	if text == "[]" {
		return nil
	}
	return json.Unmarshal([]byte(text), c.rules)
}
