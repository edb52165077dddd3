// Package sheet formats untrusted text so that spreadsheets do not run it as a formula.
package sheet

import (
	"strconv"
	"strings"
)

// formulaStarts lists the characters that make a spreadsheet interpret a cell as a formula. East Asian versions treat
// the full-width forms like the plain characters. Spreadsheets skip a leading tab or carriage return (OWASP, CSV
// injection).
const formulaStarts = "=+-@\t\r＝＋－＠"

// separators lists the characters at which spreadsheets split a line into cells, depending on the locale.
const separators = ",;\t"

// Line returns an unquoted line for use outside of the table. Spreadsheets split the line at [separators]. Line adds an
// apostrophe before each part after a separator that starts like a formula, so that spreadsheets do not run it. Numbers
// are not changed.
func Line(text string) string {
	var b strings.Builder
	for rest := text; rest != ""; {
		end := strings.IndexAny(rest, separators) + 1
		if end == 0 {
			end = len(rest)
		}
		part := rest[:end]
		content := strings.TrimLeft(part, " ")
		b.WriteString(part[:len(part)-len(content)])
		if len(rest) < len(text) && !isNumber(content) {
			content = Text(content)
		}
		b.WriteString(content)
		rest = rest[end:]
	}
	return b.String()
}

// isNumber reports whether a part is a number, alone or at the end of a JSON array or object.
func isNumber(part string) bool {
	_, err := strconv.ParseFloat(strings.TrimRight(part, separators+" ]}\n"), 64)
	return err == nil
}

// Text returns the content of a cell with a leading apostrophe if it starts like a formula. Spreadsheets therefore do
// not run the content as a formula. Text is for untrusted text, not for numbers, because a negative number also gets an
// apostrophe.
func Text(cell string) string {
	if cell != "" && strings.ContainsRune(formulaStarts, []rune(cell)[0]) {
		return "'" + cell
	}
	return cell
}
