package merge

import (
	"assay/internal/measure"
	"assay/internal/warehouse/facts"
)

// Args are the values of a statement's parameters.
type Args = args

// AccountDay is the unit of replacement in ad reports.
var AccountDay = accountDay

// ValuesOf returns the parameters of SQL templates about a fact table.
func ValuesOf(t *facts.Table) Args { return (&part{Table: t}).values() }

// Render returns a text for a workspace.
func Render(d Dialect, ws measure.WorkspaceID, name string, values Args) (string, error) {
	return texts{d, ws}.render(name, values)
}
