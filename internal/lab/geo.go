package lab

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/internal/fault"
	"assay/internal/measure/geo"
)

// GeoPanel names the columns of a panel, which has the outcome of each unit at each time.
type GeoPanel struct {
	Unit, Time, Outcome string
}

// read returns the file's panel. It rejects repeated and missing pairs of unit and time.
func (g GeoPanel) read(t *Table) (*geo.Panel, error) {
	units, err := t.Names(g.Unit)
	if err != nil {
		return nil, err
	}
	times, err := t.Moments(g.Time)
	if err != nil {
		return nil, err
	}
	outcomes, err := t.Numbers(g.Outcome)
	if err != nil {
		return nil, err
	}
	rows := make([]geo.Row, t.Len())
	for i := range rows {
		rows[i] = geo.Row{
			Region: geo.Region(strings.TrimSpace(units[i])), Value: outcomes[i],
			Period: geo.Period{At: times[i].At, Label: times[i].Text},
		}
	}
	panel, err := geo.NewPanel(rows, geo.Refuse)
	if second, ok := errors.AsType[*geo.RowError](err); ok {
		if slices.ContainsFunc(rows[:second.Row], func(r geo.Row) bool {
			return r.Region == rows[second.Row].Region && r.Period.At == rows[second.Row].Period.At
		}) {
			return nil, t.Refuse(second.Row, g.Time, fmt.Sprintf("appears twice for unit %q", rows[second.Row].Region))
		}
		return nil, t.Refuse(second.Row, g.Outcome, "cannot be used: "+err.Error())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	return panel, nil
}

// when returns the position of a time. The text must be as in the file, or denote the same number or instant.
func when(p *geo.Panel, flag, text string) (int, error) {
	if i, err := p.Find(text); err == nil {
		return i, nil
	}
	at, ok := number(text)
	if !ok {
		at, ok = moment(text)
	}
	for i, period := range p.Periods {
		if ok && period.At == at {
			return i, nil
		}
	}
	_, err := p.Find(text)
	return 0, fmt.Errorf("--%s: %w", flag, err)
}

func regions(names []string) []geo.Region {
	out := make([]geo.Region, len(names))
	for i, name := range names {
		out[i] = geo.Region(strings.TrimSpace(name))
	}
	return out
}

// GeoFit contains the parameters of the analysis of a geo experiment.
type GeoFit struct {
	GeoPanel
	Treated    []string
	Start, End string // first and last time of the test; empty End: the file's last time
	Method     string // default, sc, asc, sdid, did or tbr
	Demean     string // on or off, for sc; empty: the method's default
	Inference  string // placebo, conformal or conformal-iid
	Alpha      float64
	Cost       float64 // cost of the test; 0: unknown
	Seed       uint64
}

// GeoFitReport contains the effect. The method tbr has no weights and no placebo test.
type GeoFitReport struct {
	Verdict
	Method      string             `json:"method"`
	ATT         float64            `json:"att"`
	Lift        *float64           `json:"lift"` // null if the counterfactual is not positive
	Incremental float64            `json:"incremental"`
	CI          []float64          `json:"ci"` // null if the data give no interval at this level
	PValue      float64            `json:"p_value"`
	PMethod     geo.Inference      `json:"p_method"`
	L2          float64            `json:"l2"`
	ScaledL2    *float64           `json:"scaled_l2"` // null under tbr
	Weights     map[string]float64 `json:"weights"`
	IROAS       *geoRatio          `json:"iroas"`
	Placebo     *geoPlacebo        `json:"placebo"`
	Warnings    []string           `json:"warnings"`
	Clock
}

type geoRatio struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"lo"`
	High  *float64 `json:"hi"`
}

type geoPlacebo struct {
	Method string  `json:"method"` // all_sets or sample
	N      int     `json:"n"`
	SE     float64 `json:"se"`
}

// method returns the method that the flags select.
func (g GeoFit) method() (geo.Method, error) {
	if g.Demean != "" && g.Demean != "on" && g.Demean != "off" {
		return "", fault.Invalid("--demean is %q, want on or off", g.Demean)
	}
	switch m := geo.Method(g.Method); m {
	case geo.Synthetic:
		if g.Demean == "on" {
			return geo.Demeaned, nil
		}
		return m, nil
	case geo.Scaled, geo.Augmented:
		if g.Demean == "off" {
			return "", fault.Invalid("--demean off is not possible with the method %s: the method is defined on demeaned series", m)
		}
		return m, nil
	case geo.SynthDiD, geo.DiD, geo.TBR:
		if g.Demean != "" {
			return "", fault.Invalid("--demean does not apply to the method %s, which has its own intercept", m)
		}
		return m, nil
	default:
		return "", fault.Invalid("unknown method %q", g.Method).WithHint("use default, sc, asc, sdid, did or tbr")
	}
}

// Run estimates the effect. A result without an interval is not reportable.
func (g GeoFit) Run(t *Table) (*GeoFitReport, error) {
	method, err := g.method()
	if err != nil {
		return nil, err
	}
	panel, err := g.read(t)
	if err != nil {
		return nil, err
	}
	test := geo.Test{Treated: regions(g.Treated), End: len(panel.Periods) - 1}
	if test.Start, err = when(panel, "start", g.Start); err != nil {
		return nil, err
	}
	if g.End != "" {
		if test.End, err = when(panel, "end", g.End); err != nil {
			return nil, err
		}
	}
	r, err := geo.Fit(panel, test, geo.Options{
		Method: method, Inference: geo.Inference(g.Inference), Alpha: g.Alpha, Cost: g.Cost, Seed: g.Seed,
	})
	if err != nil {
		return nil, err
	}
	return g.report(r), nil
}

func (g GeoFit) report(r *geo.Result) *GeoFitReport {
	report := &GeoFitReport{
		Verdict: Granted(), Method: g.Method, ATT: r.ATT, Incremental: r.Incremental, PValue: r.P, PMethod: r.Inference,
		L2:      r.L2,
		Weights: map[string]float64{}, Warnings: append([]string{}, r.Notes...),
	}
	if r.LiftKnown {
		report.Lift = &r.Lift
	}
	if r.Interval != nil {
		report.CI = []float64{r.Interval.Low, r.Interval.High}
	} else {
		report.Verdict = Refused(
			fmt.Sprintf("no interval at level %.4g is possible: there are too few placebo sets and periods", 1-g.Alpha))
	}
	if r.Method != geo.TBR {
		report.ScaledL2 = &r.ScaledL2
	}
	for _, w := range r.Weights {
		report.Weights[string(w.Region)] = w.Weight
	}
	if r.Placebo != nil {
		report.Placebo = &geoPlacebo{Method: "sample", N: r.Placebo.Sets, SE: r.Placebo.SE}
		if r.Placebo.All {
			report.Placebo.Method = "all_sets"
		}
	}
	if r.Return != nil {
		report.IROAS = &geoRatio{Value: r.Return.PerCost}
		if i := r.Return.PerCostInterval; i != nil {
			report.IROAS.Low, report.IROAS.High = &i.Low, &i.High
		}
	}
	return report
}

// GeoDesign contains the parameters of a market selection.
type GeoDesign struct {
	GeoPanel
	Sizes, Durations []int
	Effects          []float64
	Include, Exclude []string
	Lookback         int
	Alpha            float64
	CostEach         *float64 // cost per incremental unit of the outcome
	Seed             uint64
}

// GeoDesignReport lists candidate tests, best first.
type GeoDesignReport struct {
	Verdict
	Candidates []geoCandidate `json:"candidates"`
	Clock
}

type geoCandidate struct {
	Treated       []geo.Region `json:"treated"`
	Duration      int          `json:"duration"`
	MDE           float64      `json:"mde"`
	Power         float64      `json:"power"`
	ScaledL2      float64      `json:"scaled_l2"`
	AbsLiftInZero float64      `json:"abs_lift_in_zero"`
	Investment    *float64     `json:"investment"` // null without a cost per incremental unit
	Rank          int          `json:"rank"`
}

// Run compares the tests.
func (g GeoDesign) Run(t *Table) (*GeoDesignReport, error) {
	panel, err := g.read(t)
	if err != nil {
		return nil, err
	}
	o := geo.SelectionOptions{
		Sizes: g.Sizes, Durations: g.Durations, Effects: g.Effects, Include: regions(g.Include), Exclude: regions(g.Exclude),
		Lookback: g.Lookback, Alpha: g.Alpha, Seed: g.Seed,
	}
	if g.CostEach != nil {
		o.CostEach = *g.CostEach
	}
	found, err := geo.Select(panel, o)
	report := &GeoDesignReport{Candidates: []geoCandidate{}}
	if report.Verdict, err = VerdictOn(err); err != nil {
		return nil, err
	}
	for _, c := range found {
		row := geoCandidate{
			Treated: c.Treated, Duration: c.Duration, MDE: c.MDE, Power: c.Power, ScaledL2: c.ScaledL2,
			AbsLiftInZero: c.LiftInZero, Rank: c.Rank,
		}
		if g.CostEach != nil {
			row.Investment = &c.Investment
		}
		report.Candidates = append(report.Candidates, row)
	}
	return report, nil
}
