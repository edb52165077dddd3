package answer

import (
	"encoding/json"

	"assay/internal/measure"
)

// Metric is a key figure beside its value in the equally long window before.
type Metric[T ~float64] struct {
	Value     *T       `json:"value"`
	Previous  *T       `json:"previous"`
	ChangePct *Percent `json:"change_pct"`
	// PerDay is the change of the figure per day. It is there when the two windows differ in length.
	PerDay *Percent `json:"change_pct_per_day,omitempty"`
}

// JSONSchema says that a figure which does not exist is null: an average order value without orders, a change against
// nothing.
func (Metric[T]) JSONSchema() json.RawMessage {
	const figure = `{"type":["number","null"]}`
	return json.RawMessage(`{"type":"object","properties":{"value":` + figure + `,"previous":` + figure + `,"change_pct":` + figure +
		`,"change_pct_per_day":` + figure + `},"required":["value","previous","change_pct"]}`)
}

// MetricOf compares two sums.
func MetricOf[T ~float64](value, previous T) Metric[T] {
	return Metric[T]{Value: &value, Previous: &previous, ChangePct: PercentOf(measure.Change(float64(value), float64(previous)))}
}

// MetricOfKnown compares two figures that may not exist or not be known.
func MetricOfKnown[T ~float64](value, previous *T) Metric[T] {
	m := Metric[T]{Value: value, Previous: previous}
	if value != nil && previous != nil {
		m.ChangePct = PercentOf(measure.Change(float64(*value), float64(*previous)))
	}
	return m
}

// Where leaves out the values of windows for which the figure is not known.
func (m Metric[T]) Where(known, previousKnown bool) Metric[T] {
	if !known {
		m.Value, m.ChangePct, m.PerDay = nil, nil, nil
	}
	if !previousKnown {
		m.Previous, m.ChangePct, m.PerDay = nil, nil, nil
	}
	return m
}

// AddPerDay adds the change per day of two windows of different length.
func (m *Metric[T]) AddPerDay(days, daysBefore int) {
	if m.Value == nil || m.Previous == nil {
		return
	}
	m.PerDay = PercentOf(measure.Change(float64(*m.Value)/float64(days), float64(*m.Previous)/float64(daysBefore)))
}
