package facts

// Preview contains the first rows of a table. Users check these rows before an import.
type Preview struct {
	Title   string
	Columns []PreviewColumn
	Rows    [][]any // one value per column; nil: nothing to show
}

// PreviewColumn is a column of a preview.
type PreviewColumn struct {
	Title  string
	Format Format
}

// Format determines how a preview shows a value.
type Format int

// Formats of values. Amounts are minor units of the workspace's currency. A money.Amount has its own currency.
const (
	Plain   Format = iota // unchanged; times are in the workspace's time zone
	Money                 // an amount
	Amount                // an amount; zero is empty
	Nonzero               // a number; zero is empty
	Hash                  // whether there is a value, which is stored as a hash
	Words                 // an identifier, with spaces
)

// shown is a preview column for rows of type T.
type shown[T any] struct {
	PreviewColumn
	value func(*T) any
}

func addPreview[T any](all []Preview, title string, rows []T, most int, columns []shown[T]) []Preview {
	if len(rows) == 0 {
		return all
	}
	p := Preview{Title: title}
	for _, c := range columns {
		p.Columns = append(p.Columns, c.PreviewColumn)
	}
	for i := range rows[:min(len(rows), most)] {
		values := make([]any, len(columns))
		for j, c := range columns {
			values[j] = c.value(&rows[i])
		}
		p.Rows = append(p.Rows, values)
	}
	return append(all, p)
}

// when returns the value if the condition is true, otherwise nil.
func when(is bool, value any) any {
	if !is {
		return nil
	}
	return value
}

// excluded returns the reason why figures exclude an order.
func (o *Order) excluded() string {
	switch {
	case o.Test:
		return "no, a test"
	case o.Cancelled:
		return "no, canceled"
	}
	return ""
}

func (l *LandedLine) excluded() string {
	if l.Gone {
		return "no, removed"
	}
	return ""
}

// dated returns the day of a refund as text, or a note if the day is unknown.
func (r *Refund) dated() string {
	if r.DateUnknown || r.Day.IsZero() {
		return "unknown, set to the order's date"
	}
	return r.Day.String()
}
