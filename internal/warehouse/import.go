package warehouse

import (
	"context"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

// ImportSpec describes one load.
type ImportSpec struct {
	Workspace measure.WorkspaceID
	Source    string         // the reader's name
	File      string         // base name, for the ledger
	FileHash  string         // SHA-256 of the file as it came, hex; "" when there is no file
	Replace   []AdWindow     // ad reports replace these windows instead of adding to them
	Latest    bool           // nothing in it is older than what the store has, whatever it looks like
	Forget    []string       // customers, as keyed hashes, whose profiles are taken away
	Unset     []Target       // goals that are taken away; their values are not looked at
	DryRun    bool           // count everything, keep nothing
	Base      money.Currency // the workspace's currency
	Zone      *time.Location // the workspace's; UTC when nil

	// Feed says that the import is one of many small ones that tell of orders whatever changed since the last, on any day,
	// as a shop's messages and a tap do. Of what feeds change on a day within an hour, its history keeps the last.
	Feed bool
}

// AdWindow is what an ad report covers completely. Its rows replace what the window held.
type AdWindow struct {
	Source   string
	Platform measure.Platform
	Account  string
	Days     civil.Range
}

// Import is one all-or-nothing load. Nothing is visible before Commit, and a process that dies before it leaves
// the store as it was. It is used by one goroutine.
//
// A row replaces the row with its key. What belongs to an order follows these rules:
//
//   - The latest version of an order counts; an older one is left out with all that came with it. Where one of two versions
//     does not say when it was updated, the one that has come further counts: cancelled, more given back, paid. If both have
//     come as far, one with a date is preferred, and of two without one the later import counts.
//
//   - When the order is in the import, the lines, refunds, coupons and touches that come with it replace all that it
//     had of their kind.
//
//   - When the order is in the import and none of a kind come with it, it keeps its lines and touches, which some
//     sources leave out. It keeps its refunds and coupons only if the import has none of that kind for any order:
//     a file that tells refunds tells all refunds of its orders.
//
//   - Refunds with a day outlast an import that tells only how much was refunded in all: of that total there is what
//     they leave. Refunds that come alone are taken off a total that is there.
//
//   - When the order is not in the import, rows are added to what it has, or replace the row with their key. So a
//     list of April's refunds leaves March's alone.
//
//   - Lines and codes from tables of their own become an order's when it is there, whichever comes first, unless it came with
//     lines or codes itself.
//
// Of an order's touches the latest twenty are kept.
type Import interface {
	// Add takes rows. The batch may be reused after it returns.
	Add(ctx context.Context, b *Batch) error
	// Replace adds windows that are known only after reading, before Commit.
	Replace(windows ...AdWindow)
	// Commit merges by natural key, rebuilds the roll-ups of the days that changed, writes the ledger and
	// makes it all visible in one step. With DryRun it returns the same counts and keeps nothing.
	Commit(ctx context.Context) (Outcome, error)
	// Abort gives everything up. It may follow Commit and does nothing then.
	Abort()
}

// Outcome counts what an import did, by fact table.
type Outcome struct {
	ID      string // of the ledger's line
	Already bool   // the same file was imported before and nothing has changed since
	Tables  map[string]Counts
	Older   int64       // orders that were left out because the store has a later version
	Waiting int64       // orders whose lines or codes came from a table of their own, and that are not there or in another currency
	Days    civil.Range // from the first to the last day that changed; zero when none did
	DaysHit int         // how many changed
	Version uint64      // the data version now
}

// Counts says what happened to the rows of one table.
type Counts struct{ Inserted, Updated, Unchanged, Removed int64 }
