package setup

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/console/frame"
	"assay/internal/console/setup/pending"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/operation"
)

// ownMapping is the prefix of mapping names in the source field of a form.
const ownMapping = "mapping:"

const choiceColumns = 150 // maximum number of columns in a drop-down list

// savedMapping is a stored mapping of the workspace.
type savedMapping struct {
	control.Mapping
	Kind    mapper.Kind
	Title   string
	Problem string // why the mapping cannot be parsed, for instance after an upgrade
	parsed  mapper.Mapping
}

// savedMappings returns the mappings of the workspace.
func (c *dataPages) savedMappings(ctx context.Context, ws measure.WorkspaceID) ([]savedMapping, error) {
	all, err := c.Store.Mappings(ctx, ws)
	if err != nil {
		return nil, err
	}
	saved := make([]savedMapping, 0, len(all))
	for _, kept := range all {
		s := savedMapping{Mapping: kept}
		if s.parsed, err = mapper.Parse([]byte(kept.Content)); err != nil {
			s.Problem = frame.Sentence(err.Error())
		}
		s.Kind, s.Title = s.parsed.Kind, s.parsed.Title
		saved = append(saved, s)
	}
	return saved, nil
}

// mappingNamed returns the mapping that a form names as the source of a file. It returns nil if the form names no
// mapping.
func (c *dataPages) mappingNamed(ctx context.Context, ws measure.WorkspaceID, named string) (*mapper.Mapping, error) {
	name, ok := strings.CutPrefix(named, ownMapping)
	if !ok {
		return nil, nil //nolint:nilnil // most files need no mapping
	}
	kept, err := c.Store.Mapping(ctx, ws, name)
	if err != nil {
		return nil, err
	}
	m, err := mapper.Parse([]byte(kept.Content))
	return &m, err
}

// mappingFault shows on the Data page why a saved mapping cannot be used.
func (c *dataPages) mappingFault(w http.ResponseWriter, v frame.Visit, view dataView, err error) {
	text, _, public := fault.Public(err)
	if !public {
		c.Fail(w, v.Request, err)
		return
	}
	view.Problem = frame.Sentence(text) + " Choose another mapping, or map the columns again."
	c.showData(w, v, http.StatusUnprocessableEntity, view)
}

// mappingView is the view of the mapping page.
type mappingView struct {
	frame.Place
	frame.Messages
	Was      string // name of the saved mapping that is edited, "" for a new one
	Version  int64  // version of that mapping when it was opened
	Mapping  mapper.Mapping
	Kinds    []mapper.Kind
	Needed   []mappingField
	More     []mappingField
	Columns  []columnChoice // columns of the file; none without a file or with too many columns
	Names    []string       // names of columns, as suggestions
	Kept     []string       // settings that the form does not show
	Currency string         // currency of the workspace
	Wrong    map[string]string

	Suggested []measure.Channel // values of the field channel

	Held     pending.ID // ID of the uploaded file
	File     string     // name of the file
	HeldEnds time.Time
	Seen     ingest.Seen
	Report   *ingest.FileReport // report on the file with this mapping
}

// mappingField is a field of the mapping with its values in the form.
type mappingField struct {
	mapper.Field
	Column string
	Gone   bool // the file has no such column
	Fixed  string
	Fixes  bool // the field can have a default value
	Wrong  string
}

// columnChoice is a column of the file with its first cell.
type columnChoice struct{ Name, Example string }

// Negatives reports whether the form has a choice for negative amounts.
func (v mappingView) Negatives() bool {
	return v.Mapping.Kind == mapper.Orders || v.Mapping.Kind == mapper.OrderLines
}

// ByLine reports whether a row is an order line.
func (v mappingView) ByLine() bool { return v.Mapping.Kind == mapper.OrderLines }

// Readable reports whether the whole file can be imported with the mapping.
func (v mappingView) Readable() bool {
	return v.Report != nil && (v.Report.Status == ingest.Checked || v.Report.Status == ingest.Already)
}

// fixable are the fields that can have a default value.
var fixable = map[string]bool{
	"currency": true, "surface": true, "channel": true, "platform": true, "country": true, "region": true, "entity": true, "question": true,
	"metric": true, "period": true, "account": true, "from": true, "to": true, "order_source": true, "status": true, "since_send": true, "link_kind": true,
}

