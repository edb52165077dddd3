package ingesttest

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/warehouse"
)

// Reading is the result of reading a table.
type Reading struct {
	Batch   warehouse.Batch
	Summary source.Summary
	Errors  []error
	Skipped int
	Notes   []source.Note
}

// Reader returns the reader with the given name. The reader must be in one of the lists.
func Reader(t testing.TB, name string, lists ...[]source.Reader) source.Reader {
	t.Helper()
	for _, r := range slices.Concat(lists...) {
		if r.Name() == name {
			return r
		}
	}
	t.Fatalf("there is no reader %s", name)
	return nil
}

// ReaderOptions returns the options of a shop with the currency USD and the time zone UTC.
func ReaderOptions() source.Options {
	return source.Options{Base: "USD", Zone: time.UTC, HashKey: []byte("key"), Notes: &source.Notes{}}
}

// Read reads a CSV table with a header.
func Read(t testing.TB, r source.Reader, o source.Options, table string) (got Reading) {
	t.Helper()
	header, records := Table(t, table)
	sample := make([][]string, len(records))
	for i, rec := range records {
		sample[i] = rec.Fields
	}
	rows, err := r.Open(source.Table{Header: header, Sample: sample}, o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	for _, rec := range records {
		if rows.Skip(rec.Fields) {
			got.Skipped++
		} else if err := rows.Add(rec, &got.Batch); err != nil {
			got.Errors = append(got.Errors, err)
		}
	}
	got.Summary, err = rows.Close(&got.Batch)
	if err != nil {
		got.Errors = append(got.Errors, err)
	}
	got.Notes = o.Notes.List()
	return got
}

// Table returns the header and the records of a CSV table.
func Table(t testing.TB, table string) (source.Header, []tabular.Record) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatalf("the table has %d lines: %v", len(lines), err)
	}
	var records []tabular.Record
	for i, fields := range lines[1:] {
		records = append(records, tabular.Record{Line: i + 2, Fields: fields})
	}
	return source.NewHeader(lines[0]), records
}

// Codes returns the codes of the notes.
func (r Reading) Codes() (codes []string) {
	for _, n := range r.Notes {
		codes = append(codes, n.Code)
	}
	return codes
}
