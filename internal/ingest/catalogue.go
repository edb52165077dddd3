package ingest

import (
	"slices"
	"strings"

	"assay/internal/fault"
	"assay/internal/ingest/mapper"
	"assay/internal/ingest/source"
)

// Description is the description of a source for users.
type Description struct {
	Name    string
	Title   string
	Columns []string // columns that the reader reads, by preferred name; required columns first
	Needs   int      // number of required columns
}

// Catalogue returns descriptions of all sources in the order of [Readers].
func Catalogue() []Description {
	var all []Description
	for _, r := range Readers() {
		d := Description{Name: r.Name(), Title: r.Title()}
		described, ok := r.(source.Described)
		if !ok {
			continue
		}
		needs := described.Needs()
		var rest []string
		for _, c := range described.Columns() {
			if slices.Contains(needs, c.Field) {
				d.Columns = append(d.Columns, c.Names[0])
			} else {
				rest = append(rest, c.Names[0])
			}
		}
		d.Needs = len(d.Columns)
		d.Columns = append(d.Columns, rest...)
		all = append(all, d)
	}
	return all
}

// Template returns a CSV table for the named source. It contains the header and, for the table kinds of [mapper],
// example rows.
func Template(name string) ([]byte, error) {
	if text, ok := mapper.Template(mapper.Kind(name)); ok {
		return text, nil
	}
	all := Catalogue()
	names := make([]string, 0, len(all))
	for _, d := range all {
		if d.Name == name {
			return []byte(strings.Join(d.Columns, ",") + "\n"), nil
		}
		names = append(names, d.Name)
	}
	return nil, fault.Invalid("there is no source %q; the sources are %s", name, strings.Join(names, ", "))
}
