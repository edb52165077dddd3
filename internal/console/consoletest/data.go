package consoletest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/tools"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// DataSite is a site with real facts, tools and the importer. Its clock is ten years ahead of the clock of a [Site].
type DataSite struct {
	*Site
	Facts      *warehouse.Warehouse
	Tools      *toolkit.Service
	Uploads    string // folder of uploaded files
	Operations *operation.Service
	OnChannel  func() // called before the channel of a target is resolved; nil: nothing
}

// watchedNames resolves channels after it calls OnChannel.
type watchedNames struct {
	*toolkit.Service
	site *DataSite
}

func (n watchedNames) Channel(ctx context.Context, w control.Workspace, name string) (measure.Channel, error) {
	if n.site.OnChannel != nil {
		n.site.OnChannel()
	}
	return n.Service.Channel(ctx, w, name)
}

type siteHistory struct {
	*warehouse.Warehouse
	*snapshot.Reader
}

// NewData returns a site with an empty store. Each function changes the options of its database.
func NewData(t *testing.T, change ...func(*duckdb.Options)) *DataSite {
	t.Helper()
	d := &DataSite{Uploads: t.TempDir()}
	d.Site = NewWith(t, func(s *Site, o *console.Options) {
		s.Clock.at = s.Clock.at.AddDate(10, 0, 0) // so that the real deadlines of connections are far in the future
		options := duckdb.Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler), Clock: s.Clock.Now}
		for _, f := range change {
			f(&options)
		}
		engine, err := duckdb.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { engine.Close(context.Background()) })
		d.Facts = warehouse.New(engine)
		service, err := toolkit.NewService(toolkit.Deps{
			Sources: snapshot.Sources{Facts: d.Facts, Models: toolkittest.Nothing{}, Experiments: toolkittest.Nothing{}, Governance: s.Store, Clock: s.Clock.Now, Now: s.Clock.Now},
			Keys:    s.Store, Hooks: toolkittest.Nothing{}, Calls: toolkittest.Nothing{}, Callers: toolkittest.Nothing{},
			Log: slog.New(slog.DiscardHandler),
		}, tools.All())
		if err != nil {
			t.Fatal(err)
		}
		d.Tools = service
		o.Ask, o.Uploads, o.History = service.Answer, d.Uploads, siteHistory{d.Facts, service.Snapshots()}
		d.Operations = s.NewOperations(operation.Facts{Warehouse: d.Facts, Known: watchedNames{service, d}, Lag: service.Snapshots(), Snapshots: service.Snapshots()})
		o.Operations = d.Operations
	})
	return d
}

// Stock stores an order for USD 1,234.00 on January 10, 2026, with one line item for each title. The line items have 1,
// 2, … units and net revenue of USD 10, 20, ….
func (d *DataSite) Stock(titles ...string) {
	d.T.Helper()
	load, err := d.Facts.Begin(d.T.Context(), warehouse.ImportSpec{Workspace: "acme", Source: "test", Base: "USD"})
	if err != nil {
		d.T.Fatal(err)
	}
	defer load.Abort()
	at := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	ref := warehouse.OrderRef{Source: "csv", Key: "hostile"}
	batch := &warehouse.Batch{Orders: []warehouse.Order{{
		OrderRef: ref, At: at, Day: civil.DayOf(at, time.UTC), Surface: measure.OnlineStore, Charged: 123_400, Status: "paid",
	}}}
	for i, title := range titles {
		batch.Lines = append(batch.Lines, warehouse.OrderLine{OrderRef: ref, Line: i + 1, Title: title, Quantity: int64(i + 1), Net: int64(1000 * (i + 1))})
	}
	if err := load.Add(d.T.Context(), batch); err != nil {
		d.T.Fatal(err)
	}
	if _, err := load.Commit(d.T.Context()); err != nil {
		d.T.Fatal(err)
	}
}
