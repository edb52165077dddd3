// Package ingest takes in the files that people export from shops and ad platforms.
//
// [Run] opens each file, finds out what it is, turns its rows into facts and hands them to the warehouse in one
// step per file, or refuses the file and says why. The readers are in folders of their own, one for each family
// of sources; [Readers] is the list of them.
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
	"assay/internal/ingest/amazon"
	"assay/internal/ingest/connector"
	"assay/internal/ingest/google"
	"assay/internal/ingest/mapper"
	"assay/internal/ingest/meta"
	"assay/internal/ingest/shopify"
	"assay/internal/ingest/snapchat"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tiktok"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Auto is the source that stands for whichever reader fits the file best.
const Auto = "auto"

// Readers returns all readers, those of known exports before those that go by common column names.
func Readers() []source.Reader {
	return slices.Concat([]source.Reader{
		shopify.Orders(),
		meta.Ads(),
		google.Ads(),
		tiktok.Ads(),
		amazon.Ads(),
		snapchat.Ads(),
	}, shopify.Landed(), connector.Ads(), connector.Names(), mapper.Exports(), mapper.Common())
}

// Store is where facts go: the warehouse.
type Store interface {
	Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error)
	Imported(ctx context.Context, ws measure.WorkspaceID, fileHash string) (warehouse.ImportRecord, bool, error)
	FXRates(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.FXRate, error)
}

// Options say what to import and how.
type Options struct {
	Workspace    control.Workspace
	HashKey      []byte // for customers' mail addresses; kept for the life of the workspace
	Files        []File
	Source       string          // a reader's name, or Auto; Auto when empty
	Channel      measure.Channel // what the files are about, where they do not tell
	Currency     money.Currency  // of amounts, where they do not tell; the workspace's when empty
	Zone         *time.Location  // of times, where they do not tell; the workspace's when nil
	Mapping      *mapper.Mapping // instead of a source
	Rates        source.Rates    // nil: the store's own, as they stand before each file
	Latest       bool            // the files are newer than what the store has, whatever they look like
	DryRun       bool            // report everything and keep nothing
	SkipRejected bool            // import a file without its rejected rows instead of refusing it
	Progress     func(done, total int64)

	// Unpacked is how many bytes a compressed file may hold, and a Parquet file as CSV: a small one may hold more than a
	// disk. [MaxUnpacked] when 0.
	Unpacked int64

	// TempDir is the folder for the rows of a Parquet file while it is imported. They are personal data, and a process that is
	// killed leaves them: whoever starts next empties the folder. The system's temporary folder when "".
	TempDir string

	// Parquet writes the rows of a Parquet file to a new file as CSV, which is a fault of kind invalid when that has more than
	// so many bytes. Without it such files are refused.
	Parquet func(ctx context.Context, from, to string, most int64) error

	Clock func() time.Time
	Log   *slog.Logger
}

// MaxUnpacked is how many bytes a compressed file may hold that is read on the service's own machine: 64 GiB.
const MaxUnpacked = 64 << 30

// File is something to import. It is opened several times: for its hash, and for its rows.
type File struct {
	Name string // base name, for reports and the ledger
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

// Spool stores what a reader gives in a temporary file, see [WriteTemp], until remove is called.
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

// WriteTemp writes what a reader gives to a new file in the folder, or in the system's temporary folder when dir is "". Its
// name follows the pattern, see [os.CreateTemp]. Only this user can read the file.
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
