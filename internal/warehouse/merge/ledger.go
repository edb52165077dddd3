package merge

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"assay/internal/civil"
	"assay/internal/warehouse"
)

// record writes the import's ledger entry and the data version, and returns the entry's ID.
func (p *plan) record(ctx context.Context, out warehouse.Outcome) (id string, err error) {
	var number int64
	if err := p.one(ctx, "sql/next_import", nil, &number); err != nil {
		return "", err
	}
	at := p.clock()
	_, err = p.change(ctx, "sql/record_import", nil, number, p.spec.Source, p.spec.File, p.spec.FileHash, at.UnixMicro(),
		orNull(out.Days.First.String()), orNull(out.Days.Last.String()), int64(out.Version), p.dayOf(at), p.spec.Feed)
	if err != nil {
		return "", err
	}
	for _, table := range slices.Sorted(maps.Keys(out.Tables)) {
		c := out.Tables[table]
		_, err := p.change(ctx, "sql/record_table", nil, number, table, c.Inserted, c.Updated, c.Unchanged, c.Removed)
		if err != nil {
			return "", err
		}
	}
	if _, err := p.change(ctx, "sql/record_version", nil, int64(out.Version)); err != nil {
		return "", err
	}
	return strconv.FormatInt(number, 10), p.run(ctx, "sql/outdate_plans", nil)
}

// firstOfDay reports whether the ledger has no import of the same source and file name on this day.
func (p *plan) firstOfDay(ctx context.Context) (bool, error) {
	n, err := p.change(ctx, "sql/first_of_day", nil, p.spec.Source, p.spec.File, p.dayOf(p.clock()))
	return n > 0, err
}

// dayOf returns the day of an instant in the workspace's time zone.
func (p *plan) dayOf(at time.Time) string {
	zone := p.spec.Zone
	if zone == nil {
		zone = time.UTC
	}
	return civil.DayOf(at, zone).String()
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
