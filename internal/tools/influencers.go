package tools

import (
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
)

var influencers = defineLater[influencersParams](mcp.Spec{
	Name:        "influencers",
	Title:       "Influencers",
	Description: "Influencers and affiliates: list them, look at one, compare some or rank them. For all signals of a creator use creators.",
})

type influencersParams struct {
	Action        string     `json:"action" enum:"list|performance|compare|top_performers" required:"true" doc:"What to show."`
	View          string     `json:"view" enum:"overview" doc:"Deprecated: action=list."`
	InfluencerID  string     `json:"influencer_id" doc:"For action=performance."`
	InfluencerIDs []string   `json:"influencer_ids" doc:"For action=compare."`
	SortBy        string     `json:"sort_by" enum:"revenue|orders|clicks|conversions|roi" default:"revenue" doc:"For list and top_performers."`
	Platform      string     `json:"platform" doc:"Only this social platform."`
	Limit         int        `json:"limit" default:"25" min:"1" max:"100" doc:"Rows."`
	StartDate     civil.Date `json:"start_date" doc:"First day."`
	EndDate       civil.Date `json:"end_date" doc:"Last day."`
	Offset        int        `json:"offset" default:"0" min:"0" doc:"Rows to skip."`
	shared
}

// Check refuses a reversed period and an action without the ids it is about.
func (p influencersParams) Check() error {
	switch {
	case p.Action == "performance" && p.InfluencerID == "":
		return fault.Invalid("action=performance needs influencer_id").WithHint("action=list shows the ids.")
	case p.Action == "compare" && len(p.InfluencerIDs) == 0:
		return fault.Invalid("action=compare needs influencer_ids").WithHint("action=list shows the ids.")
	}
	return checkOrder("start_date", p.StartDate, "end_date", p.EndDate)
}
