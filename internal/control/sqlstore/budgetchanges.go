package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

const budgetChangeColumns = `id, workspace, at, platform, account, campaign, campaign_name, budget, field, currency,
	previous_value, previous_minor, new_value, new_minor, live_value, live_minor, status, actor, reason, rejection, problem, request_id, deadline, rolls_back,
	rolled_back_by, approved_by, settled_at, effect, budget_named`

// AddBudgetChange stores a new change that is pending or awaits approval. A pending change claims its campaign. If
// another change of the campaign is pending, nothing is stored and the result open is that change. If an identical
// change already awaits approval, nothing is stored and open is that change. A person without the permission receives a
// fault of kind forbidden.
func (s *budgetStore) AddBudgetChange(ctx context.Context, c control.BudgetChange, by control.By) (open *control.BudgetChange, err error) {
	c, err = c.Checked()
	if err != nil {
		return nil, err
	}
	if c.Status != control.ChangePending && c.Status != control.ChangeAwaiting {
		return nil, fault.Invalid("a new budget change is pending or awaits approval, not %s", c.Status)
	}
	err = s.change(ctx, func(tx *sql.Tx) error {
		open = nil
		if _, err := workspace(ctx, tx, c.Workspace); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, c.Workspace, by, mayApprove); err != nil {
			return err
		}
		if c.Status == control.ChangeAwaiting {
			if open, err = awaitingLike(ctx, tx, c); err != nil || open != nil {
				return err
			}
		}
		done, err := tx.ExecContext(ctx, `
			INSERT INTO budget_changes (`+budgetChangeColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
			        $25, $26, $27, $28, $29)
			ON CONFLICT DO NOTHING`, budgetChangeValues(c)...)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			if open, err = openChange(ctx, tx, c); err == nil && open == nil {
				err = fault.Conflict("the budget change %q already exists", c.ID)
			}
			return err
		}
		return record(ctx, tx, c.Workspace, control.BudgetChanged, by, string(c.ID), c.Summary())
	})
	if err != nil {
		return nil, fmt.Errorf("budget change %q: %w", c.ID, err)
	}
	return open, nil
}

// UpdateBudgetChange updates a change if its stored status equals the parameter from. It stores status, campaign name,
// live value, rejection, problem, request ID, deadline, approval and settlement. If the change was settled or decided
// meanwhile, UpdateBudgetChange returns a fault of kind conflict. A change that becomes pending claims its campaign. If
// another change of the campaign is pending, UpdateBudgetChange stores nothing and returns the pending change in open.
// If the change is an applied rollback, the change that it undoes is updated, too.
func (s *budgetStore) UpdateBudgetChange(ctx context.Context, c control.BudgetChange, from control.ChangeStatus, by control.By) (
	open *control.BudgetChange, err error,
) {
	c, err = c.Checked()
	if err == nil && !c.Status.Follows(from) {
		err = fault.Conflict("a change that is %s cannot become %s", from, c.Status)
	}
	if err != nil {
		return nil, err
	}
	err = s.change(ctx, func(tx *sql.Tx) error {
		open = nil
		if from == control.ChangeAwaiting && c.Status != control.ChangeExpired {
			if err := stillMay(ctx, tx, c.Workspace, by, mayApprove); err != nil {
				return err
			}
		}
		if from == control.ChangeAwaiting && c.Status == control.ChangePending { // a rejection claims no campaign
			if open, err = openChange(ctx, tx, c); err != nil || open != nil {
				return err
			}
		}
		done, err := tx.ExecContext(ctx, `
			UPDATE budget_changes SET status = $1, campaign_name = $2, live_value = $3, live_minor = $4, rejection = $5, problem = $6,
			       request_id = $7, deadline = $8, approved_by = $9, settled_at = $10
			WHERE id = $11 AND workspace = $12 AND status = $13`,
			c.Status, c.CampaignName, c.Live.Text, c.Live.Amount.Minor, c.Rejection, c.Problem, c.RequestID, micros(c.Deadline),
			c.ApprovedBy, micros(c.SettledAt), c.ID, c.Workspace, from)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return settledMeanwhile(ctx, tx, c)
		}
		if c.Status == control.ChangeApplied && c.RollsBack != "" {
			if _, err := tx.ExecContext(ctx, `UPDATE budget_changes SET rolled_back_by = $1 WHERE id = $2 AND workspace = $3`,
				c.ID, c.RollsBack, c.Workspace); err != nil {
				return err
			}
		}
		if c.Status == from {
			return nil
		}
		return record(ctx, tx, c.Workspace, control.BudgetChanged, by, string(c.ID), c.Summary())
	})
	if err != nil {
		return nil, fmt.Errorf("budget change %q: %w", c.ID, err)
	}
	return open, nil
}

// mayApprove reports whether the role may execute and approve changes on ad platforms.
func mayApprove(r control.Role) bool {
	return len(r.Within([]control.Scope{control.ScopeApprove})) == 1
}

func settledMeanwhile(ctx context.Context, tx *sql.Tx, c control.BudgetChange) error {
	now, err := budgetChange(ctx, tx, c.ID)
	if err != nil {
		return err
	}
	return fault.Conflict("the change is now %s", now.Status).WithHint("show the change with: assay budget-changes show %s", c.ID)
}

// openChange returns the pending change of the campaign. For a change of a daily budget, it also finds a pending change
// of the same budget. It returns nil if there is none.
func openChange(ctx context.Context, q querier, c control.BudgetChange) (*control.BudgetChange, error) {
	found, err := collect(ctx, q, scanBudgetChange, `
		SELECT `+budgetChangeColumns+` FROM budget_changes
		WHERE workspace = $1 AND platform = $2 AND account = $3 AND status = $4 AND id <> $5 AND
		      (campaign = $6 OR budget = $7 AND $7 <> '' AND field = $8 AND field = $9)`,
		c.Workspace, c.Platform, c.Account, control.ChangePending, c.ID, c.Campaign, c.Budget, control.DailyBudget, c.Field)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// awaitingLike returns an identical change that awaits approval, or nil if there is none.
func awaitingLike(ctx context.Context, q querier, c control.BudgetChange) (*control.BudgetChange, error) {
	found, err := collect(ctx, q, scanBudgetChange, `
		SELECT `+budgetChangeColumns+` FROM budget_changes
		WHERE workspace = $1 AND platform = $2 AND account = $3 AND campaign = $4 AND status = $5 AND at > $6`,
		c.Workspace, c.Platform, c.Account, c.Campaign, control.ChangeAwaiting, micros(c.At.Add(-control.ApprovalTime)))
	if err != nil {
		return nil, err
	}
	for _, one := range found {
		if one.SameChange(c) && one.Previous == c.Previous {
			return &one, nil
		}
	}
	return nil, nil
}

// BudgetChange returns a change of any workspace, or a fault of kind not_found.
func (s *budgetStore) BudgetChange(ctx context.Context, id control.BudgetChangeID) (control.BudgetChange, error) {
	return budgetChange(ctx, s.read, id)
}

func budgetChange(ctx context.Context, q querier, id control.BudgetChangeID) (control.BudgetChange, error) {
	c, err := scanBudgetChange(q.QueryRowContext(ctx, `SELECT `+budgetChangeColumns+` FROM budget_changes WHERE id = $1`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return c, fault.NotFound("there is no budget change %q", id).WithHint("list the budget changes with: assay budget-changes list")
	}
	return c, err
}

// BudgetChanges returns the selected changes, newest first.
func (s *budgetStore) BudgetChanges(ctx context.Context, f control.BudgetChangeFilter) ([]control.BudgetChange, error) {
	var is conditions
	for _, equal := range []struct{ column, value string }{
		{"workspace", string(f.Workspace)}, {"platform", string(f.Platform)}, {"account", f.Account},
	} {
		if equal.value != "" {
			is.add(equal.column+` = ?`, equal.value)
		}
	}
	if f.Campaign != "" {
		is.add(`(campaign = ? OR budget <> '' AND budget = ?)`, f.Campaign, f.Budget)
	}
	if len(f.Statuses) > 0 {
		is.add(`status IN (?`+strings.Repeat(`, ?`, len(f.Statuses)-1)+`)`, anys(f.Statuses)...)
	}
	if !f.Since.IsZero() {
		is.add(`(at >= ? OR settled_at >= ?)`, micros(f.Since), micros(f.Since))
	}
	all, err := collect(ctx, s.read, scanBudgetChange, `SELECT `+budgetChangeColumns+` FROM budget_changes`+is.where()+
		` ORDER BY at DESC, id DESC LIMIT `+is.bind(f.Limit), is.args...)
	if err != nil {
		return nil, fmt.Errorf("budget changes of workspace %q: %w", f.Workspace, err)
	}
	return all, nil
}

// SavePreview records that a caller has seen a preview, and removes previews that have expired.
func (s *budgetStore) SavePreview(ctx context.Context, p control.BudgetPreview) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM budget_previews WHERE at < $1`, micros(p.At.Add(-control.PreviewTime))); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO budget_previews (workspace, actor, platform, account, campaign, field, new_value, at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (workspace, actor, platform, account, campaign, field, new_value) DO UPDATE SET at = excluded.at`,
			p.Workspace, p.Actor, p.Platform, p.Account, p.Campaign, p.Field, p.New, micros(p.At))
		return err
	})
	if err != nil {
		return fmt.Errorf("preview of campaign %q: %w", p.Campaign, err)
	}
	return nil
}

// LastPreview returns the time at which the actor of p last saw a preview of the change in p. The zero time means that
// no preview is stored: there was none, or it has expired.
func (s *budgetStore) LastPreview(ctx context.Context, p control.BudgetPreview) (time.Time, error) {
	var at int64
	err := s.read.QueryRowContext(ctx, `
		SELECT coalesce(max(at), 0) FROM budget_previews
		WHERE workspace = $1 AND actor = $2 AND platform = $3 AND account = $4 AND campaign = $5 AND field = $6 AND new_value = $7`,
		p.Workspace, p.Actor, p.Platform, p.Account, p.Campaign, p.Field, p.New).Scan(&at)
	if err != nil {
		return time.Time{}, fmt.Errorf("preview of campaign %q: %w", p.Campaign, engineFault(err))
	}
	return instant(at), nil
}

// Guardrails returns the guardrails of a workspace. Until they are set, Guardrails returns the guardrails of a new
// workspace.
func (s *budgetStore) Guardrails(ctx context.Context, ws measure.WorkspaceID) (control.Guardrails, error) {
	return guardrails(ctx, s.read, ws)
}

func guardrails(ctx context.Context, q querier, ws measure.WorkspaceID) (control.Guardrails, error) {
	g := control.Guardrails{Workspace: ws}
	var currency money.Currency
	var floor, ceiling, above int64
	err := q.QueryRowContext(ctx, `
		SELECT step_pct, currency, floor, ceiling, approve_above, per_hour, per_day, from_hour, to_hour, stop, preview_first, version
		FROM guardrails WHERE workspace = $1`, ws).
		Scan(&g.StepPct, &currency, &floor, &ceiling, &above, &g.PerHour, &g.PerDay, &g.Hours.From, &g.Hours.To, &g.Stop,
			&g.PreviewFirst, &g.Version)
	if errors.Is(err, sql.ErrNoRows) {
		return control.NewGuardrails(ws), nil
	}
	if err != nil {
		return g, fmt.Errorf("guardrails of workspace %q: %w", ws, engineFault(err))
	}
	g.Floor, g.Ceiling, g.ApproveAbove = limitOf(floor, currency), limitOf(ceiling, currency), limitOf(above, currency)
	return g, nil
}

func limitOf(minor int64, c money.Currency) money.Amount {
	if minor == 0 {
		return money.Amount{}
	}
	return money.Amount{Minor: minor, Currency: c}
}

// SetGuardrails replaces the guardrails of a workspace and returns them with the next version. If g does not have the
// current version, SetGuardrails returns a fault of kind conflict. A person who does not manage the workspace receives
// a fault of kind forbidden. All amounts are in the currency of the workspace.
func (s *budgetStore) SetGuardrails(ctx context.Context, g control.Guardrails, by control.By) (control.Guardrails, error) {
	if err := g.Check(); err != nil {
		return g, err
	}
	read := g.Version
	err := s.change(ctx, func(tx *sql.Tx) error {
		w, err := workspace(ctx, tx, g.Workspace)
		if err != nil {
			return err
		}
		if err := stillMay(ctx, tx, g.Workspace, by, control.Role.Manages); err != nil {
			return err
		}
		before, err := guardrails(ctx, tx, g.Workspace)
		if err != nil {
			return err
		}
		if before.Version != read {
			return fault.Conflict("the guardrails of workspace %q have changed since they were read", g.Workspace).
				WithHint("read them again and repeat the change")
		}
		for _, a := range []money.Amount{g.Floor, g.Ceiling, g.ApproveAbove} {
			if a.Minor > 0 && a.Currency != w.Currency {
				return fault.Invalid("%s is not an amount in %s, the currency of the workspace", a, w.Currency).
					WithHint("set the limit again in %s, or remove it with the word %s", w.Currency, control.Unset)
			}
		}
		changes := g.Differences(before)
		if changes == "" {
			return nil
		}
		g.Version = read + 1
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO guardrails (workspace, step_pct, currency, floor, ceiling, approve_above, per_hour, per_day, from_hour,
			                        to_hour, stop, preview_first, version)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
			ON CONFLICT (workspace) DO UPDATE SET step_pct = excluded.step_pct, currency = excluded.currency,
			    floor = excluded.floor, ceiling = excluded.ceiling, approve_above = excluded.approve_above,
			    per_hour = excluded.per_hour, per_day = excluded.per_day, from_hour = excluded.from_hour,
			    to_hour = excluded.to_hour, stop = excluded.stop, preview_first = excluded.preview_first,
			    version = excluded.version`,
			g.Workspace, g.StepPct, w.Currency, g.Floor.Minor, g.Ceiling.Minor, g.ApproveAbove.Minor, g.PerHour, g.PerDay,
			g.Hours.From, g.Hours.To, bit(g.Stop), bit(g.PreviewFirst), g.Version); err != nil {
			return err
		}
		return record(ctx, tx, g.Workspace, control.GuardrailsChanged, by, string(g.Workspace), changes)
	})
	if err != nil {
		return control.Guardrails{}, fmt.Errorf("guardrails of workspace %q: %w", g.Workspace, err)
	}
	return g, nil
}

