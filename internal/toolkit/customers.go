package toolkit

import (
	"fmt"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/number"
	"assay/internal/snapshot"
)

// ValueSoFar is the mean lifetime value of customers by age, with the projection from today.
type ValueSoFar struct {
	LTV30    *answer.Estimate[answer.Money] `json:"ltv_30d,omitempty" detail:"analyst" doc:"Net revenue per customer within 30 days of the first order."`
	LTV90    *answer.Estimate[answer.Money] `json:"ltv_90d,omitempty"`
	LTV180   *answer.Estimate[answer.Money] `json:"ltv_180d,omitempty" detail:"analyst"`
	LTV365   *answer.Estimate[answer.Money] `json:"ltv_365d,omitempty"`
	Expected *answer.Estimate[answer.Ratio] `json:"expected_orders,omitempty" doc:"Projected orders per customer within horizon_days. Basis modelled."`
	Value    *answer.Estimate[answer.Money] `json:"expected_revenue,omitempty" doc:"Revenue of the projected orders, before refunds. Basis modelled."`
}

// ValueSoFarOf returns the values of a curve at the ages that an answer shows.
func ValueSoFarOf(f answer.Figures, curve cohort.Curve) (v ValueSoFar) {
	for age, into := range v.ages() {
		if point, ok := curve.At(age); ok {
			*into = f.Estimate(point.Estimate)
		}
	}
	return v
}

// ages returns the ages at which values are shown, in days.
func (v *ValueSoFar) ages() map[int]**answer.Estimate[answer.Money] {
	return map[int]**answer.Estimate[answer.Money]{30: &v.LTV30, 90: &v.LTV90, 180: &v.LTV180, 365: &v.LTV365}
}

// Longest removes the 90-day value if the 365-day value is known, for short answers.
func (v *ValueSoFar) Longest() {
	if v.LTV365 != nil {
		v.LTV90 = nil
	}
}

// PanelEstimates describes the estimates of a panel.
func PanelEstimates(p snapshot.Panel, method string, ahead snapshot.Projection) *answer.Estimates {
	e := &answer.Estimates{
		LevelPct: int(100 * answer.Level90), Method: method, Model: ahead.Model, Sample: len(p.Inside), Customers: p.Everybody,
	}
	if ahead.Project != nil {
		e.HorizonDays, e.Seed = int(ahead.Weeks*7+0.5), new(uint64(snapshot.ProjectionSeed))
	}
	return e
}

// WarnPanel warns of figures that cannot be projected from the panel, and of a panel that is only a sample.
func WarnPanel(c *Call, a *answer.Closing, p snapshot.Panel, ahead snapshot.Projection) {
	if refused := notProjected(ahead); len(refused) > 0 {
		a.Warn(answer.WarnNotProjected, "No LTV projection is possible: "+strings.Join(refused, "; ")+".")
	}
	switch dear := ahead.Dear; {
	case dear.Correlation != 0:
		a.Warn(answer.WarnValueNotProjected, fmt.Sprintf("Orders are projected, but not their revenue: spend per order correlates with purchase frequency (correlation %.3f, limit %.1f).",
			dear.Correlation, cohort.LargestCorrelation))
	case dear.NoFit:
		a.Warn(answer.WarnValueNotProjected, "Orders are projected, but not their revenue: the Gamma-Gamma model of order value does not fit.")
	}
	if p.Sampled() {
		a.Warn(answer.WarnSample, fmt.Sprintf("Values come from a fixed sample: %s of %s customers.", number.Grouped(float64(len(p.Customers)), 0), number.Grouped(float64(p.Everybody), 0)))
	}
}

// notProjected returns the reasons for a missing projection, or nil if there is a projection.
func notProjected(ahead snapshot.Projection) []string {
	if ahead.NoFit {
		return []string{"the repeat-purchase model (BG/NBD) does not converge for these customers"}
	}
	return ahead.Refused
}

// NetQuality describes the revenue in lifetime values.
func NetQuality(basis measure.RevenueBasis) string {
	basis.NetOfRefunds = true
	return basis.String()
}

// booksYoung is the number of days after the store's first order in which returning customers may appear as new.
const booksYoung = 90

// WarnFirstDays warns that customers with orders before the first imported order appear as new.
func WarnFirstDays(c *Call, a *answer.Closing, days civil.Range) {
	first := c.Store.OrderDays.First
	if !first.IsZero() && days.First.Sub(first) < booksYoung {
		a.Warn(answer.WarnBooksYoung, fmt.Sprintf("The orders start on %s. Customers who first ordered before this day are counted as new.", first))
	}
}
