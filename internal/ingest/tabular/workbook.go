package tabular

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/xuri/excelize/v2"
)

// workbook reads the first sheet with rows of an xlsx file. Cells have their stored form: numbers in full with a
// decimal point, days as text or serial numbers.
type workbook struct {
	ctx   context.Context //nolint:containedctx // the context lives as long as the reading of one file
	file  *excelize.File
	sheet string
	rows  *excelize.Rows
	line  int
	ahead []Record // read for the sample and not returned yet
}

func openWorkbook(ctx context.Context, src io.Reader) (*workbook, error) {
	limited := &io.LimitedReader{R: src, N: MaxWorkbook + 1}
	file, err := excelize.OpenReader(limited, excelize.Options{
		RawCellValue: true, UnzipSizeLimit: MaxWorkbook, UnzipXMLSizeLimit: MaxWorkbook,
	})
	if limited.N <= 0 {
		return nil, fmt.Errorf("it is larger than %d MiB; save it as CSV: %w", MaxWorkbook>>20, ErrLimit)
	}
	if err != nil {
		return nil, err
	}
	if props, err := file.GetWorkbookProps(); err == nil && props.Date1904 != nil && *props.Date1904 {
		_ = file.Close()
		return nil, errors.New("it uses the 1904 date system; save it as CSV")
	}
	for _, sheet := range file.GetSheetList() {
		rows, err := file.Rows(sheet)
		if err != nil {
			continue // a chart sheet has no rows
		}
		b := &workbook{ctx: ctx, file: file, sheet: sheet, rows: rows}
		if first, err := b.Next(); err == nil {
			b.ahead = []Record{first}
			return b, nil
		}
		_ = rows.Close()
	}
	_ = file.Close()
	return nil, cmp.Or(ctx.Err(), errors.New("no sheet has rows"))
}

// Close frees the file.
func (b *workbook) Close() error {
	_ = b.rows.Close()
	return b.file.Close()
}

func (b *workbook) head(limit int) []Record {
	for len(b.ahead) < limit {
		r, err := b.read()
		if err != nil {
			break
		}
		b.ahead = append(b.ahead, r)
	}
	return b.ahead
}

// Next returns the next row that is not empty.
func (b *workbook) Next() (Record, error) {
	if len(b.ahead) > 0 {
		r := b.ahead[0]
		b.ahead = b.ahead[1:]
		return r, nil
	}
	return b.read()
}

func (b *workbook) read() (Record, error) {
	for b.rows.Next() {
		if err := b.ctx.Err(); err != nil {
			return Record{}, err
		}
		b.line++
		fields, err := b.rows.Columns()
		if err != nil {
			return Record{}, fmt.Errorf("row %d of sheet %q: %w", b.line, b.sheet, err)
		}
		if blank(fields) {
			continue
		}
		r := Record{Line: b.line, Fields: fields}
		if len(fields) > MaxColumns {
			r.Fields, r.Problem = fields[:MaxColumns], fmt.Sprintf("the row has more than %d cells", MaxColumns)
		}
		return r, nil
	}
	if err := b.rows.Error(); err != nil {
		return Record{}, fmt.Errorf("after row %d of sheet %q: %w", b.line, b.sheet, err)
	}
	return Record{}, io.EOF
}
