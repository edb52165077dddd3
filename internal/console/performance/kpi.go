package performance

import (
	"html/template"
	"math"

	answers "assay/internal/answer"
	"assay/internal/console/frame"
)

// direction states which direction of a change is an improvement.
type direction int

const (
	moreIsBetter direction = iota
	lessIsBetter
	neutral
)

// kpiOf returns the key figure that shows a metric.
func kpiOf[T ~float64](name string, m answers.Metric[T], text func(T) string, good direction, spark template.HTML) frame.KPI {
	k := frame.KPI{Name: name, Value: "none", Missing: true, Spark: spark}
	if m.Value != nil {
		k.Value, k.Missing = text(*m.Value), false
	}
	if m.ChangePct != nil {
		k.Change = changeOf(float64(*m.ChangePct), frame.Figure(math.Abs(float64(*m.ChangePct)), 1)+"%", good)
	}
	if m.Previous != nil {
		k.From = "from " + text(*m.Previous)
	}
	return k
}

// shareKPI returns the KPI of a share. Its change is in percentage points.
func shareKPI[T ~float64](name string, s answers.Share[T], good direction) frame.KPI {
	text := func(x T) string { return frame.Figure(x, 1) + "%" }
	k := frame.KPI{Name: name, Value: "none", Missing: true}
	if s.Value != nil {
		k.Value, k.Missing = text(*s.Value), false
	}
	if s.ChangePoints != nil {
		k.Change = changeOf(float64(*s.ChangePoints), frame.Figure(math.Abs(float64(*s.ChangePoints)), 1)+" pts", good)
	}
	if s.Previous != nil {
		k.From = "from " + text(*s.Previous)
	}
	return k
}

// estimateKPI returns a KPI with its interval.
func estimateKPI[T ~float64](name string, e *answers.Estimate[T], text func(T) string) frame.KPI {
	if e == nil {
		return frame.KPI{Name: name, Value: "none", Missing: true}
	}
	return frame.KPI{Name: name, Value: text(e.Value), From: "90% interval " + text(e.Low) + " – " + text(e.High)}
}

func changeOf(change float64, text string, good direction) *frame.Change {
	c := &frame.Change{Text: frame.Arrow(change) + text}
	switch good {
	case moreIsBetter:
		c.Tone = frame.ToneOf(change)
	case lessIsBetter:
		c.Tone = frame.ToneOf(-change)
	case neutral:
	}
	return c
}

// ratioText formats a ratio, percentText formats a percentage, and countText formats a number.
func ratioText(x answers.Ratio) string { return frame.Figure(x, 2) }

func percentText(x answers.Percent) string { return frame.Figure(x, 1) + "%" }

func countText(x answers.Count) string { return frame.Figure(x, 0) }

// moved describes a change as a sentence: "Revenue fell 11.1% to $48,000." The value of m must be known. moved returns
// "" if the change is unknown.
func moved[T ~float64](name string, m answers.Metric[T], format func(T) string) string {
	if m.ChangePct == nil {
		return ""
	}
	change := float64(*m.ChangePct)
	switch text := frame.Figure(math.Abs(change), 1) + "%"; {
	case math.Abs(change) < 0.5:
		return name + " is unchanged at " + format(*m.Value) + "."
	case change > 0:
		return name + " rose " + text + " to " + format(*m.Value) + "."
	default:
		return name + " fell " + text + " to " + format(*m.Value) + "."
	}
}
