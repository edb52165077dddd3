package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/health"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// Diagnose is the `diagnose` tool.
var Diagnose = toolkit.Define(toolkit.Spec{
	Name:        "diagnose",
	Title:       "Health check",
	Description: "Lists problems with the store's data, sources, API keys or models, and how to fix them. Use it when other tools return no data.",
	Uncached:    true, // the answer depends on the expiry of keys
}, runDiagnose)

type diagnoseParams struct{ answer.Shared }

// DiagnoseAnswer is the answer of the `diagnose` tool.
type DiagnoseAnswer struct {
	answer.Opening
	Status      string              `json:"status" doc:"Worst severity of the rows: ok, info, warning or error."`
	Checks      int                 `json:"checks" doc:"Number of checks."`
	Connections []health.Connection `json:"connections,omitempty" doc:"Data delivered by each source. Only in JSON with detail_level=debug."`
	Imports     []health.ImportLine `json:"imports,omitempty" doc:"The latest imports, newest first. Only in JSON with detail_level=debug."`
	FixedDay    civil.Date          `json:"fixed_day,omitzero" doc:"Fixed date of a demo store. Times of imports are actual times."`
	answer.Table[health.Finding]
	answer.Closing
}

func runDiagnose(ctx context.Context, c *toolkit.Call, _ diagnoseParams) (*DiagnoseAnswer, error) {
	imports, err := c.Imports(ctx, health.CheckedImports)
	if err != nil {
		return nil, err
	}
	found, err := health.Check(ctx, c, imports)
	if err != nil {
		return nil, err
	}
	a := &DiagnoseAnswer{Status: string(found[0].Severity), Checks: len(found)}
	if c.Frozen() {
		a.FixedDay = c.Today
	}
	a.ShowAll(true)
	a.Summary = diagnoseSummary(found) + " " + c.ModelSentence()
	a.Rows = found
	if c.View.DetailLevel == answer.DebugLevel && c.View.Format == answer.JSONFormat {
		if a.Connections, err = health.Connections(ctx, c); err != nil {
			return nil, err
		}
		a.Imports = health.ImportLines(imports)
	}
	if c.View.DetailLevel == answer.SummaryLevel {
		a.Rows = slices.DeleteFunc(slices.Clone(found), func(f health.Finding) bool { return f.Severity == health.SeverityOK })
	}
	c.Suggest(&a.Closing, "discover", map[string]any{"aspect": string(integrationsAspect)}, "See the date range and missing days of each data source.")
	if !c.Store.Empty() {
		c.Suggest(&a.Closing, "performance", map[string]any{}, "See revenue, spend and ROAS of the last 30 days and today.")
	}
	c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String()}, snapshot.FromOrders, snapshot.FromAds)
	return a, nil
}

func diagnoseSummary(found []health.Finding) string {
	count := map[health.Severity]int{}
	for _, f := range found {
		count[f.Severity]++
	}
	text := fmt.Sprintf("%d checks found %s and %s.", len(found), answer.Plural(count[health.SeverityError], "error", "errors"), answer.Plural(count[health.SeverityWarning], "warning", "warnings"))
	if found[0].Severity == health.SeverityError || found[0].Severity == health.SeverityWarning {
		text += " Check this first: " + found[0].Line()
	}
	return text
}
