package answer

import (
	"encoding/json"

	"assay/internal/measure"
)

// Metric is a key figure with its value in the previous window.
type Metric[T ~float64] struct {
	Value     *T       `json:"value"`
	Previous  *T       `json:"previous"`
	ChangePct *Percent `json:"change_pct"`
	// PerDay is the change of the figure per day. It is set when the two windows differ in length.
	PerDay *Percent `json:"change_pct_per_day,omitempty"`
}

// JSONSchema returns a schema in which undefined figures are null, such as an average order value without orders or a
// change from zero.
func (Metric[T]) JSONSchema() json.RawMessage {
	const figure = `{"type":["number","null"]}`
	return json.RawMessage(
		`{"type":"object","properties":{"value":` + figure + `,"previous":` + figure + `,"change_pct":` + figure +
			`,"change_pct_per_day":` + figure + `},"required":["value","previous","change_pct"]}`)
}

// MetricOf returns a metric with the totals of the current and the previous window.
func MetricOf[T ~float64](value, previous T) Metric[T] {
	return Metric[T]{
		Value: &value, Previous: &previous, ChangePct: PercentOf(measure.Change(float64(value), float64(previous))),
	}
}

// MetricOfKnown returns a metric with the figures of the current and the previous window. The figures may be undefined
// or unknown.
func MetricOfKnown[T ~float64](value, previous *T) Metric[T] {
	m := Metric[T]{Value: value, Previous: previous}
	if value != nil && previous != nil {
		m.ChangePct = PercentOf(measure.Change(float64(*value), float64(*previous)))
	}
	return m
}

// Where removes the values of windows in which the figure is unknown.
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

// Share is a share or a rate with its value in the previous window. The change of a share is a difference in percentage
// points, because readers easily confuse such a difference with a relative change in percent.
type Share[T ~float64] struct {
	Value        *T `json:"value"`
	Previous     *T `json:"previous"`
	ChangePoints *T `json:"change_points"`
}

// JSONSchema returns a schema in which undefined shares are null.
func (Share[T]) JSONSchema() json.RawMessage {
	const figure = `{"type":["number","null"]}`
	return json.RawMessage(
		`{"type":"object","properties":{"value":` + figure + `,"previous":` + figure + `,"change_points":` +
			`{"type":["number","null"],"description":"Percentage points."}},"required":["value","previous","change_points"]}`)
}

// ShareOf returns a share with the percentages of the current and the previous window. The percentages may be undefined
// or unknown.
func ShareOf[T ~float64](value, previous *T) Share[T] {
	s := Share[T]{Value: value, Previous: previous}
	if value != nil && previous != nil {
		s.ChangePoints = new(*value - *previous)
	}
	return s
}

// Where removes the values of windows in which the share is unknown.
func (s Share[T]) Where(known, previousKnown bool) Share[T] {
	if !known {
		s.Value, s.ChangePoints = nil, nil
	}
	if !previousKnown {
		s.Previous, s.ChangePoints = nil, nil
	}
	return s
}
