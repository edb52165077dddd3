package operation

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/reportlag"
	"assay/internal/money"
)

// HistoryRequest is one of four queries about the history of daily totals.
type HistoryRequest struct {
	Limit    int         `json:"limit,omitempty"` // maximum number of changes; 0: all
	Offset   int         `json:"offset,omitempty"`
	Day      civil.Date  `json:"day,omitzero"`       // every version of this day, instead of changes
	AsOf     string      `json:"as_of,omitempty"`    // totals as of an instant, or as of the end of a day
	Days     civil.Range `json:"days,omitzero"`      // days of the totals as of AsOf; zero: all
	Settling bool        `json:"settling,omitempty"` // how figures settle
}

// History is the answer to a [HistoryRequest]. Amounts are exact decimals of the currency.
type History struct {
	Currency money.Currency   `json:"currency"`
	Zone     string           `json:"zone"`
	Changes  []HistoryChange  `json:"changes,omitzero"`  // the newest days first
	Versions []HistoryTotals  `json:"versions,omitzero"` // in the order of the imports, separately for each part
	AsOf     *time.Time       `json:"as_of,omitempty"`
	Totals   []HistoryTotals  `json:"totals,omitzero"` // totals as of AsOf
	Settling []HistorySettles `json:"settling,omitzero"`
}

// Lag measures how late figures arrive.
type Lag interface {
	Curves(ctx context.Context, w control.Workspace) ([]reportlag.Curve, error)
}

// HistoryTotals contains one version of the totals of a sales surface or ad platform on a day.
type HistoryTotals struct {
	Day     civil.Date             `json:"day"`
	Kind    measure.TotalsKind     `json:"kind"`
	Part    string                 `json:"part"` // name of the surface or platform; "": spend entered manually
	Gone    bool                   `json:"gone,omitempty"`
	Figures map[string]json.Number `json:"figures,omitempty"`
	Import  string                 `json:"import"`
	At      time.Time              `json:"at"`
	Source  string                 `json:"source"`
	File    string                 `json:"file"`
}

// HistoryChange is a day with totals that changed after they were first visible.
type HistoryChange struct {
	Changes int           `json:"changes"`
	First   HistoryTotals `json:"first"`
	Now     HistoryTotals `json:"now"`
	Moves   []HistoryMove `json:"moves"`
}

// HistoryMove is a figure that changed. A value is null if the store had no data for the day.
type HistoryMove struct {
	Figure string       `json:"figure"`
	First  *json.Number `json:"first"`
	Now    *json.Number `json:"now"`
	Money  bool         `json:"money,omitempty"`
}

// HistorySettles describes how late a quantity arrives.
type HistorySettles struct {
	Kind     measure.TotalsKind `json:"kind"`
	Part     string             `json:"part"`
	Quantity reportlag.Quantity `json:"quantity"`
	Known    bool               `json:"known"`
	Days     int                `json:"days"`
	Settled  *int               `json:"settled_after_days"` // null: unknown
	Shares   []HistoryShare     `json:"shares,omitempty"`
	Words    string             `json:"words"`
}

