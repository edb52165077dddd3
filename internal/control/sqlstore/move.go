package sqlstore

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/internal/fault"
)

// Moved is the copy of one table.
type Moved struct {
	Table    string `json:"table"`
	Rows     int64  `json:"rows"`
	Checksum string `json:"checksum"` // checksum of all rows, in any order
}

// Move copies all control data to an empty store in one transaction. Before the commit, it reads the copy and compares
// the number of rows and the checksum of each table. After an error, the target store is still empty. The source store
// does not change during the copy. If the target store is not empty, Move returns a fault of kind conflict.
func (s *Store) Move(ctx context.Context, to *Store) ([]Moved, error) {
	moved, err := s.moveTo(ctx, to.database)
	if err != nil {
		return nil, fmt.Errorf("copy of the control data: %w", engineFault(err))
	}
	return moved, nil
}

func (d *database) moveTo(ctx context.Context, to *database) (moved []Moved, err error) {
	from, err := d.beginReading(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rollback(from)) }()
	tx, err := to.beginWriting(ctx)
	if err != nil {
		return nil, err
	}
	for _, table := range copied {
		one, err := copyTable(ctx, from, tx, table, to.engine.rowsAtOnce)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("table %s: %w", table, engineFault(err)), rollback(tx))
		}
		moved = append(moved, one)
	}
	return moved, tx.Commit()
}

// beginReading begins a transaction that reads one state of the data. SQLite's write lock keeps other processes from
// changing the data. PostgreSQL's snapshot does not contain later changes.
func (d *database) beginReading(ctx context.Context) (*sql.Tx, error) {
	if d.engine.changes == nil {
		return d.write.BeginTx(ctx, nil)
	}
	return beginUnlimited(ctx, d.read, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
}

// beginWriting begins the transaction that writes the copied rows.
func (d *database) beginWriting(ctx context.Context) (*sql.Tx, error) {
	if d.engine.changes == nil {
		return d.write.BeginTx(ctx, nil)
	}
	return beginUnlimited(ctx, d.write, d.engine.changes)
}

// beginUnlimited begins a transaction without the time limits of [sessionSettings], because the copy of a large table
// takes long.
func beginUnlimited(ctx context.Context, db *sql.DB, o *sql.TxOptions) (*sql.Tx, error) {
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return nil, err
	}
	if _, err := tx.ExecContext(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
		return nil, errors.Join(err, rollback(tx))
	}
	return tx, nil
}

// copyTable copies the rows of a table into an empty table and compares the two tables.
func copyTable(ctx context.Context, from, to *sql.Tx, table string, atOnce int) (Moved, error) {
	var has int64
	if err := to.QueryRowContext(ctx, `SELECT count(*) FROM `+table).Scan(&has); err != nil {
		return Moved{}, err
	}
	if has > 0 {
		return Moved{}, fault.Conflict("the target database has %d rows already: nothing was copied", has).
			WithHint("use an empty database, such as a new database: createdb --encoding UTF8 --template template0 NAME")
	}
	var before summary
	var columns []string
	err := eachRow(ctx, from, `SELECT * FROM `+table, func(names []string) rowWriter {
		columns = names
		w := &inserter{tx: to, table: table, columns: names, atOnce: atOnce}
		return func(row []any) error {
			if row == nil {
				return w.flush(ctx)
			}
			before.add(row)
			return w.add(ctx, row)
		}
	})
	if err != nil {
		return Moved{}, err
	}
	var after summary
	err = eachRow(ctx, to, `SELECT `+strings.Join(columns, ", ")+` FROM `+table, func([]string) rowWriter {
		return func(row []any) error {
			if row != nil {
				after.add(row)
			}
			return nil
		}
	})
	if err != nil {
		return Moved{}, err
	}
	if before != after {
		return Moved{}, fault.Unavailable("the copy differs: %d rows with checksum %s became %d rows with checksum %s; nothing was copied",
			before.rows, before.text(), after.rows, after.text()).WithHint("check that no trigger or rule of the target database changes rows")
	}
	return Moved{Table: table, Rows: before.rows, Checksum: before.text()}, nil
}

// rowWriter receives each row, and nil after the last row.
type rowWriter func(row []any) error

// eachRow runs a query and calls the function begin with its columns. The function that begin returns receives each row
// and, at the end, nil.
func eachRow(ctx context.Context, q querier, query string, begin func(columns []string) rowWriter) error {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	write := begin(columns)
	for rows.Next() {
		row, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		if err := write(row); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return write(nil)
}

// mostBytes is the total size of texts, in bytes, at which a statement receives no further rows. The row of a large
// model is therefore the last row of its statement.
const mostBytes = 1 << 20

// inserter inserts rows, several in one statement.
type inserter struct {
	tx      *sql.Tx
	table   string
	columns []string
	atOnce  int
	values  []any
	bytes   int // size of the texts in values
}

func (w *inserter) add(ctx context.Context, row []any) error {
	w.values = append(w.values, row...)
	for _, value := range row {
		if text, is := value.(string); is {
			w.bytes += len(text)
		}
	}
	if len(w.values) < w.atOnce*len(w.columns) && w.bytes < mostBytes {
		return nil
	}
	return w.flush(ctx)
}

func (w *inserter) flush(ctx context.Context) error {
	if len(w.values) == 0 {
		return nil
	}
	_, err := w.tx.ExecContext(ctx, inserting(w.table, strings.Join(w.columns, ", "), len(w.columns), len(w.values)/len(w.columns)), w.values...)
	w.values, w.bytes = w.values[:0], 0
	return err
}

// inserting returns the statement that inserts the given number of rows, each with the given number of fields.
func inserting(table, columns string, fields, rows int) string {
	var text strings.Builder
	text.WriteString(`INSERT INTO ` + table + ` (` + columns + `) VALUES `)
	for i := range rows * fields {
		switch {
		case i == 0:
			text.WriteString("(")
		case i%fields == 0:
			text.WriteString("), (")
		default:
			text.WriteString(", ")
		}
		text.WriteString("$" + strconv.Itoa(i+1))
	}
	return text.String() + ")"
}

// summary contains the number of rows and the XOR of their hashes. Rows of a table differ, because each has a key.
type summary struct {
	rows int64
	sum  [sha256.Size]byte
}

func (s *summary) add(row []any) {
	s.rows++
	h := sha256.New()
	for _, value := range row {
		var kind byte
		var text []byte
		switch v := value.(type) {
		case nil:
			kind = 'n'
		case int64:
			kind, text = 'i', binary.BigEndian.AppendUint64(nil, uint64(v))
		case float64:
			kind, text = 'f', binary.BigEndian.AppendUint64(nil, math.Float64bits(v))
		case string:
			kind, text = 's', []byte(v)
		default:
			panic(fmt.Sprintf("sqlstore: a column has a value of type %T", value))
		}
		h.Write(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(text)))) // never fails
		h.Write(text)
	}
	subtle.XORBytes(s.sum[:], s.sum[:], h.Sum(nil))
}

func (s *summary) text() string { return fmt.Sprintf("%x", s.sum[:8]) }
