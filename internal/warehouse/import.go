package warehouse

import (
	"context"
	"errors"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

// ImportSpec describes one import.
type ImportSpec struct {
	Workspace measure.WorkspaceID
	Source    string         // the reader's name
	File      string         // base name of the file, for the ledger
	FileHash  string         // SHA-256 of the received file, hex; "" without a file
	Replace   []AdWindow     // rows of ad reports replace these windows
	Latest    bool           // treat all rows as the latest version, regardless of their dates
	Forget    []string       // customers, as keyed hashes; their profiles are deleted
	Unset     []Target       // targets to remove; their values are ignored
	DryRun    bool           // compute the counts, but store nothing
	Base      money.Currency // the workspace's currency
	Zone      *time.Location // the workspace's time zone; nil: UTC

	// Feed marks one of many small imports, such as webhook messages and Singer taps. A feed's import contains the
	// orders that changed since the previous import, on any day. The history stores one version per day and hour for
	// feeds.
	Feed bool
}

// Names of feeds in the import ledger.
const (
	WebhooksFile = "webhooks"                   // messages of webhooks
	TapRunFile   = "singer: orders, end of run" // the last step of orders of a Singer tap's run, possibly without rows
)

// AdWindow is a period that an ad report covers completely. Its rows replace the stored rows of the window.
type AdWindow struct {
	Source   string
	Platform measure.Platform
	Account  string
	Days     civil.Range
}

// UnnamedAccount is the account of ad reports that do not name their account.
const UnnamedAccount = "default"

// SharedSpend is a period with the same campaigns in an account of the import and in a stored account. One of the two
// accounts is [UnnamedAccount], so both may be the same ad account. The spend of that ad account is then counted twice.
type SharedSpend struct {
	Account string // account in the import
	Stored  string // stored account with the same campaigns
	Days    civil.Range
}

// ErrUnknownOutcome means that a commit was interrupted and that the import may be stored nevertheless. A repeated
// import stores no row twice.
var ErrUnknownOutcome = errors.New("the import may be stored")

// Import is one atomic import. Nothing is visible before Commit. A process killed before Commit leaves the store
// unchanged. Only one goroutine may use an import.
//
// A row replaces the row with its key. These rules apply to rows that belong to an order:
//
//   - The latest version of an order is used; an older version is dropped with its rows. If one of two versions has no
//     update time, the version with more progress is used. A canceled version has the most progress, then a version
//     with more refunds, then a paid version. With equal progress, a version with an update time is preferred. Between
//     two versions without an update time, the later import is used.
//   - If the order is in the import, its lines, refunds, coupons and touchpoints in the import replace all stored rows
//     of that kind.
//   - If the order is in the import and has no rows of a kind, it keeps its lines and touchpoints, which some sources
//     omit. It keeps its refunds and coupons only if the import has none of that kind for any order, because a file
//     with refunds contains all refunds of its orders.
//   - If an import contains only the refunded total of the order, stored refunds with a day remain, and the total is
//     reduced by them. Refunds that are imported without their order are subtracted from a stored total.
//   - If the order is not in the import, rows are added to its stored ones, or replace the row with their key. A list
//     of April's refunds therefore does not change the refunds of March.
//   - Lines and codes from separate tables become part of their order when the order is in the store, regardless of the
//     sequence of imports. If the order's import contains lines or codes, these are used instead.
//
// The store keeps the latest twenty touchpoints of an order.
type Import interface {
	// Add adds rows. The caller may reuse the batch after Add returns.
	Add(ctx context.Context, b *Batch) error
	// Replace adds windows to replace that become known during reading. Call it before Commit.
	Replace(windows ...AdWindow)
	// Commit merges rows by natural key, rebuilds the roll-ups of changed days, writes the import ledger and makes all
	// changes visible, in one transaction. With DryRun, Commit returns the same counts and stores nothing. After an
	// error that is [ErrUnknownOutcome], the changes may still become visible. After other errors, nothing is stored.
	Commit(ctx context.Context) (Outcome, error)
	// Abort discards the import. After Commit it does nothing.
	Abort()
}

// Outcome is the result of an import.
type Outcome struct {
	ID      string // ID of the entry in the import ledger
	Already bool   // the same file was imported before, and the file's data are still current
	Tables  map[string]Counts
	Older   int64 // orders dropped because the store has a later version
	Waiting int64 // number of orders that are missing, or in another currency than their separate lines or codes
	Shared  []SharedSpend
	Days    civil.Range // from the first to the last changed day; zero if none changed
	DaysHit int         // number of changed days
	Version uint64      // current data version
}

// Counts are the numbers of inserted, updated, unchanged and removed rows of a table.
type Counts struct{ Inserted, Updated, Unchanged, Removed int64 }
