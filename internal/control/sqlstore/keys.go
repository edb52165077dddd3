package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

const keyColumns = `api_keys.id, api_keys.workspace, api_keys.name, api_keys.hint, api_keys.hash, api_keys.scopes,
	api_keys.tools, api_keys.created_at, api_keys.expires_at, api_keys.revoked_at, api_keys.last_used, api_keys.replaced_by`

// CreateKey stores a new key. A workspace that does not exist is a fault of kind not_found. A duplicate ID or hash is a
// fault of kind conflict. A person without permission to create such keys receives a fault of kind forbidden.
func (s *keyStore) CreateKey(ctx context.Context, k control.Key, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, k.Workspace); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, k.Workspace, by, mayMake(k)); err != nil {
			return err
		}
		if err := insertKey(ctx, tx, k); err != nil {
			return err
		}
		return record(ctx, tx, k.Workspace, control.KeyMade, by, string(k.ID), describe(k))
	})
	if err != nil {
		return fmt.Errorf("key %q: %w", k.Name, err)
	}
	return nil
}

// mayMake returns the function that reports whether a role may create the key.
func mayMake(k control.Key) func(control.Role) bool {
	return func(r control.Role) bool { return r.Manages() && len(r.Within(k.Scopes)) == len(k.Scopes) }
}

func insertKey(ctx context.Context, tx *sql.Tx, k control.Key) error {
	done, err := tx.ExecContext(ctx, `
		INSERT INTO api_keys (id, workspace, name, hint, hash, scopes, tools, created_at, expires_at, revoked_at, last_used, replaced_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT DO NOTHING`,
		k.ID, k.Workspace, k.Name, k.Hint, hex.EncodeToString(k.Hash), words(k.Scopes), words(k.Tools),
		micros(k.CreatedAt), micros(k.ExpiresAt), micros(k.RevokedAt), micros(k.LastUsed), k.ReplacedBy)
	hit, err := touched(done, err)
	if err != nil {
		return err
	}
	if !hit {
		return fault.Conflict("key %q already exists", k.ID)
	}
	return nil
}

// Keys returns the workspace's keys, including revoked and expired keys, oldest first.
func (s *keyStore) Keys(ctx context.Context, ws measure.WorkspaceID) ([]control.Key, error) {
	return keysOf(ctx, s.read, ws)
}

func keysOf(ctx context.Context, q querier, ws measure.WorkspaceID) ([]control.Key, error) {
	keys, err := collect(ctx, q, scanKey,
		`SELECT `+keyColumns+` FROM api_keys WHERE workspace = $1 ORDER BY created_at, id`, ws)
	if err != nil {
		return nil, fmt.Errorf("keys of workspace %q: %w", ws, err)
	}
	return keys, nil
}

// Key returns the key with the ID, or a fault of kind not_found.
func (s *keyStore) Key(ctx context.Context, id control.KeyID) (control.Key, error) {
	return key(ctx, s.read, id)
}

