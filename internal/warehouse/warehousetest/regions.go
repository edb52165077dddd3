package warehousetest

import (
	"testing"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// regions checks that canceled orders, orders of another country and orders without a region are in no region.
func regions(on trial) {
	t, w := on.t, on.w
	order := func(key, country, region string, cents int64) warehouse.Order {
		return warehouse.Order{
			OrderRef: ref(key), Name: key, At: instant("2026-01-10T12:00:00Z"), Day: date("2026-01-10"), Surface: measure.OnlineStore, Customer: key,
			Charged: cents, Status: "paid", Country: country, Region: region, Units: 1,
		}
	}
	cancelled := order("6", "US", "CA", 500)
	cancelled.Cancelled = true
	ad := func(region string, cents int64) warehouse.AdDay {
		return warehouse.AdDay{
			Source: "meta", Platform: measure.Facebook, Account: "a", Channel: "facebook", Day: date("2026-01-10"), CampaignID: "1", AdSetID: "2", AdID: "3",
			Country: "US", Region: region, Spend: cents,
		}
	}
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{
		Orders: []warehouse.Order{order("1", "US", "CA", 100), order("2", "US", "CA", 200), order("3", "US", "NY", 50), order("4", "CA", "ON", 70), order("5", "US", "", 80), cancelled},
		AdDays: []warehouse.AdDay{ad("CA", 30), ad("NY", 20), ad("", 5)},
	})
	same(t, "regions", []warehouse.RegionTotal{
		{Day: date("2026-01-10"), Region: "CA", Orders: whole(2), Charged: 300}, {Day: date("2026-01-10"), Region: "NY", Orders: whole(1), Charged: 50},
	}, regionDays(t, w))
	same(t, "regions by surface", []warehouse.SurfaceRegionDay{
		{Surface: measure.OnlineStore, Region: "CA", Day: date("2026-01-10"), Orders: 2, Charged: 300}, {Surface: measure.OnlineStore, Region: "NY", Day: date("2026-01-10"), Orders: 1, Charged: 50},
	}, answer[[]warehouse.SurfaceRegionDay](t)(w.SurfaceRegionDays(t.Context(), shop, january)))
	same(t, "spend by region", []warehouse.RegionSpend{{Day: date("2026-01-10"), Region: "CA", Spend: 30}, {Day: date("2026-01-10"), Region: "NY", Spend: 20}},
		answer[[]warehouse.RegionSpend](t)(w.RegionSpend(t.Context(), shop, "facebook", january)))
}

func regionDays(t *testing.T, w *warehouse.Warehouse) []warehouse.RegionTotal {
	t.Helper()
	return answer[[]warehouse.RegionTotal](t)(w.RegionDays(t.Context(), shop, january))
}
