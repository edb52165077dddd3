package frame

import "html/template"

// Block is a part of a page: a heading with a chart, a table, or both.
type Block struct {
	Section
	Legend []Legend
	Wide   template.HTML // chart for the width of a laptop
	Large  template.HTML // chart for the width of a desktop
	Narrow template.HTML // chart for the width of a phone
	Table  *Table
	After  string // remark below
	More   Option // link next to the title
	Plain  bool   // the chart of the block cannot be saved
}

// Head returns the heading of the block. A chart on the page can be saved, unless the block is plain.
func (b Block) Head() Section {
	s := b.Section
	s.Drawn = b.Wide != "" && !b.Plain
	return s
}

// WithCSV returns the block with the address of a CSV file of its rows.
func (b Block) WithCSV(address string) Block {
	b.CSV = address
	return b
}

// Legend is a series of a chart. Class is the CSS class of a line or an area in console.css.
type Legend struct{ Name, Class string }

// Option is a named link, such as a choice of a menu or a tab.
type Option struct {
	Name, Address string
	Here          bool
}

// Fact is a figure with its name in the side column.
type Fact struct {
	Name, Value string
	Tone        string // good, bad, warning or ""
	Href        string
}

// Messages are the results of a form.
type Messages struct {
	Problem string // what is wrong and what to do
	Done    string // confirmation
}
