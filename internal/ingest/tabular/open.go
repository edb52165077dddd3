package tabular

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// sampled is the number of bytes for detecting the format of a file.
const sampled = 64 << 10

// File is an open file. Only one goroutine may read it, once.
type File struct {
	Compressed bool // gzip
	bytes      *counted
	text       *bufio.Reader
	encoding   func() Encoding
	book       *workbook    // nil for text
	ended      func() error // error of the context of Open
}

// Open reads the first bytes of a file and detects its format from the content. Only errors use the name. If a
// compressed file unpacks to more bytes than the parameter unpacked, reading ends with an [ErrLimit]. The value 0 means
// no limit. Reading also ends when ctx ends, even within a row.
func Open(ctx context.Context, name string, src io.Reader, unpacked int64) (*File, error) {
	f := &File{bytes: &counted{src: Cancellable(ctx, src), sum: sha256.New()}, ended: ctx.Err}
	packed := bufio.NewReaderSize(f.bytes, 128<<10)
	magic, err := packed.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("file %q: %w", name, err)
	}
	if bytes.HasPrefix(magic, []byte{0xD0, 0xCF, 0x11, 0xE0}) {
		return nil, fmt.Errorf("workbook %q: it has the old format xls; save it as xlsx or CSV", name)
	}
	if bytes.HasPrefix(magic, []byte("PK\x03\x04")) {
		if f.book, err = openWorkbook(ctx, packed); err != nil {
			return nil, fmt.Errorf("workbook %q: %w", name, err)
		}
		f.encoding = func() Encoding { return Workbook }
		return f, nil
	}
	if bytes.HasPrefix(magic, []byte{0x1F, 0x8B}) {
		plain, err := gzip.NewReader(packed)
		if err != nil {
			return nil, fmt.Errorf("gzip file %q: %w", name, err)
		}
		f.Compressed = true
		packed = bufio.NewReaderSize(bounded(plain, unpacked), 128<<10)
	}
	text, encoding := decode(packed)
	f.text, f.encoding = bufio.NewReaderSize(Cancellable(ctx, text), sampled), encoding // few packed bytes may unpack to many
	return f, nil
}

// Encoding returns the character encoding. The encoding is final at the end of the file.
func (f *File) Encoding() Encoding { return f.encoding() }

// Sheet returns the name of the sheet, or "" if the file is not a workbook.
func (f *File) Sheet() string {
	if f.book == nil {
		return ""
	}
	return f.book.sheet
}

// Read returns the number of bytes read so far, before unpacking.
func (f *File) Read() int64 { return f.bytes.n }

// Hash reads the rest of the file and returns the SHA-256 of its bytes before unpacking, in hex.
func (f *File) Hash() (string, error) {
	if _, err := io.Copy(io.Discard, f.bytes); err != nil {
		return "", err
	}
	return hex.EncodeToString(f.bytes.sum.Sum(nil)), nil
}

// Close frees the workbook. It does not close the source.
func (f *File) Close() error {
	if f.book == nil {
		return nil
	}
	return f.book.Close()
}

// Sample is the beginning of a file, split by one delimiter.
type Sample struct {
	Delimiter byte // 0 in a workbook
	Records   []Record
}

// delimiters lists the delimiters in the order in which they are tried.
var delimiters = []byte{',', ';', '\t', '|'}

// Samples returns the beginning of the file, split by each delimiter, up to limit rows. A sample ends at an unreadable
// row. Records starts at the first row again.
func (f *File) Samples(limit int) ([]Sample, error) {
	if f.book != nil {
		return []Sample{{Records: f.book.head(limit)}}, nil
	}
	head, err := f.text.Peek(sampled)
	complete := errors.Is(err, io.EOF)
	if err != nil && !complete {
		return nil, err
	}
	if !complete {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	samples := make([]Sample, 0, len(delimiters))
	for _, d := range delimiters {
		samples = append(samples, Sample{Delimiter: d, Records: take(NewScanner(bytes.NewReader(head), d), limit)})
	}
	return samples, nil
}

func take(records Records, limit int) []Record {
	var out []Record
	for len(out) < limit {
		r, err := records.Next()
		if err != nil {
			break
		}
		r.Fields = append([]string(nil), r.Fields...)
		out = append(out, r)
	}
	return out
}

// Records reads the file from its first row, split by the delimiter of a sample.
func (f *File) Records(delimiter byte) Records {
	if f.book != nil {
		return f.book
	}
	scanner := NewScanner(f.text, delimiter)
	scanner.ended = f.ended
	return scanner
}

// Cancellable returns a reader of src that fails after ctx has ended.
func Cancellable(ctx context.Context, src io.Reader) io.Reader { return cancellable{ctx, src} }

type cancellable struct {
	ctx context.Context //nolint:containedctx // the context lives as long as the reading of one file
	src io.Reader
}

// Read implements [io.Reader].
func (c cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.src.Read(p)
}

// unpacking reads the content of a compressed file, up to a limit.
type unpacking struct {
	src        io.Reader
	left, most int64
}

// bounded returns a reader of src that fails with an [ErrLimit] after more bytes than the parameter most. 0 means no
// limit.
func bounded(src io.Reader, most int64) io.Reader {
	if most == 0 {
		return src
	}
	return &unpacking{src, most, most}
}

// Read implements [io.Reader].
func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.src.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, fmt.Errorf("it is larger than %d MiB when decompressed: %w", u.most>>20, ErrLimit)
	}
	return n, err
}

// counted is a reader that hashes and counts the bytes it reads from src.
type counted struct {
	src io.Reader
	sum hash.Hash
	n   int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.sum.Write(p[:n])
	c.n += int64(n)
	return n, err
}
