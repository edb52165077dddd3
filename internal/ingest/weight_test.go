package ingest_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"assay/internal/ingest"
)

func TestWeightIsTheUnpackedSize(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	long := strings.Repeat("a,b\n", most)
	gz := func(text string) string {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return out.String()
	}
	archive := func(text string) string {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		part, err := w.Create("xl/worksheets/sheet1.xml")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(part, text)
		_ = w.Close()
		return out.String()
	}
	small := "a,b\n1,2\n"
	for name, c := range map[string]struct {
		content string
		want    func(weight int64) bool
	}{
		"text":                   {small, func(w int64) bool { return w == int64(len(small)) }},
		"long text":              {long, func(w int64) bool { return w >= most }},
		"gzip of little":         {gz(small), func(w int64) bool { return w < 100 }},
		"gzip of much":           {gz(long), func(w int64) bool { return w >= most }},
		"broken gzip":            {gz(long)[:200], func(w int64) bool { return w >= 200 }},
		"no gzip":                {"\x1f\x8bnothing", func(w int64) bool { return w == 9 }},
		"workbook of little":     {archive(small), func(w int64) bool { return w < 1000 }},
		"workbook of much":       {archive(long), func(w int64) bool { return w >= most }},
		"no workbook":            {"PK\x03\x04nothing", func(w int64) bool { return w == 11 }},
		"parquet, however small": {"PAR1....PAR1", func(w int64) bool { return w >= most }},
	} {
		if got := ingest.Weight(text(name, c.content), most); !c.want(got) {
			t.Errorf("%s of %d bytes weighs %d", name, len(c.content), got)
		}
	}
}
