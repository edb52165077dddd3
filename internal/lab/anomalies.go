package lab

import (
	"errors"
	"math"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure/forecast"
)

// Anomalies contains the parameters of anomaly detection in a file's series.
type Anomalies struct {
	Date, Value string  // columns
	Threshold   float64 // minimum |z| of a flag
	Season      int     // points per cycle; 1: none; 0: from the time axis (7 days, 24 hours, 52 weeks, 12 months)
}

// AnomaliesReport contains the flags by date.
type AnomaliesReport struct {
	Verdict
	Season  int             `json:"season"`
	Judged  int             `json:"judged"` // number of points in the series
	Flags   []AnomalyFlag   `json:"flags"`
	Changes []AnomalyChange `json:"changes"` // change points
	Notes   []string        `json:"notes"`
	Clock
}

// AnomalyFlag is a point at or beyond the threshold.
type AnomalyFlag struct {
	Date       string  `json:"date"` // date as in the file
	Value      float64 `json:"value"`
	Expected   float64 `json:"expected"`
	Z          float64 `json:"z"`
	QValue     float64 `json:"q_value"`
	Actionable bool    `json:"actionable"` // actionable flags have a false discovery rate of at most 20%
}

// AnomalyChange is a change point of the series.
type AnomalyChange struct {
	Date   string  `json:"date"`
	Before float64 `json:"before"` // the previous line's value at the change
	After  float64 `json:"after"`
}

// mostChanges is the maximum number of points for change detection, which takes quadratic time.
const mostChanges = 3000

// Run tests every point against its neighbors.
func (a Anomalies) Run(t *Table) (*AnomaliesReport, error) {
	if !(a.Threshold > 0) || math.IsInf(a.Threshold, 1) {
		return nil, fault.Invalid("the threshold is %v, want a number above 0", a.Threshold)
	}
	if a.Season < 0 {
		return nil, fault.Invalid("the season is %d points, want 1 for none or more", a.Season)
	}
	at, err := t.Moments(a.Date)
	if err != nil {
		return nil, err
	}
	values, err := t.Numbers(a.Value)
	if err != nil {
		return nil, err
	}
	records := make([]int, t.Len())
	for i := range records {
		records[i] = i
	}
	season := a.Season
	if season == 0 {
		season = usualSeason(at)
	}
	s, err := alongAxis(t, a.Date, a.Value, records, at, values, season)
	if err != nil {
		return nil, err
	}
	report := &AnomaliesReport{Season: season, Flags: []AnomalyFlag{}, Changes: []AnomalyChange{}, Notes: s.notes}
	if a.Season == 0 && season > 1 && len(s.values) < 3*season {
		report.Season = 1
		report.Notes = append(report.Notes, "The series is shorter than three seasons, so it is not seasonally adjusted.")
	}
	if report.Verdict, err = VerdictOn(a.judge(s, at, report)); err != nil {
		return nil, err
	}
	return report, nil
}

func (a Anomalies) judge(s axisSeries, at []Moment, report *AnomaliesReport) error {
	all, err := forecast.Anomalies(s.values, report.Season)
	if err != nil {
		return err
	}
	report.Judged = len(all)
	for i, o := range all {
		if record := s.records[i]; record >= 0 && math.Abs(o.Z) >= a.Threshold {
			report.Flags = append(report.Flags, AnomalyFlag{
				Date: at[record].Text, Value: s.values[i], Expected: o.Expected, Z: o.Z, QValue: o.Q, Actionable: o.Actionable,
			})
		}
	}
	if len(s.values) > mostChanges {
		report.Notes = append(report.Notes, "The series is too long for change detection.")
		return nil
	}
	changes, err := forecast.Changes(s.values, report.Season)
	if _, tooShort := errors.AsType[*fault.Error](err); tooShort {
		report.Notes = append(report.Notes, "The series is too short for change detection.")
		return nil
	}
	for _, c := range changes {
		if record := s.records[c.At]; record >= 0 {
			report.Changes = append(report.Changes, AnomalyChange{Date: at[record].Text, Before: c.Before, After: c.After})
		}
	}
	return err
}

// usualSeason returns the season length for the step of the time axis, or 1 for positions without a calendar.
func usualSeason(at []Moment) int {
	if _, position := number(at[0].Text); position {
		return 1
	}
	days := make([]float64, len(at))
	for i, m := range at {
		days[i] = m.At
	}
	slices.Sort(days)
	var steps []float64
	for i := 1; i < len(days); i++ {
		steps = append(steps, days[i]-days[i-1])
	}
	if len(steps) == 0 {
		return 1
	}
	slices.Sort(steps)
	switch step := steps[len(steps)/2]; {
	case step <= 0:
		return 1
	case step < 0.9:
		return int(math.Round(1 / step))
	case step < 2:
		return 7
	case step < 10:
		return 52
	case step < 45:
		return 12
	}
	return 1
}
