package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/warehouse"
)

// Run imports the files one after another, each completely or not at all. A rejected file does not stop the import of
// the others. The error names every rejected file. Any other failure, such as an error of the store, stops the run, and
// the report covers only the files up to the failure.
func Run(ctx context.Context, store Store, o Options) (Report, error) {
	report := Report{Workspace: o.Workspace.ID, DryRun: o.DryRun}
	if len(o.HashKey) == 0 {
		return report, fault.New(fault.KindMisconfigured, "the key for hashing customers' email addresses is missing")
	}
	readers, err := readersFor(o.Source, o.Mapping)
	if err != nil {
		return report, err
	}
	if o.Dates != source.UnknownOrder && o.Mapping != nil && o.Mapping.Dates.Layout != "" {
		return report, fault.Invalid("the mapping has its own date layout, %s", source.Shown(o.Mapping.Dates.Layout)).
			WithHint("omit --dates, or remove dates.layout from the mapping")
	}
	o.Unpacked = cmp.Or(o.Unpacked, MaxUnpacked)
	run := runner{Options: o, store: store, readers: readers}
	for _, f := range o.Files {
		run.total += f.Size
	}
	var refused []error
	for _, f := range o.Files {
		file, err := run.file(ctx, f)
		report.Files = append(report.Files, file)
		run.done += f.Size
		switch {
		case err == nil:
			o.Log.InfoContext(ctx, "file imported", slog.String("workspace", string(o.Workspace.ID)), slog.String("source", file.Source),
				slog.String("status", string(file.Status)), slog.Int("rows", file.Rows), slog.Int("rejected", file.Rejected))
		case fault.KindOf(err) == fault.KindInvalid:
			refused = append(refused, err)
		default:
			return report, fmt.Errorf("file %q: %w", f.Name, err)
		}
	}
	return report, joined(refused)
}

// joined joins errors. It returns a single error unchanged, so that its hint is preserved.
func joined(refused []error) error {
	if len(refused) == 1 {
		return refused[0]
	}
	return errors.Join(refused...)
}

type runner struct {
	Options
	store       Store
	readers     []source.Reader
	done, total int64 // bytes of the files
}

// file imports one file. A rejection is in the report and in the error.
func (r *runner) file(ctx context.Context, f File) (FileReport, error) {
	report := FileReport{File: source.Shown(f.Name)}
	err := r.load(ctx, f, &report)
	if text, hint, ok := fault.Public(err); ok {
		report.Status, report.Problem, report.Hint = Refused, text, hint
	}
	if errors.Is(err, warehouse.ErrUnknownOutcome) {
		report.Status = Unknown
	}
	return report, err
}

func (r *runner) load(ctx context.Context, f File, report *FileReport) error {
	hash, err := hashOf(ctx, f)
	if err != nil {
		return err
	}
	report.Hash = hash
	table, parquet, remove, err := r.table(ctx, f)
	defer remove()
	if err != nil {
		return err
	}
	content := hash
	if parquet {
		if content, err = hashOf(ctx, table); err != nil {
			return err
		}
	}
	first := *report
	err = r.attempt(ctx, table, content, report, false)
	if errors.Is(err, source.ErrScattered) {
		*report = first
		err = r.attempt(ctx, table, content, report, true)
	}
	if parquet {
		report.Encoding, report.Delimiter = parquetEncoding, ""
	}
	return err
}

