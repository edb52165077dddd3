package ingest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
)

// Weight returns how many bytes a file holds when it is unpacked, counted up to most: what reading it costs does not show in
// its size. Gzip is unpacked that far, a workbook is believed what it says of its parts, and Parquet, of which a few bytes may
// stand for any number of rows, weighs the most. What cannot be read weighs its size: reading it will say why.
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
	case bytes.HasPrefix(packed, []byte(parquetMark)):
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

// partsOf adds up what a zip archive says that its parts hold, up to most.
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
