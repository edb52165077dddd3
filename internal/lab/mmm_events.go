package lab

import (
	"slices"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure/holiday"
	"assay/internal/measure/mmm"
)

// customEvents is the group of the events in a file.
const customEvents = "event"

// addEvents adds controls for the countries' holidays and the file's events inside the periods.
func (m MMM) addEvents(d *mmm.Data, labels []string) error {
	if len(m.Holidays) == 0 && m.Events == "" {
		return nil
	}
	if _, isIndex := number(labels[0]); isIndex {
		return fault.Invalid("the column %q counts periods, and holidays and events need dates", m.Date)
	}
	days := mmm.PeriodDays(d.Dates)
	window := civil.Range{First: d.Dates[0], Last: d.Dates[len(d.Dates)-1].AddDays(days - 1)}
	holidays, err := holiday.Of(m.Holidays, days == 1)
	if err != nil {
		return err
	}
	for _, h := range holidays {
		m.addEvent(d, string(h.Kind), h.Name, h.Within(window))
	}
	if m.Events == "" {
		return nil
	}
	names, events, err := readEvents(m.Events)
	if err != nil {
		return err
	}
	for _, name := range names {
		seen := slices.DeleteFunc(events[name], func(e civil.Range) bool { return window.Intersect(e).Days() == 0 })
		if len(seen) == 0 {
			return fault.Invalid("%s: the event %q has no day from %s to %s", m.Events, name, window.First, window.Last)
		}
		m.addEvent(d, customEvents, name, seen)
	}
	return nil
}

// addEvent adds an event as a control with partial pooling. The control is equal in every geo. addEvent omits an event
// outside the periods.
func (m MMM) addEvent(d *mmm.Data, group, name string, events []civil.Range) {
	if len(events) == 0 {
		return
	}
	c := mmm.EventControl(group+"."+name, d.Dates, events...)
	c.Group, c.Values = group, slices.Repeat(c.Values, max(len(d.Geos), 1))
	d.Controls = append(d.Controls, c)
}

// readEvents reads a file with the columns name,first,last: an event and the first and last day of one occurrence. It
// returns the names in the order of the file.
func readEvents(path string) (names []string, events map[string][]civil.Range, err error) {
	t, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	column, err := t.Names("name")
	if err != nil {
		return nil, nil, err
	}
	first, err := t.Days("first")
	if err != nil {
		return nil, nil, err
	}
	last, err := t.Days("last")
	if err != nil {
		return nil, nil, err
	}
	events = map[string][]civil.Range{}
	for i, name := range column {
		event := civil.Range{First: first[i], Last: last[i]}
		if event.Days() == 0 {
			return nil, nil, t.Refuse(i, "last", "is before the first day")
		}
		if slices.ContainsFunc(events[name], func(e civil.Range) bool { return e.Intersect(event).Days() > 0 }) {
			return nil, nil, t.Refuse(i, "first", "overlaps another occurrence of "+name)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		events[name] = append(events[name], event)
	}
	return names, events, nil
}
