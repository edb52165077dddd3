package performance

import (
	"net/http"
	"net/url"
	"slices"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/money"
	"assay/internal/sheet"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

// report fills in a page from the answers of tools.
type report func(*request) (*reportView, error)

// request is a request for a page, with the workspace and the filter.
type request struct {
	*pages
	frame.Visit
	Place  frame.Place
	Filter filter
	uses   uses
}

// reportView is the view of a page.
type reportView struct {
	frame.Place
	Heading  string // the answer: number first, then comparison
	Lead     string
	Bar      []chip
	KPIs     []frame.KPI
	Goal     *goal
	Blocks   []block // main column
	Side     []block
	Start    *start // what to do in an empty store
	Warnings []string
}

type (
	block  = frame.Block
	legend = frame.Legend
	option = frame.Option
)

func (c *pages) reportPage(page namedReport) func(http.ResponseWriter, frame.Visit) {
	return func(w http.ResponseWriter, v frame.Visit) {
		all, err := c.People.Memberships(v.Context(), v.Visitor.User.ID)
		if err != nil {
			c.Fail(w, v.Request, err)
			return
		}
		if len(all) == 0 {
			frame.See(w, frame.WorkspacesPath)
			return
		}
		p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
		if !ok {
			return
		}
		r := &request{pages: c, Visit: v, Place: p, uses: page.uses}
		view, err := r.filled(page.fill)
		if err != nil {
			c.Fail(w, v.Request, err)
			return
		}
		if v.URL.Query().Get("format") == "csv" {
			c.file(w, v, view)
			return
		}
		for _, b := range slices.Concat(view.Blocks, view.Side) {
			if b.Table != nil {
				b.Table.Show(withoutFormat(v.URL))
			}
		}
		c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "report", Title: view.Heading, View: view, Visitor: &v.Visitor})
	}
}

// filled reads the filter and fills in the page.
func (r *request) filled(fill report) (*reportView, error) {
	today, err := ask(r, tools.Performance, frame.Arguments{"detail_level": "analyst", "compact": true})
	if err != nil {
		return nil, err
	}
	day := civil.DayOf(r.Now(), r.Place.Workspace.Location())
	if today.Period != nil {
		day = today.Period.End
	}
	if r.Filter, err = filterIn(r.URL.Query(), day); err != nil {
		return nil, err
	}
	for _, row := range today.Rows {
		r.Filter.channels = append(r.Filter.channels, row.Channel)
	}
	r.Place.Kept = url.Values{}
	for _, name := range kept {
		if v := r.URL.Query().Get(name); v != "" {
			r.Place.Kept.Set(name, v)
		}
	}
	view, err := fill(r)
	if err != nil {
		return nil, err
	}
	view.Place = r.Place
	return view, nil
}

// file sends the rows of a table as CSV.
func (c *pages) file(w http.ResponseWriter, v frame.Visit, view *reportView) {
	name := v.URL.Query().Get("table")
	for _, b := range slices.Concat(view.Blocks, view.Side) {
		if b.Table != nil && b.Table.Name == name {
			frame.WriteCSV(w, b.ID+".csv", b.Table.Records(sheet.Text))
			return
		}
	}
	c.Refuse(w, v.Request, http.StatusNotFound, "Table not found. Reload the page.")
}

func withoutFormat(u *url.URL) *url.URL {
	query := u.Query()
	query.Del("format")
	query.Del("table")
	return &url.URL{Path: u.Path, RawQuery: query.Encode()}
}

// ask calls a tool and decodes its answer.
func ask[A answers.Answer](r *request, tool toolkit.Typed[A], with frame.Arguments) (A, error) {
	return frame.AnswerOf(r.Frame, r.Visit, r.Place, tool, with)
}

// Limits of paged tools. A call returns at most pageRows rows, and a page makes at most mostPages calls.
const (
	pageRows  = 100
	mostPages = 5
)

// askAll calls a paged tool for its first pages and calls the function take with each answer.
func askAll[A answers.Answer](r *request, tool toolkit.Typed[A], with frame.Arguments, take func(A) *answers.Pagination) error {
	with["limit"] = pageRows
	for range mostPages {
		a, err := ask(r, tool, with)
		if err != nil {
			return err
		}
		p := take(a)
		if p == nil || p.NextOffset == nil {
			return nil
		}
		with["offset"] = *p.NextOffset
	}
	return nil
}

// cut states which rows a table contains if it does not contain all rows. Otherwise, it returns "".
func cut(shown, all int, which string) string {
	if shown >= all {
		return ""
	}
	return "The table and its CSV file contain the " + frame.Count(int64(shown)) + " of " + frame.Count(int64(all)) + " rows with " + which +
		". Sorting does not include the other rows."
}

// section returns the heading of a part with its note, article and call.
func (r *request) section(id, title, note, article string, call *frame.Call) frame.Section {
	s := frame.Section{ID: id, Title: title, Note: note, Call: call}
	if article != "" {
		s.Article = frame.ArticleAddress(r.Place, article)
	}
	return s
}

// csv returns the URL from which a table is downloaded as CSV.
func (r *request) csv(table string) string {
	query := withoutFormat(r.URL).Query()
	query.Set("format", "csv")
	if table != "" {
		query.Set("table", table)
	}
	return r.URL.Path + "?" + query.Encode()
}

// call returns the tool call that people can copy, without the arguments that only pages need.
func (r *request) call(id, tool string, with frame.Arguments) *frame.Call {
	shown := frame.Arguments{}
	for name, value := range with {
		if name != "compact" && name != "limit" && name != "offset" {
			shown[name] = value
		}
	}
	return r.CallOf(id, tool, shown)
}

// to returns the address of a performance page with the same filter.
func (r *request) to(path string, pairs ...string) string {
	query := frame.WithWorkspace(r.Place, r.Place.Kept)
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + query.Encode()
}

// sentences returns the texts of the warnings.
func sentences(warnings []answers.Warning) []string {
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.Text)
	}
	return texts
}

// amount formats an amount without cents.
func amount[T ~float64](x T, c money.Currency) string { return money.Display(float64(x), 0, c) }

// cents formats an amount with cents.
func cents[T ~float64](x T, c money.Currency) string { return money.Display(float64(x), 2, c) }

// number converts a pointer to a figure to a *float64.
func number[T ~float64](x *T) *float64 {
	if x == nil {
		return nil
	}
	v := float64(*x)
	return &v
}
