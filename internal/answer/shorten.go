package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// cuts lists the forms of a shortened result, from the largest to the smallest. Each form has its members and its
// minimum number of rows. The summary of the answer contains the metrics, so the metrics are removed before the last
// row.
var cuts = []struct {
	members string // "": all but the next steps
	rows    int
}{
	{"", 3},
	{"period period1 period2 currency metrics drivers rows pagination", 3},
	{"period period1 period2 currency metrics rows pagination", 3},
	{"period period1 period2 currency metrics rows", 1},
	{"currency rows", 1},
	{"currency metrics", 0},
}

// Shortened returns the largest form of a result with at most the given number of bytes, or nil if there is no such
// form. Members that the form omits are added in their order while they fit. All forms contain the kept members, unless
// no form with them fits.
func Shortened(result json.RawMessage, most int, kept ...string) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(result, &all); err != nil {
		return nil, err
	}
	members, err := MembersOf(result)
	if err != nil {
		return nil, err
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(all["rows"], &rows); err != nil {
		return nil, err
	}
	for _, cut := range cuts {
		if len(rows) == 0 && cut.rows == 1 {
			continue
		}
		shown := strings.Fields(cut.members)
		inForm := func(m string) bool {
			return slices.Contains(shown, m) || slices.Contains(kept, m) || len(shown) == 0 && m != "next"
		}
		for n := len(rows); n >= min(cut.rows, len(rows)); n-- {
			text, err := written(all, members, inForm, rows[:n], len(rows)-n)
			if err != nil {
				return nil, err
			}
			if room := most - len(text); room >= 0 {
				more := func(m string) bool {
					size := len(m) + len(all[m]) + len(`"":,`)
					if inForm(m) || m == "next" || m == "summary" || m == "rows" || size > room {
						return inForm(m)
					}
					room -= size
					return true
				}
				return written(all, members, more, rows[:n], len(rows)-n)
			}
		}
	}
	if len(kept) > 0 {
		return Shortened(result, most)
	}
	return nil, nil
}

// written encodes the members for which the function shows returns true. The member rows contains only the given rows.
func written(all map[string]json.RawMessage, members []member, shows func(string) bool, rows []json.RawMessage, omitted int) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range members {
		name := m.Name
		if !shows(name) {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		value := []byte(all[name])
		if name == "rows" {
			var err error
			if value, err = Encode(rows); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(&b, "%q:%s", name, value)
	}
	if omitted > 0 {
		fmt.Fprintf(&b, `,"rows_omitted":%d`, omitted)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
