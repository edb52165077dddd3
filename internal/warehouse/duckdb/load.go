package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"sync/atomic"

	"assay/internal/fault"
	"assay/internal/panics"
	"assay/internal/warehouse"
)

// load is one import. Rows are collected in blocks. A goroutine writes full blocks to the database while the caller
// continues reading. All of it is one transaction on one connection, which is closed at the end.
type load struct {
	engine  *Engine
	spec    warehouse.ImportSpec
	w       *workspace
	conn    *sql.Conn
	texts   *orderTexts
	buffers buffers
	windows []warehouse.AdWindow
	fresh   bool // the store had no orders at the start of the import

	jobs    chan job
	written chan struct{} // closed when the writer has ended
	failure atomic.Pointer[error]
	leave   func() // releases the import lock and the workspace
	ended   bool
}

// job is a block to write.
type job struct {
	ctx     context.Context //nolint:containedctx // a message to the writer, not a long-lived field
	part    *part
	rows    source
	threads int    // maximum number of writing threads
	done    func() // the block may be reused
}

// part is an import's rows of one table.
type part struct {
	table     *table
	opened    bool
	direct    bool   // rows go directly into the empty table
	target    string // table that rows are written to
	columns   []column
	rows      int64
	unordered bool // keys neither only rise nor only fall, so there may be duplicates
	unsorted  bool // days neither only rise nor only fall
	tied      bool // two orders of a customer may have the same instant
	long      bool // an order may have more touches than are stored
}

// Begin starts an import; see [warehouse.Warehouse.Begin].
func (e *Engine) Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	leave, err := e.enterWriter(ctx, spec.Workspace)
	if err != nil {
		return nil, err
	}
	w, release, err := e.acquire(ctx, spec.Workspace)
	if err != nil {
		leave()
		return nil, err
	}
	l := &load{
		engine: e, spec: spec, w: w, windows: append([]warehouse.AdWindow(nil), spec.Replace...),
		jobs: make(chan job), written: make(chan struct{}), leave: func() { release(); leave() },
	}
	l.texts = newOrderTexts()
	l.buffers = newBuffers(l.texts)
	if err := l.open(ctx); err != nil {
		close(l.written)
		l.end()
		return nil, fmt.Errorf("import into %s: %w", spec.Workspace, e.noticed(ctx, w, err))
	}
	go l.write()
	return l, nil
}

func (l *load) open(ctx context.Context) (err error) {
	// The connection outlives the call that starts the import.
	if l.conn, err = l.w.instance.db.Conn(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if err := l.exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	if err := l.exec(ctx, shareMacro); err != nil {
		return err
	}
	n, err := l.count(ctx, "SELECT count(*) FROM (SELECT 1 FROM {{order_rows}} LIMIT 1)")
	if err != nil {
		return err
	}
	l.fresh = n == 0
	return l.texts.read(ctx, l)
}

// Add takes rows; see [warehouse.Import].
func (l *load) Add(ctx context.Context, b *warehouse.Batch) error {
	if l.ended {
		return fault.Conflict("the import has ended")
	}
	if err := check(b); err != nil {
		return err
	}
	if err := l.buffers.add(ctx, l, b); err != nil {
		return fmt.Errorf("import into %s: %w", l.spec.Workspace, l.engine.noticed(ctx, l.w, err))
	}
	return nil
}

// Replace adds windows that become known while reading.
func (l *load) Replace(windows ...warehouse.AdWindow) { l.windows = append(l.windows, windows...) }

// send passes a block to the writer and returns the failure of an earlier block.
func (l *load) send(ctx context.Context, j job) error {
	if failed := l.failure.Load(); failed != nil {
		return *failed
	}
	select {
	case l.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write is the goroutine that owns the connection until all blocks are written.
func (l *load) write() {
	defer close(l.written)
	for j := range l.jobs {
		if l.failure.Load() == nil {
			if err := panics.Caught(func() error { return l.writeBlock(j) }); err != nil {
				l.failure.Store(&err)
			}
		}
		j.done()
	}
}

func (l *load) writeBlock(j job) error {
	p := j.part
	if !p.opened {
		if err := l.openPart(j.ctx, p); err != nil {
			return fmt.Errorf("rows of %s: %w", p.table.name, err)
		}
	}
	p.rows += int64(j.rows.len())
	if err := l.engine.feeds.insert(j.ctx, l.conn, p.target, p.columns, j.rows, j.threads); err != nil {
		return fmt.Errorf("rows of %s: %w", p.table.name, err)
	}
	return nil
}

// openPart selects the target of a table's rows: the table itself if it is empty, else a staging table.
func (l *load) openPart(ctx context.Context, p *part) (err error) {
	p.opened = true
	home := l.w.table(p.table.home())
	if p.columns, err = l.w.columns(ctx, l.conn, p.table.home()); err != nil {
		return err
	}
	n, err := l.count(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+home+" LIMIT 1)")
	if err != nil {
		return err
	}
	p.direct = n == 0 && (p.table.kind != ofOrder || l.fresh)
	if p.direct {
		p.target = home
		return nil
	}
	p.target = "stage_" + p.table.home()
	return l.exec(ctx, "CREATE TEMP TABLE "+p.target+" AS SELECT * FROM "+home+" LIMIT 0")
}

// drain writes the remaining rows in the buffers and waits for the writer.
func (l *load) drain(ctx context.Context) error {
	err := l.buffers.flush(ctx, l)
	close(l.jobs)
	<-l.written
	if failed := l.failure.Load(); failed != nil {
		return *failed
	}
	if err != nil {
		return err
	}
	return l.texts.write(ctx, l)
}

// Abort discards the import; see [warehouse.Import].
func (l *load) Abort() {
	if l.ended {
		return
	}
	close(l.jobs)
	<-l.written
	l.end()
}

// end closes the connection, which rolls back an uncommitted transaction and drops temporary tables, and releases the
// import lock.
func (l *load) end() {
	if l.ended {
		return
	}
	l.ended = true
	if l.conn != nil {
		// The pool does not reuse a connection that reports itself bad, and closing it rolls back. The error is the
		// one returned here.
		_ = l.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	l.leave()
}

func (l *load) exec(ctx context.Context, template string, args ...any) error {
	if len(args) == 0 {
		return execute(ctx, l.conn, l.w.text(template))
	}
	_, err := l.conn.ExecContext(ctx, l.w.text(template), args...)
	return err
}

// count runs a statement that returns one number.
func (l *load) count(ctx context.Context, template string) (n int64, err error) {
	err = l.conn.QueryRowContext(ctx, l.w.text(template)).Scan(&n)
	return n, err
}

// each runs a statement and calls scan for every row.
func (l *load) each(ctx context.Context, template string, scan func(*sql.Rows) error) error {
	rows, err := l.conn.QueryContext(ctx, l.w.text(template))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// feedThreads is the number of threads that write a block. Each one needs memory for a span.
func (e *Engine) feedThreads() int { return min(e.options.Threads, 4) }

// stage is the temporary table with a table's imported rows.
func stage(t *table) string { return "stage_" + t.name }