// mappingPage shows a saved mapping, or a new one for an uploaded file.
func (c *dataPages) mappingPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.importPlace(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	view := mappingView{Place: p, Was: query.Get("name")}
	if view.Was != "" {
		kept, err := c.Store.Mapping(v.Context(), p.Workspace.ID, view.Was)
		if fault.KindOf(err) == fault.KindNotFound {
			c.Refuse(w, v.Request, http.StatusNotFound, "The workspace has no mapping with this name. Choose a mapping on the Data page.")
			return
		}
		if err == nil {
			view.Version = kept.At.UnixMicro()
			view.Mapping, err = mapper.Parse([]byte(kept.Content))
		}
		if err != nil {
			c.mappingFault(w, v, dataView{Place: p}, err)
			return
		}
	}
	if id := query.Get("file"); id != "" {
		f, release, ok := c.pending.Borrow(pending.ID(id), v.Visitor.User.ID, p.Workspace.ID, c.Now())
		if !ok {
			c.fileGone(w, v, p)
			return
		}
		release()
		view.hold(f)
		if view.Was == "" {
			view.Mapping = guessedMapping(f)
		}
	}
	if view.Mapping.Kind == "" {
		view.Mapping.Kind = mapper.Orders
	}
	c.showMapping(w, v, http.StatusOK, view)
}

// guessedMapping guesses the mapping of a file from its columns.
func guessedMapping(f pending.File) mapper.Mapping {
	m := mapper.Mapping{Name: ingest.MappingName(f.File.Name), Kind: mapper.Likeliest(f.Seen.Header)}
	m.Columns = m.Kind.Guess(f.Seen.Header)
	m.Dates.Zone = f.Settings.Zone
	for _, field := range []struct{ name, said string }{{"channel", f.Settings.Channel}, {"currency", strings.ToUpper(f.Settings.Currency)}} {
		if has := slices.ContainsFunc(m.Kind.Fields(), func(k mapper.Field) bool { return k.Name == field.name }); has && field.said != "" {
			if m.Fixed == nil {
				m.Fixed = map[string]string{}
			}
			m.Fixed[field.name] = field.said
		}
	}
	return m
}

func (v *mappingView) hold(f pending.File) {
	v.Held, v.File, v.HeldEnds, v.Seen = f.ID, source.Shown(f.File.Name), f.Until, f.Seen
}

// showMapping completes the view and shows the mapping page.
func (c *dataPages) showMapping(w http.ResponseWriter, v frame.Visit, status int, view mappingView) {
	view.Here = dataPath
	view.Kinds, view.Currency = mapper.Kinds(), string(view.Workspace.Currency)
	h := view.Seen.Header
	for i := range h.Names() {
		name := h.Name(i)
		if name == "" || h.Index(source.Fold(name)) != i {
			continue
		}
		choice := columnChoice{Name: name}
		if len(view.Seen.Rows) > 0 {
			choice.Example = shortened(source.Cell(view.Seen.Rows[0], i))
		}
		view.Columns, view.Names = append(view.Columns, choice), append(view.Names, name)
	}
	if len(view.Columns) > choiceColumns {
		view.Columns = nil
	}
	for _, f := range view.Mapping.Kind.Fields() {
		m := mappingField{
			Field: f, Column: view.Mapping.Columns[f.Name], Fixed: view.Mapping.Fixed[f.Name], Fixes: fixable[f.Name],
			Wrong: cmp.Or(view.Wrong["columns."+f.Name], view.Wrong["fixed."+f.Name]),
		}
		m.Gone = m.Column != "" && h.Width() > 0 && h.Index(source.Fold(m.Column)) < 0
		if f.Required || f.Usual || m.Column != "" || m.Fixed != "" || m.Wrong != "" {
			view.Needed = append(view.Needed, m)
		} else {
			view.More = append(view.More, m)
		}
	}
	view.Kept = otherSettings(view.Mapping)
	var err error
	if view.Suggested, err = c.suggestedChannels(v, view.Place); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	title := "New mapping"
	if view.Was != "" {
		title = "Mapping " + view.Was
	}
	c.Render(w, v.Request, status, frame.Page{Name: "mapping", Title: title, View: view, Visitor: &v.Visitor})
}

const maxExample = 24 // characters of an example cell

