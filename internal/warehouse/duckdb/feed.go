package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"assay/internal/civil"
)

// feed provides rows of Go structs to a statement as the table assay_rows(token). DuckDB reads one chunk at a time,
// on as many threads as the feed has. Values are written directly into DuckDB's memory: nothing is boxed, and only
// long texts need a call into the database.
type feed struct {
	columns []duckdb.ColumnInfo
	rows    source
	threads int
	claimed atomic.Int64 // rows assigned to threads
}

// spanRows is the number of consecutive rows assigned to a thread: DuckDB's row group, which that thread then
// compresses once.
const spanRows = 122_880

// span is the assigned and not yet written rows of a thread.
type span struct{ at, end int }

// source is a block of rows of one type.
type source interface {
	len() int
	write(c *cells, row int)
}

// block is a source whose rows a function writes.
type block[T any] struct {
	rows []T
	put  func(*cells, *T)
}

func (b block[T]) len() int                { return len(b.rows) }
func (b block[T]) write(c *cells, row int) { b.put(c, &b.rows[row]) }

// feeds are the blocks of running statements, by token.
type feeds struct {
	last   atomic.Int64
	active sync.Map // int64 → *feed
}

// register adds the table function assay_rows to the connection's instance.
func (f *feeds) register(conn *sql.Conn) error {
	token, err := duckdb.NewTypeInfo(duckdb.TYPE_BIGINT)
	if err != nil {
		return err
	}
	return duckdb.RegisterTableUDF(conn, "assay_rows", duckdb.ParallelChunkTableFunction{
		Config: duckdb.TableFunctionConfig{Arguments: []duckdb.TypeInfo{token}},
		BindArguments: func(_ map[string]any, args ...any) (duckdb.ParallelChunkTableSource, error) {
			active, ok := f.active.Load(args[0])
			if !ok {
				return nil, fmt.Errorf("no rows for token %v", args[0])
			}
			return active.(*feed), nil
		},
	})
}

// insert writes a block of rows into a table, in the order of its columns. With one thread the rows arrive in order.
func (f *feeds) insert(ctx context.Context, conn *sql.Conn, target string, columns []column, rows source, threads int) error {
	token := f.last.Add(1)
	infos := make([]duckdb.ColumnInfo, len(columns))
	exprs := make([]string, len(columns))
	for i, c := range columns {
		infos[i] = duckdb.ColumnInfo{Name: c.name, T: c.carried}
		exprs[i] = c.expr
	}
	f.active.Store(token, &feed{columns: infos, rows: rows, threads: threads})
	defer f.active.Delete(token)
	return execute(ctx, conn, fmt.Sprintf("INSERT INTO %s SELECT %s FROM assay_rows(%d)",
		target, strings.Join(exprs, ", "), token))
}

// ColumnInfos returns the column types of the feed.
func (f *feed) ColumnInfos() []duckdb.ColumnInfo { return f.columns }

// Cardinality returns the number of rows.
func (f *feed) Cardinality() *duckdb.CardinalityInfo {
	return &duckdb.CardinalityInfo{Cardinality: uint(f.rows.len()), Exact: true}
}

// Init returns the maximum number of writing threads.
func (f *feed) Init() duckdb.ParallelTableSourceInfo {
	return duckdb.ParallelTableSourceInfo{MaxThreads: f.threads}
}

// NewLocalState returns the state of a thread without assigned rows.
func (f *feed) NewLocalState() any { return &span{} }

// FillChunk writes the next rows of the thread's span, or of the next span.
func (f *feed) FillChunk(state any, chunk duckdb.DataChunk) error {
	s := state.(*span)
	if s.at == s.end {
		end := int(f.claimed.Add(spanRows))
		s.at, s.end = min(end-spanRows, f.rows.len()), min(end, f.rows.len())
	}
	n := min(duckdb.GetDataChunkCapacity(), s.end-s.at)
	first := s.at
	s.at += n
	c := cells{vectors: vectorsOf(chunk, len(f.columns))}
	for i := range n {
		c.row, c.column = i, 0
		f.rows.write(&c, first+i)
		if c.column != len(f.columns) {
			return fmt.Errorf("%d values for %d columns", c.column, len(f.columns))
		}
	}
	return chunk.SetSize(n)
}

// cells writes the values of a row from left to right, directly into the database's memory.
type cells struct {
	vectors     []vector
	row, column int
}

