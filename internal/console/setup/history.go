package setup

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/reportlag"
	"assay/internal/money"
)

// History reads previous totals of restated days, and reporting delays.
type History interface {
	DayChanges(ctx context.Context, ws measure.WorkspaceID, limit, offset int) ([]measure.DayChange, error)
	DayVersions(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]measure.DayVersion, error)
	Curves(ctx context.Context, w control.Workspace) ([]reportlag.Curve, error)
	AdHistory(ctx context.Context, ws measure.WorkspaceID, of measure.AdHistoryOf) (measure.AdHistory, error)
}

// changesShown is the maximum number of restated days on the Data page. The history page shows all.
const changesShown = 8

// adsShown is the maximum number of changes to campaigns, ad sets and ads on a page.
const adsShown = 25

// adsBack is the number of past days for which the history page shows changes on ad platforms.
const adsBack = 90

// historyPart is the history section of the Data page.
type historyPart struct {
	Changes []changeRow
	More    bool // the history page has more days
	Delays  []delayRow
	Unknown []string // data without a known reporting delay
}

// changeRow is a restated day, or one version of a day.
type changeRow struct {
	measure.DayVersion
	Of      string
	Moves   []string
	Changes int64
}

type delayRow struct{ Of, What, Words string }

// historyView is the view of the history page: all restated days, or the versions of one day.
type historyView struct {
	frame.Place
	frame.PageLinks
	frame.Messages
	Day  civil.Date // zero: all restated days
	Rows []changeRow
	Ads  []adRow // on the first page, and on the page of a day
}

// adRow is a change of a campaign, ad set or ad.
type adRow struct {
	measure.AdChange
	Moves []measure.AdMove
}

// Of returns the platform and level of the changed object.
func (r adRow) Of() string {
	return frame.Words(string(r.Now.Platform)) + " " + frame.Words(string(r.Now.Level))
}

// fillAds reads changes on ad platforms between two instants.
func (c *dataPages) fillAds(v frame.Visit, view *historyView, from, until time.Time) error {
	history, err := c.history.AdHistory(v.Context(), view.Workspace.ID, measure.AdHistoryOf{From: from, Until: until})
	for _, change := range history.Changes[:min(len(history.Changes), adsShown)] {
		view.Ads = append(view.Ads, adRow{change, change.Moves()})
	}
	return err
}

// historyOf returns the history section of the Data page, or nil if the console has no history.
func (c *dataPages) historyOf(v frame.Visit, w control.Workspace) (*historyPart, error) {
	if c.history == nil {
		return nil, nil
	}
	changes, err := c.history.DayChanges(v.Context(), w.ID, changesShown+1, 0)
	if err != nil {
		return nil, err
	}
	h := &historyPart{More: len(changes) > changesShown}
	h.Changes = changeRows(changes[:min(len(changes), changesShown)], w.Currency)
	curves, err := c.history.Curves(v.Context(), w)
	if err != nil {
		return nil, err
	}
	for _, curve := range curves {
		of := measure.DayPart{Kind: curve.Kind, Name: curve.Name}.Words()
		if curve.Known() {
			h.Delays = append(h.Delays, delayRow{of, curve.Noun(), curve.Words()})
		} else {
			h.Unknown = append(h.Unknown, of+", "+curve.Noun())
		}
	}
	return h, nil
}

// NotYet explains which data the estimate of the reporting delay needs.
func (h historyPart) NotYet() string {
	return "Assay estimates the reporting delay from at least " + strconv.Itoa(reportlag.Enough) + " days that were imported at least twice. The first import must be at most " + strconv.Itoa(reportlag.FirstLook) +
		" days after the reported day, and another import at least " + strconv.Itoa(reportlag.LastLook) + " days after it."
}

func changeRows(changes []measure.DayChange, currency money.Currency) []changeRow {
	rows := make([]changeRow, len(changes))
	for i, change := range changes {
		rows[i] = changeRow{
			DayVersion: change.Now, Of: change.Now.Words(), Changes: int64(change.Changes),
			Moves: moveWords(measure.Moves(change.First, change.Now), currency),
		}
	}
	return rows
}

// versionRows returns the versions in order, each with its changes from the previous version.
func versionRows(versions []measure.DayVersion, currency money.Currency) []changeRow {
	var rows []changeRow
	for i, now := range versions {
		before := measure.DayVersion{DayPart: now.DayPart, Gone: true}
		if i > 0 && versions[i-1].DayPart == now.DayPart {
			before = versions[i-1]
		}
		rows = append(rows, changeRow{DayVersion: now, Of: now.Words(), Moves: moveWords(measure.Moves(before, now), currency)})
	}
	return rows
}

