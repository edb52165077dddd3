package demo_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const (
	profileFile = "testdata/profile.txt"
	truthFile   = "testdata/truth.json"
)

// profile contains totals of a store by the name of the figure and its dimensions.
type profile map[string]int64

func (p profile) add(n int64, figure string, dimensions ...any) {
	p[figure+" "+strings.TrimSpace(fmt.Sprintln(dimensions...))] += n
}

func (p profile) addSales(s *store) {
	surfaces := map[string]any{}
	for _, o := range s.rows.Orders {
		surfaces[o.Key] = o.Surface
		p.add(1, "orders by surface and month", o.Surface, o.Day.Month())
		p.add(1, "orders by surface and weekday", o.Surface, o.Day.Weekday())
		p.add(1, "orders by state", o.Country, o.Region)
		p.add(1, "orders by status", o.Status)
		p.add(o.Charged, "charged", o.Surface)
		p.add(o.Tax, "tax", o.Surface)
		p.add(o.Shipping, "shipping", o.Surface)
		p.add(o.Discounts, "discounts", o.Surface)
	}
	for _, l := range s.rows.Lines {
		p.add(l.Quantity, "units by product", l.SKU)
		p.add(l.Cost, "cost of goods", surfaces[l.Key])
	}
	for _, r := range s.rows.Refunds {
		p.add(1, "refunds", surfaces[r.Key])
		p.add(r.Amount, "refunded", surfaces[r.Key])
	}
	for _, c := range s.rows.Coupons {
		p.add(1, "coupons", surfaces[c.Key])
		p.add(c.Discount, "coupon discounts", surfaces[c.Key])
	}
	for _, touch := range s.rows.Touches {
		p.add(1, "touchpoints by channel", touch.Channel, touch.Kind)
	}
	for _, a := range s.rows.Surveys {
		p.add(1, "survey answers", a.Question, a.Answer)
	}
	for _, product := range s.rows.Products {
		p.add(product.Price, "price", product.SKU)
	}
}

func (p profile) addMarketing(s *store) {
	for _, d := range s.rows.AdDays {
		p.add(d.Spend, "ad spend by channel and month", d.Channel, d.Day.Month())
		p.add(d.Impressions, "impressions", d.Channel)
		p.add(d.Clicks, "clicks", d.Channel)
		p.add(d.Conversions, "claimed conversions", d.Channel)
		p.add(d.Value, "claimed value", d.Channel)
	}
	for _, d := range s.rows.ChannelSpend {
		p.add(d.Spend, "other spend", d.Channel)
	}
	for _, m := range s.rows.Messages {
		for step, n := range map[string]int64{
			"delivered": m.Delivered, "opens": m.Opens, "clicks": m.Clicks, "conversions": m.Conversions, "revenue": m.Revenue,
			"unsubscribes": m.Unsubscribes, "spam": m.Spam, "bounces": m.Bounces,
		} {
			p.add(n, "messages", m.Channel, m.Entity, step)
		}
	}
	for _, c := range s.rows.CreatorCosts {
		p.add(c.Amount, "creator costs", c.Kind)
	}
	for _, d := range s.rows.LinkDays {
		p.add(d.Clicks, "link clicks", d.Kind)
		p.add(d.Orders, "link orders", d.Kind)
		p.add(d.Revenue, "link revenue", d.Kind)
	}
	for _, t := range s.rows.Targets {
		p.add(int64(t.Value), "targets", t.Metric, t.Period, t.Channel)
	}
	for _, d := range s.rows.RegionDays {
		p.add(d.Sessions, "sessions", d.Region)
	}
}

// Documents, screenshots and scripts quote figures of the demo store. Every change of its profile, of a row or of a
// true value must therefore be intended. To accept a change, rewrite the files with -update.
func TestTheProfileOfTheDemoStoreIsTheDocumentedOne(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("fused multiply and add changes the last digits of expected orders, and with them some draws")
	}
	s := generated(t, full)
	p := profile{}
	p.addSales(s)
	p.addMarketing(s)
	var got strings.Builder
	got.WriteString("# Totals of the demo store with seed 7, 730 days and 60,000 orders. Amounts are cents.\n")
	for _, figure := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&got, "%s: %d\n", figure, p[figure])
	}
	got.WriteString("# Hashes of the rows of a store with 120 days and 2,000 orders. They change with every cell.\n")
	rows := reflect.ValueOf(generated(t, small).rows)
	for i := range rows.NumField() {
		if n := rows.Field(i).Len(); n > 0 {
			hash := fnv.New64a()
			fmt.Fprintf(hash, "%v", rows.Field(i))
			fmt.Fprintf(&got, "hash of %d %s: %016x\n", n, rows.Type().Field(i).Name, hash.Sum64())
		}
	}
	golden(t, profileFile, got.String())
	truth, err := json.MarshalIndent(s.truth, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, truthFile, string(truth)+"\n")
}

// golden compares a text with a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
