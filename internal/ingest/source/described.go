package source

// Described is a reader that lists its columns. All readers implement it.
type Described interface {
	// Columns returns the columns that the reader uses, with their folded names.
	Columns() []Column
	// Needs returns the required fields.
	Needs() []string
}
