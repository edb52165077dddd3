package action

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"assay/internal/ads"
	"assay/internal/budgetchange"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

// changesShown is the maximum number of changes on the page. The CSV export has all changes.
const changesShown = 200

// changesView is the view of all changes, or of one change with its evidence.
type changesView struct {
	frame.Place
	frame.Messages
	filter
	Rows       []changeRow
	Left       int // changes that match the filter and are not shown
	Statuses   []control.ChangeStatus
	Platforms  []measure.Platform
	Campaigns  []frame.Option // campaigns with changes, for the filter
	Awaiting   []changeRow    // changes that another member can approve
	Guardrails control.Guardrails
	One        *changeRow            // nil: all changes
	Periods    []periodRow           // figures of the campaign around the change
	Weeks      *frame.Picture        // nil: no facts
	Preview    *budgetchange.Preview // preview of the rollback; nil: not requested
}

// filter selects changes by the query parameters of the URL.
type filter struct {
	Platform measure.Platform
	Status   control.ChangeStatus
	Campaign string // ID or a part of the name
	From, To civil.Date
	Export   string // address of the CSV export
}

// Filtered reports whether the filter excludes changes.
func (f filter) Filtered() bool {
	return f.Platform != "" || f.Status != "" || f.Campaign != "" || !f.From.IsZero() || !f.To.IsZero()
}

// filterIn reads the filter of an address.
func filterIn(query url.Values, ws measure.WorkspaceID) (f filter, err error) {
	f = filter{Campaign: strings.TrimSpace(query.Get("campaign"))}
	if name := query.Get("platform"); name != "" {
		if f.Platform, err = ads.ParsePlatform(name); err != nil {
			return f, err
		}
	}
	if status := control.ChangeStatus(query.Get("status")); status != "" {
		if !slices.Contains(statuses(), status) {
			return f, fault.Invalid("%q is not a change status", string(status)).WithHint("choose a status from the list")
		}
		f.Status = status
	}
	for _, day := range []struct {
		name string
		into *civil.Date
	}{{"from", &f.From}, {"to", &f.To}} {
		if text := query.Get(day.name); text != "" {
			if *day.into, err = civil.Parse(text); err != nil {
				return f, fault.Invalid("`%s` %q is not a calendar date", day.name, text).WithHint("use YYYY-MM-DD")
			}
		}
	}
	to := url.Values{"workspace": {string(ws)}}
	for _, name := range []string{"platform", "status", "campaign", "from", "to"} {
		if text := query.Get(name); text != "" {
			to.Set(name, text)
		}
	}
	f.Export = exportPath + "?" + to.Encode()
	return f, nil
}

// selects reports whether the filter includes the change. Days are in the time zone of the workspace.
func (f filter) selects(c control.BudgetChange, w control.Workspace) bool {
	day := civil.DayOf(c.At, w.Location())
	return (f.Platform == "" || c.Platform == f.Platform) && (f.Status == "" || c.Status == f.Status) &&
		(f.Campaign == "" || c.Campaign == f.Campaign || strings.Contains(strings.ToLower(c.CampaignName), strings.ToLower(f.Campaign))) &&
		(f.From.IsZero() || !day.Before(f.From)) && (f.To.IsZero() || !f.To.Before(day))
}

func statuses() []control.ChangeStatus {
	return []control.ChangeStatus{
		control.ChangeAwaiting, control.ChangePending, control.ChangeApplied, control.ChangeFailed, control.ChangeUnknown,
		control.ChangeRejected, control.ChangeExpired,
	}
}

// changeRow is a change with the names of the people who requested it and decided on it.
type changeRow struct {
	control.BudgetChange
	By, Decider string
}

// PlatformName returns the display name of the platform.
func (r changeRow) PlatformName() string { return ads.DisplayName(r.Platform) }

// What returns the changed field in words.
func (r changeRow) What() string {
	if r.Field == control.DailyBudget {
		return "Daily budget"
	}
	return "Status"
}

// Words describes the status.
func (r changeRow) Words() string {
	words := statusWords(r.Status)
	if r.RolledBackBy != "" {
		words += ", rolled back"
	}
	return words
}

func statusWords(s control.ChangeStatus) string {
	return cmp.Or(map[control.ChangeStatus]string{
		control.ChangeAwaiting: "Awaiting approval", control.ChangePending: "In progress", control.ChangeApplied: "Applied",
		control.ChangeFailed: "Failed", control.ChangeUnknown: "Unknown", control.ChangeRejected: "Rejected", control.ChangeExpired: "Expired",
	}[s], string(s))
}

// StatusWords describes a status of the filter.
func (changesView) StatusWords(s control.ChangeStatus) string { return statusWords(s) }

// PlatformWords returns the display name of a platform in the filter.
func (changesView) PlatformWords(p measure.Platform) string { return ads.DisplayName(p) }

// Percent returns the relative change of a daily budget, or nil for other changes.
func (r changeRow) Percent() *float64 {
	from, to := r.Previous.Amount, r.New.Amount
	if from.Minor <= 0 || to.Currency != from.Currency {
		return nil
	}
	return new(100 * (float64(to.Minor)/float64(from.Minor) - 1))
}

