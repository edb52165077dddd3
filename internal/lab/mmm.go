package lab

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// MMM contains the settings of a media mix model that is fitted to a file.
type MMM struct {
	Date, Target string   // columns; the date can also be an index of weeks
	Geo          string   // column of geos; empty for a single series
	Population   string   // column of the geos' sizes; empty: unknown
	Media        []string // columns of exposures
	Controls     []string
	Holidays     []string          // countries with holidays as controls, in the notation of [holiday.Of]
	Events       string            // file of events, CSV; empty for none
	Spend        map[string]string // spend column by exposure column; without one, the exposure is the spend
	Frequency    map[string]string // frequency column by reach column
	Priors       string            // file of priors by parameter, JSON; empty for the defaults
	Lifts        string            // file of lift tests, CSV; empty for none
	Spec         mmm.Spec          // all but priors and lift tests
	Sampling     mmm.Sampling
	Checks       []MMMCheck
	Slices       string // slices of the backtest; empty for [check.LastFour]
}

// MMMReport is the result of a fit, or the reasons why there is no result.
type MMMReport struct {
	Verdict
	Diagnostics mmmDiagnostics      `json:"diagnostics"`
	Fit         *mmmFit             `json:"fit,omitempty"`
	LeaveOneOut *mmm.LeaveOneOut    `json:"leave_one_out,omitempty"`
	Channels    []mmm.ChannelEffect `json:"channels,omitempty"`
	Events      []mmm.ControlEffect `json:"events,omitempty"`      // holidays and events
	Frequencies []mmm.Frequency     `json:"frequencies,omitempty"` // best frequencies of channels with reach and frequency
	TimeVarying []mmmTimeVarying    `json:"varying,omitempty"`     // effects over time, if they vary
	Checks      *mmmChecks          `json:"checks,omitempty"`      // the requested checks

	posterior *mmm.Posterior
	labels    []string // labels of the periods in the file
}

// mmmDiagnostics describes the sampling. Without sampling, it contains only the duration.
type mmmDiagnostics struct {
	*mmm.Diagnostics
	Clock
}

// Took implements [Report].
func (r *MMMReport) Took(d time.Duration) { r.Diagnostics.Took(d) }

type mmmFit struct {
	mmm.Accuracy
	Holdout *mmm.Accuracy `json:"holdout"` // null without a holdout
}

// mmmTimeVarying is a channel's effect over time, relative to its mean.
type mmmTimeVarying struct {
	Channel measure.Channel `json:"channel"`
	Periods []mmmMultiple   `json:"periods"`
}

type mmmMultiple struct {
	Date string `json:"date"`
	stats.Summary
}

// addShapes adds the best frequencies and the time-varying multipliers, which only some channels have.
func (r *MMMReport) addShapes() {
	for _, channel := range r.posterior.Channels() {
		if f := r.posterior.BestFrequency(channel); f != nil {
			r.Frequencies = append(r.Frequencies, *f)
		}
		if multiples := r.posterior.Multiples(channel); multiples != nil {
			v := mmmTimeVarying{Channel: channel}
			for t, m := range multiples {
				v.Periods = append(v.Periods, mmmMultiple{r.labels[t], m})
			}
			r.TimeVarying = append(r.TimeVarying, v)
		}
	}
}