// vector is the memory of a column of a chunk.
type vector struct {
	handle   mapping.Vector
	data     unsafe.Pointer
	validity unsafe.Pointer // a bit per row, 64 to a word, 0 for NULL; nil without NULLs
}

// vectorsOf returns the memory of a chunk's columns. The driver's API writes single values, which takes longer than
// everything else done with most of them; its chunk handle and column offsets are not exported.
func vectorsOf(chunk duckdb.DataChunk, columns int) []vector {
	inside := reflect.ValueOf(chunk)
	handle := mapping.DataChunk{Ptr: inside.FieldByName("chunk").FieldByName("Ptr").UnsafePointer()}
	places := inside.FieldByName("projection")
	vectors := make([]vector, columns)
	for i := range vectors {
		v := mapping.DataChunkGetVector(handle, mapping.IdxT(places.Index(i).Int()))
		vectors[i] = vector{handle: v, data: mapping.VectorGetData(v)}
	}
	return vectors
}

// put writes a fixed-size value.
func put[T int64 | int32 | bool | float64](c *cells, value T) {
	*(*T)(unsafe.Add(c.vectors[c.column].data, uintptr(c.row)*unsafe.Sizeof(value))) = value
	c.column++
}

func (c *cells) null() {
	v := &c.vectors[c.column]
	if v.validity == nil {
		mapping.VectorEnsureValidityWritable(v.handle)
		v.validity = mapping.VectorGetValidity(v.handle)
	}
	*(*uint64)(unsafe.Add(v.validity, c.row/64*8)) &^= 1 << (c.row % 64)
	c.column++
}

// inlined is the representation of a text of at most twelve bytes: duckdb_string_t of DuckDB's C API. The bytes after
// the text are zero.
type inlined struct {
	length uint32
	bytes  [12]byte
}

// text writes a string; invalid UTF-8 bytes are replaced.
func (c *cells) text(s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	v := &c.vectors[c.column]
	c.column++
	if len(s) > len(inlined{}.bytes) {
		// The database copies the bytes before the call returns.
		mapping.VectorAssignStringElementLen(v.handle, mapping.IdxT(c.row), unsafe.Slice(unsafe.StringData(s), len(s))) //nolint:gosec // see above
		return
	}
	short := inlined{length: uint32(len(s))}
	copy(short.bytes[:], s)
	*(*inlined)(unsafe.Add(v.data, uintptr(c.row)*unsafe.Sizeof(short))) = short
}

func (c *cells) int(n int64)     { put(c, n) }
func (c *cells) number(n int32)  { put(c, n) }
func (c *cells) flag(b bool)     { put(c, b) }
func (c *cells) float(x float64) { put(c, x) }

// instant writes a time; the zero time is NULL.
func (c *cells) instant(t time.Time) {
	if t.IsZero() {
		c.null()
		return
	}
	put(c, t.UnixMicro())
}

var epoch = civil.New(1970, time.January, 1)

// day writes a date; the zero date is NULL.
func (c *cells) day(d civil.Date) {
	if d.IsZero() {
		c.null()
		return
	}
	put(c, int32(d.Sub(epoch)))
}

// column is a column of a fact table: its type in a feed, and the expression that converts it to the column's type.
type column struct {
	name    string
	carried duckdb.TypeInfo
	expr    string
}

// columns returns the columns of a table of the workspace.
func (w *workspace) columns(ctx context.Context, conn *sql.Conn, table string) ([]column, error) {
	rows, err := conn.QueryContext(ctx, w.text("SELECT * FROM {{"+table+"}} LIMIT 0"))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	columns := make([]column, len(types))
	for i, t := range types {
		name := identifier(t.Name())
		carried, expr := duckdb.TYPE_VARCHAR, name
		switch t.DatabaseTypeName() {
		case "INTEGER":
			carried = duckdb.TYPE_INTEGER
		case "BIGINT":
			carried = duckdb.TYPE_BIGINT
		case "BOOLEAN":
			carried = duckdb.TYPE_BOOLEAN
		case "DOUBLE":
			carried = duckdb.TYPE_DOUBLE
		case "TIMESTAMP":
			carried, expr = duckdb.TYPE_BIGINT, "make_timestamp("+name+")"
		case "DATE":
			carried, expr = duckdb.TYPE_INTEGER, "DATE '1970-01-01' + "+name
		}
		info, err := duckdb.NewTypeInfo(carried)
		if err != nil {
			return nil, err
		}
		columns[i] = column{name: t.Name(), carried: info, expr: expr}
	}
	return columns, rows.Err()
}
