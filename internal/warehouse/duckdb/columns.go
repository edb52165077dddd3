package duckdb

import (
	"context"
	"database/sql"
	"strings"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"assay/internal/warehouse/facts"
)

// blockRows is the number of rows in a block.
const blockRows = 64 * 2048

// readColumns runs a statement without parameters and passes blocks of rows to the function each. The statement's
// columns are texts, 64-bit numbers and floating-point numbers. The parameter columns contains the types. The block is
// reused.
func readColumns(ctx context.Context, conn *sql.Conn, text string, columns []facts.Column, each func(*facts.Columnar) error) error {
	return extracted(conn, text, func(handle mapping.Connection, statements mapping.ExtractedStatements, _ mapping.IdxT) error {
		var result mapping.Result
		defer mapping.DestroyResult(&result)
		if err := executeInto(ctx, handle, statements, 0, &result); err != nil {
			return err
		}
		block := facts.NewColumnar(columns)
		for {
			chunk := mapping.FetchChunk(result)
			if chunk.Ptr == nil {
				break
			}
			rows := int(mapping.DataChunkGetSize(chunk))
			for i, c := range columns {
				copyOut(block.Of(i), mapping.DataChunkGetVector(chunk, mapping.IdxT(i)), c.Type, rows)
			}
			mapping.DestroyDataChunk(&chunk)
			block.Grow(rows)
			if block.Len() >= blockRows {
				if err := each(block); err != nil {
					return err
				}
				block.Clear()
			}
		}
		if block.Len() == 0 {
			return ctx.Err()
		}
		return each(block)
	})
}

// copyOut appends the values of a vector.
func copyOut(to *facts.Values, from mapping.Vector, kind facts.Type, rows int) {
	data, validity := mapping.VectorGetData(from), mapping.VectorGetValidity(from)
	isNull := func(row int) bool {
		return validity != nil && *(*uint64)(unsafe.Add(validity, row/64*8))&(1<<(row%64)) == 0
	}
	switch kind {
	case facts.Text, facts.Nullable:
		for row, text := range unsafe.Slice((*inlined)(data), rows) { //nolint:gosec // a vector of this type and length
			if isNull(row) {
				to.Text = append(to.Text, facts.NullText)
			} else {
				to.Text = append(to.Text, text.copied())
			}
		}
	case facts.Float:
		to.Float = append(to.Float, unsafe.Slice((*float64)(data), rows)...) //nolint:gosec // a vector of this type and length
	default:
		at := len(to.Whole)
		to.Whole = append(to.Whole, unsafe.Slice((*int64)(data), rows)...) //nolint:gosec // a vector of this type and length
		if validity != nil {
			for row := range rows {
				if isNull(row) {
					to.Whole[at+row] = facts.NullInt
				}
			}
		}
	}
}

// copied returns a copy of the text. A text of more than twelve bytes has a pointer after the text's first four bytes.
func (t *inlined) copied() string {
	if int(t.length) <= len(t.bytes) {
		return string(t.bytes[:t.length])
	}
	pointer := *(*unsafe.Pointer)(unsafe.Pointer(&t.bytes[4]))      //nolint:gosec // a long text; a short text is in the struct
	return strings.Clone(unsafe.String((*byte)(pointer), t.length)) //nolint:gosec // the length of DuckDB
}
