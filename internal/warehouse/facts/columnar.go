package facts

// Columnar is a block of rows stored by column, with the types in which another engine stores them. It implements
// [Rows]. A column of type Text, Nullable or Float has its values in Text or Float of its [Values]. Every other column
// has whole numbers: flags are 0 and 1, days are days since 1970, and instants are microseconds since 1970.
type Columnar struct {
	columns []Column
	values  []Values
	rows    int
}

// Values are the values of a column. Only the slice of the column's type has values. NULL is [NullText] or [NullInt].
type Values struct {
	Text  []string
	Whole []int64
	Float []float64
}

// NewColumnar returns an empty block.
func NewColumnar(columns []Column) *Columnar {
	return &Columnar{columns: columns, values: make([]Values, len(columns))}
}

// Of returns the values of a column. The caller may append to the values and must then call [Columnar.Grow].
func (c *Columnar) Of(column int) *Values { return &c.values[column] }

// Grow records that the columns have n more rows.
func (c *Columnar) Grow(n int) { c.rows += n }

// Clear removes all rows and keeps the allocated memory for reuse.
func (c *Columnar) Clear() {
	for i := range c.values {
		v := &c.values[i]
		clear(v.Text)
		v.Text, v.Whole, v.Float = v.Text[:0], v.Whole[:0], v.Float[:0]
	}
	c.rows = 0
}

// Len returns the number of rows.
func (c *Columnar) Len() int { return c.rows }

// Columns returns the columns.
func (c *Columnar) Columns() []Column { return c.columns }

// Texts copies a part of a column of texts.
func (c *Columnar) Texts(column, from int, out []string) { copy(out, c.values[column].Text[from:]) }

// Ints copies a part of a column of whole numbers or instants.
func (c *Columnar) Ints(column, from int, out []int64) { copy(out, c.values[column].Whole[from:]) }

// Smalls copies a part of a column of small numbers or days.
func (c *Columnar) Smalls(column, from int, out []int32) {
	for i, value := range c.values[column].Whole[from : from+len(out)] {
		if value == NullInt {
			out[i] = NullDay
		} else {
			out[i] = int32(value)
		}
	}
}

// Flags copies a part of a column of flags.
func (c *Columnar) Flags(column, from int, out []bool) {
	for i, value := range c.values[column].Whole[from : from+len(out)] {
		out[i] = value == 1
	}
}

// Floats copies a part of a column of floating-point numbers.
func (c *Columnar) Floats(column, from int, out []float64) {
	copy(out, c.values[column].Float[from:])
}
