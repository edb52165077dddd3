package warehouse

import (
	"context"

	"assay/internal/fault"
	"assay/internal/measure"
)

// ExportFormat is how tables are written.
type ExportFormat string

// The formats. CSV has a header, and keeps text as it is: cells that begin with "=" are not defused.
const (
	CSV     ExportFormat = "csv"
	Parquet ExportFormat = "parquet"
)

// ExportedTable is a table that was written.
type ExportedTable struct {
	Table string `json:"table"`
	File  string `json:"file"` // base name
	Rows  int64  `json:"rows"`
}

// Exporter is an engine that can write all its tables to files.
type Exporter interface {
	// Export writes every fact table of a workspace and the ledger of imports to a folder that exists, a file each,
	// sorted and as of one moment. Amounts are minor units of the workspace's currency, instants are UTC, customers are
	// keyed hashes.
	Export(ctx context.Context, ws measure.WorkspaceID, dir string, format ExportFormat) ([]ExportedTable, error)
}

// Export writes every table of a workspace to a folder; see [Exporter].
func (w *Warehouse) Export(ctx context.Context, ws measure.WorkspaceID, dir string, format ExportFormat) ([]ExportedTable, error) {
	engine, ok := w.engine.(Exporter)
	if !ok {
		return nil, fault.NotReady("this store of facts writes no files")
	}
	return engine.Export(ctx, ws, dir, format)
}
