// Package sheet writes text for programs that open a table as a spreadsheet.
package sheet

import "strings"

// formulaStarts are the characters that make a spreadsheet read a cell as a formula. East Asian versions take the full-width
// forms for the plain ones; a tab or carriage return is skipped on the way to the next character
// (OWASP, CSV injection).
const formulaStarts = "=+-@\t\r＝＋－＠"

// Text returns the content of a cell so that no spreadsheet runs it as a formula: an apostrophe goes in front where it has to.
// It is for text of others; numbers stay as they are.
func Text(cell string) string {
	if cell != "" && strings.ContainsRune(formulaStarts, []rune(cell)[0]) {
		return "'" + cell
	}
	return cell
}
