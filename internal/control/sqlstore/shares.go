package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

const shareColumns = `share_links.id, share_links.hash, share_links.workspace, page, query, made_by, share_links.created_at, expires_at, last_used`

// CreateShare stores a share link. Too many valid links in the workspace are a fault of kind conflict. A person who
// does not manage the workspace receives a fault of kind forbidden.
func (s *shareStore) CreateShare(ctx context.Context, n control.Share, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, n.Workspace); err != nil {
			return err
		}
		if _, err := user(ctx, tx, `SELECT `+userColumns+` FROM users WHERE id = $1`, n.By); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, n.Workspace, by, control.Role.Manages); err != nil {
			return err
		}
		var has int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM share_links WHERE workspace = $1 AND expires_at > $2`, n.Workspace, micros(by.At)).Scan(&has); err != nil {
			return err
		}
		if has >= control.MaxShares {
			return fault.Conflict("the workspace has %d share links", has).WithHint("revoke an unused one")
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO share_links (id, hash, workspace, page, query, made_by, created_at, expires_at, last_used) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)`,
			n.ID, hex.EncodeToString(n.Hash), n.Workspace, n.Page, n.Query, n.By, micros(n.CreatedAt), micros(n.ExpiresAt)); err != nil {
			return err
		}
		return record(ctx, tx, n.Workspace, control.ShareMade, by, string(n.ID), n.Page+"?"+n.Query)
	})
	if err != nil {
		return fmt.Errorf("share link: %w", err)
	}
	return nil
}

// Shares returns a workspace's share links, including expired links, newest first.
func (s *shareStore) Shares(ctx context.Context, ws measure.WorkspaceID) ([]control.Share, error) {
	return collect(ctx, s.read, scanShare, `SELECT `+shareColumns+` FROM share_links WHERE workspace = $1 ORDER BY created_at DESC, id`, ws)
}

// ShareByHash returns the share link with the hash and its workspace, or a fault of kind not_found. A link ends when
// its author no longer manages the workspace. The caller checks whether the link has expired.
func (s *shareStore) ShareByHash(ctx context.Context, hash []byte) (control.Share, control.Workspace, error) {
	missing := fault.NotFound("there is no such link")
	n, err := scanShare(s.read.QueryRowContext(ctx, `SELECT `+shareColumns+` FROM share_links WHERE hash = $1`, hex.EncodeToString(hash)))
	if errors.Is(err, sql.ErrNoRows) {
		return control.Share{}, control.Workspace{}, missing
	}
	if err != nil {
		return control.Share{}, control.Workspace{}, fmt.Errorf("share link by hash: %w", err)
	}
	role, err := roleOf(ctx, s.read, n.By, n.Workspace)
	if err != nil {
		return control.Share{}, control.Workspace{}, err
	}
	if !role.Manages() {
		return control.Share{}, control.Workspace{}, missing
	}
	w, err := workspace(ctx, s.read, n.Workspace)
	return n, w, err
}

// TouchShare records the last use of a link. A time before the recorded one changes nothing.
func (s *shareStore) TouchShare(ctx context.Context, id control.ShareID, used time.Time) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE share_links SET last_used = $1 WHERE id = $2 AND last_used < $1`, micros(used), id)
		return err
	})
}

// RevokeShare removes a link. A missing link is a fault of kind not_found. A person who does not manage the workspace
// receives a fault of kind forbidden.
func (s *shareStore) RevokeShare(ctx context.Context, ws measure.WorkspaceID, id control.ShareID, by control.By) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if err := stillMay(ctx, tx, ws, by, control.Role.Manages); err != nil {
			return err
		}
		var page, query string
		err := tx.QueryRowContext(ctx, `DELETE FROM share_links WHERE workspace = $1 AND id = $2 RETURNING page, query`, ws, id).Scan(&page, &query)
		if errors.Is(err, sql.ErrNoRows) {
			return fault.NotFound("there is no share link %q in this workspace", id)
		}
		if err != nil {
			return err
		}
		return record(ctx, tx, ws, control.ShareRevoked, by, string(id), page+"?"+query)
	})
}

func scanShare(row scanner) (control.Share, error) {
	var n control.Share
	var hash string
	var created, expires, used int64
	err := row.Scan(&n.ID, &hash, &n.Workspace, &n.Page, &n.Query, &n.By, &created, &expires, &used)
	if err == nil {
		n.Hash, err = hex.DecodeString(hash)
	}
	n.CreatedAt, n.ExpiresAt, n.LastUsed = instant(created), instant(expires), instant(used)
	return n, engineFault(err)
}
