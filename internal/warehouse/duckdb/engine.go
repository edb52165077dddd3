// Package duckdb is the embedded engine of the warehouse. Each workspace has one database file, which is attached on
// first use to a single in-memory instance.
//
// With a file per workspace, isolation, deletion, backup and moving are file operations. No statement can return rows
// of another workspace. Names in statements are always qualified with the database, because the instance has no current
// database.
package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/merge"
)

// Options are the settings of an engine. The comments state the meaning of zero values.
type Options struct {
	Dir   string           // directory of the files; created if missing
	Log   *slog.Logger     // nil: no logging
	Clock func() time.Time // clock for timestamps of the import ledger; required
	// MemoryLimit is the memory limit of the instance in DuckDB's notation, such as "4GB". If it is empty, the limit is
	// 80% of the machine's memory.
	MemoryLimit string
	Threads     int // 0: one per core
	// ImportThreads limits the number of threads of one import. 0 means the value of Threads. DuckDB has one number of
	// threads for all connections, so the limit also applies to each query. Several queries can still run at the same
	// time, on different threads.
	ImportThreads int
	SpillLimit    string        // maximum size of temporary files on disk, such as "50GB"; empty: 90% of the disk
	Deadline      time.Duration // time limit of a query; 0: 10 seconds
	MaxRows       int           // row limit of a result; 0: 500,000
	MaxAttached   int           // maximum number of workspaces with open files; 0: 64

	// Files records the workspaces with a file. If it is nil, the engine creates every missing file.
	Files Files

	// Publish stores the changes of each import elsewhere before they are committed. If it is nil, the files are the
	// only store.
	Publish Publisher
}

// Files records, outside of the files, which workspaces have a file. With this record, the engine detects a missing
// file and reports an error.
type Files interface {
	// MayMake returns an error if the missing file of a workspace must not be created, because the workspace was
	// deleted or its file was lost.
	MayMake(ctx context.Context, ws measure.WorkspaceID) error
	// Opened records that the workspace has a file. The engine calls it before an import, each time it opens a file.
	Opened(ctx context.Context, ws measure.WorkspaceID) error
	// Dropping records that the workspace has no file. The engine calls Dropping before it deletes the file.
	Dropping(ctx context.Context, ws measure.WorkspaceID) error
}

// forgetful is a [Files] that records nothing.
type forgetful struct{}

func (forgetful) MayMake(context.Context, measure.WorkspaceID) error  { return nil }
func (forgetful) Opened(context.Context, measure.WorkspaceID) error   { return nil }
func (forgetful) Dropping(context.Context, measure.WorkspaceID) error { return nil }

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Files == nil {
		o.Files = forgetful{}
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.ImportThreads <= 0 || o.ImportThreads > o.Threads {
		o.ImportThreads = o.Threads
	}
	if o.Deadline <= 0 {
		o.Deadline = 10 * time.Second
	}
	if o.MaxRows <= 0 {
		o.MaxRows = 500_000
	}
	if o.MaxAttached <= 0 {
		o.MaxAttached = 64
	}
	return o
}

// Engine stores facts in DuckDB files. It is safe for concurrent use.
type Engine struct {
	options Options
	pools   queryPools
	feeds   *feeds

	panelSize int              // maximum number of customers in a panel
	now       func() time.Time // clock for times of use

	mu       sync.Mutex // guards the fields below
	instance *instance
	moving   map[string]bool                // files that are being opened or closed, by file name
	uses     uint64                         // number of acquisitions, to find the least recently used workspace
	writers  map[string]chan struct{}       // import lock of each workspace, by file name
	released chan struct{}                  // closed and replaced when a workspace or an instance is released
	failed   map[measure.WorkspaceID]error  // errors of files that failed to open at the last attempt
	detached map[measure.WorkspaceID]uint64 // data versions of workspaces that are no longer attached
	closed   bool
}