func shortened(text string) string {
	if letters := []rune(text); len(letters) > maxExample {
		return string(letters[:maxExample]) + "…"
	}
	return text
}

// otherSettings lists the settings of a mapping that the form does not show.
func otherSettings(m mapper.Mapping) (all []string) {
	if n := len(m.Rules); n > 0 {
		all = append(all, fmt.Sprintf("row rules (%d)", n))
	}
	if n := len(m.Values); n > 0 {
		all = append(all, fmt.Sprintf("value translations of %s", strings.Join(slices.Sorted(maps.Keys(m.Values)), ", ")))
	}
	if len(m.Negate) > 0 {
		all = append(all, "negated amounts of "+strings.Join(m.Negate, ", "))
	}
	if m.System != "" {
		all = append(all, "rows stored under "+m.System)
	}
	return all
}

// changeMapping checks, saves and deletes mappings, and imports files with them.
func (c *dataPages) changeMapping(w http.ResponseWriter, v frame.Visit) {
	form := v.PostForm
	p, ok := c.importPlace(w, v, form.Get("workspace"))
	if !ok {
		return
	}
	view := mappingView{Place: p, Was: form.Get("was")}
	saved, err := c.savedMappings(v.Context(), p.Workspace.ID)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	if form.Get("action") == "delete" {
		c.deleteMapping(w, v, p, view.Was)
		return
	}
	view.Version, _ = strconv.ParseInt(form.Get("version"), 10, 64)
	var base mapper.Mapping
	if at := slices.IndexFunc(saved, func(s savedMapping) bool { return s.Name == view.Was }); at >= 0 {
		base = saved[at].parsed
	}
	release := func() {}
	var held pending.File
	if id := form.Get("file"); id != "" {
		if held, release, ok = c.pending.Borrow(pending.ID(id), v.Visitor.User.ID, p.Workspace.ID, c.Now()); !ok {
			c.fileGone(w, v, p)
			return
		}
		view.hold(held)
	}
	view.Mapping = mappingIn(form, base)
	view.Wrong = view.wrongIn(saved)
	do := mappingAction(form.Get("action"))
	if do == showKind && view.Wrong["kind"] == "" {
		release()
		view.newKind()
		c.showMapping(w, v, http.StatusOK, view)
		return
	}
	if len(view.Wrong) > 0 || !do.known(view) {
		release()
		view.Problem = "Nothing was saved or imported. Correct the marked fields."
		if len(view.Wrong) == 0 {
			view.Problem = frame.UnknownAction
		}
		c.showMapping(w, v, http.StatusUnprocessableEntity, view)
		return
	}
	if do == saveMapping {
		release()
		if err := c.storeMapping(v.Context(), v.Calls(p.Workspace.ID), &view); err != nil {
			c.notStored(view, err)(w, v, p)
			return
		}
		if view.Held == "" {
			frame.See(w, dataPath+"?workspace="+string(p.Workspace.ID)+"#mappings")
			return
		}
		view.Done = "Mapping saved. Nothing is imported yet."
		c.showMapping(w, v, http.StatusOK, view)
		return
	}
	up := uploadOf(held.Settings, held.File)
	up.Source = ingest.Auto
	if do == checkFile {
		up.DryRun, up.Mapping = true, &view.Mapping
		c.perform(w, v, p, held.File, "Reading "+held.File.Name, release, c.checking(up, view))
		return
	}
	up.SkipRejected = do == saveAndImportRest
	shown := func(d dataView) answer {
		if d.Report.Status == ingest.Refused {
			return c.mappingChecked(view, *d.Report)
		}
		return c.reported(d)
	}
	c.perform(w, v, p, held.File, "Importing "+held.File.Name, release, func(ctx context.Context, call operation.Call) (answer, error) {
		err := c.storeMapping(ctx, call, &view) // the job saves the mapping, so that nothing is saved if no job can start
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			return c.notStored(view, err), nil //nolint:contextcheck // shown with the request of the viewer
		}
		up.Mapping = &view.Mapping
		return c.importing(up, held.ID, shown)(ctx, call)
	})
}

// mappingAction is the action of a button on the mapping form.
type mappingAction string

const (
	showKind          mappingAction = "kind"
	checkFile         mappingAction = "check"
	saveMapping       mappingAction = "save"
	saveAndImport     mappingAction = "import"
	saveAndImportRest mappingAction = "import-rest"
)

