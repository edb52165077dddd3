package app

import (
	"context"
	"slices"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// permit asks whether who sends facts may still do so, and is a fault of kind forbidden when not. It is nil for commands,
// which may do everything.
type permit func(ctx context.Context) error

// askedImport asks right before facts are kept: they may have been read for an hour, in which a role or a key can end.
type askedImport struct {
	warehouse.Import
	may permit
}

// asking returns the import with the question before its commit.
func asking(into warehouse.Import, may permit) warehouse.Import {
	if may == nil {
		return into
	}
	return askedImport{into, may}
}

// Commit implements [warehouse.Import].
func (i askedImport) Commit(ctx context.Context) (warehouse.Outcome, error) {
	if err := i.may(ctx); err != nil {
		return warehouse.Outcome{}, err
	}
	return i.Import.Commit(ctx)
}

// askedStore is the store of facts for an import of files.
type askedStore struct {
	ingest.Store
	may permit
}

// Begin implements [ingest.Store].
func (s askedStore) Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	into, err := s.Store.Begin(ctx, spec)
	if err != nil {
		return nil, err
	}
	return asking(into, s.may), nil
}

// personWrites asks for the role of a person.
func (a *App) personWrites(ws measure.WorkspaceID, id control.UserID) permit {
	return a.person(ws, id, control.Role.Writes)
}

// personManages asks for the role of a person who changes what cannot be had back.
func (a *App) personManages(ws measure.WorkspaceID, id control.UserID) permit {
	return a.person(ws, id, control.Role.Manages)
}

func (a *App) person(ws measure.WorkspaceID, id control.UserID, may func(control.Role) bool) permit {
	return func(ctx context.Context) error {
		all, err := a.control.Store.Memberships(ctx, id)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(m control.Membership) bool { return m.Workspace.ID == ws && may(m.Role) }) {
			return nil
		}
		return fault.Forbidden("your role in the workspace no longer allows this: nothing was changed").WithHint("ask who manages the workspace")
	}
}

// callerWrites asks for the scope of a key or grant.
func (a *App) callerWrites(p auth.Principal) permit {
	authority := auth.NewAuthority(a.control.Store, a.now)
	return func(ctx context.Context) error {
		now, err := authority.Renew(ctx, p)
		if err != nil {
			return err
		}
		if now.Has(control.ScopeWrite) {
			return nil
		}
		return fault.Forbidden("the credential ended, or no longer has the scope %s: what came after the state was not kept", control.ScopeWrite)
	}
}
