package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// ClaimJob takes the lease of a job. If another node has a lease that has not expired, ClaimJob returns a fault of kind
// conflict. A workspace that does not exist is a fault of kind not_found.
func (s *jobStore) ClaimJob(ctx context.Context, j control.JobLease, now time.Time) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, j.Workspace); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `
			INSERT INTO jobs (workspace, kind, actor, asked_at, resumes, node, until) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (workspace, kind) DO UPDATE SET actor = excluded.actor, asked_at = excluded.asked_at,
			    resumes = excluded.resumes, node = excluded.node, until = excluded.until
			WHERE jobs.until <= $8 OR jobs.node = excluded.node`,
			j.Workspace, j.Kind, j.By, micros(j.Asked), bit(j.Resumes), j.Node, micros(j.Until), micros(now))
		hit, err := touched(done, err)
		if err == nil && !hit {
			err = fault.Conflict("another node is running a %s job in workspace %q", j.Kind, j.Workspace).WithHint("wait until the job has ended")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s job: %w", j.Kind, err)
	}
	return nil
}

// ExtendJob sets the end of a lease and reports whether the node still has it.
func (s *jobStore) ExtendJob(ctx context.Context, j control.JobLease, until time.Time) (has bool, err error) {
	err = s.change(ctx, func(tx *sql.Tx) (err error) {
		has, err = touched(tx.ExecContext(ctx, `UPDATE jobs SET until = $1 WHERE workspace = $2 AND kind = $3 AND node = $4`,
			micros(until), j.Workspace, j.Kind, j.Node))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("lease of a %s job: %w", j.Kind, err)
	}
	return has, nil
}

// EndJob removes a job that has ended, unless another node has its lease.
func (s *jobStore) EndJob(ctx context.Context, j control.JobLease) error {
	return s.changeJobs(ctx, `DELETE FROM jobs WHERE workspace = $1 AND kind = $2 AND node = $3`, j.Workspace, j.Kind, j.Node)
}

// RemoveJobs removes all jobs of a workspace. Nodes that run them lose their leases.
func (s *jobStore) RemoveJobs(ctx context.Context, ws measure.WorkspaceID) error {
	return s.changeJobs(ctx, `DELETE FROM jobs WHERE workspace = $1`, ws)
}

// ReleaseJobs ends all leases. The caller is the only process that runs jobs.
func (s *jobStore) ReleaseJobs(ctx context.Context) error {
	return s.changeJobs(ctx, `UPDATE jobs SET until = 0`)
}

func (s *jobStore) changeJobs(ctx context.Context, statement string, args ...any) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	return nil
}

// InterruptedJobs returns the jobs to resume. Their leases have expired or were released.
func (s *jobStore) InterruptedJobs(ctx context.Context, now time.Time) ([]control.JobLease, error) {
	all, err := collect(ctx, s.read, func(row scanner) (control.JobLease, error) {
		var j control.JobLease
		var asked, until int64
		err := row.Scan(&j.Workspace, &j.Kind, &j.By, &asked, &j.Resumes, &j.Node, &until)
		j.Asked, j.Until = instant(asked), instant(until)
		return j, engineFault(err)
	}, `SELECT workspace, kind, actor, asked_at, resumes, node, until FROM jobs
		WHERE resumes = 1 AND until <= $1 ORDER BY asked_at, workspace, kind`, micros(now))
	if err != nil {
		return nil, fmt.Errorf("interrupted jobs: %w", err)
	}
	return all, nil
}
