package console

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/operation"
)

// ownMapping stands before the name of a mapping where a form says what a file is.
const ownMapping = "mapping:"

const choiceColumns = 150 // columns up to which a field is a list to choose from

// savedMapping is a mapping that the workspace keeps.
type savedMapping struct {
	control.Mapping
	Kind    mapper.Kind
	Title   string
	Problem string // why it cannot be read; it may have been kept by an older version
	parsed  mapper.Mapping
}

// savedMappings returns what the workspace keeps.
func (c *Console) savedMappings(ctx context.Context, ws measure.WorkspaceID) ([]savedMapping, error) {
	all, err := c.store.Mappings(ctx, ws)
	if err != nil {
		return nil, err
	}
	saved := make([]savedMapping, 0, len(all))
	for _, kept := range all {
		s := savedMapping{Mapping: kept}
		if s.parsed, err = mapper.Parse([]byte(kept.Content)); err != nil {
			s.Problem = sentence(err.Error())
		}
		s.Kind, s.Title = s.parsed.Kind, s.parsed.Title
		saved = append(saved, s)
	}
	return saved, nil
}

// mappingNamed returns the mapping that a form names as a file's source, nil where it names none.
func (c *Console) mappingNamed(ctx context.Context, ws measure.WorkspaceID, named string) (*mapper.Mapping, error) {
	name, ok := strings.CutPrefix(named, ownMapping)
	if !ok {
		return nil, nil //nolint:nilnil // most files are read without
	}
	kept, err := c.store.Mapping(ctx, ws, name)
	if err != nil {
		return nil, err
	}
	m, err := mapper.Parse([]byte(kept.Content))
	return &m, err
}

// mappingFault says on the page of the data why a saved mapping cannot be used.
func (c *Console) mappingFault(w http.ResponseWriter, v visit, view dataView, err error) {
	text, _, public := fault.Public(err)
	if !public {
		c.fail(w, v.Request, err)
		return
	}
	view.Problem = sentence(text) + " Choose another, or say anew what the columns mean."
	c.showData(w, v, http.StatusUnprocessableEntity, view)
}

// mappingView is what the page shows on which somebody says what the columns of a file mean.
type mappingView struct {
	place
	Was      string // name of the saved mapping that is changed; "" for a new one
	Version  int64  // of that mapping, as it was when it was opened
	Mapping  mapper.Mapping
	Kinds    []mapper.Kind
	Needed   []mappingField
	More     []mappingField
	Columns  []columnChoice // of the file; none when they are too many, or no file is here
	Names    []string       // of columns, to be suggested where they are typed
	Kept     []string       // what the mapping says besides and stays
	Currency string         // of the workspace
	Wrong    map[string]string
	Problem  string
	Done     string

	Held     string // id of the file
	File     string // its name
	HeldEnds time.Time
	Seen     ingest.Seen
	Report   *ingest.FileReport // of the file by this mapping
}

// mappingField is a field and what the form says of it.
type mappingField struct {
	mapper.Field
	Column string
	Gone   bool // the file has no such column
	Fixed  string
	Fixes  bool // it can be the same for all rows
	Wrong  string
}

// columnChoice is a column of the file with its first cell.
type columnChoice struct{ Name, Example string }

// Negatives reports whether amounts of the kind may be below zero, and what is done with them is a choice.
func (v mappingView) Negatives() bool {
	return v.Mapping.Kind == mapper.Orders || v.Mapping.Kind == mapper.OrderLines
}

// ByLine reports whether a row is a line of an order and not the whole of it.
func (v mappingView) ByLine() bool { return v.Mapping.Kind == mapper.OrderLines }

// Readable reports whether all of the file can be imported as the form says.
func (v mappingView) Readable() bool {
	return v.Report != nil && (v.Report.Status == ingest.Checked || v.Report.Status == ingest.Already)
}

// fixable are fields that may be the same for every row of a file.
var fixable = map[string]bool{
	"currency": true, "surface": true, "channel": true, "platform": true, "country": true, "region": true, "entity": true, "question": true,
	"metric": true, "period": true, "account": true, "from": true, "to": true, "order_source": true, "status": true, "since_send": true, "link_kind": true,
}

