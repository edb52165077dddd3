// Package demo generates a store's facts and states what it planted.
//
// The store is invented and its numbers behave: demand with trend and season, media with carry-over and
// saturation, customers who come back, platforms that claim too much. [Generate] hands the facts over as the
// readers of files do and returns the [Truth], so that every method can be held against what is really there.
// The equations and constants are explained in docs/methods/demo-store.md.
//
// Everything is a function of the [Options]: there is no clock and no shared state. Each part draws from a
// stream of its own that is named for the part, so a new part does not move the others.
package demo

import (
	"math"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// The workspace that the demo store is meant for.
const (
	StoreName     = "Demo Store"
	StoreZone     = "America/New_York"
	StoreCurrency = money.Currency("USD")
)

// The sizes that can be asked for.
const (
	MinDays   = 30
	MaxDays   = 3660
	MinOrders = 100
	MaxOrders = 10_000_000
)

// Options say which store to generate. Equal options give equal facts and truth, to the byte.
type Options struct {
	Seed     uint64
	Days     int            // with Today; MinDays to MaxDays
	Orders   int            // exactly as many are generated; MinOrders to MaxOrders
	Today    civil.Date     // the last day, which ends at noon
	Zone     *time.Location // the store's
	Currency money.Currency // the store's; prices are the same number in each currency
	HashKey  []byte         // the key under which customers' addresses are hashed
	Quiet    bool           // nothing happens that the calendar does not know: no outage, no viral video
}

// First returns the first day of the store.
func (o Options) First() civil.Date { return o.Today.AddDays(1 - o.Days) }

// Now returns the instant at which the store's data end: noon of Today in the store's zone.
func (o Options) Now() time.Time {
	return time.Date(o.Today.Year(), o.Today.Month(), o.Today.Day(), noonHour, 0, 0, 0, o.Zone).UTC()
}

func (o Options) check() error {
	switch {
	case o.Days < MinDays || o.Days > MaxDays:
		return fault.Invalid("days is %d, want %d to %d", o.Days, MinDays, MaxDays)
	case o.Orders < MinOrders || o.Orders > MaxOrders:
		return fault.Invalid("orders is %d, want %d to %d", o.Orders, MinOrders, MaxOrders)
	case o.Today.IsZero():
		return fault.Invalid("the demo store needs a last day")
	case o.Zone == nil:
		return fault.Invalid("the demo store needs a zone")
	case len(o.HashKey) == 0:
		return fault.Invalid("the demo store needs a key to hash customers with")
	}
	_, err := money.ParseCurrency(string(o.Currency))
	if err != nil {
		return fault.Invalid("currency of the demo store: %v", err)
	}
	return nil
}

// Generate makes the store and hands its facts to sink in batches of a few thousand rows, the catalogue and
// settings first, then reports and orders by day. The batch belongs to Generate again when sink returns. An error
// of sink ends the work and is returned as it is; options that make no store are [fault.KindInvalid].
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
	return p.truth(sold), nil
}

// frame is what the options fix: days, currency, random streams and demand before media.
type frame struct {
	opt   Options
	first civil.Date
	now   time.Time
	unit  float64 // minor units in one whole unit of the currency
}

// plan is everything that is settled before the first order: what is expected on each day, and why.
type plan struct {
	frame
	demand    [][]float64 // by surface and day: the shape of demand without media
	places    places
	anomalies []anomaly
	tests     []experiment
	catalogue []item
	creators  []creator
	media     []*medium
	base      [][]float64 // by surface and day: expected orders that no spend brought
}

// newPlan settles the plan in the order in which one part rests on the other.
func newPlan(opt Options) *plan {
	p := &plan{frame: frame{opt: opt, first: opt.First(), now: opt.Now(), unit: math.Pow10(opt.Currency.Exponent())}}
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

// day returns the date of a day's number, counted from 0.
func (f *frame) day(t int) civil.Date { return f.first.AddDays(t) }

// index returns a date's number of day, which may lie outside the store's days.
func (f *frame) index(d civil.Date) int { return d.Sub(f.first) }

// minor returns an amount in whole currency units in minor units.
func (f *frame) minor(major float64) int64 { return int64(math.Round(major * f.unit)) }

// dailyRevenue is what the store of this size takes on an average day, in whole currency units. Spend, lists and
// traffic are sized by it.
func (f *frame) dailyRevenue() float64 {
	return float64(f.opt.Orders) / float64(f.opt.Days) * nominalOrderValue
}

// feed collects rows and hands them over when there are enough. The first error of the sink stays and ends
// everything that follows.
type feed struct {
	sink  func(*warehouse.Batch) error
	batch warehouse.Batch
	rows  int
	err   error
}

// batchRows is how many rows make a batch.
const batchRows = 4096

// added counts a row that was appended to the batch, and hands the batch over when it is full.
func (f *feed) added(rows int) {
	f.rows += rows
	if f.rows >= batchRows {
		_ = f.flush()
	}
}

// flush hands over what is left and returns the first error.
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
