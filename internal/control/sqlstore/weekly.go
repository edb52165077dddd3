package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

const readerColumns = `r.member, u.email, r.at, r.week, r.attempts, r.problem`

// AddWeeklyReader subscribes a member to the summaries of the weeks after the given week. If the member is already
// subscribed, the result is a fault of kind conflict. A person may subscribe only themselves. A subscription of another
// person is a fault of kind forbidden.
func (s *alertStore) AddWeeklyReader(ctx context.Context, r control.WeeklyReader, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, r.Workspace); err != nil {
			return err
		}
		if err := own(r.Member, by); err != nil {
			return err
		}
		role, err := roleOf(ctx, tx, r.Member, r.Workspace)
		if err != nil {
			return err
		}
		if role == "" {
			return fault.NotFound("the person is not a member of this workspace")
		}
		done, err := tx.ExecContext(ctx, `INSERT INTO weekly_readers (workspace, member, at, week, trying, attempts, next_at, problem)
			VALUES ($1, $2, $3, $4, '', 0, 0, '') ON CONFLICT DO NOTHING`, r.Workspace, r.Member, micros(r.At), r.Week.String())
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.Conflict("the member already receives the weekly summary")
		}
		return record(ctx, tx, r.Workspace, control.WeeklyChosen, by, string(r.Member), "")
	})
	if err != nil {
		return fmt.Errorf("weekly summary: %w", err)
	}
	return nil
}

// own returns a fault of kind forbidden if a person tries to change the subscription of another person.
func own(member control.UserID, by control.By) error {
	if person, is := by.Person(); is && person != member {
		return fault.Forbidden("members can subscribe only themselves to the weekly summary")
	}
	return nil
}

// RemoveWeeklyReader ends the weekly summary of a member. If the member does not receive the summary,
// RemoveWeeklyReader returns a fault of kind not_found.
func (s *alertStore) RemoveWeeklyReader(ctx context.Context, ws measure.WorkspaceID, member control.UserID, by control.By) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if err := own(member, by); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `DELETE FROM weekly_readers WHERE workspace = $1 AND member = $2`, ws, member)
		hit, err := touched(done, err)
		if err != nil {
			return err
		}
		if !hit {
			return fault.NotFound("the member does not receive the weekly summary of this workspace")
		}
		return record(ctx, tx, ws, control.WeeklyStopped, by, string(member), "")
	})
}

// WeeklyReaders returns the members who receive the weekly summary of a workspace, in order of subscription.
func (s *alertStore) WeeklyReaders(ctx context.Context, ws measure.WorkspaceID) ([]control.WeeklyReader, error) {
	return collect(ctx, s.read, scanReader(ws), `SELECT `+readerColumns+` FROM weekly_readers r JOIN users u ON u.id = r.member
		WHERE r.workspace = $1 ORDER BY r.at, r.member`, ws)
}

func scanReader(ws measure.WorkspaceID) func(row scanner) (control.WeeklyReader, error) {
	return func(row scanner) (control.WeeklyReader, error) {
		r := control.WeeklyReader{Workspace: ws}
		var at int64
		var week string
		if err := row.Scan(&r.Member, &r.Email, &at, &week, &r.Attempts, &r.Problem); err != nil {
			return r, engineFault(err)
		}
		r.At = instant(at)
		var err error
		r.Week, err = civil.Parse(week)
		return r, err
	}
}

// ClaimWeeklyReader returns a member of the workspace who has not received the summary of a week, or nil if there is
// none. The member's next attempt must be due. Claiming counts the attempt and sets the time of the next attempt, so
// that no other process sends the summary at the same time.
func (s *alertStore) ClaimWeeklyReader(ctx context.Context, ws measure.WorkspaceID, week civil.Date, now time.Time) (*control.WeeklyReader, error) {
	var claimed *control.WeeklyReader
	err := s.change(ctx, func(tx *sql.Tx) error {
		claimed = nil
		// Attempts for another week are ignored.
		r, err := scanReader(ws)(tx.QueryRowContext(ctx, `SELECT r.member, u.email, r.at, r.week, CASE WHEN r.trying = $1 THEN r.attempts ELSE 0 END + 1, r.problem
			FROM weekly_readers r JOIN users u ON u.id = r.member
			WHERE r.workspace = $2 AND r.week < $1 AND (r.trying <> $1 OR r.next_at <= $3) ORDER BY r.at, r.member LIMIT 1`, week.String(), ws, micros(now)))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE weekly_readers SET trying = $1, attempts = $2, next_at = $3 WHERE workspace = $4 AND member = $5`,
			week.String(), r.Attempts, micros(now.Add(control.AlertBackoff(r.Attempts))), ws, r.Member)
		claimed = &r
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("weekly summary: %w", err)
	}
	return claimed, nil
}

// SettleWeeklyReader stores the result of an attempt for a week. An empty problem means that the summary was sent. If
// the last of [control.MaxAlertAttempts] attempts fails, SettleWeeklyReader gives up the summary of the week.
func (s *alertStore) SettleWeeklyReader(ctx context.Context, r control.WeeklyReader, week civil.Date, problem string) error {
	done := r.Week
	if problem == "" || r.Attempts >= control.MaxAlertAttempts {
		done = week
	}
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE weekly_readers SET week = $1, problem = $2 WHERE workspace = $3 AND member = $4 AND trying = $5 AND attempts = $6`,
			done.String(), problem, r.Workspace, r.Member, week.String(), r.Attempts)
		return err
	})
}