// mappingPage shows the mapping of a file that waits, or of the workspace.
func (c *Console) mappingPage(w http.ResponseWriter, v visit) {
	query := v.URL.Query()
	p, ok := c.importPlace(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	view := mappingView{place: p, Was: query.Get("name")}
	if view.Was != "" {
		kept, err := c.store.Mapping(v.Context(), p.Workspace.ID, view.Was)
		if fault.KindOf(err) == fault.KindNotFound {
			c.Refuse(w, v.Request, http.StatusNotFound, "There is no mapping of this name in the workspace.")
			return
		}
		if err == nil {
			view.Version = kept.At.UnixMicro()
			view.Mapping, err = mapper.Parse([]byte(kept.Content))
		}
		if err != nil {
			c.mappingFault(w, v, dataView{place: p}, err)
			return
		}
	}
	if id := query.Get("file"); id != "" {
		f, release, ok := c.shelf.borrow(id, v.visitor.User.ID, p.Workspace.ID, c.now())
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

// guessedMapping says of a file what its columns seem to say.
func guessedMapping(f shelvedFile) mapper.Mapping {
	m := mapper.Mapping{Name: ingest.MappingName(f.file.Name), Kind: mapper.Likeliest(f.seen.Header)}
	m.Columns = m.Kind.Guess(f.seen.Header)
	m.Dates.Zone = f.form.Zone
	for _, field := range []struct{ name, said string }{{"channel", f.form.Channel}, {"currency", strings.ToUpper(f.form.Currency)}} {
		if has := slices.ContainsFunc(m.Kind.Fields(), func(k mapper.Field) bool { return k.Name == field.name }); has && field.said != "" {
			if m.Fixed == nil {
				m.Fixed = map[string]string{}
			}
			m.Fixed[field.name] = field.said
		}
	}
	return m
}

func (v *mappingView) hold(f shelvedFile) {
	v.Held, v.File, v.HeldEnds, v.Seen = f.id, source.Shown(f.file.Name), f.until, f.seen
}

// showMapping fills in what follows from the mapping and the file, and shows the page.
func (c *Console) showMapping(w http.ResponseWriter, v visit, status int, view mappingView) {
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
	view.Kept = besides(view.Mapping)
	title := "What the columns mean"
	if view.Was != "" {
		title = "Mapping " + view.Was
	}
	c.render(w, v.Request, status, page{name: "mapping", title: title, view: view, visitor: &v.visitor, wide: true})
}

const maxExample = 24 // letters of a cell beside its column

func shortened(text string) string {
	if letters := []rune(text); len(letters) > maxExample {
		return string(letters[:maxExample]) + "…"
	}
	return text
}

// besides lists what a mapping says that the form does not show.
func besides(m mapper.Mapping) (all []string) {
	if n := len(m.Rules); n > 0 {
		all = append(all, fmt.Sprintf("%d rules about rows", n))
	}
	if n := len(m.Values); n > 0 {
		all = append(all, fmt.Sprintf("what cells of %s stand for", strings.Join(slices.Sorted(maps.Keys(m.Values)), ", ")))
	}
	if len(m.Negate) > 0 {
		all = append(all, "the sign turned round of "+strings.Join(m.Negate, ", "))
	}
	if m.System != "" {
		all = append(all, "rows kept under "+m.System)
	}
	return all
}

// changeMapping checks, keeps and deletes mappings, and imports by them.
func (c *Console) changeMapping(w http.ResponseWriter, v visit) {
	form := v.PostForm
	p, ok := c.importPlace(w, v, form.Get("workspace"))
	if !ok {
		return
	}
	view := mappingView{place: p, Was: form.Get("was")}
	saved, err := c.savedMappings(v.Context(), p.Workspace.ID)
	if err != nil {
		c.fail(w, v.Request, err)
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
	var held shelvedFile
	if id := form.Get("file"); id != "" {
		if held, release, ok = c.shelf.borrow(id, v.visitor.User.ID, p.Workspace.ID, c.now()); !ok {
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
		view.Problem = "Nothing was kept or imported. What has to be put right stands at its field."
		if len(view.Wrong) == 0 {
			view.Problem = "This form asks for nothing that is known."
		}
		c.showMapping(w, v, http.StatusUnprocessableEntity, view)
		return
	}
	if do == saveMapping {
		release()
		if err := c.keepMapping(v.Context(), v.calls(p.Workspace.ID), &view); err != nil {
			c.notKept(view, err)(w, v, p)
			return
		}
		if view.Held == "" {
			see(w, dataPath+"?workspace="+string(p.Workspace.ID)+"#mappings")
			return
		}
		view.Done = "The mapping is kept. Nothing is imported yet."
		c.showMapping(w, v, http.StatusOK, view)
		return
	}
	up := held.form.upload(p.Workspace.ID, v.visitor.User.ID, held.file)
	up.Source = ingest.Auto
	if do == checkFile {
		up.DryRun, up.Mapping = true, &view.Mapping
		c.perform(w, v, p, held.file, "Reading "+held.file.Name, release, c.looking(up, view))
		return
	}
	up.SkipRejected = do == saveAndImportRest
	call := v.calls(p.Workspace.ID)
	shown := func(d dataView) answer {
		if d.Report.Status == ingest.Refused {
			return c.mapped(view, *d.Report)
		}
		return c.reported(d)
	}
	c.perform(w, v, p, held.file, "Importing "+held.file.Name, release, func(ctx context.Context, progress func(done, total int64)) answer {
		if err := c.keepMapping(ctx, call, &view); err != nil { // here, so that it is not kept where the import finds no room
			return c.notKept(view, err)
		}
		up.Mapping = &view.Mapping
		return c.importing(up, held.id, shown)(ctx, progress)
	})
}

// mappingAction is a button of the form.
type mappingAction string

const (
	showKind          mappingAction = "kind"
	checkFile         mappingAction = "check"
	saveMapping       mappingAction = "save"
	saveAndImport     mappingAction = "import"
	saveAndImportRest mappingAction = "import-rest"
)

// known reports whether the action is one of the form's, and has the file that it needs.
func (a mappingAction) known(view mappingView) bool {
	switch a {
	case showKind, saveMapping:
		return true
	case checkFile, saveAndImport, saveAndImportRest:
		return view.Held != ""
	}
	return false
}

// looking reads a file by the mapping without keeping anything.
func (c *Console) looking(up upload, view mappingView) work {
	return func(ctx context.Context, progress func(done, total int64)) answer {
		up.call.Progress = progress
		report, err := c.importFile(ctx, up)
		if err != nil {
			c.log.ErrorContext(ctx, "look at a file by a mapping", slog.String("workspace", string(up.call.Workspace)), slog.Any("error", err))
			return c.unfinished("Reading " + up.file.Name) //nolint:contextcheck // it is shown with the request of who looks
		}
		return c.mapped(view, report)
	}
}

// mapped shows the form with what a file is by it. What is wrong with the file's cells stands at the field that they are of.
func (c *Console) mapped(view mappingView, report ingest.FileReport) answer {
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
			text += " " + sentence(strings.ReplaceAll(fix, "name a mapping with dates.layout", "fill in below how days are written"))
		}
		view.Wrong["columns."+f.Name] = text
	}
	status := http.StatusOK
	if report.Status == ingest.Refused {
		status = http.StatusUnprocessableEntity
	}
	return func(w http.ResponseWriter, v visit, p place) {
		view := view // two may look at once
		view.place = p
		c.showMapping(w, v, status, view)
	}
}

// keepMapping keeps the mapping in place of the one that was opened, under whatever name. Rows that are kept under the
// mapping's name stay there, so that none counts again under the new one.
func (c *Console) keepMapping(ctx context.Context, call operation.Call, view *mappingView) error {
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
	kept, err := operation.ChangeMapping.Do(ctx, c.operations, call, change)
	if err != nil {
		return err
	}
	view.Was, view.Version = m.Name, kept.At.UnixMicro()
	return nil
}

// notKept shows the form with why its mapping was not kept.
func (c *Console) notKept(view mappingView, err error) answer {
	return func(w http.ResponseWriter, v visit, p place) {
		if fault.KindOf(err) != fault.KindConflict {
			c.fail(w, v.Request, err)
			return
		}
		view := view // two may look at once
		view.place = p
		view.Problem = "Nothing was kept or imported. " + told(err)
		c.showMapping(w, v, http.StatusConflict, view)
	}
}

func (c *Console) deleteMapping(w http.ResponseWriter, v visit, p place, name string) {
	if _, err := operation.DeleteMapping.Do(v.Context(), c.operations, v.calls(p.Workspace.ID), name); err != nil && fault.KindOf(err) != fault.KindNotFound {
		c.fail(w, v.Request, err)
		return
	}
	see(w, dataPath+"?workspace="+string(p.Workspace.ID)+"#mappings")
}

// fitting returns the saved mappings whose columns a file has.
func fitting(saved []savedMapping, h source.Header) []savedMapping {
	return slices.DeleteFunc(slices.Clone(saved), func(s savedMapping) bool {
		return s.Problem != "" || !mapper.New(s.parsed).Fit(h).OK()
	})
}