// HistoryShare is the share of the final figure that was known when a day was a given number of days old.
type HistoryShare struct {
	Age    int     `json:"age_days"`
	Days   int     `json:"days"`
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// ReadHistory answers one of the queries about the history of a workspace's daily totals.
var ReadHistory = Operation[HistoryRequest, History]{Spec{Name: "history.read", Needs: Read, Facts: true}, (*Run).readHistory}

func (r *Run) readHistory(ctx context.Context, request HistoryRequest) (h History, err error) {
	h = History{Currency: r.Workspace.Currency, Zone: r.Workspace.Zone}
	switch {
	case request.Settling:
		h.Settling, err = r.settling(ctx)
	case request.AsOf != "":
		err = r.asOf(ctx, request, &h)
	case !request.Day.IsZero():
		var versions []measure.DayVersion
		versions, err = r.Warehouse.DayVersions(ctx, r.Workspace.ID, civil.Range{First: request.Day, Last: request.Day})
		h.Versions = allTotals(versions, r.Workspace.Currency)
	default:
		h.Changes, err = r.changes(ctx, request)
	}
	return h, err
}

func (r *Run) changes(ctx context.Context, request HistoryRequest) ([]HistoryChange, error) {
	changes, err := r.Warehouse.DayChanges(ctx, r.Workspace.ID, request.Limit, request.Offset)
	if err != nil {
		return nil, err
	}
	all := make([]HistoryChange, len(changes))
	for i, c := range changes {
		all[i] = HistoryChange{Changes: c.Changes, First: historyTotals(c.First, r.Workspace.Currency), Now: historyTotals(c.Now, r.Workspace.Currency)}
		for _, m := range measure.Moves(c.First, c.Now) {
			move := HistoryMove{Figure: m.Name, Money: m.Unit == measure.MinorUnits}
			if m.Before != nil {
				move.First = new(decimal(*m.Before, m.Unit, r.Workspace.Currency))
			}
			if m.After != nil {
				move.Now = new(decimal(*m.After, m.Unit, r.Workspace.Currency))
			}
			all[i].Moves = append(all[i].Moves, move)
		}
	}
	return all, nil
}

func (r *Run) asOf(ctx context.Context, request HistoryRequest, h *History) error {
	at, err := time.Parse(time.RFC3339, request.AsOf)
	if err != nil {
		day, wrong := civil.Parse(request.AsOf)
		if wrong != nil {
			return fault.Invalid("%q is neither a date nor a time", request.AsOf).WithHint("use 2026-11-01 for the end of that day, or 2026-11-01T12:00:00Z")
		}
		at = civil.StartOf(day.AddDays(1), r.Workspace.Location()).Add(-time.Microsecond)
	}
	days := request.Days
	if days.Days() == 0 {
		days = civil.Range{First: civil.New(1900, 1, 1), Last: civil.New(2199, 12, 31)}
	}
	totals, err := r.Warehouse.DaysAsOf(ctx, r.Workspace.ID, days, at)
	h.AsOf, h.Totals = &at, allTotals(totals, r.Workspace.Currency)
	return err
}

func (r *Run) settling(ctx context.Context) ([]HistorySettles, error) {
	curves, err := r.Lag.Curves(ctx, r.Workspace)
	if err != nil {
		return nil, err
	}
	all := make([]HistorySettles, len(curves))
	for i, c := range curves {
		all[i] = HistorySettles{Kind: c.Kind, Part: c.Name, Quantity: c.Quantity, Known: c.Known(), Days: c.Days, Settled: c.Settled, Words: c.Words()}
		for _, s := range c.Shares {
			all[i].Shares = append(all[i].Shares, HistoryShare(s))
		}
	}
	return all, nil
}

func allTotals(versions []measure.DayVersion, currency money.Currency) []HistoryTotals {
	all := make([]HistoryTotals, len(versions))
	for i, v := range versions {
		all[i] = historyTotals(v, currency)
	}
	return all
}

func historyTotals(v measure.DayVersion, currency money.Currency) HistoryTotals {
	t := HistoryTotals{Day: v.Day, Kind: v.Kind, Part: v.Name, Gone: v.Gone, Import: v.Import, At: v.At.UTC(), Source: v.Source, File: v.File}
	for _, f := range v.Figures() {
		if t.Figures == nil {
			t.Figures = map[string]json.Number{}
		}
		t.Figures[strings.ReplaceAll(f.Name, " ", "_")] = decimal(f.Value, f.Unit, currency)
	}
	return t
}

// decimal formats a figure with all its decimals. Counts have no decimals.
func decimal(value int64, unit measure.FigureUnit, currency money.Currency) json.Number {
	text := money.Amount{Minor: value, Currency: currency}.Decimal()
	return json.Number(map[measure.FigureUnit]string{
		measure.MinorUnits: text, measure.Items: plain(float64(value)), measure.InMillionth: plain(float64(value) / measure.Millionths),
	}[unit])
}