// attempt imports a file with the given hash. Most files are sorted by the key of orders, so the reader stores only the
// last key. If a file is not sorted, the error is [source.ErrScattered] and nothing changes. In a second attempt, the
// reader stores every key.
func (r *runner) attempt(ctx context.Context, f File, hash string, report *FileReport, scattered bool) error {
	content, err := f.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	opened, err := tabular.Open(ctx, f.Name, content, r.Unpacked)
	if err != nil {
		return unreadable(ctx, f.Name, err)
	}
	defer opened.Close()
	samples, err := opened.Samples(headerRows + sampleRows)
	if err != nil {
		return unreadable(ctx, f.Name, err)
	}
	picked, err := pick(f.Name, samples, r.readers)
	if err != nil {
		report.Seen = guessed(samples)
		return err
	}
	report.Source, report.Title = picked.reader.Name(), picked.reader.Title()
	report.Delimiter, report.HeaderLine, report.Compressed = delimiterNames[picked.delimiter], picked.line, opened.Compressed
	report.Encoding = string(opened.Encoding())
	if r.DryRun {
		report.Seen = seenIn(picked.table)
	}

	key := r.ledgerKey(report.Hash, report.Source)
	if before, known, err := r.store.Imported(ctx, r.Workspace.ID, key, !r.DryRun); err != nil {
		return err
	} else if known {
		report.Status, report.ImportedAt = Already, &before.At
		return nil
	}
	load := &loading{runner: r, file: f, hash: hash, opened: opened, picked: picked, report: report, notes: &source.Notes{}, scattered: scattered}
	if r.DryRun {
		load.first = newReadings(r.Workspace)
		defer func() { report.Read = load.first.tables() }()
	}
	if err := load.run(ctx, key); err != nil {
		return err
	}
	report.Encoding = string(opened.Encoding())
	return nil
}

// hashOf returns the SHA-256 of a file's bytes.
func hashOf(ctx context.Context, f File) (string, error) {
	content, err := f.Open()
	if err != nil {
		return "", err
	}
	defer content.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, tabular.Cancellable(ctx, content)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// ledgerKey returns a hash of the file's hash, the reader and the import options. The same file with another reader or
// mapping is another import.
func (r *runner) ledgerKey(hash, reader string) string {
	said, err := json.Marshal(struct {
		Hash, Reader, Channel string
		Mapping               any
		Currency, Zone        string `json:",omitempty"`
		Latest                bool   `json:",omitempty"`
		Dates                 string `json:",omitempty"`
	}{hash, reader, string(r.Channel), r.Mapping, string(r.Currency), zoneName(r.Zone), r.Latest, r.Dates.String()})
	if err != nil {
		panic(err) // a mapping comes from JSON
	}
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:])
}

// zoneName returns "" for nil.
func zoneName(zone *time.Location) string {
	if zone == nil {
		return ""
	}
	return zone.String()
}

// loading contains the import of one file.
type loading struct {
	*runner
	file      File
	hash      string // hash of the file
	opened    *tabular.File
	picked    choice
	report    *FileReport
	notes     *source.Notes
	scattered bool
	batch     warehouse.Batch
	into      warehouse.Import
	taken     int       // number of facts
	first     *readings // for a dry run; nil otherwise
}

func (l *loading) run(ctx context.Context, key string) error {
	rates, err := l.rates(ctx)
	if err != nil {
		return err
	}
	rows, err := l.picked.reader.Open(l.picked.table, source.Options{
		Base: l.Workspace.Currency, Zone: l.Workspace.Location(), HashKey: l.HashKey,
		Currency: l.Currency, Clock: l.Zone, Order: l.Dates, Today: civil.DayOf(l.Clock(), l.Workspace.Location()),
		Rates: rates, Channel: l.Channel, Notes: l.notes, Scattered: l.scattered,
	})
	if err != nil {
		return err
	}
	if l.SkipRejected {
		key = "" // rows may be missing, so a later import of the same file is possible
	}
	l.into, err = l.store.Begin(ctx, warehouse.ImportSpec{
		Workspace: l.Workspace.ID, Source: l.report.Source, File: l.file.Name, FileHash: key, Latest: l.Latest, DryRun: l.DryRun, Base: l.Workspace.Currency,
		Zone: l.Workspace.Location(),
	})
	if err != nil {
		return err
	}
	defer l.into.Abort()
	summary, err := l.read(ctx, rows)
	slices.SortStableFunc(l.report.RejectedRows, func(a, b Rejection) int { return a.Line - b.Line })
	l.report.Totals = totalsOf(summary.Totals)
	l.warn(summary)
	if err != nil {
		return err
	}
	if now, err := l.opened.Hash(); err != nil || now != l.hash {
		return fault.Conflict("file %q changed while it was read", l.file.Name)
	}
	if l.report.Rows == 0 {
		l.report.Status = Empty
		return nil
	}
	if l.report.Rejected > 0 && l.SkipRejected && l.taken == 0 {
		return fault.Invalid("file %q has no usable rows: %d rejected, the first in %s",
			l.file.Name, l.report.Rejected, l.report.RejectedRows[0].located()).
			WithHint("correct them and import the file again; nothing was changed")
	}
	if l.refused() {
		return fault.Invalid("file %q has %d rejected rows, the first in %s",
			l.file.Name, l.report.Rejected, l.report.RejectedRows[0].located()).
			WithHint("correct them and import the file again, or skip them with --skip-rejected; nothing was changed")
	}
	return l.commit(ctx, summary)
}

