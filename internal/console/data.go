package console

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/console/pending"
	"assay/internal/control"
	"assay/internal/ingest"
)

// dataView is the view of the Data page.
type dataView struct {
	place
	diagnosis
	MayImport bool
	Form      pending.Settings
	Kinds     []fileKind // choices for the source of a file
	Largest   int        // maximum size of a file in bytes
	Problem   string
	Done      string             // confirmation of a form
	Forgets   bool               // the visitor can forget customers
	Report    *ingest.FileReport // of a file that was checked or imported
	Held      pending.ID         // ID of a checked file that can be imported
	HeldEnds  time.Time
	Mappings  []savedMapping
	Fitting   []savedMapping // mappings whose columns the file has
	History   *historyPart   // nil: no history
	Jobs      []*jobView     // that run or wait

	Hooks   []control.HookSecret // for owners and admins
	HookURL string               // address for webhooks of a shop
	Shop    string               // of the form, after an error
	Local   bool                 // shops cannot reach the service
}

// Rows returns the restated days for the table.
func (v dataView) Rows() []changeRow { return v.History.Changes }

// Unknown reports whether no source or mapping reads the checked file.
func (v dataView) Unknown() bool { return v.Held != "" && v.Report != nil && v.Report.Source == "" }

// fileKind is a choice for the source of a file.
type fileKind struct{ Name, Title string }

// diagnosis is the part of an answer of the tool diagnose that the page shows.
type diagnosis struct {
	Summary     string       `json:"summary"`
	Status      string       `json:"status"`
	Findings    []finding    `json:"rows"`
	Connections []connection `json:"connections"`
	Imports     []importLine `json:"imports"`
}

type finding struct {
	Check    string `json:"check"`
	Severity string `json:"severity"`
	Finding  string `json:"finding"`
	Fix      string `json:"fix"`
}

type connection struct {
	Source   string     `json:"source"`
	Kind     string     `json:"kind"`
	Platform string     `json:"platform"`
	Account  string     `json:"account"`
	Status   string     `json:"status"`
	Rows     int64      `json:"rows"`
	FirstDay civil.Date `json:"first_day"`
	LastDay  civil.Date `json:"last_day"`
	Behind   *int64     `json:"days_behind"`
	Missing  int64      `json:"missing_days"`
	Watched  *span      `json:"watched"`
	Silent   []span     `json:"silent"`
	Imported time.Time  `json:"last_import"`
}

type importLine struct {
	At        time.Time  `json:"at"`
	Source    string     `json:"source"`
	File      string     `json:"file"`
	Inserted  int64      `json:"inserted"`
	Updated   int64      `json:"updated"`
	Unchanged int64      `json:"unchanged"`
	Removed   int64      `json:"removed"`
	FirstDay  civil.Date `json:"first_day"`
	LastDay   civil.Date `json:"last_day"`
}

// Wrong returns errors and warnings, the most severe first.
func (d diagnosis) Wrong() []finding {
	return slices.DeleteFunc(slices.Clone(d.Findings), func(f finding) bool { return f.Severity != "error" && f.Severity != "warning" })
}

// Notes returns findings of severity info.
func (d diagnosis) Notes() []finding {
	return slices.DeleteFunc(slices.Clone(d.Findings), func(f finding) bool { return f.Severity != "info" })
}

// Strip draws the timeline of a source, nil without watched days.
func (s connection) Strip() *strip {
	if s.Watched == nil {
		return nil
	}
	return newStrip(*s.Watched, s.Silent)
}

// Late returns how many days a source is behind, 0 if fewer than two.
func (s connection) Late() int64 {
	if s.Behind == nil || *s.Behind < 2 {
		return 0
	}
	return *s.Behind
}

// Title returns the name of a source on pages.
func (s connection) Title() string {
	return cmp.Or(strings.ReplaceAll(s.Source, "_", " "), s.Platform)
}

func (c *dataPages) dataPage(w http.ResponseWriter, v visit) {
	if p, ok := c.placeOf(w, v, v.URL.Query().Get("workspace")); ok {
		c.showData(w, v, http.StatusOK, dataView{place: p})
	}
}

// showData completes the view and shows the Data page.
func (c *dataPages) showData(w http.ResponseWriter, v visit, status int, view dataView) {
	view.Here = dataPath // also for forms with another path
	if err := c.callTool(v, view.place, "diagnose", map[string]string{"detail_level": "debug"}, &view.diagnosis); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	if view.Manages() {
		hooks, err := c.store.HookSecrets(v.Context(), view.Workspace.ID)
		if err != nil {
			c.fail(w, v.Request, err)
			return
		}
		view.Hooks, view.HookURL, view.Local = hooks, c.baseURL+"/api/webhooks/shopify/"+string(view.Workspace.ID), !c.cookies.Secure
	}
	var err error
	if view.History, err = c.historyOf(v, view.Workspace); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	if view.Jobs, err = c.runningJobs(v, view.place); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	if view.Mappings, err = c.savedMappings(v.Context(), view.Workspace.ID); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	if view.Unknown() {
		view.Fitting = fitting(view.Mappings, view.Report.Seen.Header)
	}
	view.MayImport, view.Forgets = view.Role.Writes(), view.Manages()
	view.Largest = maxUpload
	for _, r := range ingest.Readers() {
		view.Kinds = append(view.Kinds, fileKind{r.Name(), r.Title()})
	}
	c.render(w, v.Request, status, page{name: "data", title: "Data", view: view, visitor: &v.visitor, wide: true})
}