func key(ctx context.Context, q querier, id control.KeyID) (control.Key, error) {
	k, err := scanKey(q.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM api_keys WHERE id = $1`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return control.Key{}, fault.NotFound("there is no key %q", id).WithHint("assay keys list shows the keys of a workspace with their IDs")
	}
	if err != nil {
		return control.Key{}, fmt.Errorf("key %q: %w", id, err)
	}
	return k, nil
}

// KeyByHash returns the key with the hash and its workspace, or a fault of kind not_found. The caller checks whether
// the key is still valid.
func (s *keyStore) KeyByHash(ctx context.Context, hash []byte) (control.Key, control.Workspace, error) {
	var k control.Key
	var w control.Workspace
	var kept keyText
	var created int64
	dest := append(kept.fields(&k), workspaceFields(&w)...)
	err := s.read.QueryRowContext(ctx, `
		SELECT `+keyColumns+`, `+workspaceColumns+`
		FROM api_keys JOIN workspaces ON workspaces.id = api_keys.workspace
		WHERE api_keys.hash = $1`, hex.EncodeToString(hash)).
		Scan(append(dest, &created, &w.Version)...)
	if errors.Is(err, sql.ErrNoRows) {
		return control.Key{}, control.Workspace{}, fault.NotFound("there is no such key")
	}
	if err == nil {
		w.CreatedAt = instant(created)
		err = kept.into(&k)
	}
	if err != nil {
		return control.Key{}, control.Workspace{}, fmt.Errorf("key by hash: %w", engineFault(err))
	}
	return k, w, nil
}

// RevokeKey revokes the key now and returns it. An already revoked key does not change. A person who does not manage
// the workspace receives a fault of kind forbidden.
func (s *keyStore) RevokeKey(ctx context.Context, id control.KeyID, by control.By) (control.Key, error) {
	var k control.Key
	err := s.change(ctx, func(tx *sql.Tx) (err error) {
		if k, err = key(ctx, tx, id); err != nil {
			return err
		}
		if err := stillMay(ctx, tx, k.Workspace, by, control.Role.Manages); err != nil || !k.RevokedAt.IsZero() {
			return err
		}
		k.RevokedAt = instant(micros(by.At))
		if _, err := tx.ExecContext(ctx, `UPDATE api_keys SET revoked_at = $1 WHERE id = $2`, micros(by.At), id); err != nil {
			return err
		}
		return record(ctx, tx, k.Workspace, control.KeyRevoked, by, string(id), k.Name)
	})
	if err != nil {
		return control.Key{}, fmt.Errorf("revocation of key %q: %w", id, err)
	}
	return k, nil
}

// ReplaceKey stores the key next as the successor of the key with the ID. The old key stays valid until its own expiry
// or the parameter until, whichever is earlier. A key that is invalid or already has a successor is a fault of kind
// conflict. The permissions of [Store.CreateKey] apply.
func (s *keyStore) ReplaceKey(ctx context.Context, id control.KeyID, until time.Time, next control.Key, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		old, err := key(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := stillMay(ctx, tx, old.Workspace, by, mayMake(next)); err != nil {
			return err
		}
		if old.ReplacedBy != "" {
			return fault.Conflict("key %q was already rotated", id).WithHint("its successor is %s", old.ReplacedBy)
		}
		if !old.Valid(by.At) {
			return fault.Conflict("key %q is revoked or expired", id).WithHint("create a new key")
		}
		if err := insertKey(ctx, tx, next); err != nil {
			return err
		}
		if old.ExpiresAt.IsZero() || until.Before(old.ExpiresAt) {
			old.ExpiresAt = until
		}
		if _, err := tx.ExecContext(ctx, `UPDATE api_keys SET expires_at = $1, replaced_by = $2 WHERE id = $3`,
			micros(old.ExpiresAt), next.ID, id); err != nil {
			return err
		}
		return record(ctx, tx, old.Workspace, control.KeyRotated, by, string(id),
			fmt.Sprintf("successor %s; valid until %s", next.ID, old.ExpiresAt.UTC().Format(time.RFC3339)))
	})
	if err != nil {
		return fmt.Errorf("rotation of key %q: %w", id, err)
	}
	return nil
}

// TouchKeys records when keys were last used, by ID. It ignores unknown IDs, and instants earlier than the stored
// instant, so several processes may report in any order.
func (s *keyStore) TouchKeys(ctx context.Context, used map[control.KeyID]time.Time) error {
	if len(used) == 0 {
		return nil
	}
	err := s.change(ctx, func(tx *sql.Tx) error {
		for _, id := range slices.Sorted(maps.Keys(used)) { // sorted, so that two processes do not wait for each other's rows
			if _, err := tx.ExecContext(ctx, `UPDATE api_keys SET last_used = $1 WHERE id = $2 AND last_used < $1`, micros(used[id]), id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("last use of %d keys: %w", len(used), err)
	}
	return nil
}

// keyText contains the columns of a key that differ in form from the fields of the Go type.
type keyText struct {
	hash, scopes, tools                 string
	created, expires, revoked, lastUsed int64
}

// fields returns the scan destinations for the columns of a key.
func (t *keyText) fields(k *control.Key) []any {
	return []any{
		&k.ID, &k.Workspace, &k.Name, &k.Hint, &t.hash, &t.scopes, &t.tools,
		&t.created, &t.expires, &t.revoked, &t.lastUsed, &k.ReplacedBy,
	}
}

// into copies the converted columns to the key.
func (t *keyText) into(k *control.Key) (err error) {
	if k.Hash, err = hex.DecodeString(t.hash); err != nil {
		return fmt.Errorf("hash of key %q: %w", k.ID, err)
	}
	for s := range strings.FieldsSeq(t.scopes) {
		k.Scopes = append(k.Scopes, control.Scope(s))
	}
	if t.tools != "" {
		k.Tools = strings.Fields(t.tools)
	}
	k.CreatedAt, k.ExpiresAt = instant(t.created), instant(t.expires)
	k.RevokedAt, k.LastUsed = instant(t.revoked), instant(t.lastUsed)
	return nil
}

func scanKey(row scanner) (control.Key, error) {
	var k control.Key
	var kept keyText
	if err := row.Scan(kept.fields(&k)...); err != nil {
		return control.Key{}, engineFault(err)
	}
	return k, kept.into(&k)
}

// words joins names, which contain no spaces, with spaces.
func words[T ~string](names []T) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(name))
	}
	return b.String()
}

// describe returns the permissions of a new key as text.
func describe(k control.Key) string {
	text := fmt.Sprintf("%s; %s", k.Name, words(k.Scopes))
	if len(k.Tools) > 0 {
		text += "; only " + words(k.Tools)
	}
	return text
}
