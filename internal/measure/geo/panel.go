package geo

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/fault"
)

// Period is a point on the time axis.
type Period struct {
	At    float64 // position on the axis: the day's number, or a year such as 2012.25
	Label string  // label of the input
}

// Day returns the period of a calendar day.
func Day(d civil.Date) Period {
	return Period{At: float64(d.Sub(civil.Date{})), Label: d.String()}
}

// Row is the outcome of one region in one period.
type Row struct {
	Region Region
	Period Period
	Value  float64 // finite, in the outcome's unit
}

// RowError is an error about one row of the input.
type RowError struct {
	Row int // position in the input
	Err error
}

func (e *RowError) Error() string { return e.Err.Error() }

func (e *RowError) Unwrap() error { return e.Err }

// Panel contains the outcome of each region in each period, without gaps.
type Panel struct {
	Regions []Region    // sorted
	Periods []Period    // in time order
	Values  [][]float64 // Values[r][t] is the outcome of Regions[r] in Periods[t]
}

// Gaps defines the meaning of a missing row.
type Gaps string

// Meanings of a missing row.
const (
	Refuse Gaps = "refuse" // a missing row is an error that names region and period
	Zero   Gaps = "zero"   // a missing row is an outcome of zero
)

// NewPanel arranges rows, in any order, into a panel. It returns an error for two rows of one region and period, a
// value that is not finite, and a region without a name. With [Refuse], a missing cell is also an error. The error for
// a row is a [RowError].
func NewPanel(rows []Row, gaps Gaps) (*Panel, error) {
	regions, periods := map[Region]int{}, map[float64]int{}
	labels := map[float64]string{}
	for i, row := range rows {
		if err := checkRow(row); err != nil {
			return nil, &RowError{Row: i, Err: err}
		}
		regions[row.Region], periods[row.Period.At] = 0, 0
		if _, ok := labels[row.Period.At]; !ok {
			labels[row.Period.At] = row.Period.Label
		}
	}
	if len(rows) == 0 {
		return nil, fault.Invalid("there are no rows")
	}
	p := &Panel{Regions: slices.Sorted(maps.Keys(regions))}
	for _, at := range slices.Sorted(maps.Keys(periods)) {
		periods[at] = len(p.Periods)
		p.Periods = append(p.Periods, Period{At: at, Label: labels[at]})
	}
	for r, name := range p.Regions {
		regions[name] = r
		p.Values = append(p.Values, slices.Repeat([]float64{math.NaN()}, len(p.Periods)))
	}
	for i, row := range rows {
		cell := &p.Values[regions[row.Region]][periods[row.Period.At]]
		if !math.IsNaN(*cell) {
			return nil, &RowError{
				Row: i, Err: fault.Invalid("region %q has two rows in period %s", row.Region, row.Period.Label),
			}
		}
		*cell = row.Value
	}
	return p, p.close(gaps)
}

func checkRow(row Row) error {
	switch {
	case row.Region == "":
		return fault.Invalid("a row of period %s has no region", row.Period.Label)
	case math.IsNaN(row.Period.At) || math.IsInf(row.Period.At, 0):
		return fault.Invalid("region %q: invalid period %q", row.Region, row.Period.Label)
	case math.IsNaN(row.Value) || math.IsInf(row.Value, 0) || math.Abs(row.Value) > largest:
		return fault.Invalid("the outcome of region %q in period %s is %v, want a finite number",
			row.Region, row.Period.Label, row.Value)
	}
	return nil
}

// largest is the largest accepted outcome. With this limit, sums of squares do not overflow.
const largest = 1e100

// close replaces missing cells with zero or rejects them, depending on gaps.
func (p *Panel) close(gaps Gaps) error {
	for r, series := range p.Values {
		for t, v := range series {
			if !math.IsNaN(v) {
				continue
			}
			if gaps == Refuse {
				return fault.Invalid("region %q has no row in period %s", p.Regions[r], p.Periods[t].Label)
			}
			series[t] = 0
		}
	}
	return nil
}

