package sheet_test

import (
	"testing"

	"assay/internal/sheet"
)

func TestTextIsNoFormula(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"":               "",
		"brand = search": "brand = search",
		"ｂrand＝1":        "ｂrand＝1",
		"\xff":           "\xff",
		"=1+1":           "'=1+1",
		"+49":            "'+49",
		"-5":             "'-5",
		"@SUM(A1)":       "'@SUM(A1)",
		"\t=1+1":         "'\t=1+1",
		"\r=1+1":         "'\r=1+1",
		"＝1+1":           "'＝1+1",
		"＋49":            "'＋49",
		"－5":             "'－5",
		"＠SUM(A1)":       "'＠SUM(A1)",
	} {
		if got := sheet.Text(cell); got != want {
			t.Errorf("%q is written as %q, want %q", cell, got, want)
		}
	}
}
