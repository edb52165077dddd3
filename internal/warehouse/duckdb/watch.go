package duckdb

import (
	"cmp"
	"slices"

	"assay/internal/warehouse"
)

// watch sees each row of a table beside the one before it and notes in the part what a merge can then leave out:
// looking for duplicates where keys only rise or only fall, sorting where days do.
type watch[T any] func(p *part, before, row *T)

// course tells whether a sequence keeps its direction.
type course struct{ direction int }

// turned reports whether a step goes against an earlier one.
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

// compareRefs compares the keys of orders, short ones first, which is the order of numbers written out. Any order in
// which no two keys are equal would do.
func compareRefs(a, b *warehouse.OrderRef) int {
	if c := cmp.Compare(len(a.Key), len(b.Key)); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Key, b.Key); c != 0 {
		return c
	}
	return cmp.Compare(a.Source, b.Source)
}

// sharedInstant is how many orders of one instant are compared with one another.
const sharedInstant = 16

func watchOrders() watch[orderRow] {
	var keys, days, instants course
	var people []string // who ordered at the instant of the order before
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

// watchAdDays watches the days of reports alone: their rows have no key.
func watchAdDays() watch[warehouse.AdDay] {
	var days course
	return func(p *part, before, a *warehouse.AdDay) {
		p.unsorted = p.unsorted || days.turned(a.Day.Compare(before.Day))
	}
}

// watchParts watches what belongs to orders: of one order the rows must rise by what tells them apart.
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