// rates returns the store's exchange rates, which the previous file may have changed.
func (l *loading) rates(ctx context.Context) (source.Rates, error) {
	if l.Rates != nil {
		return l.Rates, nil
	}
	known, err := l.store.FXRates(ctx, l.Workspace.ID)
	if err != nil {
		return nil, err
	}
	return RatesOf(known)
}

// wouldBe returns the passive form of a verb: "were imported" or, in a dry run, "would be imported".
func (l *loading) wouldBe(done string) string {
	if l.DryRun {
		return "would be " + done
	}
	return "were " + done
}

func (l *loading) refused() bool { return l.report.Rejected > 0 && !l.SkipRejected }

func (l *loading) commit(ctx context.Context, summary source.Summary) error {
	l.into.Replace(summary.Windows...)
	out, err := l.into.Commit(ctx)
	if err != nil {
		return err
	}
	l.report.Status = Imported
	switch {
	case out.Already:
		l.report.Status = Already
	case l.DryRun:
		l.report.Status = Checked
	}
	l.report.Tables, l.report.ChangedDays, l.report.Version = countsOf(out.Tables), out.DaysHit, out.Version
	if gone := out.Tables["ad_days"].Removed; gone > 0 {
		l.notes.Add("rows_replaced", "%d rows are not in this file and %s: a report replaces all rows of its account on its days. "+
			"If the report was filtered by campaign, import the unfiltered report", gone, l.wouldBe("removed"))
	}
	l.notes.AddShared(out.Shared)
	if out.Older > 0 {
		l.notes.Add("orders_older", "%d orders of this file %s, because the stored versions are newer: canceled, refunded further, "+
			"paid further or updated later. If the file is correct, import it with --latest", out.Older, l.wouldBe("left out"))
	}
	if out.Waiting > 0 {
		l.notes.Add("orders_awaited", "%d orders of this file are not imported yet, or their currency differs from the currency of the file: the rows "+
			"of these orders wait. Import the table of orders too", out.Waiting)
	}
	l.report.Warnings = l.notes.List()
	return nil
}

// unreadable returns the error for an unreadable file, unless the import was canceled.
func unreadable(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	refused := fault.Invalid("file %q cannot be read: %v", name, err)
	if errors.Is(err, tabular.ErrLimit) {
		return refused.WithHint("export it in parts")
	}
	return refused
}

// The import receives a batch when the batch has batchRows rows or batchBytes of text. A compressed file of a few
// megabytes can contain many rows of 4 MiB.
const (
	batchRows  = 8192
	batchBytes = 16 << 20
)

// read passes the rows below the header to the import.
func (l *loading) read(ctx context.Context, rows source.Rows) (source.Summary, error) {
	records := l.opened.Records(l.picked.delimiter)
	header := l.picked.table.Header
	inBatch, bytes := 0, 0 // rows, and their text
	for {
		rec, err := records.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return source.Summary{}, unreadable(ctx, l.file.Name, err)
		}
		if rec.Line <= l.picked.line {
			continue
		}
		if err := l.take(rec, header, rows); err != nil {
			return source.Summary{}, err
		}
		inBatch, bytes = inBatch+1, bytes+rec.Size()
		if inBatch < batchRows && bytes < batchBytes {
			continue
		}
		if err := l.handOver(ctx); err != nil {
			return source.Summary{}, err
		}
		inBatch, bytes = 0, 0
	}
	summary, err := rows.Close(&l.batch)
	if err := l.sort(err); err != nil {
		return summary, err
	}
	return summary, l.handOver(ctx)
}

