// Package ingest imports the files that users export from shops and ad platforms.
//
// [Run] opens each file, detects its source, converts its rows to facts and stores them in the warehouse in one
// transaction per file. It rejects an unusable file and states the reason. The readers are in one package per family of
// sources. [Readers] lists all readers.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"assay/internal/control"
	"assay/internal/ingest/adreport"
	"assay/internal/ingest/connector"
	"assay/internal/ingest/mapper"
	"assay/internal/ingest/shopify"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Auto selects the reader that fits the file best.
const Auto = "auto"

// Readers returns all readers: first the readers of known exports, then the readers that match common column names.
func Readers() []source.Reader {
	return slices.Concat(
		[]source.Reader{shopify.Orders()}, adreport.Exports(), shopify.Landed(), connector.Ads(), connector.Names(),
		mapper.Exports(), mapper.Common(),
	)
}

// Store receives the facts. The warehouse implements it.
type Store interface {
	Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error)
	Imported(ctx context.Context, ws measure.WorkspaceID, fileHash string, settle bool) (warehouse.ImportRecord, bool, error)
	FXRates(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.FXRate, error)
}

// Options define an import.
type Options struct {
	Workspace    control.Workspace
	HashKey      []byte // key for hashes of email addresses, stored as long as the workspace exists
	Files        []File
	Source       string          // a reader's name, or Auto; empty: Auto
	Channel      measure.Channel // used if the file names no channel
	Currency     money.Currency  // currency of amounts without a currency; empty: the workspace's currency
	Zone         *time.Location  // time zone of times without an offset; nil: the workspace's time zone
	Dates        source.DayOrder // order of day and month; unknown: detected
	Mapping      *mapper.Mapping // replaces a source
	Rates        source.Rates    // nil: the store's rates, read before each file
	Latest       bool            // treat the files as newer than the stored facts, regardless of update times
	DryRun       bool            // report all results, but store nothing
	SkipRejected bool            // import a file without its rejected rows instead of rejecting the file
	Progress     func(done, total int64)

	// Unpacked is the maximum number of bytes of an unpacked file, and of the CSV file that is written from a Parquet
	// file. 0 means [MaxUnpacked].
	Unpacked int64

	// TempDir is the folder for the rows of a Parquet file during its import. The default is the system's temporary
	// folder. The rows are personal data. A killed process does not delete these rows, so the next start must empty the
	// folder.
	TempDir string

	// Parquet writes the rows of a Parquet file to a new CSV file. An output larger than the limit most (in bytes) is a
	// fault of kind invalid. If Parquet is nil, Parquet files are rejected.
	Parquet func(ctx context.Context, from, to string, most int64) error

	Clock func() time.Time
	Log   *slog.Logger
}

// MaxUnpacked is the default limit of unpacked bytes: 64 GiB.
const MaxUnpacked = 64 << 30

// File is a file to import. Run opens the file several times: for the hash and for the rows.
type File struct {
	Name string // base name, for reports and the import ledger
	Size int64  // in bytes
	Open func() (io.ReadCloser, error)
}

// FileAt returns the file at a path.
func FileAt(path string) (File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, fmt.Errorf("%s is not a regular file", path)
	}
	return File{
		Name: filepath.Base(path), Size: info.Size(),
		Open: func() (io.ReadCloser, error) { return os.Open(path) },
	}, nil
}

// Spool writes src to a temporary file; see [WriteTemp]. The caller must call remove at the end.
func Spool(dir, name string, src io.Reader) (file File, remove func() error, err error) {
	path, err := WriteTemp(dir, "assay-import-*", src)
	if err != nil {
		return File{}, nil, err
	}
	remove = func() error { return os.Remove(path) }
	if file, err = FileAt(path); err != nil {
		return File{}, nil, errors.Join(err, remove())
	}
	file.Name = filepath.Base(name)
	return file, remove, nil
}

// WriteTemp writes src to a new file in the folder, or in the system's temporary folder if dir is "". The name follows
// the pattern; see [os.CreateTemp]. Only this user can read the file.
func WriteTemp(dir, pattern string, src io.Reader) (path string, err error) {
	file, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, src)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}
