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

func TestALineHasNoFormula(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`# title: a title`:                 `# title: a title`,
		`# title: x,=cmd|' /C calc'!A0`:    `# title: x,'=cmd|' /C calc'!A0`,
		`# title: x; @SUM(A1);ok`:          `# title: x; '@SUM(A1);ok`,
		`# labels: ["x,＝A1","-2+3+cmd|x"]`: `# labels: ["x,'＝A1","-2+3+cmd|x"]`,
		`# title: x,-2+3+cmd|x`:            `# title: x,'-2+3+cmd|x`,
		`# values: [1,-2.5,-3]`:            `# values: [1,-2.5,-3]`,
		`# change: -3`:                     `# change: -3`,
	} {
		if got := sheet.Line(line); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}
