package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"assay/internal/ingest"
	"assay/internal/ingest/source"
)

// aCustomer returns files of a customer with an ID, later an email address and then another address. Each ID and
// address has an order. One profile is from before the first address, and one has the second address. There are also an
// order with only the first address, orders of another customer, and two orders with an address of the shop. Each
// file's first order is on September 1.
func aCustomer() []ingest.File {
	const columns = "id,created_at,processed_at,updated_at,currency,total_price,financial_status,email,customer,line_items\n"
	order := func(id int, email, customer string) ingest.File {
		row := fmt.Sprintf(`%d,2026-09-01T1%d:00:00Z,2026-09-01T10:00:00Z,2026-09-02T10:00:00Z,USD,10.00,paid,%s,"%s",[]`, id, id-1000, email, strings.ReplaceAll(customer, `"`, `""`))
		return text(fmt.Sprintf("order%d.csv", id), columns+row+"\n")
	}
	profile := func(name, email, updated string) ingest.File {
		return text(name+".csv", "id,email,created_at,updated_at,email_marketing_consent_state,verified_email,tax_exempt\n"+
			"77,"+email+",2026-08-01 00:00:00,"+updated+",subscribed,true,false\n")
	}
	return []ingest.File{
		order(1001, "", `{"id":77}`),
		order(1002, "first@example.com", `{"id":77,"email":"first@example.com"}`),
		order(1003, "second@example.com", `{"id":77,"email":"Second@example.com"}`),
		text("export.csv", "Id,Name,Email,Financial Status,Created at,Currency,Subtotal,Total,Lineitem quantity,Lineitem name,Lineitem price\n"+
			"1004,#1004,first@example.com,paid,2026-09-01 14:00:00 +0000,USD,10.00,10.00,1,Tee,10.00\n"),
		order(1005, "other@example.com", `{"id":88,"email":"other@example.com"}`),
		order(1006, "till@example.com", `{"id":77}`), // an address of the shop's own
		order(1007, "till@example.com", `{"id":88}`),
		profile("early", "", "2026-08-01 00:00:00"),
		profile("late", "second@example.com", "2026-09-05 00:00:00"),
	}
}

// If the files are imported in any order, the result is one customer with one first order.
func TestACustomerWhoGetsAnAddressStaysOne(t *testing.T) {
	t.Parallel()
	files := aCustomer()
	through := func(files []ingest.File, atOnce int) (bench, map[string][]string) {
		store := newBench(t, "USD", "UTC")
		var some errgroup.Group
		some.SetLimit(atOnce)
		for _, f := range files {
			some.Go(func() error {
				_, err := ingest.Run(t.Context(), store, store.options(f))
				return err
			})
		}
		if err := some.Wait(); err != nil {
			t.Error(err)
		}
		return store, rowsOf(t, store)
	}
	store, want := through(files, 1)
	var customers []string
	for _, row := range want["orders"] {
		customers = append(customers, strings.Split(row, ",")[6])
	}
	if len(customers) != 7 || slices.ContainsFunc(customers[:4], func(c string) bool { return c != customers[0] || c == "" }) ||
		customers[4] == customers[0] || customers[5] != customers[6] || customers[5] == customers[0] || customers[5] == customers[4] {
		t.Errorf("customers of the orders: %q", customers)
	}
	if len(want["profiles"]) != 1 || !strings.Contains(want["profiles"][0], customers[0]) {
		t.Errorf("profiles %q of customer %s", want["profiles"], customers[0])
	}
	if sums := store.sums(t, "2026-09-01", "2026-09-01"); sums.NewOrders != 3_000_000 {
		t.Errorf("%d millionths of first orders, want those of three customers", sums.NewOrders)
	}
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		twice := slices.Concat(files, files[:3])
		rand.New(rand.NewPCG(seed, 2)).Shuffle(len(twice), func(i, j int) { twice[i], twice[j] = twice[j], twice[i] })
		_, got := through(twice, 1+3*int(seed%2))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("some twice and shuffled, seed %d (-in order +shuffled):\n%s", seed, diff)
		}
	}

	known, err := store.KnownAs(t.Context(), shop, source.NewCustomers([]byte("key")).Hashes("first@example.com")...)
	if err != nil || len(known) != 3 {
		t.Fatalf("the customer is known as %q (%v), want two addresses and an id", known, err)
	}
	if n, err := store.Forget(t.Context(), shop, "USD", known...); err != nil || n != 4 {
		t.Errorf("%d orders were the customer's (%v), want 4", n, err)
	}
	left := rowsOf(t, store)
	if n := len(left["profiles"]); n != 0 || len(left["customer_ties"]) != 1 {
		t.Errorf("%d profiles and ties %q are left, want the other customer's tie", n, left["customer_ties"])
	}
	if again, err := store.KnownAs(t.Context(), shop, known[0]); err != nil || len(again) != 1 {
		t.Errorf("who was forgotten is known as %q (%v)", again, err)
	}
}
