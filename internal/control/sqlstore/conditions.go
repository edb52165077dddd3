package sqlstore

import (
	"strconv"
	"strings"
)

// conditions is a WHERE clause with its bound values.
type conditions struct {
	all  []string
	args []any
}

// add adds a condition. Each ? in the condition is a bound value.
func (c *conditions) add(condition string, args ...any) {
	for _, arg := range args {
		condition = strings.Replace(condition, "?", c.bind(arg), 1)
	}
	c.all = append(c.all, condition)
}

// bind adds a value and returns its placeholder.
func (c *conditions) bind(arg any) string {
	c.args = append(c.args, arg)
	return "$" + strconv.Itoa(len(c.args))
}

// where returns the clause, or "" without conditions.
func (c *conditions) where() string {
	if len(c.all) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.all, " AND ")
}

func anys[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
