package source

// Described is a reader that can say which columns it reads. All readers are.
type Described interface {
	// Columns returns what is read, with the folded names of each column.
	Columns() []Column
	// Needs returns the fields without which a file cannot be read.
	Needs() []string
}
