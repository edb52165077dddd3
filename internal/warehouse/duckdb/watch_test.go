package duckdb

import (
	"slices"
	"testing"

	"assay/internal/civil"
	"assay/internal/warehouse"
)

// arrival is an order in a file: its key, instant and customer.
type arrival struct {
	key      string
	at       int64
	customer string
}

// whatWasSeen passes arrivals to the watch of orders.
func whatWasSeen(arrivals []arrival) *part {
	p := &part{table: orders}
	b := newBuffer(orders, newOrderTexts().rows, putOrder, watchOrders())
	b.part = p
	rows := make([]orderRow, len(arrivals))
	for i, a := range arrivals {
		rows[i] = orderRow{
			ref: warehouse.OrderRef{Source: "test", Key: a.key}, at: a.at, day: month.First.AddDays(int(a.at)), customer: a.customer,
		}
	}
	b.notice(rows)
	return p
}

func TestSortedRowsLetAMergeSkipSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                      string
		arrivals                  []arrival
		unordered, unsorted, tied bool
	}{
		{name: "oldest first", arrivals: []arrival{{"9", 1, "a"}, {"10", 2, "b"}, {"11", 2, "a"}}},
		{name: "newest first", arrivals: []arrival{{"11", 3, "a"}, {"10", 2, "b"}, {"9", 1, "a"}}},
		{name: "a key twice in a row", arrivals: []arrival{{"9", 1, "a"}, {"9", 2, "b"}}, unordered: true},
		{name: "a key comes back", arrivals: []arrival{{"9", 1, "a"}, {"10", 2, "b"}, {"9", 3, "c"}}, unordered: true},
		{
			name: "days turn", arrivals: []arrival{{"1", 1, "a"}, {"2", 3, "b"}, {"3", 2, "c"}},
			unsorted: true, tied: true, // without sorting by time, the instants of customers are unknown
		},
		{name: "a customer orders twice at once", arrivals: []arrival{{"1", 1, "a"}, {"2", 1, "b"}, {"3", 1, "a"}}, tied: true},
		{name: "guests order at once", arrivals: []arrival{{"1", 1, ""}, {"2", 1, ""}}},
	} {
		p := whatWasSeen(c.arrivals)
		if p.unordered != c.unordered || p.unsorted != c.unsorted || p.tied != c.tied {
			t.Errorf("%s: unordered %t, unsorted %t, tied %t; want %t, %t, %t",
				c.name, p.unordered, p.unsorted, p.tied, c.unordered, c.unsorted, c.tied)
		}
	}
}

// TestAdjacentWindowsAreMerged passes the days of two accounts in random order.
func TestAdjacentWindowsAreMerged(t *testing.T) {
	t.Parallel()
	window := func(account string, first, last int) warehouse.AdWindow {
		return warehouse.AdWindow{Account: account, Days: civil.Range{First: month.First.AddDays(first), Last: month.First.AddDays(last)}}
	}
	got := joinWindows([]warehouse.AdWindow{
		window("b", 3, 3), window("a", 9, 9), window("a", 1, 4), window("a", 2, 3), window("a", 5, 6), window("b", 4, 4),
	})
	want := []warehouse.AdWindow{window("a", 1, 6), window("a", 9, 9), window("b", 3, 4)}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
