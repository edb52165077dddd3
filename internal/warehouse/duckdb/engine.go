// Package duckdb is the embedded engine of the warehouse: one database file per workspace, attached when it is
// first asked for to a single in-memory instance.
//
// A file of its own for each workspace makes isolation, deletion, backup and moving operations on files, and no
// statement can forget to filter by workspace. Names are always qualified; the instance has no current database.
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
)

// Options are the settings of an engine. The zero value of a field means what its comment says.
type Options struct {
	Dir         string           // where the files are; made when it is missing
	Log         *slog.Logger     // slog.DiscardHandler's when nil
	Clock       func() time.Time // stamps the import ledger; required
	MemoryLimit string           // of the instance, in DuckDB's notation, such as "4GB"; empty: 80 % of the machine's
	Threads     int              // 0: one per core
	SpillLimit  string           // of the files that hold what exceeds the memory, such as "50GB"; empty: 90 % of the disk
	Deadline    time.Duration    // of one question; 0: 10 seconds
	MaxRows     int              // of one answer; 0: 500,000
	MaxAttached int              // workspaces kept open; 0: 1,000

	// Files remembers which workspaces have a file. nil: nothing does, and every missing file is made.
	Files Files
}

// Files remembers, apart from the files, which workspaces have one. A missing file is then an error and not an empty store.
type Files interface {
	// MayMake reports why the missing file of a workspace may not be made: the workspace was deleted, or its file was lost.
	MayMake(ctx context.Context, ws measure.WorkspaceID) error
	// Opened notes that the workspace has a file. It is called each time a file is opened, before anything is imported.
	Opened(ctx context.Context, ws measure.WorkspaceID) error
	// Dropping notes that the workspace has no file. It is called before the file is deleted.
	Dropping(ctx context.Context, ws measure.WorkspaceID) error
}

// forgetful is a [Files] that remembers nothing.
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
	if o.Deadline <= 0 {
		o.Deadline = 10 * time.Second
	}
	if o.MaxRows <= 0 {
		o.MaxRows = 500_000
	}
	if o.MaxAttached <= 0 {
		o.MaxAttached = 1000
	}
	return o
}

// Engine keeps facts in DuckDB files. It is safe for concurrent use.
type Engine struct {
	options Options
	lanes   lanes
	feeds   *feeds

	panelSize int // how many customers a panel holds

	mu       sync.Mutex // guards what follows
	instance *instance
	moving   map[string]bool               // workspaces whose files are being opened or closed, by file name
	uses     uint64                        // counts acquisitions, to tell which workspace was unused longest
	writers  map[string]chan struct{}      // the import lane of each workspace, by file name
	released chan struct{}                 // closed and replaced whenever a workspace or an instance is let go
	failed   map[measure.WorkspaceID]error // whose files could not be opened when somebody last tried
	closed   bool
}

// Open starts an engine on a directory. No file is opened before its workspace is asked for. A directory that
// cannot be written is an error of kind misconfigured.
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
		options: options, lanes: newLanes(options.Threads), feeds: &feeds{}, panelSize: panelSize,
		moving: map[string]bool{}, failed: map[measure.WorkspaceID]error{}, writers: map[string]chan struct{}{}, released: make(chan struct{}),
	}
	e.instance, err = e.start(ctx)
	return e, err
}

// Close waits for running questions and imports until ctx ends, then closes all files.
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

// Dialect returns DuckDB's.
func (e *Engine) Dialect() warehouse.Dialect { return Dialect{} }

// instance is one in-memory DuckDB with the workspaces that are attached to it.
type instance struct {
	db       *sql.DB
	attached map[string]*workspace
	users    int  // questions, imports and backups under way, and files that are being opened or closed
	broken   bool // a fatal error made it unusable
}

// start opens an instance that can reach nothing but the engine's directory.
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
		fmt.Sprintf("SET threads = %d", e.options.Threads),
		// Answers are ordered by their statements; without this an import could not use all cores.
		"SET preserve_insertion_order = false",
		// Its Bloom filters may be probed before they are built, which ends the process (docs/decisions/0009). Without them, reading
		// the columns of a few rows late reads the whole table.
		"SET disabled_optimizers = 'join_filter_pushdown,late_materialization'",
		"SET TimeZone = 'UTC'",
		// Memory that it has freed goes back to the system seconds later, and not when it next allocates.
		"SET allocator_background_threads = true",
		// How much a file's log of imports holds before it is worked into the file. Each time the last rows of every table that
		// changed are packed anew, which at DuckDB's own 16 MB was half of what making small imports last took.
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

// quoted writes a text of ours as an SQL literal, where a statement takes no parameter.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// identifier quotes a name.
func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