// Run fits the model.
func (m MMM) Run(t *Table) (*MMMReport, error) {
	if err := m.checksKnown(); err != nil {
		return nil, err
	}
	data, labels, err := m.read(t)
	if err != nil {
		return nil, err
	}
	if err := m.addEvents(&data, labels); err != nil {
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
	loo := result.Posterior.LeaveOneOut()
	report.LeaveOneOut = &loo
	report.Channels = result.Posterior.Effects()
	report.Events = result.Posterior.PooledControls()
	report.addShapes()
	if len(m.Checks) > 0 {
		if report.Checks, err = m.check(result.Posterior, data, spec); err != nil {
			return nil, err
		}
	}
	return report, nil
}

// read returns the data in time order.
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
		if column, ok := m.Frequency[name]; ok {
			if media.Frequency, err = t.Amounts(column); err != nil {
				return data, nil, err
			}
		}
		data.Media = append(data.Media, media)
	}
	for what, columns := range map[string]map[string]string{"spend": m.Spend, "frequency": m.Frequency} {
		for _, name := range namesOf(columns) {
			if !slices.Contains(m.Media, name) {
				return data, nil, fault.Invalid("%s for %q: no such media column", what, name).
					WithHint("the media columns are %s", strings.Join(m.Media, ", "))
			}
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

// periods returns the first days of the periods and their labels in the file. Numbers in the date column count weeks.
// The length of a period affects only yearly terms.
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

// ordered sorts the records by geo, in the order of the file, and by time. It rejects repeated or missing periods of a
// geo and periods of different lengths.
func (m MMM) ordered(t *Table, d mmm.Data, labels []string) (mmm.Data, []string, error) {
	geos := make([]string, t.Len())
	if m.Geo != "" {
		var err error
		if geos, err = t.Names(m.Geo); err != nil {
			return d, nil, err
		}
	}
	at, order := map[string]int{}, make([]int, t.Len())
	for i, geo := range geos {
		order[i] = i
		if _, ok := at[geo]; !ok {
			at[geo] = len(at)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(at[geos[a]], at[geos[b]]), d.Dates[a].Compare(d.Dates[b]))
	})
	if err := m.checkPeriods(t, d.Dates, labels, geos, order); err != nil {
		return d, nil, err
	}
	if m.Geo != "" {
		var err error
		if d.Geos, err = m.places(t, geos, order); err != nil {
			return d, nil, err
		}
	} else if m.Population != "" {
		return d, nil, fault.Invalid("the population column needs a geo column").WithHint("name the geo column with --geo")
	}
	periods := len(order) / len(at)
	d.Dates, labels = permuted(d.Dates, order[:periods]), permuted(labels, order[:periods])
	d.Target = permuted(d.Target, order)
	for i := range d.Media {
		for _, values := range []*[]float64{&d.Media[i].Exposure, &d.Media[i].Frequency, &d.Media[i].Spend} {
			*values = permuted(*values, order)
		}
	}
	for i := range d.Controls {
		d.Controls[i].Values = permuted(d.Controls[i].Values, order)
	}
	return d, labels, nil
}

// checkPeriods compares the periods of each geo with the periods of the first geo. The parameter order lists the
// records of each geo consecutively.
func (m MMM) checkPeriods(t *Table, days []civil.Date, labels, geos []string, order []int) error {
	first := 1
	for first < len(order) && geos[order[first]] == geos[order[0]] {
		first++
	}
	for k, i := range order {
		switch {
		case k > 0 && geos[order[k-1]] == geos[i] && days[order[k-1]] == days[i] && m.Geo == "":
			return t.Refuse(i, m.Date, "appears twice; a file with several geos needs the geo column")
		case k > 0 && geos[order[k-1]] == geos[i] && days[order[k-1]] == days[i]:
			return t.Refuse(i, m.Date, "appears twice in "+geos[i])
		case k < first && k > 1 && days[i].Sub(days[order[k-1]]) != days[order[1]].Sub(days[order[0]]):
			return t.Refuse(i, m.Date, "has a different distance from "+labels[order[k-1]]+" than the first two periods have from each other")
		case days[i] != days[order[k%first]] || geos[i] != geos[order[k-k%first]]:
			return t.Refuse(i, m.Date,
				fmt.Sprintf("of %s is in the place of %s of %s: each geo needs the same periods as the first geo",
					geos[i], labels[order[k%first]], geos[order[k-k%first]]))
		}
	}
	if rest := len(order) % first; rest != 0 {
		last := order[len(order)-1]
		return t.Refuse(last, m.Date,
			fmt.Sprintf("is the last period of %s, which lacks %s", geos[last], labels[order[rest]]))
	}
	return nil
}

// places returns the geos with their populations. It rejects a geo with a population that varies.
func (m MMM) places(t *Table, names []string, order []int) ([]mmm.Geo, error) {
	var geos []mmm.Geo
	population := make([]float64, t.Len())
	if m.Population != "" {
		var err error
		if population, err = t.Amounts(m.Population); err != nil {
			return nil, err
		}
	}
	for _, i := range order {
		if len(geos) == 0 || geos[len(geos)-1].Name != names[i] {
			geos = append(geos, mmm.Geo{Name: names[i], Population: population[i]})
		}
		if geos[len(geos)-1].Population != population[i] {
			return nil, t.Refuse(i, m.Population, "differs from the population in other records of "+names[i])
		}
	}
	return geos, nil
}

// permuted returns the values in another order, or nil for nil.
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

// readJSON reads a file with one value and rejects unknown keys.
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

// readLifts reads lift tests with the columns channel,x,delta_x,delta_y,sigma and, for tests in one geo, geo.
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
	if slices.Contains(t.Columns(), "geo") {
		geos, err := t.Texts("geo")
		if err != nil {
			return nil, err
		}
		for i, name := range geos {
			lifts[i].Geo = strings.TrimSpace(name)
		}
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
