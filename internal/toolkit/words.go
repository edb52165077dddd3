package toolkit

import (
	"cmp"
	"slices"

	"assay/internal/answer"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/warehouse"
)

// ListedPlatform reports whether the `campaigns` tool can filter by this platform.
func ListedPlatform(p measure.Platform) bool {
	return slices.Contains([]measure.Platform{measure.Facebook, measure.Google, measure.TikTok, measure.Amazon, measure.Snapchat}, p)
}

// ByRevenue sorts channels, largest revenue first.
func ByRevenue(f answer.Figures, totals []warehouse.ChannelTotal) []warehouse.ChannelTotal {
	return slices.SortedFunc(slices.Values(totals), func(s, t warehouse.ChannelTotal) int {
		return cmp.Or(cmp.Compare(f.Basis.Revenue(t.Sums), f.Basis.Revenue(s.Sums)), cmp.Compare(s.Channel, t.Channel))
	})
}

// KindsOf lists the kinds of sources that a metric comes from.
func KindsOf(metric snapshot.Metric) []string {
	switch metric {
	case snapshot.Spend:
		return []string{snapshot.FromAds, snapshot.FromSpend}
	case snapshot.ROAS:
		return []string{snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend}
	case snapshot.Revenue, snapshot.Orders, snapshot.AOV:
	}
	return []string{snapshot.FromOrders}
}
