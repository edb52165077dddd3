package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"assay/internal/config"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// ExportRequest says what to export, and where to. The folder's path is absolute: the process that writes may be another one.
type ExportRequest struct {
	Workspace measure.WorkspaceID    `json:"workspace"`
	Dir       string                 `json:"dir"`
	Format    warehouse.ExportFormat `json:"format"`
}

// ExportTables writes every table of a workspace to a folder, through the service that holds the data directory or
// directly where none does. The folder must be empty, or not exist yet.
func ExportTables(ctx context.Context, c config.Config, request ExportRequest, now func() time.Time) ([]warehouse.ExportedTable, error) {
	paths, err := absolute([]string{request.Dir})
	if err != nil {
		return nil, err
	}
	request.Dir = paths[0]
	result, err := through(ctx, c, "/export", request, nil, now, func(a *App) (any, error) {
		return a.export(ctx, request)
	})
	return decoded[[]warehouse.ExportedTable](result, err)
}

func (a *App) export(ctx context.Context, request ExportRequest) ([]warehouse.ExportedTable, error) {
	if _, err := a.control.Store.Workspace(ctx, request.Workspace); err != nil {
		return nil, err
	}
	there, err := os.ReadDir(request.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(request.Dir, 0o700)
	case err == nil && len(there) > 0:
		return nil, fault.Invalid("folder %s is not empty", request.Dir).WithHint("name a new one: nothing is written over")
	}
	if err != nil {
		return nil, fault.Invalid("folder %s cannot be used: %v", request.Dir, errors.Unwrap(err))
	}
	return a.facts.Export(ctx, request.Workspace, request.Dir, request.Format)
}