// moveWords formats each changed figure as "before → after". A new figure has only its value. New and removed figures
// of zero are omitted.
func moveWords(moves []measure.Move, currency money.Currency) []string {
	var lines []string
	for _, m := range moves {
		switch {
		case m.Before == nil && *m.After == 0 || m.After == nil && *m.Before == 0:
		case m.Before == nil:
			lines = append(lines, m.Name+" "+amountWords(*m.After, m.Unit, currency))
		case m.After == nil:
			lines = append(lines, m.Name+" "+amountWords(*m.Before, m.Unit, currency)+" → none")
		default:
			lines = append(lines, m.Name+" "+amountWords(*m.Before, m.Unit, currency)+" → "+amountWords(*m.After, m.Unit, currency))
		}
	}
	if len(lines) == 0 {
		return []string{"all figures zero"}
	}
	return lines
}

func amountWords(value int64, unit measure.FigureUnit, currency money.Currency) string {
	switch unit {
	case measure.MinorUnits:
		return money.Display(money.Major(value, currency), currency.Exponent(), currency)
	case measure.InMillionth:
		if value%measure.Millionths != 0 {
			return frame.Figure(float64(value)/measure.Millionths, 2)
		}
		return frame.Count(value / measure.Millionths)
	case measure.Items:
	}
	return frame.Count(value)
}

// ImportName returns the source and the file of the import that created a version.
func (r changeRow) ImportName() string {
	return strings.TrimSpace(frame.Words(r.Source) + " " + r.File)
}

func (c *dataPages) historyPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	p.Here = dataPath
	view := historyView{Place: p}
	var err error
	if text := query.Get("day"); text != "" {
		err = c.fillDay(v, &view, text)
	} else {
		err = c.fillChanges(v, &view, query.Get("before"))
	}
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	status := http.StatusOK
	if view.Problem != "" {
		status = http.StatusUnprocessableEntity
	}
	c.Render(w, v.Request, status, frame.Page{Name: "history", Title: "Restated days", View: view, Visitor: &v.Visitor})
}

// fillDay reads the versions of one day.
func (c *dataPages) fillDay(v frame.Visit, view *historyView, text string) error {
	day, err := civil.Parse(text)
	if err != nil {
		view.Problem = "The day is not a calendar date. Use YYYY-MM-DD, such as 2026-11-01."
		return nil
	}
	view.Day = day
	versions, err := c.history.DayVersions(v.Context(), view.Workspace.ID, civil.Range{First: day, Last: day})
	view.Rows = versionRows(versions, view.Workspace.Currency)
	if err != nil {
		return err
	}
	zone := view.Workspace.Location()
	return c.fillAds(v, view, civil.StartOf(day, zone), civil.StartOf(day.AddDays(1), zone))
}

// fillChanges reads one page of restated days. Pages are identified by their offset.
func (c *dataPages) fillChanges(v frame.Visit, view *historyView, passed string) error {
	offset, err := strconv.Atoi(passed)
	if err != nil || offset < 0 {
		offset = 0
	}
	changes, err := c.history.DayChanges(v.Context(), view.Workspace.ID, frame.RowsShown+1, offset)
	if err != nil {
		return err
	}
	if len(changes) > frame.RowsShown {
		changes = changes[:frame.RowsShown]
		view.Older = frame.PageBefore(v.URL, strconv.Itoa(offset+frame.RowsShown))
	}
	if offset > 0 {
		view.Newest = frame.PageBefore(v.URL, "")
	}
	view.Rows = changeRows(changes, view.Workspace.Currency)
	if offset > 0 {
		return nil
	}
	now := c.Now()
	return c.fillAds(v, view, now.AddDate(0, 0, -adsBack), now.AddDate(0, 0, 1))
}

// DayAddress returns the address of the versions of a day.
func (v historyView) DayAddress(day civil.Date) string { return dayAddress(v.Workspace.ID, day) }

// DayAddress returns the address of the versions of a day.
func (v dataView) DayAddress(day civil.Date) string { return dayAddress(v.Workspace.ID, day) }

func dayAddress(ws measure.WorkspaceID, day civil.Date) string {
	return historyPath + "?" + url.Values{"workspace": {string(ws)}, "day": {day.String()}}.Encode()
}
