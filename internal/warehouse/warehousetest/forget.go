package warehousetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// forgottenCustomer forgets the customer of orders 1, 2 and 4 and imports data of this customer again.
func forgottenCustomer(on trial) {
	t, w := on.t, on.w
	small(t, w)
	before := version(t, w)
	lines := func() warehouse.ProductPage {
		return answer[warehouse.ProductPage](t)(w.Products(t.Context(), shop, warehouse.ProductsOf{Windows: warehouse.Windows{Recent: january}, Limit: 10}))
	}
	sold := lines()
	n, err := w.Forget(t.Context(), shop, "USD", "c1", "missing", "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "orders of the customer", 3, n)
	same(t, "version", before+1, version(t, w))
	want := smallTotals
	want.NewOrders = whole(2) // an anonymous order is not the first order of a customer
	same(t, "totals", want, januaryTotals(t, w))
	same(t, "lines", sold, lines())
	n, err = w.Forget(t.Context(), shop, "USD", "c1")
	same(t, "orders when asked again", []any{0, error(nil)}, []any{n, err})
	same(t, "version when asked again", before+1, version(t, w))

	w.Forgetting(func(context.Context, measure.WorkspaceID) (map[string]struct{}, error) {
		return map[string]struct{}{"c1": {}}, nil
	})
	again := smallStore()
	for i := range again.Orders {
		again.Orders[i].UpdatedAt = instant("2026-02-01T00:00:00Z")
	}
	load(t, w, warehouse.ImportSpec{}, again)
	same(t, "totals after the customer came again", want, januaryTotals(t, w))
}

func profile(customer, phone, updated string) warehouse.Profile {
	p := warehouse.Profile{Source: "shopify", Customer: customer, Phone: phone, Since: date("2026-01-02"), Email: warehouse.Consented, Country: "US"}
	if updated != "" {
		p.UpdatedAt = instant(updated)
	}
	return p
}

func profiles(on trial) int64 {
	return answer[warehouse.Coverage](on.t)(on.w.Coverage(on.t.Context(), shop)).Counts["profiles"]
}

// forgottenProfile forgets a customer by phone number. A profile ties the number to an email address with orders.
func forgottenProfile(on trial) {
	t, w := on.t, on.w
	small(t, w)
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Profiles: []warehouse.Profile{
		profile("c1", "phone1", ""), profile("c9", "", ""), profile("c8", "phone8", ""),
		{Source: "klaviyo", Customer: "c1"},
		{Source: "klaviyo", Customer: "phone1", Phone: "phone1"},
	}})
	known := answer[[]string](t)(w.KnownAs(t.Context(), shop, "phone1", "", "phone1"))
	same(t, "the customer is known as", []string{"phone1", "c1"}, known)
	load(t, w, warehouse.ImportSpec{Workspace: "other"}, warehouse.Batch{Profiles: []warehouse.Profile{
		profile("mine", "shared", ""), profile("yours", "shared", ""),
	}})
	known = answer[[]string](t)(w.KnownAs(t.Context(), "other", "mine"))
	same(t, "who shares a number is known as", []string{"mine", "shared"}, known)
	known = answer[[]string](t)(w.KnownAs(t.Context(), "other", "shared"))
	same(t, "a number of two is known as", []string{"shared"}, known)

	known = answer[[]string](t)(w.KnownAs(t.Context(), shop, "phone1"))
	n := answer[int](t)(w.Forget(t.Context(), shop, "USD", known...))
	same(t, "orders of the customer, profiles of the others", []int64{3, 2}, []int64{int64(n), profiles(on)})
	before := version(t, w)
	same(t, "orders of a customer without any", 0, answer[int](t)(w.Forget(t.Context(), shop, "USD", "c8")))
	same(t, "version, profiles", []int64{int64(before + 1), 1}, []int64{int64(version(t, w)), profiles(on)})
	w.Forgetting(func(context.Context, measure.WorkspaceID) (map[string]struct{}, error) {
		return map[string]struct{}{"c1": {}, "phone1": {}}, nil
	})
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Profiles: []warehouse.Profile{
		profile("c1", "", ""), profile("c7", "phone1", ""), profile("c6", "", ""),
	}})
	same(t, "profiles after the customer came again", int64(2), profiles(on))
}

// profileVersions imports versions of a customer in one import and in several imports.
func profileVersions(on trial) {
	t, w := on.t, on.w
	first, second := profile("c1", "", "2026-01-03T00:00:00Z"), profile("c1", "", "2026-01-05T00:00:00Z")
	second.Email = warehouse.Refused
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Profiles: []warehouse.Profile{second, first}})
	out := load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Profiles: []warehouse.Profile{first}})
	same(t, "an earlier version", warehouse.Counts{Unchanged: 1}, out.Tables["profiles"])
	out = load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Profiles: []warehouse.Profile{second}})
	same(t, "the version that is there", warehouse.Counts{Unchanged: 1}, out.Tables["profiles"])
	undated := profile("c1", "", "")
	out = load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Profiles: []warehouse.Profile{undated}})
	same(t, "a version without a date", warehouse.Counts{Unchanged: 1}, out.Tables["profiles"])
	load(t, w, warehouse.ImportSpec{Workspace: "other"}, warehouse.Batch{Profiles: []warehouse.Profile{undated}})
	out = load(t, w, warehouse.ImportSpec{Workspace: "other"}, warehouse.Batch{Profiles: []warehouse.Profile{first}})
	same(t, "a version with a date after it", warehouse.Counts{Updated: 1}, out.Tables["profiles"])
}

// joinedProfiles imports versions of a customer that lack different fields, in every order.
func joinedProfiles(on trial) {
	t, w := on.t, on.w
	export := warehouse.Profile{Source: "shopify", Customer: "c1", Email: warehouse.Consented, SMS: warehouse.Refused, Country: "GB", Region: "ENG", Orders: 4, OrdersKnown: true}
	early := profile("c1", "phone1", "2026-01-03T00:00:00Z")
	early.Email, early.Region, early.Orders, early.OrdersKnown = warehouse.Refused, "NY", 2, true
	late := profile("c1", "", "2026-01-05T00:00:00Z")
	late.Email, late.Since = warehouse.ConsentUnknown, date("2026-01-04")
	const want = "source,customer,phone,since,email,sms,country,region,orders,updated_at,email_at,sms_at\n" +
		`shopify,c1,"",2026-01-02,no,no,US,"",4,2026-01-05 00:00:00,2026-01-03 00:00:00,` + "\n"
	versions := []warehouse.Profile{export, early, late}
	for i, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		apart, together := measure.WorkspaceID(fmt.Sprint("apart", i)), measure.WorkspaceID(fmt.Sprint("together", i))
		var batch warehouse.Batch
		for _, v := range order {
			batch.Profiles = append(batch.Profiles, versions[v])
			load(t, w, warehouse.ImportSpec{Workspace: apart}, warehouse.Batch{Profiles: versions[v : v+1]})
		}
		load(t, w, warehouse.ImportSpec{Workspace: together}, batch)
		for _, ws := range []measure.WorkspaceID{apart, together} {
			dir := t.TempDir()
			if _, err := w.Export(t.Context(), ws, dir, warehouse.CSV); err != nil {
				t.Fatal(err)
			}
			text := answer[[]byte](t)(os.ReadFile(filepath.Join(dir, "profiles.csv")))
			same(t, fmt.Sprintf("what %s knows after versions %v", ws, order), want, string(text))
		}
	}
}
