package duckdb

import "assay/internal/measure"

// Dialect renders questions for DuckDB.
type Dialect struct{}

// Name returns "duckdb".
func (Dialect) Name() string { return "duckdb" }

// Table returns the table's name with the catalog under which the workspace's file is attached.
func (Dialect) Table(ws measure.WorkspaceID, table string) string {
	return identifier(catalog(ws)) + ".main." + identifier(table)
}

// catalog is the name under which a workspace's file is attached. The prefix keeps it apart from DuckDB's own
// catalogs, such as memory and temp.
func catalog(ws measure.WorkspaceID) string { return "ws_" + string(ws) }
