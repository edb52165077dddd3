package lab

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
)

// MMM asks for a media mix model of the periods of a file.
type MMM struct {
	Date, Target string   // columns; dates may also be an index that counts weeks
	Media        []string // columns of exposures
	Controls     []string
	Spend        map[string]string // columns of money by column of exposure; the exposure is the money where it has none
	Priors       string            // file of priors by parameter, JSON; empty for the defaults
	Lifts        string            // file of lift tests, CSV; empty for none
	Spec         mmm.Spec          // all but priors and lift tests
	Sampling     mmm.Sampling
}

// MMMReport holds what the model says, or why it says nothing.
type MMMReport struct {
	Verdict
	Diagnostics mmmDiagnostics      `json:"diagnostics"`
	Fit         *mmmFit             `json:"fit,omitempty"`
	Channels    []mmm.ChannelEffect `json:"channels,omitempty"`

	posterior *mmm.Posterior
	labels    []string // of the periods, as they stand in the file
}

// mmmDiagnostics is what the draws are worth; only the time when nothing was sampled.
type mmmDiagnostics struct {
	*mmm.Diagnostics
	Clock
}

// Took implements [Report].
func (r *MMMReport) Took(d time.Duration) { r.Diagnostics.Took(d) }

type mmmFit struct {
	mmm.Accuracy
	Holdout *mmm.Accuracy `json:"holdout"` // null when nothing was held out
}

// Run fits the model.
func (m MMM) Run(t *Table) (*MMMReport, error) {
	data, labels, err := m.read(t)
	if err != nil {
		return nil, err
	}
	spec := m.Spec
	if m.Priors != "" {
		if spec.Priors, err = readPriors(m.Priors); err != nil {
			return nil, err
		}
	}
	if m.Lifts != "" {
		if spec.Lifts, err = readLifts(m.Lifts); err != nil {
			return nil, err
		}
	}
	result, err := mmm.Fit(data, spec, m.Sampling)
	if err != nil {
		return nil, err
	}
	report := &MMMReport{Verdict: Granted(), posterior: result.Posterior, labels: labels}
	report.Diagnostics.Diagnostics = result.Diagnostics
	if result.Status != mmm.OK {
		report.Verdict = Refused()
		for _, r := range result.Reasons {
			report.Reasons = append(report.Reasons, r.Text+"; "+r.Remedy)
		}
		return report, nil
	}
	fitted, holdout := result.Posterior.Accuracy()
	report.Fit = &mmmFit{fitted, holdout}
	report.Channels = result.Posterior.Effects()
	return report, nil
}

// read returns the data in the order of time.
func (m MMM) read(t *Table) (data mmm.Data, labels []string, err error) {
	if data.Dates, labels, err = m.periods(t); err != nil {
		return data, nil, err
	}
	if data.Target, err = t.Numbers(m.Target); err != nil {
		return data, nil, err
	}
	for _, name := range m.Media {
		media := mmm.Media{Channel: measure.Channel(name)}
		if media.Exposure, err = t.Amounts(name); err != nil {
			return data, nil, err
		}
		if column, ok := m.Spend[name]; ok {
			if media.Spend, err = t.Amounts(column); err != nil {
				return data, nil, err
			}
		}
		data.Media = append(data.Media, media)
	}
	for _, name := range namesOf(m.Spend) {
		if !slices.Contains(m.Media, name) {
			return data, nil, fault.Invalid("there is a spend for %q, which is no medium", name).WithHint("the media are %s", strings.Join(m.Media, ", "))
		}
	}
	for _, name := range m.Controls {
		values, err := t.Numbers(name)
		if err != nil {
			return data, nil, err
		}
		data.Controls = append(data.Controls, mmm.Control{Name: name, Values: values})
	}
	return m.ordered(t, data, labels)
}

// periods returns the first days of the periods and their names in the file. An index counts weeks: the model has to
// know how long a period is only where the year matters.
func (m MMM) periods(t *Table) (days []civil.Date, labels []string, err error) {
	moments, err := t.Moments(m.Date)
	if err != nil {
		return nil, nil, err
	}
	_, isIndex := number(moments[0].Text)
	for i, at := range moments {
		if at.At != math.Trunc(at.At) || math.Abs(at.At) > 1e6 {
			return nil, nil, t.Refuse(i, m.Date, "is not a whole day, or a whole number up to a million")
		}
		step := 1
		if isIndex {
			step = 7
		}
		days = append(days, epoch.AddDays(step*int(at.At)))
		labels = append(labels, at.Text)
	}
	return days, labels, nil
}

// ordered sorts the periods by time and refuses those that are there twice or not as long as the others.
func (m MMM) ordered(t *Table, d mmm.Data, labels []string) (mmm.Data, []string, error) {
	order := make([]int, len(d.Dates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return d.Dates[a].Compare(d.Dates[b]) })
	for k := 1; k < len(order); k++ {
		step := d.Dates[order[k]].Sub(d.Dates[order[k-1]])
		switch {
		case step == 0:
			return d, nil, t.Refuse(order[k], m.Date, "is there twice; a file with several geos needs the column of geos")
		case step != d.Dates[order[1]].Sub(d.Dates[order[0]]):
			return d, nil, t.Refuse(order[k], m.Date, "follows "+labels[order[k-1]]+" by another number of days than the periods before it")
		}
	}
	d.Dates, labels = permuted(d.Dates, order), permuted(labels, order)
	d.Target = permuted(d.Target, order)
	for i := range d.Media {
		d.Media[i].Exposure, d.Media[i].Spend = permuted(d.Media[i].Exposure, order), permuted(d.Media[i].Spend, order)
	}
	for i := range d.Controls {
		d.Controls[i].Values = permuted(d.Controls[i].Values, order)
	}
	return d, labels, nil
}

// permuted returns the values in another order, nil for nil.
func permuted[T any](values []T, order []int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(order))
	for i, at := range order {
		out[i] = values[at]
	}
	return out
}

// readPriors reads priors by parameter, such as {"x1.alpha": {"family": "beta", "a": 2, "b": 2}}.
func readPriors(path string) (map[string]mmm.Prior, error) {
	var priors map[string]mmm.Prior
	return priors, readJSON(path, &priors)
}

// readJSON reads a file that holds one value; a key that the value does not have is refused.
func readJSON(path string, value any) error {
	file, err := os.Open(path)
	if err != nil {
		return fault.Invalid("%v", err)
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return fault.Invalid("%s: byte %d: %v", path, decoder.InputOffset(), err)
	}
	return nil
}

// readLifts reads lift tests: channel,x,delta_x,delta_y,sigma.
func readLifts(path string) ([]mmm.Lift, error) {
	t, err := Open(path)
	if err != nil {
		return nil, err
	}
	channels, err := t.Names("channel")
	if err != nil {
		return nil, err
	}
	lifts := make([]mmm.Lift, len(channels))
	for i, name := range channels {
		lifts[i].Channel = measure.Channel(name)
	}
	for _, column := range []struct {
		name  string
		field func(*mmm.Lift) *float64
	}{
		{"x", func(l *mmm.Lift) *float64 { return &l.X }},
		{"delta_x", func(l *mmm.Lift) *float64 { return &l.DeltaX }},
		{"delta_y", func(l *mmm.Lift) *float64 { return &l.DeltaY }},
		{"sigma", func(l *mmm.Lift) *float64 { return &l.Sigma }},
	} {
		values, err := t.Numbers(column.name)
		if err != nil {
			return nil, err
		}
		for i := range lifts {
			*column.field(&lifts[i]) = values[i]
		}
	}
	return lifts, nil
}
