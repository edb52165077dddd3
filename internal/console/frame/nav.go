package frame

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"assay/internal/control"
)

// Paths of workspace pages that pages of other groups link to.
const (
	OverviewPath   = "/"
	AskPath        = "/ask"
	WorkspacesPath = "/workspaces"
	SharesPath     = "/shares"
)

// link is a page in the navigation.
type link struct {
	path, name string
	answers    bool // shows answers of tools
	manages    bool // for owners and admins
}

// linkGroup is a group of pages in the navigation.
type linkGroup struct {
	name   string
	folded bool // closed unless it has the current page
	keeps  bool // links keep the filters of the current page
	links  []link
}

// navigation lists the pages of a workspace. A new page needs one line here.
var navigation = []linkGroup{
	{name: "Performance", keeps: true, links: []link{
		{path: OverviewPath, name: "Overview", answers: true},
		{path: "/channels", name: "Channels", answers: true},
		{path: "/campaigns", name: "Campaigns", answers: true},
		{path: "/customers", name: "Customers", answers: true},
		{path: "/products", name: "Products", answers: true},
		{path: "/creators", name: "Creators", answers: true},
		{path: "/email", name: "Email & SMS", answers: true},
		{path: "/surveys", name: "Surveys", answers: true},
		{path: "/surfaces", name: "Sales surfaces", answers: true},
	}},
	{name: "Measurement", links: []link{
		{path: ModelsPath, name: "Media mix model"},
		{path: OptimizerPath, name: "Budget optimizer"},
		{path: "/experiments", name: "Experiments"},
		{path: "/forecasts", name: "Forecasts & targets"},
	}},
	{name: "Action", links: []link{
		{path: "/decisions", name: "Decisions", answers: true},
		{path: "/insights", name: "Insights", answers: true},
		{path: AlertsPath, name: "Alerts"},
		{path: BudgetChangesPath, name: "Budget changes"},
	}},
	{name: "Setup", folded: true, links: []link{
		{path: "/data", name: "Data"},
		{path: "/connections", name: "Connections"},
		{path: "/costs", name: "Costs", answers: true},
		{path: "/connect", name: "Connect an app"},
		{path: "/apps", name: "Connected apps"},
		{path: "/keys", name: "API keys"},
		{path: "/people", name: "Members"},
		{path: SharesPath, name: "Share links", answers: true, manages: true},
		{path: "/calls", name: "Call log"},
		{path: "/security", name: "Audit log", manages: true},
		{path: "/settings", name: "Settings"},
	}},
}

// nav is the navigation of a page.
type nav struct {
	Place
	Name   string // name of the current page, "" if it is not in the navigation
	Groups []navGroup
	Asks   bool   // questions can be asked
	Share  string // address of the form that shares the page, "" if the visitor cannot share it
}

type navGroup struct {
	Name   string
	Folded bool
	Open   bool
	Links  []navLink
}

// navLink is a link of the navigation.
type navLink struct {
	Address, Name string
	Here          bool // the link leads to the current page
	Waiting       int  // items that wait for the visitor
}

// navOf returns the navigation of a page.
func navOf(p Place, answers bool) *nav {
	n := &nav{Place: p, Asks: answers}
	for _, g := range navigation {
		shown := navGroup{Name: g.name, Folded: g.folded}
		for _, l := range g.links {
			if l.answers && !answers || l.manages && !p.Manages() {
				continue
			}
			to := navLink{Name: l.name, Address: l.address(p, g.keeps), Here: l.path == p.Here}
			if l.path == BudgetChangesPath {
				to.Waiting = p.Waiting
			}
			if to.Here {
				n.Name, shown.Open = l.name, true
				if g.keeps && p.Manages() {
					n.Share = SharesPath + "?" + WithWorkspace(p, p.Kept).Encode() + "&" + url.Values{"page": {l.path}}.Encode()
				}
			}
			shown.Links = append(shown.Links, to)
		}
		if len(shown.Links) > 0 {
			n.Groups = append(n.Groups, shown)
		}
	}
	return n
}

func (l link) address(p Place, keeps bool) string {
	query := url.Values{}
	if keeps {
		query = p.Kept
	}
	return l.path + "?" + WithWorkspace(p, query).Encode()
}

// WithWorkspace returns a copy of a query with the workspace of the page.
func WithWorkspace(p Place, query url.Values) url.Values {
	with := url.Values{"workspace": {string(p.Workspace.ID)}}
	maps.Copy(with, query)
	return with
}

// Initial returns the first letter of the workspace's name.
func (n nav) Initial() string {
	for _, letter := range n.Workspace.Name {
		return strings.ToUpper(string(letter))
	}
	return "A"
}

// Others returns the visitor's other workspaces.
func (n nav) Others() []control.Membership {
	return slices.DeleteFunc(slices.Clone(n.All), func(m control.Membership) bool { return m.Workspace.ID == n.Workspace.ID })
}
