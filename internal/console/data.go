package console

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/ingest"
)

// dataView is what the page of a workspace's data shows.
type dataView struct {
	place
	diagnosis
	MayImport bool
	Form      uploadForm
	Kinds     []fileKind // that a file can be said to be
	Largest   int        // file, in bytes
	Problem   string
	Done      string             // what a form did
	Forgets   bool               // the visitor may forget customers
	Report    *ingest.FileReport // of the file that was just looked at or imported
	Held      string             // id of the file that was looked at and can be imported
	HeldEnds  time.Time
	Mappings  []savedMapping
	Fitting   []savedMapping // that the file's columns have
	History   *historyPart   // nil: there is none to show

	Hooks   []control.HookSecret // for who manages the workspace
	HookURL string               // where a shop sends its messages
	Shop    string               // of the form, after a mistake
	Local   bool                 // no shop reaches the service
}

// Rows are the days that changed, for the table of them.
func (v dataView) Rows() []changeRow { return v.History.Changes }

// Unknown reports whether the file that was just looked at is read by nothing that is known.
func (v dataView) Unknown() bool { return v.Held != "" && v.Report != nil && v.Report.Source == "" }

// fileKind is what a file can be said to be.
type fileKind struct{ Name, Title string }

// diagnosis is what the page reads of diagnose's answer.
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

// Wrong returns what is not as it should be, the worst first.
func (d diagnosis) Wrong() []finding {
	return slices.DeleteFunc(slices.Clone(d.Findings), func(f finding) bool { return f.Severity != "error" && f.Severity != "warning" })
}

// Notes returns what is worth knowing and no fault.
func (d diagnosis) Notes() []finding {
	return slices.DeleteFunc(slices.Clone(d.Findings), func(f finding) bool { return f.Severity != "info" })
}

// Strip draws the watched days of a source.
func (s connection) Strip() *strip {
	if s.Watched == nil {
		return nil
	}
	return newStrip(*s.Watched, s.Silent)
}

// Late is how many days a source is behind, 0 when that is usual.
func (s connection) Late() int64 {
	if s.Behind == nil || *s.Behind < 2 {
		return 0
	}
	return *s.Behind
}

// Title names a source for people.
func (s connection) Title() string {
	return cmp.Or(strings.ReplaceAll(s.Source, "_", " "), s.Platform)
}

func (c *Console) dataPage(w http.ResponseWriter, v visit) {
	if p, ok := c.placeOf(w, v, v.URL.Query().Get("workspace")); ok {
		c.showData(w, v, http.StatusOK, dataView{place: p})
	}
}

// showData fills in what the view does not have yet, and shows it.
func (c *Console) showData(w http.ResponseWriter, v visit, status int, view dataView) {
	view.Here = dataPath // also where a form led elsewhere
	if err := c.asked(v, view.place, "diagnose", map[string]string{"detail_level": "debug"}, &view.diagnosis); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	if view.Manages() {
		hooks, err := c.store.HookSecrets(v.Context(), view.Workspace.ID)
		if err != nil {
			c.fail(w, v.Request, err)
			return
		}
		view.Hooks, view.HookURL, view.Local = hooks, c.baseURL+"/api/webhooks/shopify/"+string(view.Workspace.ID), !c.cookies.secure
	}
	var err error
	if view.History, err = c.historyOf(v, view.Workspace); err != nil {
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
