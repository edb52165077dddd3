package setup_test

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// keepDays imports one order per day with the same total, from September 1, 2036.
func keepDays(d *consoletest.DataSite, n int, total int64) {
	d.T.Helper()
	var b warehouse.Batch
	for i := range n {
		day := civil.MustParse("2036-09-01").AddDays(i)
		b.Orders = append(b.Orders, warehouse.Order{
			OrderRef: warehouse.OrderRef{Source: "shopify", Key: fmt.Sprint(i)}, At: day.UTC(), Day: day, Surface: measure.Retail, Charged: total, Units: 1,
		})
	}
	in, err := d.Facts.Begin(d.T.Context(), warehouse.ImportSpec{Workspace: "acme", Source: "csv", File: fmt.Sprintf("till-%d.csv", total), FileHash: fmt.Sprint(total)})
	if err != nil {
		d.T.Fatal(err)
	}
	defer in.Abort()
	if err := in.Add(d.T.Context(), &b); err != nil {
		d.T.Fatal(err)
	}
	if _, err := in.Commit(d.T.Context()); err != nil {
		d.T.Fatal(err)
	}
}

func TestRestatedDaysShowPreviousFigures(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleViewer)
	b := d.SignedIn(consoletest.Email)
	holds := func(path string, status int, wants, not []string) {
		t.Helper()
		p := b.Get(path)
		if p.Status != status {
			t.Errorf("%s: %d, want %d", path, p.Status, status)
		}
		text := html.UnescapeString(p.Body)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not contain %q", path, want)
			}
		}
		for _, unwanted := range not {
			if strings.Contains(text, unwanted) {
				t.Errorf("%s contains %q", path, unwanted)
			}
		}
	}
	keepDays(d, 60, 1_234_50)
	holds("/data?workspace=acme", http.StatusOK, []string{
		"No day was restated", "Reporting delay", "Unknown: ", "orders, retail, revenue after refunds",
	}, []string{"All restated days"})
	holds("/data/history?workspace=acme", http.StatusOK, []string{"No day was restated"}, nil)
	keepDays(d, 60, 1_250_00)
	holds("/data?workspace=acme", http.StatusOK, []string{
		"charged $1,234.50 → $1,250.00", "csv till-125000.csv", "All restated days", "day=2036-10-30",
	}, []string{"day=2036-09-01"})
	holds("/data/history?workspace=acme", http.StatusOK, []string{"day=2036-10-30", "before=50", "Older"}, []string{"day=2036-09-01", "Newest<"})
	holds("/data/history?workspace=acme&before=50", http.StatusOK, []string{"day=2036-09-01", "Newest<"}, []string{"day=2036-10-30", "Older"})
	holds("/data/history?workspace=acme&day=2036-09-01", http.StatusOK, []string{
		"orders 1", "<li>charged $1,234.50</li>", "till-123450.csv", "charged $1,234.50 → $1,250.00", "till-125000.csv",
	}, nil)
	holds("/data/history?workspace=acme&day=2035-01-01", http.StatusOK, []string{"There are no data for this day"}, nil)
	holds("/data/history?workspace=acme&day=no", http.StatusUnprocessableEntity, []string{"not a calendar date"}, nil)
	holds("/data/history?workspace=elsewhere", http.StatusNotFound, []string{"This workspace does not exist"}, nil)
}
