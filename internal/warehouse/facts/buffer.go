package facts

import (
	"slices"
)

// Buffers collect the rows of an import in large blocks, one per table.
type Buffers struct {
	size  int // rows of a full block
	texts *OrderTexts
	list  []buffering // in the order of Tables
}

// Full is a block of rows that is ready to be written.
type Full struct {
	Table *Table
	Rows  Rows
	// InOrder means that the rows must be stored in this order, because the last row with a key replaces earlier rows.
	InOrder bool
	Done    func() // called when the block's memory may be reused
}

// buffering is the buffer of one table.
type buffering interface {
	about() *Table
	course() *Course
	add(b *Batch, size int, send func(Full) error) error
	flush(send func(Full) error) error
}

// NewBuffers returns empty buffers for blocks of size rows.
func NewBuffers(size int) *Buffers {
	b := &Buffers{size: size, texts: newOrderTexts()}
	b.list = append(b.list, newBuffer(OrdersTable, b.texts.rows, columnsOfOrders, watchOrders()))
	b.list = append(b.list, newBuffers()...)
	return b
}

// Texts returns the texts that orders share.
func (b *Buffers) Texts() *OrderTexts { return b.texts }

// Add copies a batch's rows and sends blocks that are full.
func (b *Buffers) Add(rows *Batch, send func(Full) error) error {
	for _, in := range b.list {
		if err := in.add(rows, b.size, send); err != nil {
			return err
		}
	}
	return nil
}

// Flush sends the blocks that are not full.
func (b *Buffers) Flush(send func(Full) error) error {
	for _, in := range b.list {
		if err := in.flush(send); err != nil {
			return err
		}
	}
	return nil
}

// Course returns a description of the order of a table's rows. The result is final after Flush.
func (b *Buffers) Course(t *Table) *Course {
	for _, in := range b.list {
		if in.about() == t {
			return in.course()
		}
	}
	panic("facts: no buffer for " + t.Name)
}

// buffer contains the block of one table that is being filled, and possibly an earlier block that is being written.
type buffer[T any] struct {
	table   *Table
	noticed Course
	rowsOf  func(*Batch) []T
	columns []ColumnOf[T]
	watch   watch[T] // nil: keys may come in any order
	rows    []T
	last    T
	seen    bool
	spare   chan []T
}

func newBuffer[T any](t *Table, rowsOf func(*Batch) []T, columns []ColumnOf[T], watch watch[T]) *buffer[T] {
	b := &buffer[T]{table: t, rowsOf: rowsOf, columns: columns, watch: watch, spare: make(chan []T, 2)}
	b.noticed.Unordered = watch == nil
	b.spare <- nil
	b.spare <- nil
	return b
}

func (b *buffer[T]) about() *Table   { return b.table }
func (b *buffer[T]) course() *Course { return &b.noticed }

func (b *buffer[T]) add(batch *Batch, size int, send func(Full) error) error {
	rows := b.rowsOf(batch)
	b.notice(rows)
	for len(rows) > 0 {
		if b.rows == nil {
			b.rows = <-b.spare
		}
		n := min(len(rows), size-len(b.rows))
		if len(b.rows)+n > size/8 && cap(b.rows) < size { // a large import will need the whole block
			b.rows = slices.Grow(b.rows, size-len(b.rows))
		}
		b.rows = append(b.rows, rows[:n]...)
		rows = rows[n:]
		if len(b.rows) == size {
			if err := b.flush(send); err != nil {
				return err
			}
		}
	}
	return nil
}

// notice passes each row and the previous row to watch.
func (b *buffer[T]) notice(rows []T) {
	if b.watch == nil || len(rows) == 0 {
		return
	}
	before := &b.last
	for i := range rows {
		if b.seen {
			b.watch(&b.noticed, before, &rows[i])
		}
		before, b.seen = &rows[i], true
	}
	b.last = *before
}

func (b *buffer[T]) flush(send func(Full) error) error {
	if len(b.rows) == 0 {
		return nil
	}
	rows := b.rows
	b.rows = nil
	return send(Full{
		Table: b.table, Rows: NewBlock(b.columns, rows), InOrder: b.noticed.Unordered,
		Done: func() {
			clear(rows)
			b.spare <- rows[:0]
		},
	})
}
