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

// ValueSoFar is what a customer has brought on average by an age, and what is expected of one from here on.
type ValueSoFar struct {
	LTV30    *answer.Estimate[answer.Money] `json:"ltv_30d,omitempty" detail:"analyst" doc:"Net revenue per customer within 30 days of the first order."`
	LTV90    *answer.Estimate[answer.Money] `json:"ltv_90d,omitempty"`
	LTV180   *answer.Estimate[answer.Money] `json:"ltv_180d,omitempty" detail:"analyst"`
	LTV365   *answer.Estimate[answer.Money] `json:"ltv_365d,omitempty"`
	Expected *answer.Estimate[answer.Ratio] `json:"expected_orders,omitempty" doc:"Further orders per customer within horizon_days. Basis modelled."`
	Value    *answer.Estimate[answer.Money] `json:"expected_revenue,omitempty" doc:"Revenue of these, refunds not taken off. Basis modelled."`
}

// ValueSoFarOf writes the value of customers at the ages of the answer.
func ValueSoFarOf(f answer.Figures, curve cohort.Curve) (v ValueSoFar) {
	for age, into := range v.ages() {
		if point, ok := curve.At(age); ok {
			*into = f.Estimate(point.Value, point.Interval)
		}
	}
	return v
}

// ages are the ages at which values are shown, in days.
func (v *ValueSoFar) ages() map[int]**answer.Estimate[answer.Money] {
	return map[int]**answer.Estimate[answer.Money]{30: &v.LTV30, 90: &v.LTV90, 180: &v.LTV180, 365: &v.LTV365}
}

// Longest keeps the value of the longest age, for answers with little room.
func (v *ValueSoFar) Longest() {
	if v.LTV365 != nil {
		v.LTV90 = nil
	}
}

// PanelEstimates says what the estimates of a panel are.
func PanelEstimates(p snapshot.Panel, method string, ahead snapshot.Projection) *answer.Estimates {
	e := &answer.Estimates{
		LevelPct: int(100 * answer.Level90), Method: method, Model: ahead.Model, Sample: len(p.Inside), Customers: p.Everybody,
	}
	if ahead.Project != nil {
		e.HorizonDays, e.Seed = int(ahead.Weeks*7+0.5), new(uint64(snapshot.ProjectionSeed))
	}
	return e
}

// WarnPanel says what the customers at hand cannot tell.
func WarnPanel(c *Call, a *answer.Closing, p snapshot.Panel, ahead snapshot.Projection) {
	if refused := notProjected(ahead); len(refused) > 0 {
		a.Warn(answer.WarnNotProjected, "Nothing is expected of the future: "+strings.Join(refused, "; ")+".")
	}
	switch dear := ahead.Dear; {
	case dear.Correlation != 0:
		a.Warn(answer.WarnValueNotProjected, fmt.Sprintf("Orders are expected and not their revenue: customers who buy more often spend differently (correlation %.3f, at most %.1f).",
			dear.Correlation, cohort.LargestCorrelation))
	case dear.NoFit:
		a.Warn(answer.WarnValueNotProjected, "Orders are expected and not their revenue: the model of what purchases are worth does not fit.")
	}
	if p.Sampled() {
		a.Warn(answer.WarnSample, fmt.Sprintf("Values come from a fixed sample of %s of %s customers.", number.Grouped(float64(len(p.Customers)), 0), number.Grouped(float64(p.Everybody), 0)))
	}
}

// notProjected says why nothing is expected of customers; nil where something is.
func notProjected(ahead snapshot.Projection) []string {
	if ahead.NoFit {
		return []string{"the model of repeat purchases has no best fit to these customers"}
	}
	return ahead.Refused
}

// NetQuality says what lifetime values are sums of.
func NetQuality(basis measure.RevenueBasis) string {
	basis.NetOfRefunds = true
	return basis.String()
}

// booksYoung is how many days after the first order of the store many a customer only looks new.
const booksYoung = 90

// WarnFirstDays says that customers of before the books look new at their beginning.
func WarnFirstDays(c *Call, a *answer.Closing, days civil.Range) {
	first := c.Store.OrderDays.First
	if !first.IsZero() && days.First.Sub(first) < booksYoung {
		a.Warn(answer.WarnBooksYoung, fmt.Sprintf("Orders begin on %s: who had ordered before looks new.", first))
	}
}
