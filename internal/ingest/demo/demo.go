// Package demo simulates the facts of a store and reports the true effects.
//
// The simulated store has demand with trend and season, media with adstock and saturation, returning customers, and
// platforms that report too many conversions. [Generate] produces facts in the same form as the readers of files. It
// also returns the [Truth], so that every method can be tested against the true effects. docs/methods/demo-store.md
// explains the equations and constants.
//
// The result depends only on the [Options]. The package uses no clock and no shared state. Each part of the simulation
// has its own named stream of random numbers, so a new part does not change other parts.
package demo

import (
	"math"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Settings of the demo store's workspace.
const (
	StoreName     = "Demo Store"
	StoreZone     = "America/New_York"
	StoreCurrency = money.Currency("USD")
)

// Limits of the options.
const (
	MinDays   = 30
	MaxDays   = 3660
	MinOrders = 100
	MaxOrders = 10_000_000
	MaxFuture = 366
)

// Options define the store. Equal options result in facts and truth that are equal byte by byte.
type Options struct {
	Seed     uint64
	Days     int            // including Today; MinDays to MaxDays
	Orders   int            // exact number of orders; MinOrders to MaxOrders
	Today    civil.Date     // last day, which ends at noon
	Zone     *time.Location // the store's time zone
	Currency money.Currency // the store's currency; prices are the same numbers in every currency
	HashKey  []byte         // key for the hashes of customers' addresses
	Quiet    bool           // no anomalies, such as an outage or a viral video
	Future   int            // days after Today in [Truth.Future]; 0: none, at most MaxFuture
}

// First returns the first day of the store.
func (o Options) First() civil.Date { return o.Today.AddDays(1 - o.Days) }

// Now returns the end of the store's data: noon of Today in the store's time zone.
func (o Options) Now() time.Time {
	return time.Date(o.Today.Year(), o.Today.Month(), o.Today.Day(), noonHour, 0, 0, 0, o.Zone).UTC()
}

func (o Options) check() error {
	switch {
	case o.Days < MinDays || o.Days > MaxDays:
		return fault.Invalid("days is %d, want %d to %d", o.Days, MinDays, MaxDays)
	case o.Orders < MinOrders || o.Orders > MaxOrders:
		return fault.Invalid("orders is %d, want %d to %d", o.Orders, MinOrders, MaxOrders)
	case o.Future < 0 || o.Future > MaxFuture:
		return fault.Invalid("future is %d days, want 0 to %d", o.Future, MaxFuture)
	case o.Today.IsZero():
		return fault.Invalid("the demo store needs a last day")
	case o.Zone == nil:
		return fault.Invalid("the demo store needs a zone")
	case len(o.HashKey) == 0:
		return fault.Invalid("the demo store needs a key for hashing customers")
	}
	_, err := money.ParseCurrency(string(o.Currency))
	if err != nil {
		return fault.Invalid("currency of the demo store: %v", err)
	}
	return nil
}

// Generate simulates the store and passes its facts to sink in batches of a few thousand rows. Catalog and settings
// come first, then reports, then orders by day, then creators' links. Generate reuses the batch after sink returns. It
// returns an error of sink unchanged. Invalid options result in a fault of kind invalid.
func Generate(opt Options, sink func(*warehouse.Batch) error) (Truth, error) {
	if err := opt.check(); err != nil {
		return Truth{}, err
	}
	p := newPlan(opt)
	out := &feed{sink: sink}
	p.emitCatalogue(out)
	p.emitCreators(out)
	p.emitCoupons(out)
	p.emitTargets(out)
	p.emitAds(out)
	p.emitChannelSpend(out)
	p.emitMessages(out)
	p.emitRegions(out)
	sold := p.sell(out)
	p.emitLinks(out, sold)
	if err := out.flush(); err != nil {
		return Truth{}, err
	}
	truth := p.truth(sold)
	truth.Future = p.future(sold)
	return truth, nil
}

// frame contains values that the options determine: days, currency, random streams and demand without media.
type frame struct {
	opt   Options
	first civil.Date
	now   time.Time
	unit  float64 // minor units in one whole unit of the currency
	span  int     // number of simulated days: the store's days and, if they are simulated, the days after today
	whole bool    // today ends at midnight
}

// plan contains the values that are determined before the first order is simulated: the expected orders of each day and
// their causes.
type plan struct {
	frame
	demand    [][]float64 // by surface and day: shape of demand without media
	places    places
	anomalies []anomaly
	tests     []experiment
	catalogue []item
	creators  []creator
	media     []*medium
	base      [][]float64 // by surface and day: expected orders without spend
	baseLevel float64     // factor of the baseline's shape
}

// newPlan plans all parts in the order of their dependencies.
func newPlan(opt Options) *plan {
	p := &plan{frame: frame{opt: opt, first: opt.First(), now: opt.Now(), unit: math.Pow10(opt.Currency.Exponent()), span: opt.Days}}
	p.demand = p.demandShapes()
	p.places = newPlaces(p.stream("places"))
	p.anomalies = p.planAnomalies()
	p.tests = p.planExperiments()
	p.catalogue = p.planCatalogue()
	p.creators = p.planCreators()
	p.media = p.planMedia()
	p.base = p.planBaseline()
	return p
}

// day returns the date of a day's index, counted from 0.
func (f *frame) day(t int) civil.Date { return f.first.AddDays(t) }

// index returns a date's day index, which may be outside the store's days.
func (f *frame) index(d civil.Date) int { return d.Sub(f.first) }

// minor converts an amount from whole currency units to minor units.
func (f *frame) minor(major float64) int64 { return int64(math.Round(major * f.unit)) }

// dailyRevenue returns the average daily revenue of a store of this size, in whole currency units. Spend, mailing lists
// and traffic are proportional to this revenue.
func (f *frame) dailyRevenue() float64 {
	return float64(f.opt.Orders) / float64(f.opt.Days) * nominalOrderValue
}

// feed collects rows and passes them to the sink in batches. After an error of the sink, it does nothing.
type feed struct {
	sink  func(*warehouse.Batch) error
	batch warehouse.Batch
	rows  int
	err   error
}

// batchRows is the number of rows in a batch.
const batchRows = 4096

// added records the number of rows appended to the batch, and flushes a full batch.
func (f *feed) added(rows int) {
	f.rows += rows
	if f.rows >= batchRows {
		_ = f.flush()
	}
}

// flush passes the remaining rows to the sink and returns the first error.
func (f *feed) flush() error {
	if f.err == nil && f.rows > 0 {
		f.err = f.sink(&f.batch)
	}
	f.rows = 0
	f.batch = warehouse.Batch{
		Orders: f.batch.Orders[:0], Lines: f.batch.Lines[:0], Refunds: f.batch.Refunds[:0],
		Coupons: f.batch.Coupons[:0], Touches: f.batch.Touches[:0], AdDays: f.batch.AdDays[:0],
		Messages: f.batch.Messages[:0], Surveys: f.batch.Surveys[:0], RegionDays: f.batch.RegionDays[:0],
	}
	return f.err
}
