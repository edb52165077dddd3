package mapper

import (
	"encoding/json"
	"strings"

	"assay/internal/ingest/source"
	"assay/internal/money"
)

// condition is a rule bound to a column.
type condition struct {
	rule  Rule
	at    int
	limit int64 // limit of a comparison, in millionths
}

func compile(rules []Rule, h source.Header) []condition {
	conditions := make([]condition, 0, len(rules))
	for _, r := range rules {
		c := condition{rule: r, at: h.Index(source.Fold(r.Column))}
		for _, n := range []*json.Number{r.Below, r.AtMost, r.Above} {
			if n != nil {
				c.limit, _ = source.Millionths(n.String(), money.Point) // checked by Parse
			}
		}
		conditions = append(conditions, c)
	}
	return conditions
}

// action returns the action of the first rule that matches the row, or "" if none matches.
func (b *binding) action(fields []string, line int) (Action, error) {
	for i := range b.rules {
		c := &b.rules[i]
		fits, err := c.fits(source.Cell(fields, c.at), b.notation)
		if err != nil {
			return "", source.Unreadable(line, c.rule.Column, source.Cell(fields, c.at), err)
		}
		if fits {
			return c.rule.Then, nil
		}
	}
	return "", nil
}

func (c *condition) fits(cell string, n money.Notation) (bool, error) {
	switch {
	case c.rule.Equals != nil:
		return cell == *c.rule.Equals, nil
	case c.rule.Starts != nil:
		return strings.HasPrefix(cell, *c.rule.Starts), nil
	case c.rule.Empty != nil:
		return (cell == "") == *c.rule.Empty, nil
	case cell == "":
		return false, nil
	}
	x, err := source.Millionths(cell, n)
	switch {
	case err != nil:
		return false, err
	case c.rule.Below != nil:
		return x < c.limit, nil
	case c.rule.AtMost != nil:
		return x <= c.limit, nil
	}
	return x > c.limit, nil
}
