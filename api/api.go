// Package api contains the API contract as data. contract.tsv lists the tools and their parameters. It is maintained by
// hand, independently of the structs in internal/tools, so a test can compare the two.
package api

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed contract.tsv
var contract string

// Parameter is one parameter of a tool in the contract. A field is empty if the contract does not define it.
type Parameter struct {
	Tool     string
	Name     string
	Type     string // string, number, boolean, array or object
	Required bool
	Enum     []string
	Default  string // as JSON writes it, without quotes
	Min, Max string
	Items    string // the type of an array's items
}

// header names the columns of contract.tsv. The cell "-" means empty.
const header = "tool\tparameter\ttype\trequired\tenum\tdefault\tmin\tmax\titems"

// Contract returns every parameter of every tool, in the contract's order. It panics if the embedded table is invalid.
// A test checks the table.
func Contract() []Parameter {
	lines := strings.Split(strings.TrimSuffix(contract, "\n"), "\n")
	if lines[0] != header {
		panic("contract.tsv: the header is " + lines[0])
	}
	parameters := make([]Parameter, 0, len(lines)-1)
	for n, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != 9 {
			panic(fmt.Sprintf("contract.tsv line %d: %d cells, want 9", n+2, len(cells)))
		}
		for i := range cells {
			if cells[i] == "-" {
				cells[i] = ""
			}
		}
		p := Parameter{
			Tool: cells[0], Name: cells[1], Type: cells[2], Required: cells[3] == "required",
			Default: cells[5], Min: cells[6], Max: cells[7], Items: cells[8],
		}
		if cells[4] != "" {
			p.Enum = strings.Split(cells[4], "|")
		}
		parameters = append(parameters, p)
	}
	return parameters
}

// Tools returns the names of the tools in the contract's order.
func Tools() []string {
	var names []string
	for _, p := range Contract() {
		if len(names) == 0 || names[len(names)-1] != p.Tool {
			names = append(names, p.Tool)
		}
	}
	return names
}
