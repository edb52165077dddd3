package cohort

import (
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
)

// SmallestCohort is the minimum number of customers in a cohort with a reported rate. Rates of smaller cohorts are
// mostly noise and may identify persons.
const SmallestCohort = 5

// Cohort contains the number of customers with their first order in one period, and the number of these customers who
// ordered in each later period.
type Cohort struct {
	Start     civil.Date // first day of the period
	Customers int
	// Active contains the number of customers who ordered in the first, second, … following period. It ends with the
	// latest period that has begun.
	Active []int
	// LastIsPartial is true if the last period of Active is not over or its orders are incomplete.
	LastIsPartial bool
}

// Cell is the retention of a cohort in one later period.
type Cell struct {
	Active  int
	Rate    measure.Estimate // Active / Customers
	Partial bool             // the period is not over or its orders are incomplete, so the rate can still rise
}

// Row is the retention of one cohort.
type Row struct {
	Start      civil.Date
	Customers  int
	Suppressed bool   // the cohort is smaller than [Matrix.Smallest] and has no cells
	Cells      []Cell // cells of the first, second, … following period
}

// Matrix is the retention of all cohorts.
type Matrix struct {
	Rows []Row // in the order given
	// Average is the pooled retention over all cohorts with a complete period, weighted by size and including
	// suppressed cohorts. Later periods have fewer and older cohorts. Average ends before the first period with fewer
	// customers than Smallest.
	Average  []Cell
	Smallest int // rows with fewer customers are suppressed
}

// Retention returns the share of each cohort that ordered again in each following period, with its confidence interval.
// It suppresses cohorts with fewer customers than the parameter smallest. A value of 0 means [SmallestCohort]. It
// rejects a cohort without customers or with more active customers than customers. The error names the start of the
// cohort.
func Retention(cohorts []Cohort, smallest int, level float64) (Matrix, error) {
	if smallest == 0 {
		smallest = SmallestCohort
	}
	if err := checkLevel(level); err != nil {
		return Matrix{}, err
	}
	m := Matrix{Smallest: smallest}
	var customers, active []int // by following period, over the cohorts for which the period is complete
	for _, c := range cohorts {
		if c.Customers <= 0 {
			return Matrix{}, fault.Invalid("cohort of %s has %d customers", c.Start, c.Customers)
		}
		row := Row{Start: c.Start, Customers: c.Customers, Suppressed: c.Customers < smallest}
		for k, n := range c.Active {
			cell, err := cellOf(n, c.Customers, level)
			if err != nil {
				return Matrix{}, fault.Invalid("cohort of %s, period %d: %d of %d customers are active",
					c.Start, k+1, n, c.Customers)
			}
			cell.Partial = c.LastIsPartial && k == len(c.Active)-1
			if !row.Suppressed {
				row.Cells = append(row.Cells, cell)
			}
			if !cell.Partial {
				customers, active = addAt(customers, k, c.Customers), addAt(active, k, n)
			}
		}
		m.Rows = append(m.Rows, row)
	}
	for k, n := range customers {
		if n < smallest {
			break
		}
		cell, err := cellOf(active[k], n, level)
		if err != nil {
			return Matrix{}, err
		}
		m.Average = append(m.Average, cell)
	}
	return m, nil
}

func cellOf(active, customers int, level float64) (Cell, error) {
	rate, err := Wilson(active, customers, level)
	return Cell{Active: active, Rate: rate}, err
}

func addAt(sums []int, k, n int) []int {
	for len(sums) <= k {
		sums = append(sums, 0)
	}
	sums[k] += n
	return sums
}
