package performance

import (
	"assay/internal/console/frame"
	"assay/internal/tools"
)

// start lists the steps from an empty store to the first answer in a connected app.
type start struct {
	Steps []step
	Gains [][2]string
}

// step is one step from an empty store to the first answer.
type step struct {
	Title, Why, Button, Address string
	Done, Next                  bool
}

// empty returns the overview of a store without orders.
func (r *request) empty(a *tools.DiagnoseAnswer) *reportView {
	at := func(path string) string { return path + "?workspace=" + string(r.Place.Workspace.ID) }
	has := map[string]bool{}
	for _, c := range a.Connections {
		has[c.Kind] = c.Rows > 0
	}
	w := r.Place.Workspace
	s := &start{Steps: []step{
		{Title: "Create the workspace", Why: w.Name + " · " + string(w.Currency) + " · " + w.Zone, Done: true},
		{
			Title: "Import orders", Why: "A Shopify, WooCommerce or Amazon export, or any CSV file.", Button: "Import orders", Address: at("/data"),
			Done: has["orders"],
		},
		{
			Title: "Import ad spend", Why: "Google Ads, Facebook Ads, TikTok Ads, Amazon Ads or a CSV file.", Button: "Import ads", Address: at("/data"),
			Done: has["ads"],
		},
		{Title: "Connect an app", Why: "Claude, ChatGPT, Cursor or any MCP client.", Button: "Connect", Address: at("/connect")},
		{Title: "Ask the first question", Why: "“How did the store do last month?”", Button: "Ask", Address: at(frame.AskPath)},
	}}
	done := 0
	for _, one := range s.Steps {
		if one.Done {
			done++
		}
	}
	for i := range s.Steps {
		if !s.Steps[i].Done {
			s.Steps[i].Next = true
			break
		}
	}
	s.Gains = [][2]string{
		{"With orders", "Revenue, orders, AOV, new customers, products, cohorts"},
		{"With ad spend", "Spend, MER, CAC, attribution by channel"},
		{"With at least 40 weeks of orders and ad spend", "Media mix model and budget optimizer"},
	}
	return &reportView{
		Heading: "Step " + frame.Count(int64(done+1)) + " of " + frame.Count(int64(len(s.Steps))) + ": import orders.",
		Lead:    "The first figures appear when the import ends.", Start: s,
	}
}
