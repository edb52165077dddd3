package facts

// Table is a fact table.
type Table struct {
	Name    string
	Stored  string // table that contains the rows: Name, unless the fact table is a view
	Kind    Kind
	Columns []Column // columns of the fact table, in the order of the row's fields
	Key     []string // the natural key; for windows, it distinguishes an update from a new row
	Day     string   // the column with the business day; "": none
	Sum     string   // column that is summed over rows of one import with the same key; "": the last row is used
	Version string   // of rows with the same key, the row with the largest value of this column is used; "": the last imported row
	Whole   bool     // an import with such rows contains all of them for each of its orders
	Most    int      // maximum number of stored rows per order; 0: no limit
}

// Kind determines how rows of an import combine with stored rows.
type Kind int

// The kinds.
const (
	Keyed       Kind = iota // a row replaces the row with its key
	PartOfOrder             // rows imported with their order replace its stored rows; rows without the order are added
	InWindow                // rows replace the stored rows of their account and day
)

// OfOrders reports whether the rows are orders or parts of orders.
func (t *Table) OfOrders() bool { return t.Kind == PartOfOrder || t == OrdersTable }

// Column is a column of a table.
type Column struct {
	Name string
	Type Type
}

// Type is the type of a column. Every engine stores texts, whole numbers, flags, floating-point numbers, instants in
// UTC and days.
type Type int

// Types of columns, each with the Go type of its values.
const (
	Text     Type = iota // string, not NULL
	Nullable             // string; NullText is NULL
	Int                  // int64; NullInt is NULL
	Small                // int32
	Flag                 // bool
	Float                // float64
	Instant              // int64, microseconds since 1970 in UTC; NullInt is NULL
	Day                  // int32, days since 1970; NullDay is NULL
)

// Values that mean NULL. No fact has these values: texts are valid UTF-8, and numbers and days are never the minimum of
// their type.
const (
	NullText = "\xff"
	NullInt  = -1 << 63
	NullDay  = -1 << 31
)

// Rows are rows of one table, which an engine reads by column. One call copies a part of a column into the engine's
// memory. Each method fills the slice in the parameter out with the values of the rows that start at a position. The
// column's type determines which method to call.
type Rows interface {
	Len() int
	Columns() []Column
	Texts(column, from int, out []string)
	Ints(column, from int, out []int64)
	Smalls(column, from int, out []int32)
	Flags(column, from int, out []bool)
	Floats(column, from int, out []float64)
}

// ColumnOf reads a column of rows of type T. Only the function for the column's type is set.
type ColumnOf[T any] struct {
	Column
	Texts  func(rows []T, out []string)
	Ints   func(rows []T, out []int64)
	Smalls func(rows []T, out []int32)
	Flags  func(rows []T, out []bool)
	Floats func(rows []T, out []float64)
}

// Block implements [Rows] for rows of type T.
type Block[T any] struct {
	columns []Column
	read    []ColumnOf[T]
	rows    []T
}

// NewBlock returns rows with their columns.
func NewBlock[T any](columns []ColumnOf[T], rows []T) Block[T] {
	names := make([]Column, len(columns))
	for i, c := range columns {
		names[i] = c.Column
	}
	return Block[T]{columns: names, read: columns, rows: rows}
}

// Len returns the number of rows.
func (b Block[T]) Len() int { return len(b.rows) }

// Columns returns the columns in the order of their positions.
func (b Block[T]) Columns() []Column { return b.columns }

// Texts copies a part of a column of texts.
func (b Block[T]) Texts(column, from int, out []string) { b.read[column].Texts(b.rows[from:], out) }

// Ints copies a part of a column of whole numbers or instants.
func (b Block[T]) Ints(column, from int, out []int64) { b.read[column].Ints(b.rows[from:], out) }

// Smalls copies a part of a column of small numbers or days.
func (b Block[T]) Smalls(column, from int, out []int32) { b.read[column].Smalls(b.rows[from:], out) }

// Flags copies a part of a column of flags.
func (b Block[T]) Flags(column, from int, out []bool) { b.read[column].Flags(b.rows[from:], out) }

// Floats copies a part of a column of floating-point numbers.
func (b Block[T]) Floats(column, from int, out []float64) { b.read[column].Floats(b.rows[from:], out) }
