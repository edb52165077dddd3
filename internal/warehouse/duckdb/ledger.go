package duckdb

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"assay/internal/civil"
	"assay/internal/warehouse"
)

// record writes the import's ledger entry and returns its ID.
func (l *load) record(ctx context.Context, out warehouse.Outcome) (id string, err error) {
	number, err := l.count(ctx, "SELECT coalesce(max(id), 0) + 1 FROM {{imports}}")
	if err != nil {
		return "", err
	}
	at, zone := l.engine.options.Clock(), l.spec.Zone
	if zone == nil {
		zone = time.UTC
	}
	err = l.exec(ctx, "INSERT INTO {{imports}} VALUES ($1, $2, $3, $4, make_timestamp($5), CAST($6 AS DATE), CAST($7 AS DATE), $8, CAST($9 AS DATE), $10)",
		number, l.spec.Source, l.spec.File, l.spec.FileHash, at.UnixMicro(),
		orNull(out.Days.First.String()), orNull(out.Days.Last.String()), int64(out.Version), civil.DayOf(at, zone).String(), l.spec.Feed)
	if err != nil {
		return "", err
	}
	for _, table := range slices.Sorted(maps.Keys(out.Tables)) {
		c := out.Tables[table]
		err := l.exec(ctx, "INSERT INTO {{import_tables}} VALUES ($1, $2, $3, $4, $5, $6)",
			number, table, c.Inserted, c.Updated, c.Unchanged, c.Removed)
		if err != nil {
			return "", err
		}
	}
	if err := l.exec(ctx, "UPDATE {{data_version}} SET version = $1", int64(out.Version)); err != nil {
		return "", err
	}
	return strconv.FormatInt(number, 10), l.exec(ctx, outdatePlans)
}

// outdatePlans makes cached statements be planned again after the transaction. DuckDB keeps a plan until the catalog
// changes, but plans assume properties of the data, such as no NULL or no day after the last one, which imports
// change.
const outdatePlans = "COMMENT ON TABLE {{data_version}} IS 'Changed with every import, which outdates what was planned before'"

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
