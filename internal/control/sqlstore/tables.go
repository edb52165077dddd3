package sqlstore

// copied lists the tables with control data, each after the tables that it refers to. The tables of migrations, of the
// health check and of the installation belong to a database and are not copied.
var copied = []string{
	"workspaces", "users", "memberships", "invitations", "sessions", "api_keys",
	"oauth_clients", "oauth_requests", "oauth_grants", "oauth_codes", "oauth_refresh_tokens",
	"events", "calls", "forgotten_customers", "mappings", "experiments", "forecasts", "models", "jobs",
	"share_links", "hook_secrets", "deliveries", "budget_changes", "budget_previews", "guardrails", "connections",
	"annotations", "reports", "dismissed_insights",
	"alerts", "alert_events", "alert_destinations", "alert_messages", "alert_message_events", "weekly_readers", "import_tokens",
}
