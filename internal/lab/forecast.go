package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"assay/internal/fault"
	"assay/internal/measure/forecast"
)

// Forecast contains the parameters of forecasts of a file's series.
type Forecast struct {
	ID, Date, Value string // columns
	Horizon, Season int    // in points; a Season of 1 means none
	Levels          []int  // percent, such as 80 and 95
	Model           string // an input of [forecast.ParseKind]
}

// ForecastReport contains the forecasts, in the order in which the series first appear in the file.
type ForecastReport struct {
	Verdict
	Series []SeriesForecast `json:"series"`
	Clock
}

// SeriesForecast is the forecast of one series.
type SeriesForecast struct {
	ID       string               `json:"id"`
	Model    string               `json:"model"`
	Forecast []float64            `json:"forecast"`
	Lower    map[string][]float64 `json:"lower"` // by level in percent
	Upper    map[string][]float64 `json:"upper"`
	Notes    []string             `json:"notes"` // limits of the forecast
}

// Run forecasts every series. The report is not reportable if a series is too short, but it contains the forecasts of
// the other series.
func (f Forecast) Run(t *Table) (*ForecastReport, error) {
	kind, err := forecast.ParseKind(f.Model)
	if err != nil {
		return nil, err
	}
	ask := forecast.Ask{Horizon: f.Horizon, Season: f.Season, Model: kind}
	for _, level := range f.Levels {
		ask.Levels = append(ask.Levels, float64(level)/100)
	}
	series, err := f.read(t)
	if err != nil {
		return nil, err
	}
	report := &ForecastReport{Verdict: Granted(), Series: []SeriesForecast{}}
	var reasons []string
	predictions, failures := predictAll(series, ask)
	for i, s := range series {
		p, err := predictions[i], failures[i]
		if fault.KindOf(err) == fault.KindNotReady {
			reasons = append(reasons, fmt.Sprintf("series %q: %v", s.id, err))
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("series %q: %w", s.id, err)
		}
		report.Series = append(report.Series, f.row(s, p))
	}
	if len(reasons) > 0 {
		report.Verdict = Refused(reasons...)
	}
	return report, nil
}

// predictAll forecasts the series in parallel. Results do not depend on the number of cores.
func predictAll(series []axisSeries, ask forecast.Ask) ([]forecast.Prediction, []error) {
	predictions, failures := make([]forecast.Prediction, len(series)), make([]error, len(series))
	onAllCores(len(series), func(i int) { predictions[i], failures[i] = forecast.Predict(series[i].values, ask) })
	return predictions, failures
}

func (f Forecast) row(s axisSeries, p forecast.Prediction) SeriesForecast {
	row := SeriesForecast{
		ID: s.id, Model: p.Model, Forecast: p.Points, Notes: append(s.notes, p.Notes...),
		Lower: map[string][]float64{}, Upper: map[string][]float64{},
	}
	for i, level := range f.Levels {
		name := strconv.Itoa(level)
		for _, band := range p.Bands[i] {
			row.Lower[name] = append(row.Lower[name], band.Low)
			row.Upper[name] = append(row.Upper[name], band.High)
		}
	}
	return row
}

func (f Forecast) read(t *Table) ([]axisSeries, error) {
	ids, err := t.Names(f.ID)
	if err != nil {
		return nil, err
	}
	at, err := t.Moments(f.Date)
	if err != nil {
		return nil, err
	}
	values, err := t.Numbers(f.Value)
	if err != nil {
		return nil, err
	}
	places := map[string][]int{}
	var order []string
	for i, id := range ids {
		if places[id] == nil {
			order = append(order, id)
		}
		places[id] = append(places[id], i)
	}
	var all []axisSeries
	for _, id := range order {
		s, err := alongAxis(t, f.Date, id, places[id], at, values, f.Season)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

type axisSeries struct {
	id      string
	values  []float64
	records []int // record of each value in the file; -1 if the value was interpolated
	notes   []string
}

// mostFilled is the maximum share of missing periods to interpolate. If more are missing, as in series of working days,
// Run treats the records as consecutive.
const mostFilled = 0.1

// alongAxis sorts the records of a series by time. It rejects a repeated day or position. It allows a repeated instant,
// because the hour repeats when daylight saving time ends.
func alongAxis(t *Table, column, id string, records []int, at []Moment, values []float64, season int) (
	axisSeries, error,
) {
	s := axisSeries{id: id, notes: []string{}}
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(at[a].At, at[b].At) })
	var steps []float64
	repeated := 0
	for i := 1; i < len(sorted); i++ {
		step := at[sorted[i]].At - at[sorted[i-1]].At
		if step == 0 && len(at[sorted[i]].Text) <= len("2006-01-02") {
			return s, t.Refuse(sorted[i], column, fmt.Sprintf("appears twice in series %q", id))
		}
		if step == 0 {
			repeated++
		}
		steps = append(steps, step)
	}
	if repeated > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d records repeat a time; they keep the order of the file.", repeated))
	}
	missing := gaps(steps)
	total := 0
	for _, n := range missing {
		total += n
	}
	if float64(total) > mostFilled*float64(total+len(sorted)) {
		s.notes = append(s.notes, "The steps between records differ, so the records are treated as consecutive periods.")
		missing, total = nil, 0
	}
	for i, record := range sorted {
		if i > 0 && missing != nil {
			for range missing[i-1] {
				s.values, s.records = append(s.values, math.NaN()), append(s.records, -1)
			}
		}
		s.values, s.records = append(s.values, values[record]), append(s.records, record)
	}
	if total > 0 {
		s.notes = append(s.notes,
			fmt.Sprintf("%d of %d periods are missing in the file and were interpolated.", total, len(s.values)))
		s.values = forecast.Filled(s.values, season)
	}
	return s, nil
}

// gaps returns, for each step, the number of missing steps of the usual length.
func gaps(steps []float64) []int {
	if len(steps) == 0 {
		return nil
	}
	sorted := slices.Clone(steps)
	slices.Sort(sorted)
	usual := sorted[len(sorted)/2]
	missing := make([]int, len(steps))
	if usual == 0 {
		return missing
	}
	for i, step := range steps {
		missing[i] = int(min(1e6, max(0, math.Round(step/usual)-1)))
	}
	return missing
}
