// Package merge merges the rows of an import into the facts and updates the roll-ups, on any engine.
//
// The plan is Go code. The statements are files in the folders sql and rollups; a [Dialect] renders them. An engine
// provides a [Session], which runs statements in one transaction and appends rows in bulk.
package merge

import (
	"context"
	"time"

	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// Session is a transaction of an engine on one workspace. Temporary tables belong to the session. Only one goroutine at
// a time may use it.
type Session interface {
	// Run executes statements without parameters.
	Run(ctx context.Context, text string) error
	// Change executes one statement with the parameters $1, $2, … and returns the number of changed rows.
	Change(ctx context.Context, text string, args ...any) (int64, error)
	// Read runs a statement and calls the function each for every row.
	Read(ctx context.Context, text string, each func(warehouse.Row) error) error
	// Append writes rows to a table and matches columns by name. With inOrder, it keeps the order of the rows.
	Append(ctx context.Context, table string, rows facts.Rows, inOrder bool) error
	// Commit makes the changes visible even if the caller has canceled. A commit that stops on cancellation could make
	// facts visible without a known data version.
	Commit(ctx context.Context) error
	// Close ends the session and discards changes that were not committed.
	Close()
}

// Options contains the parts of an engine that an import needs.
type Options struct {
	Session   Session
	Dialect   Dialect
	Spec      warehouse.ImportSpec
	Clock     func() time.Time
	BlockRows int    // number of rows that are appended together
	InTurn    bool   // the caller waits until its rows are written, so an import uses one core
	PanelSize int    // maximum number of customers in the panel
	Version   uint64 // data version before the import

	Explain   func(ctx context.Context, err error) error // adds the kind to an error of the session
	Committed func(version uint64)                       // receives the data version after the import
	Ended     func()                                     // called when the session is closed
}

// Import is an import in progress; see [warehouse.Import].
type Import struct {
	*plan
	explain   func(context.Context, error) error
	committed func(uint64)
	ended     func()
	over      bool

	inTurn  bool
	turn    chan struct{} // signals that a block was written
	blocks  chan block
	written chan struct{} // closed when the writer has ended
	failure failure
}

// plan merges the rows of an import into the facts and the roll-ups.
type plan struct {
	session   Session
	texts     texts
	spec      warehouse.ImportSpec
	clock     func() time.Time
	panelSize int
	version   uint64

	buffers *facts.Buffers
	all     []*part // parts of all tables
	parts   []*part // tables with rows, in the order of merging
	windows []warehouse.AdWindow
	fresh   bool // the store had no orders at the start of the import

	counts  map[string]warehouse.Counts
	shared  []warehouse.SharedSpend
	stale   int64 // number of orders dropped because the store has a later version
	waiting int64 // number of orders with unusable parts in separate tables; see countWaiting
}

// These types are parts of the plan. Each part has its own tables.
type (
	identities    struct{ *plan } // merges customers that ties connect
	reportWindows struct{ *plan } // replaces the stored rows of the days of ad reports
	landedParts   struct{ *plan } // adds lines and codes from separate tables
	rollup        struct{ *plan } // rebuilds tables that are derived from facts
	dayHistory    struct{ *plan } // stores the previous totals of changed days
)

// part contains an import's rows of one table.
type part struct {
	*facts.Table
	*facts.Course
	opened bool
	direct bool   // rows go directly into the empty table
	target string // table that rows are written to
	rows   int64
}

// stage returns the name of the temporary table with a table's imported rows.
func stage(t *facts.Table) string { return "stage_" + t.Name }

// from returns the relation with the imported rows.
func (p *plan) from(of *part) string {
	if of.direct {
		return p.texts.table(of.Name)
	}
	return stage(of.Table)
}

// of returns the part of a table.
func (p *plan) of(t *facts.Table) *part {
	for _, known := range p.all {
		if known.Table == t {
			return known
		}
	}
	panic("merge: no rows of " + t.Name)
}

// run executes an SQL text.
func (p *plan) run(ctx context.Context, name string, values args) error {
	text, err := p.texts.render(name, values)
	if err != nil {
		return err
	}
	return p.session.Run(ctx, text)
}

// runEach executes texts with the same parameters.
func (p *plan) runEach(ctx context.Context, values args, names ...string) error {
	for _, name := range names {
		if err := p.run(ctx, name, values); err != nil {
			return err
		}
	}
	return nil
}

// change renders an SQL text, executes it with bound parameters and returns the number of changed rows.
func (p *plan) change(ctx context.Context, name string, values args, bound ...any) (int64, error) {
	text, err := p.texts.render(name, values)
	if err != nil {
		return 0, err
	}
	return p.session.Change(ctx, text, bound...)
}

// each runs a query and calls scan for every row.
func (p *plan) each(ctx context.Context, name string, values args, scan func(warehouse.Row) error) error {
	text, err := p.texts.render(name, values)
	if err != nil {
		return err
	}
	return p.session.Read(ctx, text, scan)
}

// one runs a query that returns one row.
func (p *plan) one(ctx context.Context, name string, values args, dest ...any) error {
	return p.each(ctx, name, values, func(row warehouse.Row) error { return row.Scan(dest...) })
}

// count returns the number of rows of a relation.
func (p *plan) count(ctx context.Context, from string) (n int64, err error) {
	err = p.one(ctx, "sql/count", args{"from": from}, &n)
	return n, err
}

// any reports whether one of the workspace's tables has rows.
func (p *plan) any(ctx context.Context, table string) (bool, error) {
	var n int64
	err := p.one(ctx, "sql/any", args{"from": p.texts.table(table)}, &n)
	return n > 0, err
}

// levels lists the levels of ad accounts.
var levels = []measure.AdLevel{measure.AdCampaign, measure.AdSet, measure.AdItself}