// Find returns the position of the period with the label.
func (p *Panel) Find(label string) (int, error) {
	for t, period := range p.Periods {
		if period.Label == label {
			return t, nil
		}
	}
	return 0, fault.Invalid("no period %s: the first is %s, the last %s",
		label, p.Periods[0].Label, p.Periods[len(p.Periods)-1].Label)
}

// indices returns the rows of the regions, sorted. It rejects unknown and repeated regions.
func (p *Panel) indices(what string, names []Region) ([]int, error) {
	var rows []int
	for _, name := range names {
		r, ok := slices.BinarySearchFunc(p.Regions, name, func(a, b Region) int { return cmp.Compare(a, b) })
		if !ok {
			return nil, fault.Invalid("the %s region %q is not among the %d regions of the panel", what, name, len(p.Regions))
		}
		if slices.Contains(rows, r) {
			return nil, fault.Invalid("the %s region %q is named twice", what, name)
		}
		rows = append(rows, r)
	}
	slices.Sort(rows)
	return rows, nil
}

// Without returns the panel without the given regions, such as those of another test. Both panels share the series.
func (p *Panel) Without(names ...Region) (*Panel, error) {
	out, err := p.indices("excluded", names)
	if err != nil {
		return nil, err
	}
	rest := &Panel{Periods: p.Periods}
	for r, name := range p.Regions {
		if !slices.Contains(out, r) {
			rest.Regions = append(rest.Regions, name)
			rest.Values = append(rest.Values, p.Values[r])
		}
	}
	return rest, nil
}

// Test is an experiment: some regions were treated in a range of periods.
type Test struct {
	Treated  []Region
	Start    int // position of the first period of treatment
	End      int // position of the last period of treatment
	Cooldown int // periods after End in which the effect decays; 0 for none
}

// LeastHistory is the minimum number of periods before a test.
const LeastHistory = 5

// check returns the rows of treated regions and donors. It rejects tests that do not fit the panel.
func (p *Panel) check(t Test) (treated, donors []int, err error) {
	if len(t.Treated) == 0 {
		return nil, nil, fault.Invalid("the test has no treated region")
	}
	treated, err = p.indices("treated", t.Treated)
	if err != nil {
		return nil, nil, err
	}
	if t.End < t.Start {
		return nil, nil, fault.Invalid("the test ends before it starts (period %d of the panel after period %d)",
			t.Start+1, t.End+1)
	}
	if t.Start < 0 || t.Cooldown < 0 || t.End+t.Cooldown >= len(p.Periods) {
		return nil, nil, fault.Invalid("the test with its cooldown runs from period %d to %d, but the panel has the periods 1 to %d",
			t.Start+1, t.End+t.Cooldown+1, len(p.Periods))
	}
	if t.Start < LeastHistory {
		return nil, nil, fault.Invalid("%d periods before the test are too few; at least %d periods are needed", t.Start, LeastHistory)
	}
	for r, name := range p.Regions {
		if allZero(p.Values[r][:t.Start]) {
			return nil, nil, fault.Invalid("the outcome of region %q is zero in every period before the test: exclude the region", name)
		}
		if !slices.Contains(treated, r) {
			donors = append(donors, r)
		}
	}
	if len(donors) == 0 {
		return nil, nil, fault.Invalid("all %d regions are treated: there are no donors", len(treated))
	}
	return treated, donors, nil
}

func allZero(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != 0 })
}

func (p *Panel) names(rows []int) []Region {
	names := make([]Region, len(rows))
	for i, r := range rows {
		names[i] = p.Regions[r]
	}
	return names
}

// String describes the panel's size.
func (p *Panel) String() string {
	return fmt.Sprintf("%d regions in %d periods", len(p.Regions), len(p.Periods))
}
