package frame

import (
	"cmp"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"assay/internal/measure"
	"assay/internal/money"
)

// Table is a table that the visitor can sort, page and download. The sort order and the page number are in the query of
// the page's address.
type Table struct {
	Name    string // distinguishes the tables of a page; "" for the only one that can be sorted and paged
	Caption string
	Columns []Column
	Rows    []Row
	Total   *Row   // shown last
	Empty   string // why there are no rows
	Size    int    // rows per page; 0: RowsShown

	address func(change map[string]string) string
	sorted  string
	links   []PageLink
	from    int
	all     int
}

// Column is a column of a table.
type Column struct {
	Key    string // in the query, and the header of the file
	Name   string
	Second string // header of the second lines in the file; "": the file omits them
	Number bool   // right-aligned; sorts the largest first
	Minor  bool   // hidden on a phone
	Fixed  bool   // cannot be sorted
	Axis   template.HTML
}

// Row is a row of a table, with the rows below it that open in place.
type Row struct {
	Cells  []Cell
	Toggle string // address that opens or closes the row; "": it has no detail
	Open   bool
	Note   string // below the detail
	Detail []Row
}

// Cell is a cell of a table.
type Cell struct {
	Text    string
	Sub     string   // second line
	Number  *float64 // sort key and value in the file; nil: the text
	Missing bool     // the figure is unknown
	Tone    string   // good, bad, warning or ""
	Tag     bool     // the text is a tag
	Color   string   // color token of a channel
	Href    string
	Picture template.HTML // drawn by package plot
}

// TextCell returns a cell with text. The page isolates the writing direction of the text (bdi).
func TextCell[T ~string](text T) Cell { return Cell{Text: string(text)} }

// ChannelCell returns a cell with the name and color of a channel.
func ChannelCell[T ~string](c T) Cell { return Cell{Text: ChannelName(c), Color: ChannelColor(c)} }

// None returns a cell without a value. Its text is the reason.
func None(why string) Cell { return Cell{Text: why, Missing: true} }

// MoneyCell returns a cell with an amount that has the given number of decimals.
func MoneyCell[T ~float64](x *T, decimals int, c money.Currency) Cell {
	return figureCell(x, func(v float64) string { return money.Display(v, decimals, c) })
}

// FigureCell returns a cell with a number.
func FigureCell[T ~float64](x *T, decimals int) Cell {
	return figureCell(x, func(v float64) string { return Figure(v, decimals) })
}

// PercentCell returns a cell with a percentage.
func PercentCell[T ~float64](x *T) Cell {
	return figureCell(x, func(v float64) string { return Figure(v, 1) + "%" })
}

// ChangeCell returns a cell with a relative change in percent. An increase has the tone good.
func ChangeCell[T ~float64](x *T) Cell {
	c := figureCell(x, func(v float64) string { return Arrow(v) + Figure(max(v, -v), 1) + "%" })
	if x != nil {
		c.Tone = ToneOf(float64(*x))
	}
	return c
}

func figureCell[T ~float64](x *T, text func(float64) string) Cell {
	if x == nil {
		return None("none")
	}
	v := float64(*x)
	return Cell{Text: text(v), Number: &v}
}

// Arrow returns the arrow of a change.
func Arrow(change float64) string {
	switch {
	case change > 0:
		return "↑ "
	case change < 0:
		return "↓ "
	}
	return ""
}

// ToneOf returns the tone of a change of a figure for which more is better.
func ToneOf(change float64) string {
	switch {
	case change > 0:
		return "good"
	case change < 0:
		return "bad"
	}
	return ""
}

// PageLink is a link to a page of a table.
type PageLink struct{ Name, Address, Rel string }

