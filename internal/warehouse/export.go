package warehouse

import (
	"context"

	"assay/internal/fault"
	"assay/internal/measure"
)

// ExportFormat is the file format of an export.
type ExportFormat string

// Formats of an export. CSV has a header and unchanged text. Cells that begin with "=" are not escaped.
const (
	CSV     ExportFormat = "csv"
	Parquet ExportFormat = "parquet"
)

// ExportedTable is a file of an export.
type ExportedTable struct {
	Table string `json:"table"`
	File  string `json:"file"` // base name
	Rows  int64  `json:"rows"`
}

// Exporter is an engine that can write all its tables to files.
type Exporter interface {
	// Export writes every fact table of a workspace and the import ledger to an existing directory. It writes one
	// sorted file per table from one consistent snapshot. Amounts are minor units of the workspace's currency. Instants
	// are in UTC. Customers are keyed hashes.
	Export(ctx context.Context, ws measure.WorkspaceID, dir string, format ExportFormat) ([]ExportedTable, error)
}

// Export writes every table of a workspace to a directory; see [Exporter].
func (w *Warehouse) Export(ctx context.Context, ws measure.WorkspaceID, dir string, format ExportFormat) ([]ExportedTable, error) {
	engine, ok := w.engine.(Exporter)
	if !ok {
		return nil, fault.NotReady("this fact store does not support export")
	}
	return engine.Export(ctx, ws, dir, format)
}
