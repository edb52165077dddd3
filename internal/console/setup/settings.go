package setup

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"assay/internal/console/frame"
	"assay/internal/fault"
	"assay/internal/operation"
)

const settingsPath = "/settings"

// settingsView is the view of the settings of a workspace.
type settingsView struct {
	frame.Place
	frame.Messages
	Name string // name in the form
	Days []frame.Option
}

// Fixed returns the settings that the facts depend on. They are set when the workspace is created.
func (v settingsView) Fixed() []frame.Fact {
	w := v.Workspace
	return []frame.Fact{
		{Name: "ID", Value: string(w.ID)},
		{Name: "Currency", Value: string(w.Currency)},
		{Name: "Time zone", Value: w.Zone},
		{Name: "Revenue", Value: w.Basis.String()},
		{Name: "Created", Value: w.CreatedAt.UTC().Format("Jan 2, 2006")},
	}
}

// Elsewhere returns the settings that other pages change.
func (v settingsView) Elsewhere() []frame.Fact {
	at := func(path string) string { return path + "?workspace=" + string(v.Workspace.ID) }
	logging := "off"
	if v.Workspace.LogArguments {
		logging = "on"
	}
	return []frame.Fact{
		{Name: "Argument logging", Value: logging, Href: at(callsPath)},
		{Name: "Scheduled training", Value: string(v.Workspace.Retrain.Cadence), Href: at(frame.ModelsPath)},
		{Name: "Costs and margins", Value: "Costs", Href: at(costsPath)},
		{Name: "Guardrails for budgets", Value: "Budget changes", Href: at(frame.BudgetChangesPath)},
		{Name: "Rate limit", Value: "Connect an app", Href: at(connectPath)},
	}
}

func (c *settingsPages) settingsPage(w http.ResponseWriter, v frame.Visit) {
	if p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace")); ok {
		view := settingsView{Place: p, Name: p.Workspace.Name}
		if v.URL.Query().Get("done") == "saved" {
			view.Done = "Settings saved."
		}
		c.showSettings(w, v, http.StatusOK, view)
	}
}

func (c *settingsPages) showSettings(w http.ResponseWriter, v frame.Visit, status int, view settingsView) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		view.Days = append(view.Days, frame.Option{Name: d.String(), Address: strconv.Itoa(int(d)), Here: d == view.Workspace.WeekStart})
	}
	c.Render(w, v.Request, status, frame.Page{Name: "settings", Title: "Settings", View: view, Visitor: &v.Visitor})
}

// changeSettings saves the name and the first day of the week.
func (c *settingsPages) changeSettings(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	view := settingsView{Place: p, Name: v.PostForm.Get("name")}
	day, err := strconv.Atoi(v.PostForm.Get("week_start"))
	if err != nil {
		err = fault.Invalid("the first day of the week is missing").WithHint("choose a day")
	} else {
		change := operation.Settings{Name: &view.Name, WeekStart: new(time.Weekday(day))}
		_, err = operation.UpdateWorkspace.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), change)
	}
	switch fault.KindOf(err) {
	case fault.KindInvalid, fault.KindConflict:
		view.Problem = frame.PublicText(err)
		c.showSettings(w, v, http.StatusUnprocessableEntity, view)
		return
	default:
	}
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	frame.See(w, settingsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}, "done": {"saved"}}.Encode())
}
