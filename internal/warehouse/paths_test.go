package warehouse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
	"assay/internal/warehouse/storetest"
)

// pathStore returns a store with the given number of orders for each conversion path, all on storetest.Today.
func pathStore(t *testing.T, orders map[string]int) *warehouse.Warehouse {
	t.Helper()
	w := storetest.Open(t)
	b := &warehouse.Batch{}
	for path, n := range orders {
		for i := range n {
			ref := warehouse.OrderRef{Source: "shop", Key: fmt.Sprint(path, " ", i)}
			at := storetest.Today.UTC().Add(17 * time.Hour)
			b.Orders = append(b.Orders, warehouse.Order{
				OrderRef: ref, At: at, Day: storetest.Today, Surface: measure.OnlineStore, Customer: ref.Key, Charged: 1000,
				Original: money.Amount{Minor: 1000, Currency: "USD"}, Status: "paid", Units: 1,
			})
			for seq, channel := range strings.Split(path, " ") {
				b.Touches = append(b.Touches, warehouse.Touch{
					OrderRef: ref, Seq: seq + 1, At: at.Add(time.Duration(seq-9) * time.Hour), Channel: measure.Channel(channel), Kind: "click",
				})
			}
		}
	}
	storetest.Load(t, w, "shop", "paths.csv", b)
	return w
}

func TestPagesOfTheMostFrequentPaths(t *testing.T) {
	t.Parallel()
	orders := map[string]int{"google": 5, "email": 4, "google email": 4, "email google": 3, "facebook google email": 2, "tiktok": 1, "facebook": 1}
	w := pathStore(t, orders)
	today := civil.Range{First: storetest.Today, Last: storetest.Today}
	for _, channel := range []measure.Channel{"", "email", "tv"} {
		var counts []int
		var total, touches int64
		for path, n := range orders {
			if channels := strings.Split(path, " "); channel == "" || slices.Contains(channels, string(channel)) {
				counts, total, touches = append(counts, n), total+int64(n), touches+int64(n*len(channels))
			}
		}
		slices.Sort(counts)
		slices.Reverse(counts)
		for _, offset := range []int{0, 1, 3, 8} {
			for _, limit := range []int{0, 1, 2, 3, 7} { // 0: all
				got, err := w.TopPaths(t.Context(), "shop", warehouse.PathsOf{Windows: warehouse.Windows{Recent: today}, Channel: channel, Limit: limit, Offset: offset})
				if err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("paths with %q from %d, at most %d", channel, offset, limit)
				want := counts[min(offset, len(counts)):]
				if limit > 0 {
					want = want[:min(limit, len(want))]
				}
				var page []int
				for _, p := range got.Paths {
					n := orders[strings.Join(names(p.Channels), " ")]
					if page = append(page, n); p.Sums.Orders != int64(n)*1e6 || p.Sums.Charged != int64(n)*1000 {
						t.Errorf("%s: %+v, want %d orders", what, p, n)
					}
				}
				if !slices.Equal(page, want) {
					t.Errorf("%s: orders %v, want %v", what, page, want)
				}
				if first := names(got.First.Channels); len(counts) > 0 && orders[strings.Join(first, " ")] != counts[0] || len(counts) == 0 && first != nil {
					t.Errorf("%s: the first path is %q", what, first)
				}
				if totals := (warehouse.Touched{Orders: total * 1e6, Touches: touches}); got.Ranked != int64(len(counts)) || got.Totals.Recent != totals || got.Totals.Earlier != (warehouse.Touched{}) {
					t.Errorf("%s: %d paths with %+v, want %d with %+v", what, got.Ranked, got.Totals, len(counts), totals)
				}
			}
		}
	}
}

func names(channels []measure.Channel) (all []string) {
	for _, c := range channels {
		all = append(all, string(c))
	}
	return all
}
