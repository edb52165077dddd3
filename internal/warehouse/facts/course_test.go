package facts

import (
	"testing"
	"time"

	"assay/internal/civil"
)

// arrival is an order in a file: its key, instant and customer.
type arrival struct {
	key      string
	at       int64
	customer string
}

// whatWasSeen passes the arrivals to a buffer of orders and returns the buffer's [Course], which describes the order of
// the rows.
func whatWasSeen(arrivals []arrival) *Course {
	b := newBuffer(OrdersTable, newOrderTexts().rows, columnsOfOrders, watchOrders())
	rows := make([]orderRow, len(arrivals))
	for i, a := range arrivals {
		rows[i] = orderRow{
			ref: OrderRef{Source: "test", Key: a.key}, at: a.at, day: Days(civil.New(2026, time.January, 1).AddDays(int(a.at))), customer: a.customer,
		}
	}
	b.notice(rows)
	return b.course()
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
			unsorted: true, tied: true, // if orders are not sorted by time, two orders may have one instant
		},
		{name: "a customer orders twice at once", arrivals: []arrival{{"1", 1, "a"}, {"2", 1, "b"}, {"3", 1, "a"}}, tied: true},
		{name: "guests order at once", arrivals: []arrival{{"1", 1, ""}, {"2", 1, ""}}},
	} {
		p := whatWasSeen(c.arrivals)
		if p.Unordered != c.unordered || p.Unsorted != c.unsorted || p.Tied != c.tied {
			t.Errorf("%s: unordered %t, unsorted %t, tied %t; want %t, %t, %t",
				c.name, p.Unordered, p.Unsorted, p.Tied, c.unordered, c.unsorted, c.tied)
		}
	}
}
