package source

import (
	"errors"
	"strings"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/money"
	"assay/internal/warehouse"
)

func saleOf(key string, content uint64) *Sale {
	return &Sale{
		Line: 1, Rows: 1, Currency: "USD", Content: content,
		Order: warehouse.Order{
			OrderRef: warehouse.OrderRef{Source: "shop", Key: key}, At: time.Date(2026, 9, 3, 12, 0, 0, 0, time.UTC), Charged: 100,
		},
	}
}

// ordersOf returns the orders of a file that contains order 1 and then order 2.
func ordersOf(t *testing.T, scattered bool) *Orders {
	t.Helper()
	orders := NewOrders(Options{Base: "USD", Zone: time.UTC, Notes: &Notes{}, Scattered: scattered})
	for _, s := range []*Sale{saleOf("1", 7), saleOf("2", 8)} {
		if err := orders.Add(s, &warehouse.Batch{}); err != nil {
			t.Fatal(err)
		}
	}
	return orders
}

func TestOrderDiffersWhenItsKeyHasOtherContent(t *testing.T) {
	t.Parallel()
	cases := []struct {
		key     string
		content uint64
		differs bool
	}{
		{"1", 7, false}, {"1", 9, true}, {"2", 8, false}, {"2", 7, true}, {"3", 7, false},
	}
	orders := ordersOf(t, true)
	for _, c := range cases {
		if differs, err := orders.Differs(saleOf(c.key, c.content)); err != nil || differs != c.differs {
			t.Errorf("Differs(order %s, content %d) = %t, %v; want %t", c.key, c.content, differs, err, c.differs)
		}
	}
}

func TestOrderBelowTheLastKeyScattersASortedFile(t *testing.T) {
	t.Parallel()
	for key, scatters := range map[string]bool{"1": true, "2": true, "3": false, "10": false} {
		differs, err := ordersOf(t, false).Differs(saleOf(key, 7))
		if differs || errors.Is(err, ErrScattered) != scatters {
			t.Errorf("Differs(order %s) after orders 1 and 2 = %t, %v; want ErrScattered = %t", key, differs, err, scatters)
		}
	}
}

func TestAnOrderIDHasALimitedLength(t *testing.T) {
	t.Parallel()
	for length, rejected := range map[int]bool{512: false, 513: true} {
		orders := NewOrders(Options{Base: "USD", Zone: time.UTC, Notes: &Notes{}})
		key := strings.Repeat("x", length)
		sale := Sale{Currency: "USD", Order: warehouse.Order{OrderRef: warehouse.OrderRef{Source: "csv", Key: key}, At: time.Now()}}
		var b warehouse.Batch
		if err := orders.Add(&sale, &b); (err != nil) != rejected || len(b.Orders) == 1 == rejected {
			t.Errorf("an order ID of %d bytes: %v, %d orders; rejected should be %t", length, err, len(b.Orders), rejected)
		}
		refund := Return{Currency: "USD", Refund: warehouse.Refund{OrderRef: warehouse.OrderRef{Source: "csv", Key: key}, Refund: "1", At: time.Now()}}
		if err := orders.AddReturn(&refund, &b); (err != nil) != rejected {
			t.Errorf("a refund with an order ID of %d bytes: %v; rejected should be %t", length, err, rejected)
		}
	}
}

// dayRates contains the rates of days.
type dayRates map[string]string

func (r dayRates) Rate(day civil.Date, _, _ money.Currency) (rate money.Rate, ok bool) {
	text, ok := r[day.String()]
	if !ok {
		return rate, false
	}
	rate, err := money.ParseRate(text)
	return rate, err == nil
}

func TestARefundHasTheRateOfItsDayWithAndWithoutItsOrder(t *testing.T) {
	t.Parallel()
	orders := NewOrders(Options{Base: "USD", Zone: time.UTC, Notes: &Notes{}, Rates: dayRates{"2026-09-03": "2", "2026-09-10": "1.5"}})
	refund := warehouse.Refund{Refund: "8", At: time.Date(2026, 9, 10, 12, 0, 0, 0, time.UTC), Amount: 100}
	sale := saleOf("1", 7)
	sale.Currency, sale.Refunds = "EUR", []warehouse.Refund{refund, {Refund: "9", Amount: 10, DateUnknown: true}}
	var b warehouse.Batch
	if err := orders.Add(sale, &b); err != nil {
		t.Fatal(err)
	}
	refund.OrderRef = sale.Order.OrderRef
	if err := orders.AddReturn(&Return{Currency: "EUR", Refund: refund}, &b); err != nil {
		t.Fatal(err)
	}
	if b.Orders[0].Charged != 200 || b.Refunds[0].Amount != 150 || b.Refunds[1].Amount != 20 || b.Refunds[2].Amount != 150 {
		t.Errorf("charged %d, refunds %+v; want 200, and refunds of 150, 20 without a date, and 150", b.Orders[0].Charged, b.Refunds)
	}
}
