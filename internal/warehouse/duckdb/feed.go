package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"assay/internal/warehouse/facts"
)

// feed provides rows to a statement as the table assay_rows(token). DuckDB reads one chunk at a time on each thread of
// the feed. The feed copies columns directly into DuckDB's memory. It allocates no memory per value. Only long texts
// need a call into the database.
type feed struct {
	columns []duckdb.ColumnInfo
	rows    facts.Rows
	threads int
	claimed atomic.Int64 // number of rows assigned to threads
}

// spanRows is the number of consecutive rows assigned to a thread. The number equals the size of DuckDB's row group, so
// one thread compresses each group once.
const spanRows = 122_880

// stripRows is the number of rows that are copied column by column. These rows fit into the processor's cache.
const stripRows = 256

// span contains the range of rows that a thread has not written yet, and a buffer for texts.
type span struct {
	at, end int
	texts   [stripRows]string
}

// feeds contains the blocks of running statements, by token.
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

// carried contains DuckDB's type for each type of column.
var carried = map[facts.Type]duckdb.Type{
	facts.Text: duckdb.TYPE_VARCHAR, facts.Nullable: duckdb.TYPE_VARCHAR, facts.Int: duckdb.TYPE_BIGINT,
	facts.Small: duckdb.TYPE_INTEGER, facts.Flag: duckdb.TYPE_BOOLEAN, facts.Float: duckdb.TYPE_DOUBLE,
	facts.Instant: duckdb.TYPE_TIMESTAMP, facts.Day: duckdb.TYPE_DATE,
}

// insert writes a block of rows into a table. It matches columns by name. With one thread, the rows arrive in order.
func (f *feeds) insert(ctx context.Context, conn *sql.Conn, target string, rows facts.Rows, threads int) error {
	columns := rows.Columns()
	infos := make([]duckdb.ColumnInfo, len(columns))
	names := make([]string, len(columns))
	for i, c := range columns {
		info, err := duckdb.NewTypeInfo(carried[c.Type])
		if err != nil {
			return err
		}
		infos[i], names[i] = duckdb.ColumnInfo{Name: c.Name, T: info}, identifier(c.Name)
	}
	token := f.last.Add(1)
	f.active.Store(token, &feed{columns: infos, rows: rows, threads: threads})
	defer f.active.Delete(token)
	return execute(ctx, conn, fmt.Sprintf("INSERT INTO %[1]s (%[2]s) SELECT %[2]s FROM assay_rows(%[3]d)",
		target, strings.Join(names, ", "), token))
}

// ColumnInfos returns the column types of the feed.
func (f *feed) ColumnInfos() []duckdb.ColumnInfo { return f.columns }

// Cardinality returns the number of rows.
func (f *feed) Cardinality() *duckdb.CardinalityInfo {
	return &duckdb.CardinalityInfo{Cardinality: uint(f.rows.Len()), Exact: true}
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
		s.at, s.end = min(end-spanRows, f.rows.Len()), min(end, f.rows.Len())
	}
	n := min(duckdb.GetDataChunkCapacity(), s.end-s.at)
	vectors := vectorsOf(chunk, len(f.columns))
	for row := 0; row < n; row += stripRows {
		rows := min(stripRows, n-row)
		for i, c := range f.rows.Columns() {
			f.copyColumn(s, &vectors[i], i, c.Type, row, rows)
		}
		s.at += rows
	}
	return chunk.SetSize(n)
}

// copyColumn copies rows of a column from the span's position to a row of the chunk and the rows after it.
func (f *feed) copyColumn(s *span, v *vector, column int, kind facts.Type, row, rows int) {
	switch kind {
	case facts.Text, facts.Nullable:
		texts := s.texts[:rows]
		f.rows.Texts(column, s.at, texts)
		v.putTexts(texts, row, kind == facts.Nullable)
	case facts.Int, facts.Instant:
		out := memory[int64](v, row, rows)
		f.rows.Ints(column, s.at, out)
		nulls(v, out, row, facts.NullInt)
	case facts.Day:
		out := memory[int32](v, row, rows)
		f.rows.Smalls(column, s.at, out)
		nulls(v, out, row, facts.NullDay)
	case facts.Small:
		f.rows.Smalls(column, s.at, memory[int32](v, row, rows))
	case facts.Flag:
		f.rows.Flags(column, s.at, memory[bool](v, row, rows))
	case facts.Float:
		f.rows.Floats(column, s.at, memory[float64](v, row, rows))
	}
}

// vector is the memory of one column of a chunk.
type vector struct {
	handle   mapping.Vector
	data     unsafe.Pointer
	validity unsafe.Pointer // a bit per row, 64 to a word, 0 for NULL; nil without NULLs
}

// vectorsOf returns the memory of a chunk's columns. The driver's API writes single values, which takes longer than all
// other processing of most values. The driver does not export the chunk handle and the column offsets, so vectorsOf
// reads them by reflection.
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

// memory returns the memory of rows of a column of fixed-size values.
func memory[T int64 | int32 | bool | float64](v *vector, row, rows int) []T {
	var value T
	return unsafe.Slice((*T)(unsafe.Add(v.data, uintptr(row)*unsafe.Sizeof(value))), rows) //nolint:gosec // the chunk has room for more rows
}

// nulls marks the values of a column that mean NULL.
func nulls[T int64 | int32](v *vector, values []T, row int, null T) {
	for i, value := range values {
		if value == null {
			v.putNull(row + i)
		}
	}
}

func (v *vector) putNull(row int) {
	if v.validity == nil {
		mapping.VectorEnsureValidityWritable(v.handle)
		v.validity = mapping.VectorGetValidity(v.handle)
	}
	*(*uint64)(unsafe.Add(v.validity, row/64*8)) &^= 1 << (row % 64)
}

// inlined is the representation of a text of at most twelve bytes. It is duckdb_string_t of DuckDB's C API. The bytes
// after the text are zero.
type inlined struct {
	length uint32
	bytes  [12]byte
}

// putTexts writes texts to a row and the rows after it. It replaces invalid UTF-8 bytes.
func (v *vector) putTexts(texts []string, row int, nullable bool) {
	out := unsafe.Slice((*inlined)(v.data), row+len(texts))[row:] //nolint:gosec // the chunk has room for more rows
	for i, s := range texts {
		if nullable && s == facts.NullText {
			v.putNull(row + i)
			continue
		}
		if !utf8.ValidString(s) {
			s = strings.ToValidUTF8(s, "\uFFFD")
		}
		if len(s) > len(inlined{}.bytes) {
			// The database copies the bytes before the call returns.
			mapping.VectorAssignStringElementLen(v.handle, mapping.IdxT(row+i), unsafe.Slice(unsafe.StringData(s), len(s))) //nolint:gosec // the database copies the bytes before the call returns
			continue
		}
		out[i] = inlined{length: uint32(len(s))}
		copy(out[i].bytes[:], s)
	}
}
