package answer

import (
	"assay/internal/measure"
	"assay/internal/measure/cohort"
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
	Sample      int           `json:"sample,omitempty" detail:"analyst" doc:"Customers in the sample."`
	Customers   int64         `json:"customers,omitempty" detail:"analyst" doc:"Customers of the store."`
	Seed        *uint64       `json:"seed,omitempty" detail:"debug"`
}

// Level90 is the level of all intervals.
const Level90 = cohort.DefaultLevel

// Percents turns a rate with its interval into percent.
func Percents(rate float64, in measure.Interval) *Estimate[Percent] {
	return &Estimate[Percent]{Value: Percent(100 * rate), Low: Percent(100 * in.Low), High: Percent(100 * in.High)}
}

// Estimate turns minor units with their interval into money.
func (f Figures) Estimate(value float64, in measure.Interval) *Estimate[Money] {
	one := func(minor float64) Money { return *f.PerMinor(minor, true) }
	return &Estimate[Money]{Value: one(value), Low: one(in.Low), High: one(in.High)}
}
