package ingest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
)

// Weight returns the unpacked size of a file in bytes, which determines the cost of reading. It returns at most the
// parameter most, or the file's size if this is larger. For gzip, Weight stops unpacking at the parameter most. For a
// workbook, it uses the declared sizes. For a Parquet file, it returns the parameter most, because a few bytes can
// encode any number of rows. For an unreadable file, the weight is the file's size; the later import reports the error.
func Weight(f File, most int64) int64 {
	if f.Size >= most {
		return f.Size
	}
	content, err := f.Open()
	if err != nil {
		return f.Size
	}
	defer content.Close()
	packed, err := io.ReadAll(io.LimitReader(content, most))
	if err != nil {
		return f.Size
	}
	switch {
	case bytes.HasPrefix(packed, []byte(parquetMagic)):
		return most
	case bytes.HasPrefix(packed, []byte{0x1F, 0x8B}):
		plain, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return f.Size
		}
		n, _ := io.CopyN(io.Discard, plain, most)
		return max(n, f.Size)
	case bytes.HasPrefix(packed, []byte("PK\x03\x04")):
		return max(partsOf(packed, most), f.Size)
	}
	return f.Size
}

// partsOf sums the unpacked sizes that a zip archive declares. The result is at most the parameter most.
func partsOf(archive []byte, most int64) (sum int64) {
	parts, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return 0
	}
	for _, part := range parts.File {
		if sum += int64(min(part.UncompressedSize64, uint64(most))); sum >= most {
			return most
		}
	}
	return sum
}
