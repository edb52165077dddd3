package warehouse

import (
	"context"
	"maps"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Snapshotter is an engine that can copy all facts of a workspace to one file while imports and queries run.
type Snapshotter interface {
	// State identifies the contents of a snapshot taken now. A workspace without facts has the zero state.
	State(ctx context.Context, ws measure.WorkspaceID) (SnapshotState, error)
	// Snapshot writes the committed facts to a new file in an existing directory. It blocks neither imports nor
	// queries. The snapshot excludes imports that are not committed when Snapshot begins. When Snapshot returns, the
	// file is on disk.
	Snapshot(ctx context.Context, ws measure.WorkspaceID, dir string) (Snapshot, error)
}

// SnapshotState identifies the content of a workspace's facts. The data version alone is not sufficient: an import that
// changes no figure may leave it unchanged, but adds an entry to the import ledger.
type SnapshotState struct {
	Version uint64 `json:"data_version"`
	Imports int64  `json:"imports"`
	Schema  int64  `json:"schema"`
}

// Snapshot describes a copy of a workspace's facts.
type Snapshot struct {
	Path   string // path of the file
	State  SnapshotState
	Tables []TableTotals // sorted by name
}

// TableTotals contains the totals of a table, for comparing a copy with its original.
type TableTotals struct {
	Table string            `json:"table"`
	Rows  int64             `json:"rows"`
	Sums  map[string]string `json:"sums,omitempty"` // sums of columns with whole numbers, such as amounts in minor units
	Days  string            `json:"days,omitempty"` // SHA-256 of the rows and sums of each day
}

// Equal reports whether two tables have the same totals.
func (t TableTotals) Equal(o TableTotals) bool {
	return t.Table == o.Table && t.Rows == o.Rows && t.Days == o.Days && maps.Equal(t.Sums, o.Sums)
}

// EqualTotals reports whether two lists of tables have the same totals.
func EqualTotals(a, b []TableTotals) bool { return slices.EqualFunc(a, b, TableTotals.Equal) }

// Snapshots returns the engine's snapshots. If the engine does not support snapshots, it returns a fault of kind
// not_ready.
func (w *Warehouse) Snapshots() (Snapshotter, error) {
	engine, ok := w.engine.(Snapshotter)
	if !ok {
		return nil, fault.NotReady("this fact store does not support backups")
	}
	return engine, nil
}
