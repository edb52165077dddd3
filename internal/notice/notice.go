// Package notice contains the licenses and notices of the modules that are linked into the program. The licenses
// require them in each copy of the program. After a change of go.mod, run go generate ./internal/notice.
package notice

import (
	_ "embed"
	"slices"
	"strings"
)

//go:generate go run ./generate

//go:embed notices.txt
var text string

// Rule is the line above each notice. The lines below it, up to an empty line, name the modules and the source file of
// the notice.
const Rule = "================================================================================"

// Text returns all notices.
func Text() string { return text }

// Modules returns the modules that have a notice, as "path version", sorted.
func Modules() []string {
	var all []string
	for _, part := range strings.Split(text, Rule+"\n")[1:] {
		for line := range strings.Lines(part) {
			module, _, named := strings.Cut(line, ": ")
			if !named {
				break
			}
			all = append(all, module)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
