package duckdb

import (
	"cmp"
	"slices"

	"assay/internal/warehouse"
)

// watch compares each row of a table with the previous one and records which steps a merge can skip: the search for
// duplicates if keys only rise or only fall, sorting if days do.
type watch[T any] func(p *part, before, row *T)

// course tracks the direction of a sequence.
type course struct{ direction int }

// turned reports whether a step reverses the direction.
func (c *course) turned(step int) bool {
	if step == 0 {
		return false
	}
	step = cmp.Compare(step, 0)
	if c.direction == 0 {
		c.direction = step
	}
	return c.direction != step
}

// compareRefs compares the keys of orders, short ones first, which is numerical order for numbers. Any strict order
// would do.
func compareRefs(a, b *warehouse.OrderRef) int {
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
	var keys, days, instants course
	var people []string // customers of the previous orders at this instant
	return func(p *part, before, o *orderRow) {
		step := compareRefs(&before.ref, &o.ref)
		p.unordered = p.unordered || step == 0 || keys.turned(step)
		p.unsorted = p.unsorted || days.turned(o.day.Compare(before.day))
		if p.tied {
			return
		}
		step = cmp.Compare(o.at, before.at)
		if step != 0 {
			p.tied = instants.turned(step)
			people = people[:0]
			return
		}
		people = append(people, before.customer)
		p.tied = len(people) > sharedInstant || o.customer != "" && slices.Contains(people, o.customer)
	}
}

// watchAdDays watches only the days of reports: their rows have no key.
func watchAdDays() watch[warehouse.AdDay] {
	var days course
	return func(p *part, before, a *warehouse.AdDay) {
		p.unsorted = p.unsorted || days.turned(a.Day.Compare(before.Day))
	}
}

// watchParts watches rows of orders: within an order, their keys must rise.
func watchParts[T any](ref func(*T) *warehouse.OrderRef, compare func(a, b *T) int) watch[T] {
	var refs course
	return func(p *part, before, row *T) {
		step := compareRefs(ref(before), ref(row))
		p.unordered = p.unordered || refs.turned(step) || step == 0 && compare(before, row) >= 0
	}
}

func watchTouches() watch[warehouse.Touch] {
	parts := watchParts(func(t *warehouse.Touch) *warehouse.OrderRef { return &t.OrderRef },
		func(a, b *warehouse.Touch) int { return cmp.Compare(a.Seq, b.Seq) })
	return func(p *part, before, t *warehouse.Touch) {
		parts(p, before, t)
		p.long = p.long || t.Seq > maxTouches
	}
}