// take passes one record to the reader.
func (l *loading) take(rec tabular.Record, header source.Header, rows source.Rows) error {
	if rec.Problem == "" && (rows.Skip(rec.Fields) || slices.Equal(rec.Fields, header.Names())) {
		l.report.PassedOver++
		return nil
	}
	l.report.Rows++
	rec = l.fitted(rec, header.Width())
	if rec.Problem != "" {
		l.report.reject(&source.RowError{Line: rec.Line, Reason: rec.Problem})
		return nil
	}
	return l.sort(rows.Add(rec, &l.batch))
}

// fitted returns the record with as many cells as the header. It removes extra empty cells at the end. It adds missing
// cells to rows of a workbook, which does not store empty cells at the end of a row.
func (l *loading) fitted(rec tabular.Record, width int) tabular.Record {
	for len(rec.Fields) > width && rec.Fields[len(rec.Fields)-1] == "" {
		rec.Fields = rec.Fields[:len(rec.Fields)-1]
	}
	for len(rec.Fields) < width && l.opened.Sheet() != "" {
		rec.Fields = append(rec.Fields, "")
	}
	if rec.Problem == "" && len(rec.Fields) != width {
		rec.Problem = fmt.Sprintf("the row has %d cells, but the header has %d: a cell with a delimiter or a line break may lack quotes", len(rec.Fields), width)
	}
	return rec
}

// sort adds row errors to the report and returns other errors, which concern the file.
func (l *loading) sort(err error) error {
	if err == nil {
		return nil
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			if e := l.sort(e); e != nil {
				return e
			}
		}
		return nil
	}
	var row *source.RowError
	if !errors.As(err, &row) {
		return err
	}
	l.report.reject(row)
	return nil
}

// handOver passes the batch to the import and then empties the batch. For a file that will be rejected, it drops the
// batch.
func (l *loading) handOver(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.Progress != nil {
		l.Progress(l.done+l.opened.Read(), l.total)
	}
	if l.first != nil {
		l.first.take(&l.batch)
	}
	l.taken += l.batch.Len()
	if !l.refused() {
		if err := l.into.Add(ctx, &l.batch); err != nil {
			return err
		}
	}
	empty(&l.batch)
	return nil
}

// empty empties the batch and keeps the memory of the slices that readers fill.
func empty(b *warehouse.Batch) {
	*b = warehouse.Batch{
		Orders: b.Orders[:0], Profiles: b.Profiles[:0], Lines: b.Lines[:0], Refunds: b.Refunds[:0], Coupons: b.Coupons[:0],
		AdDays: b.AdDays[:0], ChannelSpend: b.ChannelSpend[:0], Targets: b.Targets[:0], FXRates: b.FXRates[:0],
	}
}

func (l *loading) warn(summary source.Summary) {
	today := civil.DayOf(l.Clock(), l.Workspace.Location())
	var restating int
	provisional := today.AddDays(1)
	for _, w := range summary.Windows {
		if first := w.Platform.FirstProvisional(today); first.Before(provisional) {
			restating, provisional = w.Platform.Restating(), first
		}
	}
	if last := summary.Totals.Days.Last; restating > 0 && !last.Before(provisional) {
		l.notes.Add("provisional_days", "platforms restate their figures for up to %d days: the days from %s are provisional; import these days again later",
			restating, provisional)
	}
	if last := summary.Totals.Days.Last; len(summary.Windows) > 0 && last.After(today) {
		l.notes.Add("future_days", "the file has days after today (%s), up to %s", today, last)
	}
	if l.report.Rejected > 0 && l.SkipRejected {
		l.notes.Add("rows_rejected", "rejected rows were omitted: %d of %d", l.report.Rejected, l.report.Rows)
	}
	l.report.Warnings = l.notes.List()
}
