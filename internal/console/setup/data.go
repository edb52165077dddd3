package setup

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	answers "assay/internal/answer"
	"assay/internal/console/frame"
	"assay/internal/console/setup/pending"
	"assay/internal/control"
	"assay/internal/health"
	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/tools"
)

// dataView is the view of the Data page.
type dataView struct {
	frame.Place
	frame.Messages
	*tools.DiagnoseAnswer
	Heading, Lead string
	MayImport     bool
	Form          pending.Settings
	Suggested     []measure.Channel  // default of a file
	Kinds         []fileKind         // choices for the source of a file
	Largest       int                // maximum size of a file in bytes
	Forgets       bool               // the visitor can forget customers
	Report        *ingest.FileReport // report on a file that was checked or imported
	Held          pending.ID         // ID of a checked file that can be imported
	HeldEnds      time.Time
	Mappings      []savedMapping
	Fitting       []savedMapping   // mappings that fit the columns of the file
	History       *historyPart     // nil: no history
	Jobs          []*frame.JobView // jobs that run or wait

	Hooks   []control.HookSecret // for owners and admins
	HookURL string               // address for webhooks of a shop
	Shop    string               // shop in the form, after an error
	Local   bool                 // shops cannot reach the service
}

// Rows returns the restated days for the table.
func (v dataView) Rows() []changeRow { return v.History.Changes }

// Unknown reports whether the import recognized neither a source nor a mapping for the checked file.
func (v dataView) Unknown() bool { return v.Held != "" && v.Report != nil && v.Report.Source == "" }

// fileKind is a choice for the source of a file.
type fileKind struct{ Name, Title string }

// connection describes the data that a source has delivered.
type connection struct{ health.Connection }

// Connections returns the sources for the table.
func (v dataView) Connections() []connection {
	var all []connection
	for _, c := range v.DiagnoseAnswer.Connections {
		all = append(all, connection{c})
	}
	return all
}

// Wrong returns errors and warnings, the most severe first.
func (v dataView) Wrong() []health.Finding {
	return v.findings(health.SeverityError, health.SeverityWarning)
}

// Notes returns findings of severity info.
func (v dataView) Notes() []health.Finding { return v.findings(health.SeverityInfo) }

func (v dataView) findings(of ...health.Severity) []health.Finding {
	return slices.DeleteFunc(slices.Clone(v.DiagnoseAnswer.Rows), func(f health.Finding) bool { return !slices.Contains(of, f.Severity) })
}

// Strip draws the timeline of a source. It returns nil if no days were checked for missing rows.
func (s connection) Strip() *strip {
	if s.Watched == nil {
		return nil
	}
	return newStrip(daySpan(*s.Watched), s.Silent)
}

// Late returns the number of days that a source is behind. It returns 0 if the number is below two.
func (s connection) Late() int {
	if s.Behind == nil || *s.Behind < 2 {
		return 0
	}
	return *s.Behind
}

// Title returns the name of a source on pages.
func (s connection) Title() string {
	return frame.SourceName(cmp.Or(string(s.Source), string(s.Platform)))
}

func (c *dataPages) dataPage(w http.ResponseWriter, v frame.Visit) {
	if p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace")); ok {
		c.showData(w, v, http.StatusOK, dataView{Place: p})
	}
}

// showData completes the view and shows the Data page.
func (c *dataPages) showData(w http.ResponseWriter, v frame.Visit, status int, view dataView) {
	view.Here = dataPath // also for forms with another path
	var err error
	if view.DiagnoseAnswer, err = frame.AnswerOf(c.Frame, v, view.Place, tools.Diagnose, frame.Arguments{"detail_level": answers.DebugLevel}); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	if view.Manages() {
		hooks, err := c.Store.HookSecrets(v.Context(), view.Workspace.ID)
		if err != nil {
			c.Fail(w, v.Request, err)
			return
		}
		view.Hooks, view.HookURL, view.Local = hooks, c.BaseURL+"/api/webhooks/shopify/"+string(view.Workspace.ID), !c.Cookies.Secure
	}
	if view.History, err = c.historyOf(v, view.Workspace); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	if view.Jobs, err = c.runningJobs(v, view.Place); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	if view.Mappings, err = c.savedMappings(v.Context(), view.Workspace.ID); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	if view.Unknown() {
		view.Fitting = fitting(view.Mappings, view.Report.Seen.Header)
	}
	if view.Suggested, err = c.suggestedChannels(v, view.Place); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view.MayImport, view.Forgets = view.Role.Writes(), view.Manages()
	view.Largest = maxUpload
	for _, r := range ingest.Readers() {
		view.Kinds = append(view.Kinds, fileKind{r.Name(), r.Title()})
	}
	view.describe()
	c.Render(w, v.Request, status, frame.Page{Name: "data", Title: "Data", View: view, Visitor: &v.Visitor})
}

// describe sets the heading: how many sources are connected and how many need attention.
func (v *dataView) describe() {
	all := v.Connections()
	if len(all) == 0 {
		v.Heading, v.Lead = "No data yet.", "Import orders first. Revenue, customers and products appear after the import."
		return
	}
	late := 0
	for _, s := range all {
		if s.Status != "current" {
			late++
		}
	}
	v.Heading, v.Lead = frame.Plural(len(all), "source")+", all current.", v.Summary
	if late > 0 {
		v.Heading = frame.Plural(len(all), "source") + ", " + frame.Count(int64(late)) + " not current."
	}
}

// outcomeWords describes the result of checking or importing a file.
func outcomeWords(s ingest.Status) string {
	switch s {
	case ingest.Imported:
		return "imported"
	case ingest.Checked:
		return "can be imported"
	case ingest.Already:
		return "already imported"
	case ingest.Empty:
		return "no rows"
	case ingest.Refused:
		return "rejected, nothing changed"
	case ingest.Unknown:
		return "outcome unknown, the file may have been imported"
	}
	return string(s)
}
