package lab

import (
	"fmt"
	"math"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure/cohort"
)

// CLV contains the settings of a customer lifetime value model for the purchases in a file.
type CLV struct {
	Customer, Date string     // columns of the file
	Value          string     // column; only gammagamma needs it
	Model          string     // bgnbd, paretonbd or gammagamma
	CalibrationEnd civil.Date // last day of the fit; zero: the last day of the file
	HorizonDays    int        // at least 1
}

// CLVReport contains a fit and its expectations.
type CLVReport struct {
	Verdict
	Model         string             `json:"model"`
	Params        map[string]float64 `json:"params,omitempty"` // times in weeks, values in the unit of the file
	LogLikelihood *float64           `json:"log_likelihood,omitempty"`
	Expected      *CLVExpectation    `json:"expected,omitempty"`
	Warnings      []string           `json:"warnings"` // reasons not to rely on the expectation
	Clock
}

// CLVExpectation contains the expected purchases within the horizon. For the model gammagamma, BG/NBD provides the
// purchases, and TotalValue and each customer's Value are set.
type CLVExpectation struct {
	HorizonDays int           `json:"horizon_days"`
	Total       float64       `json:"total"` // purchases of all customers
	TotalValue  *float64      `json:"total_value,omitempty"`
	Customers   []CLVCustomer `json:"customers"`
}

// CLVCustomer is one customer, in weeks.
type CLVCustomer struct {
	Customer  string   `json:"customer"`
	Repeats   int      `json:"x"`
	Recency   float64  `json:"t_x"`
	Age       float64  `json:"t"`
	Alive     float64  `json:"p_alive"`
	Purchases float64  `json:"purchases"` // expected within the horizon
	Value     *float64 `json:"value,omitempty"`
}

// Run fits the model to customers with a purchase up to the end of the calibration period. Histories end on that day.
func (c CLV) Run(t *Table) (*CLVReport, error) {
	if c.HorizonDays < 1 {
		return nil, fault.Invalid("the horizon is %d days, want at least 1", c.HorizonDays)
	}
	if c.Model != "bgnbd" && c.Model != "paretonbd" && c.Model != "gammagamma" {
		return nil, fault.Invalid("unknown model %q", c.Model).WithHint("use bgnbd, paretonbd or gammagamma")
	}
	buyers, err := c.read(t)
	if err != nil {
		return nil, err
	}
	report := &CLVReport{Model: c.Model, Warnings: []string{}}
	if report.Verdict, err = VerdictOn(c.fit(buyers, report)); err != nil {
		return nil, err
	}
	return report, nil
}

// read returns the histories, with mean spends in the unit of the file.
func (c CLV) read(t *Table) ([]cohort.Buyer, error) {
	customers, err := t.Names(c.Customer)
	if err != nil {
		return nil, err
	}
	days, err := t.Days(c.Date)
	if err != nil {
		return nil, err
	}
	values := make([]float64, t.Len())
	if c.Value != "" {
		if values, err = t.Amounts(c.Value); err != nil {
			return nil, err
		}
	} else if c.Model == "gammagamma" {
		return nil, fault.Invalid("gammagamma needs a column of values")
	}
	whole, unit := InWhole(values)
	purchases := make([]cohort.Purchase, t.Len())
	var last civil.Date
	for i := range purchases {
		purchases[i] = cohort.Purchase{Customer: customers[i], Day: days[i], Value: whole[i]}
		if days[i].After(last) {
			last = days[i]
		}
	}
	buyers, err := cohort.Buyers(purchases, c.CalibrationEnd.Or(last))
	if err != nil {
		return nil, err
	}
	if len(buyers) == 0 {
		return nil, fault.Invalid("there are no purchases up to the end of the calibration period, %s", c.CalibrationEnd)
	}
	for i := range buyers {
		buyers[i].MeanSpend /= unit
	}
	return buyers, nil
}

func (c CLV) fit(buyers []cohort.Buyer, report *CLVReport) error {
	histories := make([]cohort.History, len(buyers))
	for i, b := range buyers {
		histories[i] = b.History
	}
	report.Warnings = append(report.Warnings, cohort.Ready(histories).Reasons...)
	if c.Model == "paretonbd" {
		fit, err := cohort.FitParetoNBD(histories)
		if err != nil {
			return err
		}
		m := fit.Model
		report.Params = map[string]float64{"r": m.R, "alpha": m.Alpha, "s": m.S, "beta": m.Beta}
		report.LogLikelihood = &fit.LogLikelihood
		report.Expected = c.expect(m, nil, buyers)
		return nil
	}
	var spend *cohort.GammaGamma
	if c.Model == "gammagamma" {
		fit, err := c.fitSpend(buyers, report)
		if err != nil {
			return err
		}
		spend = &fit
	}
	fit, err := cohort.FitBGNBD(histories)
	if err != nil {
		return err
	}
	if c.Model == "bgnbd" {
		m := fit.Model
		report.Params = map[string]float64{"r": m.R, "alpha": m.Alpha, "a": m.A, "b": m.B}
		report.LogLikelihood = &fit.LogLikelihood
	}
	report.Expected = c.expect(fit.Model, spend, buyers)
	return nil
}

func (c CLV) fitSpend(buyers []cohort.Buyer, report *CLVReport) (cohort.GammaGamma, error) {
	var spends []cohort.Spend
	free := 0
	for _, b := range buyers {
		switch {
		case b.MeanSpend > 0:
			spends = append(spends, cohort.Spend{Purchases: b.Repeats, Mean: b.MeanSpend})
		case b.Repeats > 0:
			free++
		}
	}
	if free > 0 {
		report.Warnings = append(
			report.Warnings, fmt.Sprintf("%d customers with repeat purchases of value 0 are excluded from the fit", free))
	}
	fit, err := cohort.FitGammaGamma(spends)
	if err != nil {
		return cohort.GammaGamma{}, err
	}
	m := fit.Model
	report.Params = map[string]float64{"p": m.P, "q": m.Q, "v": m.V}
	report.LogLikelihood = &fit.LogLikelihood
	if r := cohort.SpendFrequencyCorrelation(spends); math.Abs(r) > cohort.LargestCorrelation {
		report.Warnings = append(report.Warnings, fmt.Sprintf(
			"spend and frequency have correlation %.2f; the model assumes independence and is valid up to %.1f",
			r, cohort.LargestCorrelation))
	}
	if m.Q <= 1 {
		return m, fault.NotReady("the mean value of purchases has no finite expectation (q = %.3g)", m.Q)
	}
	return m, nil
}

const daysPerWeek = 7

func (c CLV) expect(model cohort.Model, spend *cohort.GammaGamma, buyers []cohort.Buyer) *CLVExpectation {
	e := &CLVExpectation{HorizonDays: c.HorizonDays, Customers: make([]CLVCustomer, len(buyers))}
	var total float64
	for i, b := range buyers {
		row := CLVCustomer{Customer: b.Customer, Repeats: b.Repeats, Recency: b.Recency, Age: b.Age}
		row.Alive = model.Alive(b.History)
		row.Purchases = model.Expected(b.History, float64(c.HorizonDays)/daysPerWeek)
		e.Total += row.Purchases
		if spend != nil {
			value := row.Purchases * spend.Expected(cohort.Spend{Purchases: b.Repeats, Mean: b.MeanSpend})
			total += value
			row.Value = &value
		}
		e.Customers[i] = row
	}
	if spend != nil {
		e.TotalValue = &total
	}
	return e
}
