// Package experiment estimates the results of completed geo experiments from a store's orders and its ad reports by
// region. It returns results for answers, iROAS by sales surface for halo effects, and lift tests of the whole store
// for the media mix model. All callers get the same results.
package experiment

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Source returns the workspaces' experiments. The control store implements it.
type Source interface {
	Experiments(ctx context.Context, ws measure.WorkspaceID) ([]control.Experiment, error)
}

// Facts are the warehouse queries for an experiment's result. [warehouse.Warehouse] implements them.
type Facts interface {
	RegionDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.RegionTotal, error)
	SurfaceRegionDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.SurfaceRegionDay, error)
	RegionSpend(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, days civil.Range) (
		[]warehouse.RegionSpend, error)
	StoreDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.DayTotal, error)
	SpendDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.SpendDay, error)
}

// Store is a store and its experiments.
type Store struct {
	Workspace control.Workspace
	Facts     Facts
	OrderDays civil.Range          // days with orders
	AdDays    civil.Range          // days with ad reports
	Today     civil.Date           // in the workspace's zone
	All       []control.Experiment // all experiments; a comparison excludes days and regions of other experiments
}

// Finding is the result of a geo experiment. Unknown values are nil.
type Finding struct {
	*geo.Assessment

	Excluded []civil.Date      // days before the test that are excluded because of other experiments
	Change   *float64          // spend minus counterfactual spend, in whole units; nil if unknown or if spend hardly changed
	Return   *measure.Estimate // iROAS

	spent    float64 // spend in the treated regions during the test, in whole units
	reported float64 // spend in all regions during the test, in whole units
	before
}

// before contains the sales before a test, on the days that the analysis uses. Amounts are in whole units.
type before struct {
	history []civil.Date
	treated float64 // sales of the treated regions, as charged
	located float64 // sales of all regions
}

const (
	seed       = 1
	alpha      = 0.1  // significance level: intervals have a level of 90%
	block      = 7    // days per point of a result's chart
	draws      = 5000 // placebo sets: enough for a level of 90% when a third of the regions is treated
	minHistory = 84   // days before a test, if the store has that many
	washout    = 7    // days after another experiment in which its effect may persist
)

// Over reports whether the days of a test have ended.
func (s Store) Over(days civil.Range) bool { return days.Last.Before(s.Today) }

// covers reports whether the days of a test have ended and the store's orders cover them.
func (s Store) covers(days civil.Range) bool {
	return s.OrderDays.Contains(days.First) && s.OrderDays.Contains(days.Last) && s.Over(days)
}

// unusable reports whether an error means that the data do not allow a result. Any other error is a failure.
func unusable(err error) bool {
	kind := fault.KindOf(err)
	return err != nil && (kind == fault.KindInvalid || kind == fault.KindNotReady)
}

// Assess compares the treated regions of a completed experiment with the control regions. If the data do not allow a
// comparison, Assess returns a fault of kind invalid or not_ready, and the finding contains the known values.
func (s Store) Assess(ctx context.Context, e control.Experiment) (Finding, error) {
	var f Finding
	if !s.covers(e.Days) {
		return f, fault.NotReady("%s", notCovered)
	}
	var days []civil.Date
	days, f.Excluded = s.cleanDays(e)
	window := civil.Range{First: days[0], Last: e.Days.Last}
	found, err := s.Facts.RegionDays(ctx, s.Workspace.ID, window)
	if err != nil {
		return f, fmt.Errorf("days of regions %s: %w", window, err)
	}
	spent, err := s.Facts.RegionSpend(ctx, s.Workspace.ID, e.Channel, window)
	if err != nil {
		return f, fmt.Errorf("spend of %q by region %s: %w", e.Channel, window, err)
	}
	sales := newTable(days)
	for _, d := range found {
		sales.add(d.Region, d.Day, d.Charged, s.Workspace.Currency)
	}
	sold, err := s.Facts.SurfaceRegionDays(ctx, s.Workspace.ID, window)
	if err != nil {
		return f, fmt.Errorf("orders of surfaces by region %s: %w", window, err)
	}
	outcome := outcomeOf(e, days, sold, s.Workspace.Currency)
	costs := newTable(days)
	for region := range outcome.values {
		costs.values[region] = map[civil.Date]float64{}
	}
	costs.addSpend(spent, s.Workspace.Currency)
	f.before = beforeOf(e, sales)
	test, panel, err := s.panelOf(e, outcome)
	if err != nil {
		return f, err
	}
	spending, err := costs.of(panel)
	if err != nil {
		return f, err
	}
	for _, region := range slices.Sorted(maps.Keys(costs.values)) {
		for _, day := range days[test.Start:] {
			f.reported += costs.values[region][day]
			if slices.Contains(e.Treated, region) {
				f.spent += costs.values[region][day]
			}
		}
	}
	options := geo.Options{Method: geo.Combined, Alpha: alpha, Seed: seed, Draws: draws}
	if change, known := geo.SpendChange(spending, test); known {
		options.Cost, f.Change = change, &change
	}
	if f.Assessment, err = geo.Assess(panel, test, block, options); err != nil {
		return f, err
	}
	f.Return = f.Assessment.Return.Estimate()
	f.relateTo(sales.total(e.Treated, days[test.Start:]))
	return f, nil
}

