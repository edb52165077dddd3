package answer

import (
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/money"
)

// Estimate is an inferred figure with its interval at the answer's level.
type Estimate[T ~float64] struct {
	Value T `json:"value"`
	Low   T `json:"low"`
	High  T `json:"high"`
}

// Estimates describes all estimates of an answer.
type Estimates struct {
	LevelPct    int           `json:"level_pct" doc:"Nominal coverage of the intervals, valid if the method's assumptions are met."`
	Method      string        `json:"method"`
	Basis       measure.Basis `json:"basis,omitempty"`
	HorizonDays int           `json:"horizon_days,omitempty" doc:"Projection horizon."`
	Model       string        `json:"model,omitempty" detail:"analyst"`
	Sample      int           `json:"sample,omitempty" detail:"analyst" doc:"Number of customers in the sample."`
	Customers   int64         `json:"customers,omitempty" detail:"analyst" doc:"Number of customers of the store."`
	Seed        *uint64       `json:"seed,omitempty" detail:"debug"`
}

// Level90 is the level of all intervals.
const Level90 = cohort.DefaultLevel

// EstimateOf converts an estimate to the unit of an answer. The parameter per is the number of answer units in one unit
// of the estimate, for example 100 to convert a share to percent.
func EstimateOf[T ~float64](e measure.Estimate, per float64) *Estimate[T] {
	e = e.Times(per)
	return &Estimate[T]{Value: T(e.Value), Low: T(e.Low), High: T(e.High)}
}

// Percents converts an estimated share to percent.
func Percents(share measure.Estimate) *Estimate[Percent] { return EstimateOf[Percent](share, 100) }

// Estimate converts an estimate in minor units to money.
func (f Figures) Estimate(minor measure.Estimate) *Estimate[Money] {
	return EstimateOf[Money](minor, money.Major(1, f.Currency))
}
