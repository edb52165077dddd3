package facts

import (
	"cmp"
	"slices"

	"assay/internal/civil"
)

// Course describes the order of an import's rows. The order determines the steps that a merge can skip.
type Course struct {
	Unordered bool // keys neither only increase nor only decrease, so duplicates are possible
	Unsorted  bool // days neither only increase nor only decrease
	Tied      bool // two orders of a customer may have the same instant
	Long      bool // an order may have more rows than the store keeps
}

// watch compares a row with the previous row and updates the course.
type watch[T any] func(c *Course, before, row *T)

// direction tracks whether a sequence only increases or only decreases.
type direction struct{ first int }

// turned reports whether a step reverses the direction.
func (d *direction) turned(step int) bool {
	if step == 0 {
		return false
	}
	step = cmp.Compare(step, 0)
	if d.first == 0 {
		d.first = step
	}
	return d.first != step
}

// compareRefs compares orders by the length of their keys, then by the keys' text, then by source. For numeric keys,
// this is numerical order. Any strict order is sufficient.
func compareRefs(a, b *OrderRef) int {
	if c := cmp.Compare(len(a.Key), len(b.Key)); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Key, b.Key); c != 0 {
		return c
	}
	return cmp.Compare(a.Source, b.Source)
}

// sharedInstant is the maximum number of orders at one instant that are compared with one another.
const sharedInstant = 16

func watchOrders() watch[orderRow] {
	var keys, days, instants direction
	var people []string // customers of the previous orders at this instant
	return func(c *Course, before, o *orderRow) {
		step := compareRefs(&before.ref, &o.ref)
		c.Unordered = c.Unordered || step == 0 || keys.turned(step)
		c.Unsorted = c.Unsorted || days.turned(cmp.Compare(o.day, before.day))
		if c.Tied {
			return
		}
		step = cmp.Compare(o.at, before.at)
		if step != 0 {
			c.Tied = instants.turned(step)
			people = people[:0]
			return
		}
		people = append(people, before.customer)
		c.Tied = len(people) > sharedInstant || o.customer != "" && slices.Contains(people, o.customer)
	}
}

// watchDays watches rows without a unique key. It checks only the order of their days.
func watchDays[T any](day func(*T) civil.Date) watch[T] {
	var days direction
	return func(c *Course, before, row *T) {
		c.Unsorted = c.Unsorted || days.turned(day(row).Compare(day(before)))
	}
}

// watchParts watches the order of rows in tables with several rows per order. Within an order, row keys must increase.
// The parameter number returns the row key in tables that store only the last rows of an order. For other tables, it is
// nil.
func watchParts[T any](t *Table, ref func(*T) *OrderRef, compare func(a, b *T) int, number func(*T) int64) watch[T] {
	var refs direction
	return func(c *Course, before, row *T) {
		step := compareRefs(ref(before), ref(row))
		c.Unordered = c.Unordered || refs.turned(step) || step == 0 && compare(before, row) >= 0
		if number != nil {
			c.Long = c.Long || number(row) > int64(t.Most)
		}
	}
}
