// Package warehouse stores facts and answers a fixed set of typed queries about them.
//
// The SQL of each query is a file in sql. An [Engine] runs the query. A [Dialect] renders the few differences between
// engines. The database computes row counts and totals. Package measure computes statistics.
package warehouse

import (
	"context"
	"database/sql"
	"sync"

	"assay/internal/measure"
)

// Engine is a database for facts. Each database product has its own package. An engine runs statements and imports of
// workspaces and does not interpret queries.
type Engine interface {
	Dialect() Dialect
	// Select runs a statement that reads one workspace and calls the function each for every row. A workspace without
	// facts has empty tables. The error is of kind unavailable if the engine is busy until the deadline, locked by
	// another process or broken.
	Select(ctx context.Context, ws measure.WorkspaceID, s Statement, each func(Row) error) error
	// Begin starts an import; see [Warehouse.Begin].
	Begin(ctx context.Context, spec ImportSpec) (Import, error)
	// Version returns the data version of a workspace; see [Warehouse.Version].
	Version(ctx context.Context, ws measure.WorkspaceID) (uint64, error)
}

// Settler is an engine with imports that a late commit of another process may still replace.
type Settler interface {
	// Settle makes the visible imports of a workspace permanent, or removes those that are not valid.
	Settle(ctx context.Context, ws measure.WorkspaceID) error
}

// Dialect contains the differences between engines.
type Dialect interface {
	// Name returns the engine's name. The file x.NAME.sql replaces x.sql if it exists.
	Name() string
	// Table returns the full name of a workspace's table, quoted for use in a statement.
	Table(ws measure.WorkspaceID, table string) string
}

// Statement is a rendered query with its bound parameters.
type Statement struct {
	Name string // the query's name, for logs
	Text string
	Args []sql.NamedArg
	// Heavy is true for a statement that reads facts instead of roll-ups. Its text has the line "-- heavy: …". Heavy
	// statements run one at a time.
	Heavy bool
}

// Row is one row of a result. It is scanned once.
type Row interface{ Scan(dest ...any) error }

// Warehouse answers queries about the facts of workspaces. Every query has the deadline of its context, reads one
// workspace and returns rows as structs. The caller computes ratios, windows and scores. The queries are methods of the
// embedded types, which group them by subject.
type Warehouse struct {
	*asker
	salesQuestions
	customerQuestions
	campaignQuestions
	coverageQuestions
	historyQuestions
	forgotten Forgotten // nil: there are no forgotten customers
}

type (
	salesQuestions    struct{ *asker } // totals and days of the store, channels, regions, products and coupons
	customerQuestions struct{ *asker } // segments, cohorts, conversion paths, survey answers and creators
	campaignQuestions struct{ *asker } // campaigns, ads and messages
	coverageQuestions struct{ *asker } // available data by source and channel
	historyQuestions  struct{ *asker } // imports and previous totals of days
)

// asker runs named queries on an engine.
type asker struct {
	engine    Engine
	questions sync.Map // *question by name, parsed on first use
}

// New returns a warehouse on the engine.
func New(engine Engine) *Warehouse {
	a := &asker{engine: engine}
	return &Warehouse{
		asker: a, salesQuestions: salesQuestions{a}, customerQuestions: customerQuestions{a},
		campaignQuestions: campaignQuestions{a}, coverageQuestions: coverageQuestions{a},
		historyQuestions: historyQuestions{a},
	}
}

// Version returns the workspace's data version. Each import that changes data increases it by one. The first import of
// a source and file name on a day also increases it, because the days of imports show which days are complete. A new
// workspace starts with 0, so a deleted workspace and its replacement may have equal versions. Cache keys therefore
// also contain the workspace's creation time. The error is of kind unavailable if the workspace's facts are unreadable.
func (a *asker) Version(ctx context.Context, ws measure.WorkspaceID) (uint64, error) {
	return a.engine.Version(ctx, ws)
}
