package duckdb

import "assay/internal/measure"

// Dialect renders queries and merges for DuckDB.
type Dialect struct{}

// Name returns "duckdb".
func (Dialect) Name() string { return "duckdb" }

// Table returns the table's name, qualified with the catalog of the workspace's file.
func (Dialect) Table(ws measure.WorkspaceID, table string) string {
	return identifier(catalog(ws)) + ".main." + identifier(table)
}

// Month returns the first day of a day's month.
func (Dialect) Month(day string) string { return "CAST(date_trunc('month', " + day + ") AS DATE)" }

// EachDay returns a relation with one row per day of a period.
func (Dialect) EachDay(first, last string) string {
	return "CAST(unnest(generate_series(" + first + ", " + last + ", INTERVAL 1 DAY)) AS DATE)"
}

// Seconds returns an instant as seconds since 1970.
func (Dialect) Seconds(instant string) string { return "epoch(" + instant + ")" }

// Instant converts a number of microseconds since 1970 to an instant.
func (Dialect) Instant(micros string) string { return "make_timestamp(" + micros + ")" }

// Fingerprint returns a number of 60 bits derived from a text.
func (Dialect) Fingerprint(text string) string {
	return "CAST(md5_number_lower(" + text + ") // 16 AS BIGINT)"
}

// Variable returns the value of a variable that was set with SET VARIABLE.
func (Dialect) Variable(name string) string { return "getvariable('" + name + "')" }

// catalog returns the catalog name of a workspace's file. The prefix distinguishes the name from DuckDB's own catalogs,
// such as memory and temp.
func catalog(ws measure.WorkspaceID) string { return "ws_" + string(ws) }