// Open starts an engine on a directory. It opens files on first use. A directory without write permission is a fault of
// kind misconfigured.
func Open(ctx context.Context, options Options) (*Engine, error) {
	options = options.withDefaults()
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return nil, fmt.Errorf("data directory %q: %w", options.Dir, err)
	}
	options.Dir = dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unusable(dir, err)
	}
	if err := removeStaged(dir); err != nil {
		return nil, unusable(dir, err)
	}
	e := &Engine{
		options: options, pools: newQueryPools(options.Threads), feeds: &feeds{}, panelSize: merge.PanelSize,
		now:    time.Now, //nolint:forbidigo // times of use are compared with each other only
		moving: map[string]bool{}, failed: map[measure.WorkspaceID]error{},
		detached: map[measure.WorkspaceID]uint64{}, writers: map[string]chan struct{}{}, released: make(chan struct{}),
	}
	e.instance, err = e.start(ctx)
	return e, err
}

// Close waits for running queries and imports until ctx ends, then closes all files.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for e.instance != nil && e.instance.users > 0 {
		if err := e.awaitRelease(ctx); err != nil {
			return fmt.Errorf("%d users of the store still run: %w", e.instance.users, err)
		}
	}
	if e.instance == nil {
		return nil
	}
	err := e.instance.db.Close()
	e.instance = nil
	return err
}

// Dialect returns DuckDB's dialect.
func (e *Engine) Dialect() warehouse.Dialect { return Dialect{} }

// instance is an in-memory DuckDB with its attached workspaces.
type instance struct {
	db       *sql.DB
	attached map[string]*workspace
	users    int  // running queries, imports, backups, and files being opened or closed
	broken   bool // a fatal error made the instance unusable
}

// start opens an instance that can access only the engine's directory.
func (e *Engine) start(ctx context.Context) (*instance, error) {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("start of the fact store: %w", err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(2*e.options.Threads + 2)
	if err := e.configure(ctx, db); err != nil {
		return nil, fmt.Errorf("settings of the fact store: %w", err)
	}
	return &instance{db: db, attached: map[string]*workspace{}}, nil
}

func (e *Engine) configure(ctx context.Context, db *sql.DB) error {
	spill := filepath.Join(e.options.Dir, "spill")
	if err := os.RemoveAll(spill); err != nil {
		return unusable(spill, err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	settings := []string{
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		fmt.Sprintf("SET threads = %d", e.options.ImportThreads),
		// Statements sort their results, so insertion order is not needed. Without insertion order, an import uses all
		// cores.
		"SET preserve_insertion_order = false",
		// DuckDB may probe its Bloom filters before they are built, which crashes the process (docs/decisions/0009).
		// Without Bloom filters, late materialization would read the whole table for a few rows.
		"SET disabled_optimizers = 'join_filter_pushdown,late_materialization'",
		"SET TimeZone = 'UTC'",
		// Return freed memory to the system within seconds, not at the next allocation.
		"SET allocator_background_threads = true",
		// DuckDB writes a checkpoint when a file's write-ahead log has this size. Each checkpoint compresses the last
		// rows of every changed table again. With DuckDB's default of 16 MB, checkpoints are half of the cost of small
		// imports.
		"SET checkpoint_threshold = '64MB'",
		"SET temp_directory = " + quoted(spill),
		"SET allowed_directories = [" + quoted(e.options.Dir) + "]",
	}
	if e.options.MemoryLimit != "" {
		settings = append(settings, "SET memory_limit = "+quoted(e.options.MemoryLimit))
	}
	if e.options.SpillLimit != "" {
		settings = append(settings, "SET max_temp_directory_size = "+quoted(e.options.SpillLimit))
	}
	settings = append(settings, "SET enable_external_access = false", "SET lock_configuration = true")
	for _, setting := range settings {
		if _, err := conn.ExecContext(ctx, setting); err != nil {
			return fmt.Errorf("%s: %w", setting, err)
		}
	}
	return e.feeds.register(conn)
}

// quoted returns a text as an SQL string literal, for statements that accept no parameters.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// identifier quotes a name.
func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
