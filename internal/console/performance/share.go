package performance

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/oauth/people"
	"assay/internal/operation"
)

const (
	sharesPath = frame.SharesPath
	sharedPath = "/shared/" // followed by the secret of a link
)

// shareDays are the choices for the lifetime of a link. The second choice is the default.
var shareDays = []int{1, 7, 30, 90}

// sharesView is the view of the share links of a workspace.
type sharesView struct {
	frame.Place
	frame.Messages
	Heading string
	Rows    []shareRow
	Pages   []option    // pages that can be shared
	Filters [][2]string // filters of the new link
	Words   string      // the filters in words
	Back    string      // address of the page with these filters
	Days    []option
	Link    string // address of a new link; shown once
	Ends    time.Time
}

// shareRow is a share link as text.
type shareRow struct {
	control.Share
	Name, Filters, Author string
	Ended                 bool
}

func (c *pages) sharesPage(w http.ResponseWriter, v frame.Visit) {
	if p, ok := c.sharesPlace(w, v, v.URL.Query().Get("workspace")); ok {
		c.showShares(w, v, http.StatusOK, sharesView{Place: p}, v.URL.Query())
	}
}

// sharesPlace returns the workspace if the visitor manages it. Other visitors get an error page.
func (c *pages) sharesPlace(w http.ResponseWriter, v frame.Visit, named string) (frame.Place, bool) {
	p, ok := c.PlaceOf(w, v, named)
	if ok && !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace can share its pages. Ask an owner or admin.")
		return p, false
	}
	return p, ok
}

// showShares lists the links. The form has the values of the parameter asked.
func (c *pages) showShares(w http.ResponseWriter, v frame.Visit, status int, view sharesView, asked url.Values) {
	all, err := operation.ListShares.Do(v.Context(), c.Operations, v.Calls(view.Workspace.ID), operation.None{})
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	names, err := c.NamesIn(v.Context(), view.Workspace.ID)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	valid := 0
	for _, s := range all {
		row := shareRow{Share: s, Filters: filterWords(filtersOf(s)), Author: names.User(v.Context(), s.By), Ended: !s.Valid(c.Now())}
		if r := reportAt(s.Page); r != nil {
			row.Name = r.name
		}
		if !row.Ended {
			valid++
		}
		view.Rows = append(view.Rows, row)
	}
	if view.Heading = frame.Plural(valid, "share link") + "."; valid == 0 {
		view.Heading = "No page is shared."
	}
	chosen := cmp.Or(asked.Get("page"), frame.OverviewPath)
	for _, r := range reports {
		view.Pages = append(view.Pages, option{Name: r.name, Address: r.path, Here: r.path == chosen})
	}
	for _, days := range shareDays {
		view.Days = append(view.Days, option{Name: frame.Plural(days, "day"), Address: strconv.Itoa(days), Here: asked.Get("days") == strconv.Itoa(days) || asked.Get("days") == "" && days == shareDays[1]})
	}
	filters := filtersIn(asked)
	view.Words = filterWords(filtersOn(chosen, filters))
	for _, name := range kept {
		if value := filters.Get(name); value != "" {
			view.Filters = append(view.Filters, [2]string{name, value})
		}
	}
	if reportAt(chosen) != nil {
		view.Back = chosen + "?" + frame.WithWorkspace(view.Place, filters).Encode()
	}
	c.Render(w, v.Request, status, frame.Page{Name: "shares", Title: "Share links", View: view, Visitor: &v.Visitor})
}

// changeShares creates or revokes a link.
func (c *pages) changeShares(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.sharesPlace(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	p.Here = sharesPath
	view := sharesView{Place: p}
	var err error
	switch v.PostForm.Get("action") {
	case "create":
		err = c.share(v, &view)
	case "revoke":
		_, err = operation.RevokeShare.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), control.ShareID(v.PostForm.Get("id")))
		view.Done = "The link is revoked. Anyone who opens the link sees an error page."
	default:
		err = frame.ErrUnknownAction
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil:
		c.showShares(w, v, http.StatusOK, view, url.Values{})
	case public && fault.KindOf(err) != fault.KindForbidden:
		view.Messages = frame.Messages{Problem: frame.PublicText(err)}
		c.showShares(w, v, http.StatusUnprocessableEntity, view, v.PostForm)
	default:
		c.Fail(w, v.Request, err)
	}
}

// share creates the link that the form asks for.
func (c *pages) share(v frame.Visit, view *sharesView) error {
	page := v.PostForm.Get("page")
	filters := filtersOn(page, filtersIn(v.PostForm))
	if reportAt(page) == nil {
		return fault.Invalid("this page cannot be shared").WithHint("choose a page from the list")
	}
	if _, err := filterIn(filters, civil.DayOf(c.Now(), view.Workspace.Location())); err != nil {
		return err
	}
	days, err := strconv.Atoi(v.PostForm.Get("days"))
	if err != nil {
		return fault.Invalid("the link has no valid lifetime").WithHint("choose a lifetime from the list")
	}
	made, err := operation.CreateShare.Do(v.Context(), c.Operations, v.Calls(view.Workspace.ID), operation.NewShare{Page: page, Query: filters, Days: days})
	if err != nil {
		return err
	}
	view.Link, view.Ends = c.BaseURL+sharedPath+string(made.Secret), made.Share.ExpiresAt
	return nil
}

// maxFilter is the maximum length of a filter of a share link in bytes.
const maxFilter = 100

// filtersIn returns the filters in a query. Other parameters are left out.
func filtersIn(query url.Values) url.Values {
	filters := url.Values{}
	for _, name := range kept {
		if value := query.Get(name); value != "" && len(value) <= maxFilter {
			filters.Set(name, value)
		}
	}
	return filters
}

