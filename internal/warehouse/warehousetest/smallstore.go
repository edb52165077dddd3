package warehousetest

import (
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// january is the window of the small store.
var january = period("2026-01-01", "2026-01-31")

// smallStore returns a store with totals computed by hand. It has orders in New York and in Tokyo. Order 1 is on
// January 10 in New York, which is January 11 in UTC. Order 5 is on January 12 in Tokyo, which is January 11 in UTC.
//
//	key  day    charged  what is special
//	1    01-10  100.00   first order of c1; google, then direct; coupon MARY
//	2    01-11   50.01   second order of c1; three touchpoints; 20.00 refunded on 01-15
//	3    01-11   30.00   guest, no touchpoint, no channel: unattributed; 10.00 refunded at an unknown date
//	4    01-12   -5.00   an exchange with a negative balance; three touchpoints
//	5    01-12   80.00   c2, marketplace, channel amazon named by the source
//	6    01-12   40.00   c3, coupons MARY (mapped to influencer) and FREESHIP, no touchpoint
//	7    01-13   99.00   canceled, with a refund
//	8    01-13   77.00   a test
func smallStore() warehouse.Batch {
	newYork, tokyo := fixedZone(-5), fixedZone(9)
	order := func(key, at string, zone *time.Location, customer string, charged int64) warehouse.Order {
		return warehouse.Order{
			OrderRef: ref(key), Name: "#" + key, At: instant(at), Day: civil.DayOf(instant(at), zone),
			Surface: measure.OnlineStore, Customer: customer, Charged: charged, Tax: charged / 10, Shipping: 500,
			Discounts: 200, Original: money.Amount{Minor: charged, Currency: "USD"}, Status: "paid", Country: "US",
			Region: "NY", Units: 2, UpdatedAt: instant("2026-01-20T00:00:00Z"),
		}
	}
	orders := []warehouse.Order{
		order("1", "2026-01-11T03:30:00Z", newYork, "c1", 100_00),
		order("2", "2026-01-11T15:00:00Z", newYork, "c1", 50_01),
		order("3", "2026-01-11T16:00:00Z", newYork, "", 30_00),
		order("4", "2026-01-12T15:00:00Z", newYork, "c1", -5_00),
		order("5", "2026-01-11T15:30:00Z", tokyo, "c2", 80_00),
		order("6", "2026-01-12T17:00:00Z", newYork, "c3", 40_00),
		order("7", "2026-01-13T15:00:00Z", newYork, "c4", 99_00),
		order("8", "2026-01-13T16:00:00Z", newYork, "c5", 77_00),
	}
	orders[4].Surface, orders[4].Channel = measure.Marketplace, "amazon"
	orders[6].Cancelled, orders[7].Test = true, true
	return warehouse.Batch{
		Orders: orders,
		Touches: []warehouse.Touch{
			{OrderRef: ref("1"), Seq: 1, At: instant("2026-01-05T00:00:00Z"), Channel: "google", Platform: measure.Google, Campaign: "g1"},
			{OrderRef: ref("1"), Seq: 2, At: instant("2026-01-09T00:00:00Z"), Channel: "direct"},
			{OrderRef: ref("2"), Seq: 1, At: instant("2025-12-28T00:00:00Z"), Channel: "facebook", Platform: measure.Facebook, Campaign: "f1"},
			{OrderRef: ref("2"), Seq: 2, At: instant("2026-01-04T00:00:00Z"), Channel: "google", Platform: measure.Google, Campaign: "g1"},
			{OrderRef: ref("2"), Seq: 3, At: instant("2026-01-11T00:00:00Z"), Channel: "email"},
			{OrderRef: ref("4"), Seq: 1, At: instant("2026-01-12T01:00:00Z"), Channel: "facebook"},
			{OrderRef: ref("4"), Seq: 2, At: instant("2026-01-12T01:00:00Z"), Channel: "google"},
			{OrderRef: ref("4"), Seq: 3, At: instant("2026-01-12T01:00:00Z"), Channel: "email"},
		},
		Refunds: []warehouse.Refund{
			{OrderRef: ref("2"), Refund: "r1", At: instant("2026-01-15T12:00:00Z"), Day: date("2026-01-15"), Amount: 20_00},
			{OrderRef: ref("3"), Refund: "r1", At: instant("2026-01-25T12:00:00Z"), Day: date("2026-01-25"), Amount: 10_00, DateUnknown: true},
			{OrderRef: ref("7"), Refund: "r1", At: instant("2026-01-16T12:00:00Z"), Day: date("2026-01-16"), Amount: 99_00},
		},
		Coupons: []warehouse.OrderCoupon{
			{OrderRef: ref("1"), Code: "MARY", Discount: 2_00},
			{OrderRef: ref("6"), Code: "FREESHIP", Discount: 1_50},
			{OrderRef: ref("6"), Code: "MARY", Discount: 50},
			{OrderRef: ref("7"), Code: "MARY", Discount: 2_00},
		},
		CouponMap: []warehouse.CouponChannel{{Code: "MARY", Channel: "influencer", Creator: "mary"}},
		Lines: []warehouse.OrderLine{
			{OrderRef: ref("1"), Line: 1, SKU: "CUP", Title: "Cup", Quantity: 1, Net: 60_00, Cost: 20_00, CostKnown: true},
			{OrderRef: ref("1"), Line: 2, SKU: "CUP", Title: "Cup", Quantity: 1, Net: 35_00, Discount: 2_00},
			{OrderRef: ref("2"), Line: 1, SKU: "CUP", Title: "Cup", Quantity: 2, Net: 45_00, Cost: 40_00, CostKnown: true},
			{OrderRef: ref("6"), Line: 1, SKU: "POT", Title: "Pot", Quantity: 1, Net: 35_00, Cost: 9_00, CostKnown: true},
			{OrderRef: ref("6"), Line: 2, SKU: "CUP", Title: "Cup", Quantity: 1, Net: 5_00},
			{OrderRef: ref("8"), Line: 1, SKU: "CUP", Title: "Cup", Quantity: 1, Net: 77_00},
		},
		AdDays: []warehouse.AdDay{
			ad("g1", "Brand old", "2026-01-10", 10_00, 1_500_000, 90_00),
			ad("g1", "Brand", "2026-01-11", 5_00, 250_000, 10_00),
			ad("g2", "Shopping", "2026-01-11", 20_00, 1_000_000, 30_00),
			ad("g0", "Free", "2026-01-12", 0, 0, 0),
		},
		ChannelSpend: []warehouse.ChannelSpend{
			{Source: "manual", Channel: "podcast", Day: date("2026-01-10"), Spend: 300_00, Note: "spot"},
		},
	}
}

func fixedZone(hours int) *time.Location { return time.FixedZone("", hours*3600) }

func ad(campaign, name, day string, spend, conversions, value int64) warehouse.AdDay {
	return warehouse.AdDay{
		Source: "googleads", Platform: measure.Google, Account: "123", Channel: "google", Day: date(day),
		CampaignID: campaign, CampaignName: name, AdSetID: "s", AdSetName: "Set", AdID: "a-" + campaign, AdName: "Ad " + name,
		Impressions: 1000, Clicks: 10, Spend: spend, Original: money.Amount{Minor: spend, Currency: "USD"},
		Conversions: conversions, Value: value, Attribution: "30d click",
	}
}

// small imports the small store's data into the workspace shop.
func small(t *testing.T, w *warehouse.Warehouse) {
	t.Helper()
	load(t, w, warehouse.ImportSpec{}, smallStore())
}

// smallTotals contains the small store's totals in January.
var smallTotals = measure.Sums{
	Orders: 6_000_000, Charged: 295_01, Tax: 29_50, Shipping: 30_00, Discounts: 12_00, Refunds: 30_00, Undated: 10_00,
	NewOrders: 3_000_000, Units: 12,
}
