package ingest

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"assay/internal/fault"
	"assay/internal/ingest/tabular"
)

// parquetMagic is the beginning of Parquet files.
const parquetMagic = "PAR1"

// parquetEncoding is the name of the encoding of Parquet files in reports.
const parquetEncoding = "parquet"

// table returns a file that contains text or a workbook. For a Parquet file, it returns the rows as CSV. For any other
// file, it returns the file itself. The function remove deletes temporary files.
func (r *runner) table(ctx context.Context, f File) (table File, parquet bool, remove func(), err error) {
	remove = func() {}
	content, err := f.Open()
	if err != nil {
		return f, false, remove, err
	}
	defer content.Close()
	magic := make([]byte, len(parquetMagic))
	if _, err := io.ReadFull(content, magic); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == nil && string(magic) != parquetMagic {
		return f, false, remove, nil
	} else if err != nil {
		return f, false, remove, err
	}
	if r.Parquet == nil {
		return f, true, remove, fault.Invalid("file %q is Parquet, which this import does not read", f.Name).WithHint("export it as CSV")
	}
	dir, err := os.MkdirTemp(r.TempDir, "assay-parquet-*")
	if err != nil {
		return f, true, remove, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	from, to := filepath.Join(dir, "in.parquet"), filepath.Join(dir, "out.csv")
	if err = errors.Join(copied(ctx, f, from), ctx.Err()); err == nil {
		err = r.Parquet(ctx, from, to, r.Unpacked)
	}
	if text, hint, ok := fault.Public(err); ok {
		err = fault.Invalid("file %q: %s", f.Name, text).WithHint("%s", hint)
	}
	if err == nil {
		table, err = FileAt(to)
	}
	table.Name = f.Name
	return table, true, remove, err
}

func copied(ctx context.Context, f File, path string) error {
	content, err := f.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	into, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(into, tabular.Cancellable(ctx, content))
	return errors.Join(err, into.Close())
}