// filtersOn returns the filters that apply to the figures of a page.
func filtersOn(page string, filters url.Values) url.Values {
	on := url.Values{}
	for name, values := range filters {
		if r := reportAt(page); r != nil && r.uses.has(name) {
			on[name] = values
		}
	}
	return on
}

// filterWords describes filters: "Last 7 days · Google Ads".
func filterWords(query url.Values) string {
	words := []string{presets[0].name}
	for _, p := range presets {
		if p.key == query.Get(rangeParam) {
			words[0] = p.name
		}
	}
	if first, last := query.Get(startParam), query.Get(endParam); first != "" || last != "" {
		words[0] = first + " – " + last
	}
	switch comparison(query.Get(compareParam)) {
	case previousYear:
		words = append(words, "compared with one year earlier")
	case noComparison:
		words = append(words, "no comparison")
	case previousPeriod:
	}
	if channel := query.Get(channelParam); channel != "" {
		words = append(words, frame.ChannelName(channel))
	}
	if model := measure.Model(query.Get(modelParam)); slices.Contains(models(), model) {
		words = append(words, modelName(model))
	}
	return strings.Join(words, " · ")
}

// opened shows the page of a share link without sign-in. The query of the request sorts and pages the tables. The link
// determines the page and the filters. Unknown, expired and revoked links have the same answer.
func (c *pages) opened(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		c.sharedRefusal(w, r, http.StatusMethodNotAllowed, "Share links are read-only. Open the link in a browser.")
		return
	}
	if wait := c.opens(r); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
		c.sharedRefusal(w, r, http.StatusTooManyRequests, "Too many requests. Try again in a minute.")
		return
	}
	link, workspace, err := c.Store.ShareByHash(r.Context(), people.Secret(r.PathValue("secret")).Hash())
	page := reportAt(link.Page)
	if fault.KindOf(err) == fault.KindNotFound || err == nil && (!link.Valid(c.Now()) || page == nil) {
		c.sharedRefusal(w, r, http.StatusNotFound, "This link does not exist, or it has expired or was revoked. Ask the person who sent the link for a new link.")
		return
	}
	var view *reportView
	if err == nil {
		view, err = c.shared(r, link, workspace, page)
	}
	if err != nil {
		c.Log.ErrorContext(r.Context(), "shared page", slog.String("link", string(link.ID)), slog.Any("error", err))
		c.sharedRefusal(w, r, http.StatusInternalServerError, "The page cannot be opened because of an internal error. Try again later.")
		return
	}
	c.Render(w, r, http.StatusOK, frame.Page{Name: "report", Title: view.Heading, View: view, Shared: &frame.Shared{
		Workspace: workspace.Name, Page: page.name, Filters: filterWords(filtersOf(link)), Ends: link.ExpiresAt,
	}})
}

// touchAfter is the minimum time between two records of the last use of a link.
const touchAfter = time.Minute

func filtersOf(link control.Share) url.Values {
	query, _ := url.ParseQuery(link.Query) // the service encoded it
	return filtersOn(link.Page, filtersIn(query))
}

// shared fills in the page of a link with read-only permission, and removes all links to other pages.
func (c *pages) shared(r *http.Request, link control.Share, w control.Workspace, page *namedReport) (*reportView, error) {
	if now := c.Now(); now.Sub(link.LastUsed) >= touchAfter {
		if err := c.Store.TouchShare(r.Context(), link.ID, now); err != nil {
			return nil, err
		}
	}
	stored := r.Clone(r.Context())
	stored.URL = &url.URL{Path: link.Page, RawQuery: filtersOf(link).Encode()}
	request := &request{
		pages: c, Visit: frame.Visit{Request: stored, Actor: "share:" + string(link.ID)},
		Place: frame.Place{Membership: control.Membership{Workspace: w, Role: control.RoleViewer}, Here: link.Page},
		uses:  page.uses,
	}
	view, err := request.filled(page.fill)
	if err != nil {
		return nil, err
	}
	return view.withoutLinks(&url.URL{Path: r.URL.Path, RawQuery: tableState(r.URL.Query()).Encode()}), nil
}

// tableState returns only the query parameters for sorting and paging tables.
func tableState(query url.Values) url.Values {
	state := url.Values{}
	for name, values := range query {
		if last := name[strings.LastIndexByte(name, '.')+1:]; last == "sort" || last == "page" {
			state[name] = values[:1]
		}
	}
	return state
}

// withoutLinks removes links, calls and controls from a page. Tables are sorted and paged at the address u.
func (v *reportView) withoutLinks(u *url.URL) *reportView {
	v.Bar, v.Start = nil, nil
	if v.Goal != nil {
		v.Goal.Address = ""
	}
	for _, blocks := range [][]block{v.Blocks, v.Side} {
		for i := range blocks {
			b := &blocks[i]
			b.More, b.Plain = option{}, true
			b.Article, b.CSV, b.Picture, b.Call = "", "", "", nil
			if b.Table == nil {
				continue
			}
			unlink(b.Table.Rows)
			if total := b.Table.Total; total != nil {
				unlink([]frame.Row{*total}) // the copied row shares its cells with the total
			}
			b.Table.Show(u)
		}
	}
	return v
}

func unlink(rows []frame.Row) {
	for i := range rows {
		rows[i].Toggle = ""
		for j := range rows[i].Cells {
			rows[i].Cells[j].Href = ""
		}
		unlink(rows[i].Detail)
	}
}

func (c *pages) sharedRefusal(w http.ResponseWriter, r *http.Request, status int, text string) {
	c.Render(w, r, status, frame.Page{Name: "refusal", Title: http.StatusText(status), View: text, Shared: &frame.Shared{}})
}
