package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

const experimentColumns = `workspace, id, name, hypothesis, kind, channel, status, treated, held_out, first_day, last_day,
	result, low, high, level_pct, applied, created_at, changed_at, changed_by, version`

// CreateExperiment stores a new experiment and returns it with its ID and version 1. A missing workspace is a fault of
// kind not_found, and an invalid experiment is a fault of kind invalid. A duplicate ID or a conflict with another
// experiment is a fault of kind conflict. Here and below, a person without permission receives a fault of kind
// forbidden.
func (s *experimentStore) CreateExperiment(ctx context.Context, e control.Experiment, by control.By) (control.Experiment, error) {
	kept, err := s.create(ctx, e, by, false)
	return kept.Record, err
}

// AddExperiment works like [Store.CreateExperiment]. If an open experiment has the same plan, AddExperiment returns
// that experiment unchanged.
func (s *experimentStore) AddExperiment(ctx context.Context, e control.Experiment, by control.By) (control.Kept[control.Experiment], error) {
	return s.create(ctx, e, by, true)
}

func (s *experimentStore) create(ctx context.Context, e control.Experiment, by control.By, once bool) (kept control.Kept[control.Experiment], err error) {
	if e, err = e.Checked(); err != nil {
		return kept, err
	}
	e.CreatedAt, e.ChangedAt, e.ChangedBy, e.Version = instant(micros(by.At)), instant(micros(by.At)), by.Actor, 1
	err = s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, e.Workspace); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, e.Workspace, by, control.Role.Writes); err != nil {
			return err
		}
		all, err := experiments(ctx, tx, e.Workspace)
		if err != nil {
			return err
		}
		same := func(other control.Experiment) bool { return other.Status.Open() && other.SamePlan(e) }
		if at := slices.IndexFunc(all, same); once && at >= 0 {
			kept = control.Kept[control.Experiment]{Record: all[at]}
			return nil
		}
		if err := clash(e, all); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `
			INSERT INTO experiments (`+experimentColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
			ON CONFLICT DO NOTHING`, experimentValues(e)...)
		hit, err := touched(done, err)
		if err == nil && !hit {
			err = fault.Conflict("experiment %q already exists", e.ID)
		}
		kept = control.Kept[control.Experiment]{Record: e, Changed: true}
		return err
	})
	if err != nil {
		return control.Kept[control.Experiment]{}, fmt.Errorf("experiment %q: %w", e.ID, err)
	}
	return kept, nil
}

// Experiments returns the workspace's experiments: first the experiments without days, then the others, latest start
// first.
func (s *experimentStore) Experiments(ctx context.Context, ws measure.WorkspaceID) ([]control.Experiment, error) {
	return experiments(ctx, s.read, ws)
}

func experiments(ctx context.Context, q querier, ws measure.WorkspaceID) ([]control.Experiment, error) {
	all, err := collect(ctx, q, scanExperiment, `
		SELECT `+experimentColumns+` FROM experiments WHERE workspace = $1
		ORDER BY coalesce(first_day, '9999') DESC, created_at DESC, id`, ws)
	if err != nil {
		return nil, fmt.Errorf("experiments of workspace %q: %w", ws, err)
	}
	return all, nil
}

// Experiment returns an experiment of the workspace, or a fault of kind not_found.
func (s *experimentStore) Experiment(ctx context.Context, ws measure.WorkspaceID, id control.ExperimentID) (control.Experiment, error) {
	return experiment(ctx, s.read, ws, id)
}

func experiment(ctx context.Context, q querier, ws measure.WorkspaceID, id control.ExperimentID) (control.Experiment, error) {
	e, err := scanExperiment(q.QueryRowContext(ctx, `SELECT `+experimentColumns+` FROM experiments WHERE workspace = $1 AND id = $2`, ws, id))
	if errors.Is(err, sql.ErrNoRows) {
		return e, fault.NotFound("there is no experiment %q", id).WithHint("the `experiments` tool with `view=results` lists the experiments")
	}
	return e, err
}

// PlanExperiment replaces the plan of a draft or planned experiment: name, hypothesis, kind, channel, regions and days.
// It returns a fault of kind conflict if the version is not current or the experiment has started.
func (s *experimentStore) PlanExperiment(ctx context.Context, e control.Experiment, by control.By) (control.Experiment, error) {
	read := e.Version
	err := s.change(ctx, func(tx *sql.Tx) error {
		now, err := experiment(ctx, tx, e.Workspace, e.ID)
		if err != nil {
			return err
		}
		if err := stillMay(ctx, tx, e.Workspace, by, control.Role.Writes); err != nil {
			return err
		}
		if now.Status != control.ExperimentDraft && now.Status != control.ExperimentPlanned {
			return fault.Conflict("the experiment is %s: its plan can no longer change", now.Status)
		}
		if now.Version != read {
			return fault.Conflict("the experiment has changed since it was read").WithHint("read the experiment again and repeat the change")
		}
		e.Status, e.Applied, e.Found, e.CreatedAt = now.Status, false, nil, now.CreatedAt
		if e, err = e.Checked(); err != nil {
			return err
		}
		if err := unclashed(ctx, tx, e); err != nil {
			return err
		}
		e.ChangedAt, e.ChangedBy, e.Version = instant(micros(by.At)), by.Actor, now.Version+1
		_, err = tx.ExecContext(ctx, `
			UPDATE experiments
			SET name = $1, hypothesis = $2, kind = $3, channel = $4, treated = $5, held_out = $6, first_day = $7, last_day = $8,
			    changed_at = $9, changed_by = $10, version = $11
			WHERE workspace = $12 AND id = $13`,
			e.Name, e.Hypothesis, e.Kind, e.Channel, lines(e.Treated), lines(e.HeldOut), dayColumn(e.Days.First), dayColumn(e.Days.Last),
			micros(e.ChangedAt), e.ChangedBy, e.Version, e.Workspace, e.ID)
		return err
	})
	if err != nil {
		return control.Experiment{}, fmt.Errorf("experiment %q: %w", e.ID, err)
	}
	return e, nil
}

// MoveExperiment changes the status of an experiment and stores the result of a completed study. One conditional
// statement changes the status, so one of two concurrent moves returns a fault of kind conflict. A missing value that
// the new status requires is a fault of kind invalid.
func (s *experimentStore) MoveExperiment(ctx context.Context, m control.Move, by control.By) (control.Experiment, error) {
	var moved control.Experiment
	err := s.change(ctx, func(tx *sql.Tx) error {
		err := stillMay(ctx, tx, m.Workspace, by, control.Role.Writes)
		if err != nil {
			return err
		}
		if moved, err = move(ctx, tx, m, by); err != nil {
			return err
		}
		if _, err := moved.Checked(); err != nil {
			return err
		}
		return unclashed(ctx, tx, moved)
	})
	if err != nil {
		return control.Experiment{}, fmt.Errorf("experiment %q: %w", m.ID, err)
	}
	return moved, nil
}

func move(ctx context.Context, tx *sql.Tx, m control.Move, by control.By) (control.Experiment, error) {
	var is conditions
	result, low, high, level := findingColumns(m.Found)
	set := fmt.Sprintf(`status = %s, changed_at = %s, changed_by = %s, version = version + 1`, is.bind(m.To), is.bind(micros(by.At)), is.bind(by.Actor))
	if m.Found != nil {
		set += fmt.Sprintf(`, result = %s, low = %s, high = %s, level_pct = %s`, is.bind(result), is.bind(low), is.bind(high), is.bind(level))
	}
	is.add(`workspace = ?`, m.Workspace)
	is.add(`id = ?`, m.ID)
	if from := m.To.After(); len(from) > 0 {
		is.add(`status IN (?`+strings.Repeat(`, ?`, len(from)-1)+`)`, anys(from)...)
	} else {
		is.add(`1 = 0`)
	}
	e, err := scanExperiment(tx.QueryRowContext(ctx, `UPDATE experiments SET `+set+is.where()+` RETURNING `+experimentColumns, is.args...))
	if !errors.Is(err, sql.ErrNoRows) {
		return e, err
	}
	now, err := experiment(ctx, tx, m.Workspace, m.ID)
	if err != nil {
		return e, err
	}
	allowed := now.Status.Before()
	if len(allowed) == 0 {
		return e, fault.Conflict("status: the experiment is %s, which is final", now.Status)
	}
	return e, fault.Conflict("status: the status cannot change from %s to %s", now.Status, m.To).WithHint("use one of %q", allowed)
}

// ApplyExperiment sets whether a completed experiment corrects last-touch ROAS. Any other status is a fault of kind
// conflict.
func (s *experimentStore) ApplyExperiment(ctx context.Context, ws measure.WorkspaceID, id control.ExperimentID, applied bool, by control.By) (control.Experiment, error) {
	var changed control.Experiment
	err := s.change(ctx, func(tx *sql.Tx) error {
		err := stillMay(ctx, tx, ws, by, control.Role.Writes)
		if err != nil {
			return err
		}
		changed, err = scanExperiment(tx.QueryRowContext(ctx, `
			UPDATE experiments SET applied = $1, changed_at = $2, changed_by = $3, version = version + 1
			WHERE workspace = $4 AND id = $5 AND status = $6 RETURNING `+experimentColumns,
			bit(applied), micros(by.At), by.Actor, ws, id, control.ExperimentCompleted))
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		now, err := experiment(ctx, tx, ws, id)
		if err != nil {
			return err
		}
		return fault.Conflict("only a completed experiment can be applied, but this experiment is %s", now.Status)
	})
	if err != nil {
		return control.Experiment{}, fmt.Errorf("experiment %q: %w", id, err)
	}
	return changed, nil
}

// unclashed rejects an experiment that conflicts with another experiment.
func unclashed(ctx context.Context, tx *sql.Tx, e control.Experiment) error {
	all, err := experiments(ctx, tx, e.Workspace)
	if err != nil {
		return err
	}
	return clash(e, all)
}

func clash(e control.Experiment, all []control.Experiment) error {
	for _, other := range all {
		if why := e.Clash(other); why != "" {
			return fault.Conflict("the experiment conflicts with %q: %s", other.ID, why).
				WithHint("choose other days, or cancel one of the experiments")
		}
	}
	return nil
}

func experimentValues(e control.Experiment) []any {
	result, low, high, level := findingColumns(e.Found)
	return []any{
		e.Workspace, e.ID, e.Name, e.Hypothesis, e.Kind, e.Channel, e.Status, lines(e.Treated), lines(e.HeldOut),
		dayColumn(e.Days.First), dayColumn(e.Days.Last), result, low, high, level, bit(e.Applied),
		micros(e.CreatedAt), micros(e.ChangedAt), e.ChangedBy, e.Version,
	}
}

func scanExperiment(row scanner) (control.Experiment, error) {
	var e control.Experiment
	var treated, heldOut string
	var result, low, high sql.NullFloat64
	var level sql.NullInt64
	var created, changed int64
	err := row.Scan(&e.Workspace, &e.ID, &e.Name, &e.Hypothesis, &e.Kind, &e.Channel, &e.Status, &treated, &heldOut, &e.Days.First, &e.Days.Last,
		&result, &low, &high, &level, &e.Applied, &created, &changed, &e.ChangedBy, &e.Version)
	if err != nil {
		return e, engineFault(err)
	}
	e.Treated, e.HeldOut = unlined(treated), unlined(heldOut)
	e.CreatedAt, e.ChangedAt = instant(created), instant(changed)
	if result.Valid {
		e.Found = &control.Finding{Return: result.Float64, Low: low.Float64, High: high.Float64, LevelPct: int(level.Int64)}
	}
	return e, nil
}

func findingColumns(f *control.Finding) (result, low, high, level any) {
	if f == nil {
		return nil, nil, nil, nil
	}
	return f.Return, f.Low, f.High, f.LevelPct
}

func dayColumn(d civil.Date) any {
	if d.IsZero() {
		return nil
	}
	return d.String()
}

// lines and unlined convert names, which contain no line breaks, to a column and back.
func lines(names []string) string { return strings.Join(names, "\n") }

func unlined(text string) []string {
	return slices.Collect(func(yield func(string) bool) {
		for name := range strings.SplitSeq(text, "\n") {
			if name != "" && !yield(name) {
				return
			}
		}
	})
}
