package main

import (
	"context"
	"database/sql"
	"fmt"

	"assay/internal/civil"
)

// statement is the fastest SQL found for the answer of the `performance` tool. It reads each roll-up once, and only the
// columns of the answer. It returns one row per channel and window for the attributed totals and one for the spend.
const statement = `
SELECT channel, day >= CAST($2 AS DATE) AS recent, CAST(sum(orders) AS BIGINT), CAST(sum(charged) AS BIGINT),
    CAST(sum(refunds) AS BIGINT), CAST(sum(undated) AS BIGINT), 0, 0
FROM credit_days
WHERE model = 'last_touch' AND day BETWEEN CAST($1 AS DATE) AND CAST($3 AS DATE)
GROUP BY ALL
UNION ALL
SELECT channel, day >= CAST($2 AS DATE), 0, 0, 0, 0, CAST(sum(spend) AS BIGINT), count(*)
FROM spend_days
WHERE day BETWEEN CAST($1 AS DATE) AND CAST($3 AS DATE)
GROUP BY ALL`

// channelFigures is a row of the statement.
type channelFigures struct {
	channel                                           string
	recent                                            bool
	orders, charged, refunds, undated, spend, reports int64
}

// queryer sends the statement with its arguments.
type queryer func(ctx context.Context, args ...any) (*sql.Rows, error)

// ask runs the statement for a window and for the previous window of equal length.
func ask(ctx context.Context, query queryer, window civil.Range) ([]channelFigures, error) {
	rows, err := query(ctx, window.Previous().First.String(), window.First.String(), window.Last.String())
	if err != nil {
		return nil, fmt.Errorf("hand-written SQL: %w", err)
	}
	defer rows.Close()
	var found []channelFigures
	for rows.Next() {
		var f channelFigures
		if err := rows.Scan(&f.channel, &f.recent, &f.orders, &f.charged, &f.refunds, &f.undated, &f.spend, &f.reports); err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	return found, rows.Err()
}