// beforeOf sums sales on the days before the test. The table also contains the days of the test.
func beforeOf(e control.Experiment, sales table) before {
	b := before{history: sales.days[:len(sales.days)-e.Days.Days()]}
	for _, region := range slices.Sorted(maps.Keys(sales.values)) {
		for _, day := range b.history {
			b.located += sales.values[region][day]
			if slices.Contains(e.Treated, region) {
				b.treated += sales.values[region][day]
			}
		}
	}
	return b
}

// cleanDays returns the days of a test and earlier days. The earlier days are outside other geo experiments and the
// washout days after them. The number of earlier days is four times the length of the test and at least minHistory, or
// less if the store has fewer days. The result excluded lists the days that are excluded because of other experiments.
func (s Store) cleanDays(e control.Experiment) (days, excluded []civil.Date) {
	wanted, others := max(minHistory, 4*e.Days.Days()), s.others(e)
	for day := e.Days.First.AddDays(-1); len(days) < wanted && !day.Before(s.OrderDays.First); day = day.AddDays(-1) {
		disturbed := slices.ContainsFunc(others, func(other control.Experiment) bool {
			lasting := civil.Range{First: other.Days.First, Last: other.Days.Last.AddDays(washout)}
			return other.Kind == control.GeoTest && lasting.Contains(day)
		})
		if disturbed {
			excluded = append(excluded, day)
			continue
		}
		days = append(days, day)
	}
	slices.Reverse(days)
	for day := e.Days.First; !day.After(e.Days.Last); day = day.AddDays(1) {
		days = append(days, day)
	}
	return days, excluded
}

// others returns the other experiments that can affect the data of an experiment: planned, running and completed
// experiments.
func (s Store) others(e control.Experiment) []control.Experiment {
	return slices.DeleteFunc(slices.Clone(s.All), func(other control.Experiment) bool {
		return other.ID == e.ID || !other.Status.Settled()
	})
}

// panelOf returns the test and the panel of its treated and control regions. It excludes control regions that another
// experiment treats on the same days, and regions without orders before the test. A treated region without such orders
// is a fault of kind not_ready.
func (s Store) panelOf(e control.Experiment, outcome table) (geo.Test, *geo.Panel, error) {
	test := geo.Test{Start: len(outcome.days) - e.Days.Days(), End: len(outcome.days) - 1}
	kept, others := newTable(outcome.days), s.others(e)
	for region, days := range outcome.values {
		silent := !slices.ContainsFunc(outcome.days[:test.Start], func(day civil.Date) bool { return days[day] != 0 })
		elsewhere := slices.ContainsFunc(others, func(other control.Experiment) bool {
			return other.Days.Intersect(e.Days).Days() > 0 && slices.Contains(other.Treated, region)
		})
		compared := len(e.HeldOut) == 0 || slices.Contains(e.HeldOut, region)
		if treated := slices.Contains(e.Treated, region); !silent && (treated || !elsewhere && compared) {
			kept.values[region] = days
		}
	}
	for _, region := range e.Treated {
		if kept.values[region] == nil {
			return test, nil, fault.NotReady("no order came from the treated region %s in the history before the experiment", region)
		}
		test.Treated = append(test.Treated, geo.Region(region))
	}
	panel, err := kept.panel()
	return test, panel, err
}

// table is an amount by region and day, in whole units. A missing value is zero.
type table struct {
	days   []civil.Date
	values map[string]map[civil.Date]float64
}

func newTable(days []civil.Date) table {
	return table{days: days, values: map[string]map[civil.Date]float64{}}
}

func (t table) add(region string, day civil.Date, minor int64, currency money.Currency) {
	t.put(region, day, money.Major(minor, currency))
}

func (t table) put(region string, day civil.Date, value float64) {
	if t.values[region] == nil {
		t.values[region] = map[civil.Date]float64{}
	}
	t.values[region][day] += value
}

// total sums the values of regions on days.
func (t table) total(regions []string, days []civil.Date) (sum float64) {
	for _, region := range regions {
		for _, day := range days {
			sum += t.values[region][day]
		}
	}
	return sum
}

// addSpend adds the spend in the table's regions.
func (t table) addSpend(spent []warehouse.RegionSpend, currency money.Currency) {
	for _, s := range spent {
		if t.values[s.Region] != nil {
			t.add(s.Region, s.Day, s.Spend, currency)
		}
	}
}

func (t table) panel() (*geo.Panel, error) {
	var rows []geo.Row
	for _, region := range slices.Sorted(maps.Keys(t.values)) {
		for _, day := range t.days {
			rows = append(rows, geo.Row{Region: geo.Region(region), Period: geo.Day(day), Value: t.values[region][day]})
		}
	}
	if len(rows) == 0 {
		return nil, fault.NotReady("no order on these days has a region")
	}
	return geo.NewPanel(rows, geo.Refuse)
}

// of returns the panel of the table's amounts in the regions of another panel.
func (t table) of(other *geo.Panel) (*geo.Panel, error) {
	some := newTable(t.days)
	for _, region := range other.Regions {
		some.values[string(region)] = t.values[string(region)]
	}
	return some.panel()
}
