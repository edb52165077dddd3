package tools

import "assay/internal/mcp"

var creators = defineLater[creatorsParams](mcp.Spec{
	Name:        "creators",
	Title:       "Creators",
	Description: "Creators by all signals together: survey mentions, codes, link clicks and referrals, with return on their cost.",
})

type creatorsParams struct {
	anyTime
	CreatorID string `json:"creator_id" doc:"Details of one creator."`
	SortBy    string `json:"sort_by" enum:"total_revenue|total_orders|roi|blended_confidence" doc:"Largest first."`
	Limit     int    `json:"limit" default:"20" min:"1" max:"100" doc:"Creators to show."`
	shared
}
