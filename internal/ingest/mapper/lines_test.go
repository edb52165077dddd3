package mapper

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/warehouse"
)

func zone(t *testing.T) *time.Location {
	t.Helper()
	z, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestScatteredLinesAreRefusedAndCopiesCountOnce(t *testing.T) {
	t.Parallel()
	header := source.NewHeader([]string{"order", "date", "sku", "quantity", "price"})
	open := func() *lineRows {
		rows, err := Common()[1].Open(source.Table{Header: header}, source.Options{Base: "USD", Zone: zone(t), HashKey: []byte("k"), Notes: &source.Notes{}, Scattered: true})
		if err != nil {
			t.Fatal(err)
		}
		lines, ok := rows.(*lineRows)
		if !ok {
			t.Fatalf("order lines are read by %T", rows)
		}
		lines.limit = 3
		return lines
	}
	read := func(cells ...[2]string) (b warehouse.Batch, errs []error, s source.Summary) {
		rows := open()
		for i, c := range cells {
			rec := tabular.Record{Line: i + 2, Fields: []string{c[0], "2026-09-01", c[1], "1", "10"}}
			if err := rows.Add(rec, &b); err != nil {
				errs = append(errs, err)
			}
		}
		s, err := rows.Close(&b)
		if err != nil {
			errs = append(errs, err)
		}
		return b, errs, s
	}
	var between [][2]string
	for i := range 5 {
		between = append(between, [2]string{fmt.Sprint("other", i), "CAP"})
	}
	first := [][2]string{{"A", "CAP"}, {"A", "HAT"}}

	b, errs, s := read(append(append(first[:2:2], between...), first...)...)
	if len(errs) != 0 || len(b.Orders) != 6 || s.Totals.Repeated != 1 {
		t.Errorf("a copy far below: %v, %d orders, %d repeated; want 6 orders and 1 copy", errs, len(b.Orders), s.Totals.Repeated)
	}
	b, errs, _ = read(append(append(first[:2:2], between...), [2]string{"A", "TEE"})...)
	var row *source.RowError
	if len(errs) != 1 || !errors.As(errs[0], &row) || row.Line != 9 || row.Fix != "sort the file by order" {
		t.Errorf("a line far below: %v, want the row in line 9 rejected", errs)
	}
	if len(b.Orders) != 6 {
		t.Errorf("%d orders, want 6", len(b.Orders))
	}
}

// The order A has the lines CAP and HAT twice, once with another order in between. The memory of the copy is released.
func TestCopiesOfAnOpenOrderUseNoMemory(t *testing.T) {
	t.Parallel()
	header := source.NewHeader([]string{"order", "date", "sku", "quantity", "price"})
	notes := &source.Notes{}
	opened, err := Common()[1].Open(source.Table{Header: header}, source.Options{Base: "USD", Zone: zone(t), HashKey: []byte("k"), Notes: notes, Scattered: true})
	if err != nil {
		t.Fatal(err)
	}
	rows, ok := opened.(*lineRows)
	if !ok {
		t.Fatalf("order lines are read by %T", opened)
	}
	var b warehouse.Batch
	line := 1
	for _, c := range [][2]string{{"A", "CAP"}, {"A", "HAT"}, {"B", "TEE"}, {"A", "CAP"}, {"A", "HAT"}, {"C", "TEE"}, {"A", "SCARF"}, {"C", "CAP"}} {
		line++
		if err := rows.Add(tabular.Record{Line: line, Fields: []string{c[0], "2026-09-01", c[1], "1", "10"}}, &b); err != nil {
			t.Fatal(err)
		}
		lines, text := 0, 0
		for _, g := range rows.queue {
			lines, text = lines+len(g.sale.Lines), text+g.sale.Text
		}
		if rows.lines != lines || rows.text != text {
			t.Errorf("line %d: counted %d lines and %d bytes, open are %d and %d", line, rows.lines, rows.text, lines, text)
		}
	}
	s, err := rows.Close(&b)
	if err != nil || s.Totals.Repeated != 2 || len(b.Orders) != 3 || len(b.Lines) != 6 {
		t.Errorf("%v, %d repeated lines, %d orders, %d lines; want 2, 3 and 6", err, s.Totals.Repeated, len(b.Orders), len(b.Lines))
	}
	if rows.lines != 0 || rows.text != 0 {
		t.Errorf("after the end %d lines and %d bytes are counted, want none", rows.lines, rows.text)
	}
}

// Orders that alternate stay open together, so all their line items are in memory.
func TestOpenOrdersHaveALimitedTotalOfLines(t *testing.T) {
	t.Parallel()
	header := source.NewHeader([]string{"order", "date", "sku", "quantity", "price"})
	opened, err := Common()[1].Open(source.Table{Header: header}, source.Options{Base: "USD", Zone: zone(t), HashKey: []byte("k"), Notes: &source.Notes{}, Scattered: true})
	if err != nil {
		t.Fatal(err)
	}
	rows, ok := opened.(*lineRows)
	if !ok {
		t.Fatalf("order lines are read by %T", opened)
	}
	rows.mostLines = 20
	var b warehouse.Batch
	most := 0
	for i := range 400 {
		rec := tabular.Record{Line: i + 2, Fields: []string{fmt.Sprint("order", i/100, "-", i%3), "2026-09-01", fmt.Sprint("sku", i), "1", "10"}}
		_ = rows.Add(rec, &b) // orders whose lines come later are rejected
		open := 0
		for _, g := range rows.queue {
			open += len(g.sale.Lines)
		}
		if open != rows.lines {
			t.Fatalf("row %d: %d lines are open, counted %d", i, open, rows.lines)
		}
		most = max(most, open)
	}
	if most > 20 {
		t.Errorf("%d lines are open, want at most 20", most)
	}
	_, _ = rows.Close(&b)
	if rows.lines != 0 || rows.text != 0 {
		t.Errorf("after the end %d lines and %d bytes are counted, want none", rows.lines, rows.text)
	}
}
