package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"assay/internal/civil"
)

const (
	keptAfterEnd = 30 * 24 * time.Hour  // ended objects stay visible
	eventsKept   = 731 * 24 * time.Hour // triggers in the database protect audit events for 730 days
	forecastDays = 730                  // days for which forecasts and their outcomes are stored
)

// Prune removes objects that no longer have an effect. It removes requests, codes and sessions a day after their end,
// and grants and share links a month after their end. It removes refresh tokens and invitations at their end. It also
// removes clients that were not authorized within a day, and audit events and forecasts after two years. A used code or
// refresh token is stored until its own end, so its reuse is detected. Events about keys are stored as long as the keys
// exist, because the events record who created the keys.
func (s *Store) Prune(ctx context.Context, now time.Time) error {
	dayAgo, monthAgo := micros(now.Add(-24*time.Hour)), micros(now.Add(-keptAfterEnd))
	steps := []struct {
		statement string
		before    int64
	}{
		{`DELETE FROM sessions WHERE ends_at < $1`, dayAgo},
		{`DELETE FROM oauth_requests WHERE expires_at < $1`, dayAgo},
		{`DELETE FROM oauth_codes WHERE expires_at < $1`, dayAgo},
		{`DELETE FROM oauth_refresh_tokens WHERE expires_at < $1`, micros(now)},
		{`DELETE FROM oauth_grants WHERE ends_at < $1 OR (revoked_at > 0 AND revoked_at < $1)`, monthAgo},
		{`DELETE FROM oauth_clients WHERE used_at = 0 AND created_at < $1`, dayAgo},
		{`DELETE FROM invitations WHERE expires_at < $1`, micros(now)},
		{`DELETE FROM share_links WHERE expires_at < $1`, monthAgo},
		{`DELETE FROM events WHERE at < $1 AND subject NOT IN (SELECT id FROM api_keys)`, micros(now.Add(-eventsKept))},
	}
	err := s.change(ctx, func(tx *sql.Tx) error {
		for _, step := range steps {
			if _, err := tx.ExecContext(ctx, step.statement, step.before); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM forecasts WHERE made < $1`, civil.DayOf(now, time.UTC).AddDays(-forecastDays).String())
		return err
	})
	if err != nil {
		return fmt.Errorf("removal of expired records: %w", err)
	}
	return nil
}
