package alert

import (
	"context"
	"fmt"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/snapshot"
)

// Numbers of days in an evaluation. All of these days are before today.
const (
	judgedDays    = 3  // number of days in each evaluation, because spend reports arrive days later
	correctedDays = 28 // number of days for which stored events get corrected values
	retiredAfter  = 7  // an evaluation stops waiting for a source that reported nothing for this many days
)

// Store is the part of the control data that an evaluation uses.
type Store interface {
	Alerts(ctx context.Context, ws measure.WorkspaceID) ([]control.Alert, error)
	AlertEvents(ctx context.Context, ws measure.WorkspaceID, since civil.Date) ([]control.AlertEvent, error)
	RaiseAlerts(ctx context.Context, ws measure.WorkspaceID, all []control.AlertEvent) (fresh int, err error)
	CorrectAlerts(ctx context.Context, ws measure.WorkspaceID, all []control.AlertEvent) error
}

// Snapshots takes snapshots of workspaces.
type Snapshots interface {
	Take(ctx context.Context, w control.Workspace, wants snapshot.Wants) (*snapshot.Snapshot, error)
}

// Evaluate applies the alert rules of a workspace to the judgedDays days before today and stores the events. It skips
// days that are more than one day before the rule's creation. It also corrects the values of recent events. A repeated
// evaluation, even in another process, stores no event twice. It returns the number of new events.
func Evaluate(ctx context.Context, store Store, from Snapshots, w control.Workspace, now time.Time) (fresh int, err error) {
	rules, err := store.Alerts(ctx, w.ID)
	if err != nil || len(rules) == 0 {
		return 0, err
	}
	s, err := from.Take(ctx, w, snapshot.Wants{})
	if err != nil {
		return 0, fmt.Errorf("alerts: %w", err)
	}
	r := &reading{Snapshot: s, series: map[snapshot.SeriesKey]*snapshot.Daily{}}
	stored, err := store.AlertEvents(ctx, w.ID, s.Today.AddDays(-correctedDays))
	if err != nil {
		return 0, err
	}
	var corrected, met []control.AlertEvent
	for _, e := range stored {
		v, err := r.judge(ctx, e.Alert, e.Day)
		if err != nil {
			return 0, err
		}
		if v.Why == "" && (v.Value != e.Value || v.LastOrder != e.LastOrder) {
			e.Value, e.Reference, e.LastOrder = v.Value, v.Reference, v.LastOrder
			corrected = append(corrected, e)
		}
	}
	for _, a := range rules {
		for _, day := range judged(a, s) {
			v, err := r.judge(ctx, a, day)
			if err != nil {
				return 0, err
			}
			if v.Met {
				met = append(met, control.AlertEvent{
					Alert: a, Day: day, Value: v.Value, Reference: v.Reference, LastOrder: v.LastOrder, Raised: now,
				})
			}
		}
	}
	if len(corrected) > 0 {
		if err := store.CorrectAlerts(ctx, w.ID, corrected); err != nil {
			return 0, err
		}
	}
	if len(met) == 0 {
		return 0, nil
	}
	return store.RaiseAlerts(ctx, w.ID, met)
}

// judged returns the days that a rule is applied to, newest first.
func judged(a control.Alert, s *snapshot.Snapshot) []civil.Date {
	first := civil.DayOf(a.At, s.Workspace.Location()).AddDays(-1)
	if s.Frozen() {
		first = s.Today.AddDays(-judgedDays)
	}
	var days []civil.Date
	for i := range judgedDays {
		if day := s.Today.AddDays(-1 - i); !day.Before(first) {
			days = append(days, day)
		}
	}
	return days
}

// State is a rule with its value on the last complete day.
type State struct {
	Alert     control.Alert
	Day       civil.Date
	Value     control.AlertValue
	Reference *control.AlertValue
	Met       bool
	Why       string // reason why the day is not evaluated; "" if it is evaluated
}

// States returns the rules of a workspace with their values on the last complete day.
func States(ctx context.Context, store Store, from Snapshots, w control.Workspace) ([]State, error) {
	rules, err := store.Alerts(ctx, w.ID)
	if err != nil || len(rules) == 0 {
		return nil, err
	}
	s, err := from.Take(ctx, w, snapshot.Wants{})
	if err != nil {
		return nil, fmt.Errorf("alerts: %w", err)
	}
	r := &reading{Snapshot: s, series: map[snapshot.SeriesKey]*snapshot.Daily{}}
	all := make([]State, len(rules))
	for i, a := range rules {
		day := s.Today.AddDays(-1)
		v, err := r.judge(ctx, a, day)
		if err != nil {
			return nil, err
		}
		all[i] = State{Alert: a, Day: day, Value: v.Value, Reference: v.Reference, Met: v.Met, Why: v.Why}
	}
	return all, nil
}

// reading reads the metrics of one snapshot.
type reading struct {
	*snapshot.Snapshot
	series map[snapshot.SeriesKey]*snapshot.Daily
}

func (r *reading) judge(ctx context.Context, a control.Alert, day civil.Date) (verdict, error) {
	key := snapshot.SeriesKey{Metric: snapshot.Metric(a.Metric), Channel: a.Channel}
	s := r.series[key]
	if s == nil {
		days := r.LastDays(correctedDays + 7*weeks + 1)
		var err error
		if s, err = r.DailySeries(ctx, key, days); err != nil {
			return verdict{}, fmt.Errorf("alert %q: %w", a.Name, err)
		}
		r.series[key] = s
	}
	v := judge(a, day, func(day civil.Date) (control.AlertValue, string) {
		if why := r.incomplete(a, day); why != "" {
			return 0, why
		}
		v, ok := s.On(day)
		if !ok && day.After(r.Store.OrderDays.Last) && !r.RevenueUnknown(a.Channel) { // a complete day without orders
			v = r.Value(key.Metric, s.Point(civil.Range{First: day, Last: day}))
			ok = key.Metric == snapshot.Orders || key.Metric == snapshot.Revenue
		}
		if !ok {
			return 0, fmt.Sprintf("%s is unknown on %s", a.Metric, day)
		}
		return control.NewAlertValue(v), ""
	})
	if v.Why == "" && a.Metric != control.AlertSpend && !r.ordersComplete(day) {
		v.LastOrder = r.Store.OrderDays.Last
	}
	return v, nil
}

func (r *reading) ordersComplete(day civil.Date) bool {
	return r.Store.OrdersComplete(day, r.Workspace.Location())
}

// incomplete returns the reason why the data of a day are incomplete for a rule, or "" if they are complete.
func (r *reading) incomplete(a control.Alert, day civil.Date) string {
	if a.Metric != control.AlertSpend {
		if !r.ordersComplete(day) && !r.OrdersAssumed(day) {
			return fmt.Sprintf("no orders were imported after the end of %s", day)
		}
	}
	if a.Metric != control.AlertSpend && a.Metric != control.AlertROAS {
		return ""
	}
	if a.Channel != "" {
		return "" // the series of the channel ends with its last report
	}
	for _, s := range r.Store.Sources {
		if s.Kind == "ads" && s.Days.Last.Before(day) && !s.Days.Last.Before(day.AddDays(-retiredAfter)) {
			return fmt.Sprintf("%s has reported spend only through %s", s.Source, s.Days.Last)
		}
	}
	return ""
}