// known reports whether the form has the action and, if the action needs a file, the file.
func (a mappingAction) known(view mappingView) bool {
	switch a {
	case showKind, saveMapping:
		return true
	case checkFile, saveAndImport, saveAndImportRest:
		return view.Held != ""
	}
	return false
}

// checking returns the work that reads a file with the mapping but does not import the file.
func (c *dataPages) checking(up upload, view mappingView) work {
	return func(ctx context.Context, call operation.Call) (answer, error) {
		report, err := c.importFile(ctx, call, up)
		if err != nil {
			return nil, err
		}
		return c.mappingChecked(view, report), nil //nolint:contextcheck // shown with the request of the viewer
	}
}

// mappingChecked shows the form with the report of the file. Errors in cells are shown at the field of their column.
func (c *dataPages) mappingChecked(view mappingView, report ingest.FileReport) answer {
	view.Report, view.Wrong = &report, map[string]string{}
	if report.Seen.Header.Width() > 0 {
		view.Seen = report.Seen
	}
	for _, f := range view.Mapping.Kind.Fields() {
		at := slices.IndexFunc(report.RejectedRows, func(r ingest.Rejection) bool {
			return r.Column != "" && (source.Fold(r.Column) == source.Fold(view.Mapping.Columns[f.Name]) || r.Column == f.Name)
		})
		if at < 0 {
			continue
		}
		r := report.RejectedRows[at]
		text := fmt.Sprintf("Line %d: %s.", r.Line, r.Reason)
		if fix := r.Fix; fix != "" {
			text += " " + frame.Sentence(strings.ReplaceAll(fix, "name a mapping with dates.layout", "enter the date format below"))
		}
		view.Wrong["columns."+f.Name] = text
	}
	status := http.StatusOK
	if report.Status == ingest.Refused {
		status = http.StatusUnprocessableEntity
	}
	return func(w http.ResponseWriter, v frame.Visit, p frame.Place) {
		view := view // several requests may show the result at the same time
		view.Place = p
		c.showMapping(w, v, status, view)
	}
}

// storeMapping replaces the opened mapping, which may have a new name. A renamed mapping uses the old name as its
// source system, so rows that were imported earlier are not counted twice.
func (c *dataPages) storeMapping(ctx context.Context, call operation.Call, view *mappingView) error {
	m := &view.Mapping
	if view.Was != "" && view.Was != m.Name && m.System == "" && m.Kind.NamedByMapping() {
		m.System = view.Was
	}
	text, err := m.Text()
	if err != nil {
		return err
	}
	change := control.MappingChange{
		Mapping: control.Mapping{Name: m.Name, Content: string(text)},
		Was:     view.Was, Seen: time.UnixMicro(view.Version),
	}
	kept, err := operation.ChangeMapping.Do(ctx, c.Operations, call, change)
	if err != nil {
		return err
	}
	view.Was, view.Version = m.Name, kept.At.UnixMicro()
	return nil
}

// notStored shows the form with the reason why the mapping was not stored.
func (c *dataPages) notStored(view mappingView, err error) answer {
	return func(w http.ResponseWriter, v frame.Visit, p frame.Place) {
		if fault.KindOf(err) != fault.KindConflict {
			c.Fail(w, v.Request, err)
			return
		}
		view := view // several requests may show the result at the same time
		view.Place = p
		view.Problem = "Nothing was saved or imported. " + frame.PublicText(err)
		c.showMapping(w, v, http.StatusConflict, view)
	}
}

func (c *dataPages) deleteMapping(w http.ResponseWriter, v frame.Visit, p frame.Place, name string) {
	if _, err := operation.DeleteMapping.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), name); err != nil && fault.KindOf(err) != fault.KindNotFound {
		c.Fail(w, v.Request, err)
		return
	}
	frame.See(w, dataPath+"?workspace="+string(p.Workspace.ID)+"#mappings")
}

// fitting returns the saved mappings that fit a file: the file has all columns of the mapping.
func fitting(saved []savedMapping, h source.Header) []savedMapping {
	return slices.DeleteFunc(slices.Clone(saved), func(s savedMapping) bool {
		return s.Problem != "" || !mapper.New(s.parsed).Fit(h).OK()
	})
}
