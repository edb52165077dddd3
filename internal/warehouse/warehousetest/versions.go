package warehousetest

import (
	"fmt"
	"os"
	"slices"
	"time"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// history returns four versions of an order: pending from an export, paid from a webhook, and exports after a first and
// a second refund. Each version also contains another order with a refund.
func history() []warehouse.Batch {
	updated := instant("2026-01-11T08:00:00Z")
	version := func(status string, at time.Time, refunded int64) warehouse.Batch {
		o, other := smallStore().Orders[0], smallStore().Orders[1]
		o.Status, o.Cancelled, o.UpdatedAt, other.UpdatedAt = status, status == "pending", at, time.Time{}
		b := warehouse.Batch{Orders: []warehouse.Order{o, other}, Refunds: []warehouse.Refund{
			{OrderRef: other.OrderRef, Refund: "r", At: other.At, Day: other.Day, Amount: 1_00},
		}}
		if refunded > 0 {
			b.Refunds = append(b.Refunds, warehouse.Refund{OrderRef: o.OrderRef, Refund: "total", At: o.At, Day: o.Day, Amount: refunded, DateUnknown: true})
		}
		return b
	}
	return []warehouse.Batch{
		version("pending", time.Time{}, 0), version("paid", updated, 0),
		version("partially_refunded", time.Time{}, 5_00), version("partially_refunded", time.Time{}, 9_00),
	}
}

// versionsWithoutDate imports the versions of [history] in several sequences. If ASSAY_TEST_THOROUGH is set, it imports
// them in all sequences.
func versionsWithoutDate(on trial) {
	t, w := on.t, on.w
	orders := [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}}
	if os.Getenv("ASSAY_TEST_THOROUGH") != "" {
		orders = permutations([]int{0, 1, 2, 3})
	}
	for _, order := range orders {
		ws := measure.WorkspaceID(fmt.Sprintf("history-%d%d%d%d", order[0], order[1], order[2], order[3]))
		for _, at := range order {
			load(t, w, warehouse.ImportSpec{Workspace: ws}, history()[at])
		}
		got, _, err := w.Order(t.Context(), ws, ref("1"))
		if err != nil {
			t.Fatal(err)
		}
		want := history()[3].Orders[0]
		want.UpdatedAt = history()[1].Orders[0].UpdatedAt
		same(t, fmt.Sprintf("the order after %v", order), want, got)
		totals := answer[warehouse.Pair[measure.Sums]](t)(w.StoreTotals(t.Context(), ws, warehouse.Windows{Recent: january})).Recent
		same(t, fmt.Sprintf("orders and refunds after %v", order), []int64{whole(2), 10_00}, []int64{totals.Orders, totals.Refunds})
	}
}

func permutations(of []int) (all [][]int) {
	if len(of) < 2 {
		return [][]int{of}
	}
	for i, first := range of {
		for _, rest := range permutations(slices.Concat(of[:i], of[i+1:])) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}

// campaignsMeet imports a campaign's totals from an export with IDs, an export without IDs, and a Singer tap.
func campaignsMeet(on trial) {
	t, w := on.t, on.w
	totals := func(id, message, day string, revenue int64) warehouse.Batch {
		return warehouse.Batch{Messages: []warehouse.MessageDay{{
			Source: "klaviyo", Channel: "email", Entity: "campaign", EntityID: id, EntityName: "Spring", MessageID: message, Day: date(day), Revenue: revenue, SinceSend: true,
		}}}
	}
	export, nameless, tap := totals("C1", "", "2026-01-10", 5_00), totals("Spring", "", "2026-01-10", 4_00), totals("C1", "", "2026-01-11", 6_00)
	for i, order := range [][]warehouse.Batch{{export, nameless, tap}, {nameless, export, tap}, {totals("C1", "m1", "2026-01-10", 3_00), nameless, export, tap}} {
		ws := measure.WorkspaceID(fmt.Sprintf("campaigns-%d", i))
		for _, b := range order {
			load(t, w, warehouse.ImportSpec{Workspace: ws}, b)
		}
		load(t, w, warehouse.ImportSpec{Workspace: ws}, totals("C2", "", "2026-01-17", 1_00)) // the next campaign has the same name
		rows := answer[[]warehouse.MessageEntity](t)(w.Messages(t.Context(), ws, warehouse.MessagesOf{Days: january}))
		var got []string
		for _, r := range rows {
			got = append(got, fmt.Sprintf("%s %s %d", r.ID, r.Days.First, r.Revenue))
		}
		same(t, fmt.Sprintf("campaigns %d", i), []string{"C1 2026-01-10 600", "C2 2026-01-17 100"}, got)
	}
}
