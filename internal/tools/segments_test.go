package tools

import (
	"fmt"
	"strings"
	"testing"

	"assay/internal/warehouse"
)

// mixedShop returns the batch of a store with two orders per day. Customers return every 20 days. Every other day, one
// of the two orders is from a guest.
func mixedShop() *warehouse.Batch {
	return advertised(shop(60, 2, func(i int, o *warehouse.Order) {
		o.Customer = fmt.Sprintf("c%d", i/2%20)
		if i%4 == 1 {
			o.Customer = ""
		}
	}), 1000, 1_000_000)
}

// In every tool, new customers are known customers, not guests. The store has orders of 20 customers, and 30 orders of
// guests.
func TestNewCustomersAreCountedOnce(t *testing.T) {
	t.Parallel()
	s := serviceOver(t, mixedShop()).Session(reader(newWorkspace("w1")), "r1")
	segments := decoded[CustomersAnswer](t, callAs(t, s, "customers", `{"detail_level":"debug"}`).StructuredContent)
	orders := map[warehouse.Segment]float64{}
	var sum float64
	for _, r := range segments.Rows {
		orders[r.Segment] = float64(*r.Orders)
		sum += float64(*r.Orders)
	}
	if orders["new"] != 20 || orders["unknown"] != 30 || orders["returning"] != 70 {
		t.Errorf("segments %v, want 20 new, 70 returning, 30 unknown", orders)
	}
	if !strings.Contains(segments.Summary, "30 of the orders have no known customer") {
		t.Errorf("summary %q lacks the orders without a customer", segments.Summary)
	}
	all := decoded[PerformanceAnswer](t, callAs(t, s, "performance", `{"start_date":"2025-12-10","detail_level":"debug"}`).StructuredContent)
	near(t, "orders of the segments", sum, float64(*all.Metrics.Orders.Value), 1)
	near(t, "performance", float64(*all.Metrics.NewOrders.Value), 20, 1)
	near(t, "performance by channel", float64(*all.Rows[0].NewOrders), 20, 1)
	values := decoded[CustomersAnswer](t, callAs(t, s, "customers", `{"view":"ltv"}`).StructuredContent)
	near(t, "customers view=ltv", float64(*values.Metrics.Customers), 20, 1)
	near(t, "customers view=ltv by channel", float64(*values.Rows[0].Customers), 20, 1)
	if !strings.HasPrefix(values.Summary, "20 customers ") {
		t.Errorf("summary %q, want 20 customers", values.Summary)
	}
	cohorts := decoded[CustomersAnswer](t, callAs(t, s, "customers", `{"view":"retention"}`).StructuredContent)
	near(t, "customers view=retention", float64(*cohorts.Metrics.Customers), 20, 1)
	for _, aspect := range []string{"summary", "ltv"} {
		a := decoded[LifecycleAnswer](t, callAs(t, s, "lifecycle", fmt.Sprintf(`{"aspect":%q,"detail_level":"debug"}`, aspect)).StructuredContent)
		near(t, "lifecycle "+aspect, float64(*a.Metrics.New.Value), 20, 1)
		near(t, "lifecycle CAC "+aspect, float64(*a.Metrics.CAC.Value), 60*10/20, 1)
		if aspect == "summary" && (len(a.Rows) != 3 || a.Rows[2].Segment != warehouse.UnknownCustomers) {
			t.Errorf("lifecycle: rows %+v, want three segments", a.Rows)
		}
		if aspect == "ltv" {
			near(t, "lifecycle by channel", float64(*a.Rows[0].Customers), 20, 1)
			near(t, "CAC of the channel", float64(*a.Rows[0].CAC), 60*10/20, 1)
		}
	}
}

// The spend of the last 15 of 60 days is divided by the new customers of these 15 days.
func TestCACUsesTheDaysWithAdReports(t *testing.T) {
	t.Parallel()
	b := advertised(shop(60, 2, nil), 1000, 0) // two new customers and a spend of 10 per day
	b.AdDays = b.AdDays[45:]
	s := serviceOver(t, b).Session(reader(newWorkspace("w1")), "r1")
	for _, aspect := range []string{"summary", "ltv"} {
		a := decoded[LifecycleAnswer](t, callAs(t, s, "lifecycle", fmt.Sprintf(`{"aspect":%q,"detail_level":"debug"}`, aspect)).StructuredContent)
		near(t, "new customers "+aspect, float64(*a.Metrics.New.Value), 120, 1)
		near(t, "CAC "+aspect, float64(*a.Metrics.CAC.Value), 5, 1)
		if aspect == "ltv" {
			near(t, "CAC of the channel", float64(*a.Rows[0].CAC), 5, 1)
		}
	}
}

func TestStoresWithoutGuestsHaveTwoSegments(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"customers", "lifecycle"} {
		a := answerAs[struct {
			Rows []struct{ Segment warehouse.Segment }
		}](t, tool, `{}`)
		if len(a.Rows) != 2 || a.Rows[0].Segment != "new" || a.Rows[1].Segment != "returning" {
			t.Errorf("%s: %+v, want new and returning", tool, a.Rows)
		}
	}
}

// If the contribution of customers never covers their acquisition cost, there is no payback day: neither zero nor the
// last observed day.
func TestAPaybackThatIsNotReachedIsAbsent(t *testing.T) {
	t.Parallel()
	dear, cheap := advertised(shop(60, 3, nil), 1_000_000, 0), advertised(shop(60, 3, nil), 3000, 0)
	s := serviceOver(t, dear).Session(reader(newWorkspace("w1")), "r1")
	a := decoded[LifecycleAnswer](t, callAs(t, s, "lifecycle", `{"aspect":"ltv","detail_level":"debug"}`).StructuredContent)
	if a.Metrics.PaybackDays != nil || a.Rows[0].PaybackDays != nil {
		t.Errorf("payback days %v, of the channel %v; want none", a.Metrics.PaybackDays, a.Rows[0].PaybackDays)
	}
	if !strings.HasPrefix(a.Metrics.Payback, "not by day ") || !strings.HasPrefix(a.Rows[0].Payback, "not by day ") {
		t.Errorf("payback %q, of the channel %q; want the reason", a.Metrics.Payback, a.Rows[0].Payback)
	}
	if !strings.Contains(a.Summary, a.Metrics.Payback) || strings.Contains(a.Summary, "interval day") {
		t.Errorf("summary %q, want the reason and no interval", a.Summary)
	}
	s = serviceOver(t, cheap).Session(reader(newWorkspace("w1")), "r1")
	a = decoded[LifecycleAnswer](t, callAs(t, s, "lifecycle", `{"aspect":"ltv","detail_level":"debug"}`).StructuredContent)
	if days := a.Metrics.PaybackDays; days == nil || days.Value != 0 || days.High == nil || *days.High != 0 || a.Metrics.Payback != "with the first order" {
		t.Errorf("payback %q, days %+v; want the first order", a.Metrics.Payback, days)
	}
}