func budgetChangeValues(c control.BudgetChange) []any {
	return []any{
		c.ID, c.Workspace, micros(c.At), c.Platform, c.Account, c.Campaign, c.CampaignName, c.Budget, c.Field,
		c.New.Amount.Currency, c.Previous.Text, c.Previous.Amount.Minor, c.New.Text, c.New.Amount.Minor, c.Live.Text,
		c.Live.Amount.Minor, c.Status, c.Actor, c.Reason, c.Rejection, c.Problem, c.RequestID, micros(c.Deadline), c.RollsBack,
		c.RolledBackBy, c.ApprovedBy, micros(c.SettledAt), c.Effect, bit(c.BudgetNamed),
	}
}

func scanBudgetChange(row scanner) (control.BudgetChange, error) {
	var c control.BudgetChange
	var at, deadline, settled int64
	var currency money.Currency
	err := row.Scan(&c.ID, &c.Workspace, &at, &c.Platform, &c.Account, &c.Campaign, &c.CampaignName, &c.Budget, &c.Field,
		&currency, &c.Previous.Text, &c.Previous.Amount.Minor, &c.New.Text, &c.New.Amount.Minor, &c.Live.Text,
		&c.Live.Amount.Minor, &c.Status, &c.Actor, &c.Reason, &c.Rejection, &c.Problem, &c.RequestID, &deadline, &c.RollsBack,
		&c.RolledBackBy, &c.ApprovedBy, &settled, &c.Effect, &c.BudgetNamed)
	c.At, c.Deadline, c.SettledAt = instant(at), instant(deadline), instant(settled)
	for _, v := range []*control.ChangeValue{&c.Previous, &c.New, &c.Live} {
		if v.Text != "" {
			v.Amount.Currency = currency
		}
	}
	return c, engineFault(err)
}
