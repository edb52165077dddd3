package tools

import "assay/internal/mcp"

var emailLifecycle = defineLater[emailLifecycleParams](mcp.Spec{
	Name:        "email_lifecycle",
	Title:       "Email and SMS",
	Description: "Mail and text-message figures as the sending tool reports them: revenue, opens, clicks, top campaigns and flows.",
})

type emailLifecycleParams struct {
	last30
	Channel    string `json:"channel" enum:"all|email|sms" doc:"Kind of message."`
	EntityType string `json:"entity_type" enum:"all|campaign|flow" doc:"What is ranked."`
	Limit      int    `json:"limit" default:"5" min:"1" max:"100" doc:"Top campaigns and flows."`
	shared
}
