package action

import (
	"encoding/json"
	"fmt"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/money"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

// periodDays is the number of days before and after a change.
const periodDays = 28

// periodRow contains the figures of a campaign in a period before or after the campaign's change.
type periodRow struct {
	Name                string
	Days                civil.Range
	Spend, Revenue, Per string // formatted figures; "" for an unknown figure
}

// Shorter reports whether the period is incomplete.
func (r periodRow) Shorter() bool { return r.Days.Days() < periodDays }

// periods returns spend and last-touch revenue of the campaign before and after the change. The day of the change is in
// neither period.
func (c *pages) periods(v frame.Visit, p frame.Place, one control.BudgetChange) (rows []periodRow, err error) {
	if c.Ask == nil || one.Status != control.ChangeApplied {
		return nil, nil
	}
	day, today := civil.DayOf(one.At, p.Workspace.Location()), civil.DayOf(c.Now(), p.Workspace.Location())
	for _, r := range []periodRow{
		{Name: "Before", Days: civil.Range{First: day.AddDays(-periodDays), Last: day.AddDays(-1)}},
		{Name: "After", Days: civil.Range{First: day.AddDays(1), Last: day.AddDays(periodDays)}},
	} {
		if today.Before(r.Days.Last) {
			r.Days.Last = today
		}
		if r.Days.Last.Before(r.Days.First) {
			continue // the change was made today
		}
		f, err := c.figures(v, p, one, r.Days)
		if err != nil {
			return nil, err
		}
		r.fill(f, p.Workspace.Currency)
		rows = append(rows, r)
	}
	return rows, nil
}

func (r *periodRow) fill(f figures, currency money.Currency) {
	if f.Spend != nil {
		r.Spend = money.Display(*f.Spend, 0, currency)
	}
	if f.Revenue != nil {
		r.Revenue = money.Display(*f.Revenue, 0, currency)
	}
	if f.Spend != nil && f.Revenue != nil && *f.Spend > 0 {
		r.Per = frame.Figure(*f.Revenue / *f.Spend, 2)
	}
}

// figures contains the spend and the last-touch revenue of a campaign. An unknown figure is nil.
type figures struct{ Spend, Revenue *float64 }

// figures returns the figures of a change's campaign in a period.
func (c *pages) figures(v frame.Visit, p frame.Place, one control.BudgetChange, days civil.Range) (f figures, err error) {
	a, err := frame.AnswerOf(c.Frame, v, p, tools.Campaigns, frame.Arguments{
		"start_date": days.First, "end_date": days.Last, "platform": one.Platform, "campaign_id": one.Campaign,
		"detail_level": answers.AnalystLevel,
	})
	if kind := fault.KindOf(err); err != nil && (kind == fault.KindNotReady || kind == fault.KindNotFound) {
		return f, nil // the store has no reports of the campaign
	}
	if err != nil || len(a.Rows) != 1 {
		return f, err
	}
	f.Spend = new(float64(a.Rows[0].Spend))
	if revenue := a.Rows[0].CreditedRevenue; revenue != nil {
		f.Revenue = new(float64(*revenue))
	}
	return f, nil
}

// Expected returns the expected effect that was stored with the change, or "" if there is none.
func (r changeRow) Expected() string {
	var e toolkit.ExpectedEffect
	if r.Effect == "" || json.Unmarshal([]byte(r.Effect), &e) != nil {
		return ""
	}
	amount := func(m answers.Money) string { return money.Display(float64(m), 0, e.Currency) }
	text := fmt.Sprintf("change in %s of %s per %s for %s (90%% interval %s to %s)", e.Metric, amount(e.Value), e.Per,
		frame.ChannelName(e.Channel), amount(e.Low), amount(e.High))
	if e.Change != nil && e.PaysPct != nil {
		text += fmt.Sprintf(". Change in weekly contribution after spend: %s (90%% interval %s to %s, probability of a gain %s)",
			amount(e.Change.Value), amount(e.Change.Low), amount(e.Change.High), e.PaysPct.Whole())
	}
	return text
}