// RollsBackable reports whether the change can be rolled back.
func (r changeRow) RollsBackable() bool {
	return r.Status == control.ChangeApplied && r.RolledBackBy == ""
}

// valueText formats a budget in major units with its currency, or a status.
func valueText(v control.ChangeValue) string {
	if v.Amount.Currency != "" {
		return money.DisplayOf(v.Amount.Decimal(), v.Amount.Currency)
	}
	return v.Text
}

// percentText formats a relative change with its sign. It returns "" for nil.
func percentText(pct *float64) string {
	if pct == nil {
		return ""
	}
	text := frame.Figure(*pct, 1) + "%"
	if *pct > 0 {
		text = "+" + text
	}
	return text
}

func (c *pages) changesPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	view := changesView{Place: p, Messages: frame.Messages{Done: map[string]string{
		"rollback": "The change is rolled back.", "approve": "The change is approved and applied.", "reject": "The change is rejected.",
		"guardrails": "Guardrails saved.", "stop": "Changes by tools are stopped.", "go": "Changes by tools are allowed again.",
	}[query.Get("done")]}}
	c.show(w, v, http.StatusOK, view, control.BudgetChangeID(query.Get("change")))
}

// show completes the view and shows the page of one change, or of all changes if the ID is "".
func (c *pages) show(w http.ResponseWriter, v frame.Visit, status int, view changesView, id control.BudgetChangeID) {
	view.Here = frame.BudgetChangesPath
	var err error
	if id != "" {
		err = c.fillOne(v, &view, id)
	} else {
		err = c.fillAll(v, &view)
	}
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	title := "Budget changes"
	if view.One != nil {
		title = "Change of " + cmp.Or(view.One.CampaignName, view.One.Campaign)
	}
	c.Render(w, v.Request, status, frame.Page{Name: "changes", Title: title, View: view, Visitor: &v.Visitor})
}

// selected returns the changes of a filter, newest first.
func (c *pages) selected(v frame.Visit, p frame.Place, f filter) ([]changeRow, error) {
	all, err := operation.ListBudgetChanges.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), control.BudgetChangeFilter{Platform: f.Platform})
	if err != nil {
		return nil, err
	}
	names, err := c.NamesIn(v.Context(), p.Workspace.ID)
	if err != nil {
		return nil, err
	}
	var rows []changeRow
	for _, one := range all {
		if f.selects(one, p.Workspace) {
			rows = append(rows, rowOf(v, names, one))
		}
	}
	return rows, nil
}

// campaignsOf lists the campaigns of changes by name. If the chosen text is not the ID of a campaign, campaignsOf adds
// an option for names that contain the text.
func campaignsOf(all []changeRow, chosen string) []frame.Option {
	named := map[string]string{}
	for _, one := range all {
		if named[one.Campaign] == "" {
			named[one.Campaign] = cmp.Or(one.CampaignName, one.Campaign) + " (" + one.PlatformName() + ")"
		}
	}
	var options []frame.Option
	for id, name := range named {
		options = append(options, frame.Option{Name: name, Address: id, Here: id == chosen})
	}
	slices.SortFunc(options, func(a, b frame.Option) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Address, b.Address))
	})
	if chosen != "" && named[chosen] == "" {
		options = append(options, frame.Option{Name: "Name contains “" + chosen + "”", Address: chosen, Here: true})
	}
	return options
}

func rowOf(v frame.Visit, names *frame.Names, one control.BudgetChange) changeRow {
	row := changeRow{BudgetChange: one, By: names.Actor(v.Context(), one.Actor)}
	if one.ApprovedBy != "" {
		row.Decider = names.Actor(v.Context(), one.ApprovedBy)
	}
	return row
}

func (c *pages) fillAll(v frame.Visit, view *changesView) (err error) {
	view.Statuses, view.Platforms = statuses(), []measure.Platform{measure.Facebook, measure.Google, measure.TikTok}
	if view.filter, err = filterIn(v.URL.Query(), view.Workspace.ID); err != nil {
		return err
	}
	all, err := c.selected(v, view.Place, filter{})
	if err != nil {
		return err
	}
	view.Campaigns = campaignsOf(all, view.Campaign)
	if view.Rows, err = c.selected(v, view.Place, view.filter); err != nil {
		return err
	}
	if view.Approves() {
		view.Awaiting = slices.DeleteFunc(all, func(r changeRow) bool { return r.Status != control.ChangeAwaiting })
	}
	if shown := min(len(view.Rows), changesShown); shown < len(view.Rows) {
		view.Left, view.Rows = len(view.Rows)-shown, view.Rows[:shown]
	}
	view.Guardrails, err = operation.ShowGuardrails.Do(v.Context(), c.Operations, v.Calls(view.Workspace.ID), operation.None{})
	return err
}

func (c *pages) fillOne(v frame.Visit, view *changesView, id control.BudgetChangeID) error {
	one, err := operation.ShowBudgetChange.Do(v.Context(), c.Operations, v.Calls(view.Workspace.ID), id)
	if err != nil {
		return err
	}
	names, err := c.NamesIn(v.Context(), view.Workspace.ID)
	if err != nil {
		return err
	}
	view.One, view.Weeks = new(rowOf(v, names, one)), c.weeksOf(view.Place, one)
	view.Periods, err = c.periods(v, view.Place, one)
	return err
}
