package lab

import (
	"strings"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/attribution"
)

// Attribution contains the parameters for the attribution of a file's conversion paths.
type Attribution struct {
	Path, Conversions string // columns; touchpoints of a path are separated by " > "
	Value, Null       string // columns; empty if the file has no such column
	Model             string // an input of [attribution.ParseModel]
}

// AttributionReport contains the attributed figures, which add up to the file's totals.
type AttributionReport struct {
	Verdict
	Channels []ChannelCredit `json:"channels"`
	Clock
}

// ChannelCredit contains the figures attributed to one channel.
type ChannelCredit struct {
	Channel     measure.Channel `json:"channel"`
	Conversions float64         `json:"conversions"`
	Value       *float64        `json:"value"` // in the unit of the file; null without a value column
}

// Run attributes the conversions of the paths. The result for a file without conversions is not reportable.
func (a Attribution) Run(t *Table) (*AttributionReport, error) {
	model, err := attribution.ParseModel(a.Model)
	if err != nil {
		return nil, err
	}
	paths, unit, err := a.read(t)
	if err != nil {
		return nil, err
	}
	report := &AttributionReport{Verdict: Granted(), Channels: []ChannelCredit{}}
	if paths.Totals().Conversions == 0 {
		report.Verdict = Refused("no path ends with a conversion")
		return report, nil
	}
	result, err := attribution.Attribute(paths, model)
	if err != nil {
		return nil, err
	}
	for _, c := range result.Credits {
		row := ChannelCredit{Channel: c.Channel, Conversions: c.Conversions}
		if a.Value != "" {
			value := c.Value / unit
			row.Value = &value
		}
		report.Channels = append(report.Channels, row)
	}
	return report, nil
}

func (a Attribution) read(t *Table) (paths *attribution.Paths, unit float64, err error) {
	journeys, err := t.Names(a.Path)
	if err != nil {
		return nil, 0, err
	}
	conversions, err := t.Amounts(a.Conversions)
	if err != nil {
		return nil, 0, err
	}
	values, nulls := make([]float64, t.Len()), make([]float64, t.Len())
	if a.Value != "" {
		if values, err = t.Amounts(a.Value); err != nil {
			return nil, 0, err
		}
	}
	if a.Null != "" {
		if nulls, err = t.Amounts(a.Null); err != nil {
			return nil, 0, err
		}
	}
	whole, unit := InWhole(values)
	paths = &attribution.Paths{}
	for i, journey := range journeys {
		path := attribution.Path{Conversions: conversions[i], Value: whole[i], Nulls: nulls[i]}
		for touch := range strings.SplitSeq(journey, " > ") {
			if touch = strings.TrimSpace(touch); touch == "" {
				return nil, 0, t.Refuse(i, a.Path, "has a touchpoint without a channel")
			}
			path.Channels = append(path.Channels, measure.Channel(touch))
		}
		if values[i] > 0 && conversions[i] == 0 {
			return nil, 0, t.Refuse(i, a.Value, "is the value of a path without a conversion")
		}
		if err := paths.Add(path); err != nil {
			text, _, _ := fault.Public(err)
			return nil, 0, t.Refuse(i, a.Path, "is rejected: "+text)
		}
	}
	return paths, unit, nil
}
