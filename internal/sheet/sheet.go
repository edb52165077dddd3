// Package sheet writes text for programs that open a table as a spreadsheet.
package sheet

import (
	"strconv"
	"strings"
)

// formulaStarts are the characters that make a spreadsheet read a cell as a formula. East Asian versions take the full-width
// forms for the plain ones; a tab or carriage return is skipped on the way to the next character
// (OWASP, CSV injection).
const formulaStarts = "=+-@\t\r＝＋－＠"

// separators are what spreadsheets split lines at, depending on the locale.
const separators = ",;\t"

// Line returns a line outside of the table, which is not quoted, so that no spreadsheet runs a part of it as a formula: an
// apostrophe goes in front of a part that starts like one. Numbers stay as they are.
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

// Text returns the content of a cell so that no spreadsheet runs it as a formula: an apostrophe goes in front where it has to.
// It is for text of others; numbers stay as they are.
func Text(cell string) string {
	if cell != "" && strings.ContainsRune(formulaStarts, []rune(cell)[0]) {
		return "'" + cell
	}
	return cell
}
