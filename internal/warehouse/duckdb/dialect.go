package duckdb

import "assay/internal/measure"

// Dialect renders questions for DuckDB.
type Dialect struct{}

// Name returns "duckdb".
func (Dialect) Name() string { return "duckdb" }

// Table returns the table's name qualified with the catalog of the workspace's file.
func (Dialect) Table(ws measure.WorkspaceID, table string) string {
	return identifier(catalog(ws)) + ".main." + identifier(table)
}

// catalog is the catalog name of a workspace's file. The prefix distinguishes it from DuckDB's own catalogs, such as
// memory and temp.
func catalog(ws measure.WorkspaceID) string { return "ws_" + string(ws) }