// Show sorts the rows by the query of the URL, selects the rows of one page and sets the links.
func (t *Table) Show(u *url.URL) *Table {
	query := u.Query()
	t.address = func(change map[string]string) string {
		next := u.Query()
		for key, value := range change {
			next.Set(t.param(key), value)
			if value == "" {
				next.Del(t.param(key))
			}
		}
		address := u.Path + "?" + next.Encode()
		if t.Name != "" {
			address += "#" + t.Name
		}
		return address
	}
	t.sort(query.Get(t.param("sort")))
	size := cmp.Or(t.Size, RowsShown)
	page, err := strconv.Atoi(query.Get(t.param("page")))
	if err != nil || page < 1 || (page-1)*size >= len(t.Rows) {
		page = 1
	}
	t.all, t.from = len(t.Rows), (page-1)*size
	if page > 1 {
		t.links = append(t.links, PageLink{"Previous", t.address(map[string]string{"page": strconv.Itoa(page - 1)}), "prev"})
	}
	if page*size < len(t.Rows) {
		t.links = append(t.links, PageLink{"Next", t.address(map[string]string{"page": strconv.Itoa(page + 1)}), "next"})
	}
	t.Rows = t.Rows[t.from:min(len(t.Rows), t.from+size)]
	return t
}

func (t *Table) param(name string) string {
	if t.Name == "" {
		return name
	}
	return t.Name + "." + name
}

// sort sorts the rows by a column, in reverse with a leading "-". Unknown values are last in both orders.
func (t *Table) sort(by string) {
	key, reverse := strings.CutPrefix(by, "-")
	at := slices.IndexFunc(t.Columns, func(c Column) bool { return !c.Fixed && c.Key == key })
	if at < 0 {
		return
	}
	t.sorted = by
	slices.SortStableFunc(t.Rows, func(a, b Row) int {
		x, y := a.Cells[at], b.Cells[at]
		if x.Missing != y.Missing {
			if x.Missing {
				return 1
			}
			return -1
		}
		order := cmp.Compare(strings.ToLower(x.Text), strings.ToLower(y.Text))
		if x.Number != nil && y.Number != nil {
			order = cmp.Compare(*x.Number, *y.Number)
		}
		if reverse {
			return -order
		}
		return order
	})
}

// Head is the header of a column.
type Head struct {
	Column
	Address string // sorts by the column; "" if the column cannot be sorted
	Sorted  string // "ascending", "descending" or ""
}

// Heads returns the headers.
func (t *Table) Heads() []Head {
	heads := make([]Head, len(t.Columns))
	for i, c := range t.Columns {
		heads[i].Column = c
		if c.Fixed || t.address == nil {
			continue
		}
		next := c.Key
		switch t.sorted {
		case c.Key:
			heads[i].Sorted, next = "ascending", "-"+c.Key
		case "-" + c.Key:
			heads[i].Sorted = "descending" // the next order is ascending
		default:
			if c.Number {
				next = "-" + c.Key
			}
		}
		heads[i].Address = t.address(map[string]string{"sort": next, "page": ""})
	}
	return heads
}

// Links returns the links to the neighboring pages.
func (t *Table) Links() []PageLink { return t.links }

// Range describes the rows of the page. It returns "" if the page has all rows.
func (t *Table) Range() string {
	if len(t.Rows) == t.all || len(t.Rows) == 0 {
		return ""
	}
	return Count(int64(t.from+1)) + " – " + Count(int64(t.from+len(t.Rows))) + " of " + Count(int64(t.all))
}

// Records returns the header and all rows for a file. The caller must call it before [Table.Show]. The function
// harmless escapes formulas in untrusted text.
func (t *Table) Records(harmless func(string) string) [][]string {
	var head []string
	for _, c := range t.Columns {
		if c.Key != "" {
			head = append(head, c.Key)
		}
		if c.Second != "" {
			head = append(head, c.Second)
		}
	}
	records := [][]string{head}
	for _, r := range t.Rows {
		var record []string
		for i, cell := range r.Cells {
			switch {
			case t.Columns[i].Key == "":
			case cell.Missing:
				record = append(record, "")
			case cell.Number != nil:
				record = append(record, strconv.FormatFloat(*cell.Number, 'f', -1, 64))
			default:
				record = append(record, harmless(cell.Text))
			}
			if t.Columns[i].Second != "" {
				record = append(record, harmless(cell.Sub))
			}
		}
		records = append(records, record)
	}
	return records
}

// OptionalChannel returns the cell of a channel that may be absent.
func OptionalChannel(c measure.Channel) Cell {
	if c == "" {
		return None("none")
	}
	return ChannelCell(c)
}
