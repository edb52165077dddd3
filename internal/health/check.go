// Package health checks a workspace's data, sources, imports, API keys, webhooks, ad accounts, backups, settings and
// model, and describes the data that each source delivered.
package health

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// severities lists the severities, worst first.
var severities = []Severity{SeverityError, SeverityWarning, SeverityInfo, SeverityOK}

// CheckedImports is the number of imports, latest first, that the checks and the list of imports need.
const CheckedImports = 500

const keyEndsSoon = 14 * 24 * time.Hour // remaining lifetime from which an expiring key is reported

// Check runs all checks and returns their findings, the most severe first. The parameter imports contains the latest
// entries of the import ledger.
func Check(ctx context.Context, c *toolkit.Call, imports []warehouse.ImportRecord) ([]Finding, error) {
	found := append(checkFacts(c), checkSources(c)...)
	found = append(found, checkImports(c, imports))
	history, err := checkHistory(ctx, c)
	if err != nil {
		return nil, err
	}
	keys, err := checkKeys(ctx, c)
	if err != nil {
		return nil, err
	}
	hooks, err := checkHooks(ctx, c)
	if err != nil {
		return nil, err
	}
	accounts, err := checkAccounts(ctx, c)
	if err != nil {
		return nil, err
	}
	found = slices.Concat(found, []Finding{history}, keys, hooks, accounts, checkBackups(c), checkSettings(c), []Finding{checkModel(c)})
	slices.SortStableFunc(found, func(a, b Finding) int {
		return slices.Index(severities, a.Severity) - slices.Index(severities, b.Severity)
	})
	return found, nil
}

func checkFacts(c *toolkit.Call) []Finding {
	if c.Store.OrderDays.Days() == 0 {
		return []Finding{{
			Check: "orders", Severity: SeverityError, Finding: "The store has no orders.",
			Fix: "Import the store's order export: assay import FILE --workspace " + string(c.Workspace.ID),
		}}
	}
	out := []Finding{{Check: "orders", Severity: SeverityOK, Finding: fmt.Sprintf("The store has %s from %s to %s.", answer.Plural(int(c.Store.Orders), "order", "orders"),
		c.Store.OrderDays.First, c.Store.OrderDays.Last)}}
	if behind := c.Today.Sub(c.Store.OrderDays.Last); behind > snapshot.StaleAfter {
		out[0] = Finding{
			Check: "orders", Severity: SeverityWarning, Finding: fmt.Sprintf("The last order is from %s, %d days ago.", c.Store.OrderDays.Last, behind),
			Fix: "Import the orders after this date.",
		}
	}
	if c.Store.AdDays.Days() == 0 {
		out = append(out, Finding{
			Check: "ad_reports", Severity: SeverityWarning, Finding: "The store has no ad reports: spend, ROAS and campaigns are unknown.",
			Fix: "Import each platform's daily campaign report: assay import FILE --workspace " + string(c.Workspace.ID),
		})
	}
	if c.Store.Counts["touches"] == 0 {
		out = append(out, Finding{
			Check: "touchpoints", Severity: SeverityInfo, Finding: "No order has a touchpoint. The source or discount code of an order therefore determines the order's channel.",
			Fix: "Import orders with visits or UTM parameters.",
		})
	}
	if c.Store.Counts["order_lines"] == 0 {
		out = append(out, Finding{Check: "order_lines", Severity: SeverityInfo, Finding: "No order has line items: the `products` tool has no data.", Fix: "Import an order export with line items."})
	}
	return out
}

func checkSources(c *toolkit.Call) []Finding {
	var out []Finding
	for _, s := range c.Store.Sources {
		out = append(out, checkSource(c, s))
	}
	return out
}

func checkSource(c *toolkit.Call, s warehouse.SourceState) Finding {
	f := Finding{Check: "source " + answer.Clean(s.Source) + " (" + s.Kind + ")", Severity: SeverityWarning}
	switch c.SourceStatus(s) {
	case "stale":
		behind := c.Today.Sub(s.Days.Last)
		f.Finding, f.Fix = fmt.Sprintf("The last day with data is %s, %d days ago.", s.Days.Last, behind), "Import the data source's report for the days through yesterday."
		f.about = fmt.Sprintf("a data source of kind %s has no data after %s (%d days ago)", s.Kind, s.Days.Last, behind)
	case "gaps":
		f.Finding = fmt.Sprintf("%s missing between %s and %s. The latest missing day is %s.", answer.Plural(int(s.MissingDays), "day is", "days are"),
			s.Days.First, s.Days.Last, s.LastGap)
		f.Fix = "If ads ran on the missing days, import the report for these days again. Days without ads have no rows."
		f.about, f.Gap = fmt.Sprintf("a data source of kind %s has missing days (latest: %s)", s.Kind, s.LastGap), s.LastGap
	default:
		f.Severity, f.Finding = SeverityOK, "The source has "+answer.Plural(int(s.Rows), "row", "rows")+"."
		if s.Days.Days() > 0 {
			f.Finding = fmt.Sprintf("The data cover %s to %s without gaps.", s.Days.First, s.Days.Last)
		}
	}
	return f
}

func checkImports(c *toolkit.Call, imports []warehouse.ImportRecord) Finding {
	if len(imports) == 0 {
		return Finding{Check: "imports", Severity: SeverityError, Finding: "No data have been imported.", Fix: "Import a file: assay import FILE --workspace " + string(c.Workspace.ID)}
	}
	f := Finding{Check: "imports", Severity: SeverityOK, Finding: fmt.Sprintf("The last import was on %s.", c.RealDay(imports[0].At))}
	if c.Frozen() {
		f.Finding = fmt.Sprintf("The last import ran on %s (actual time). The store's date is fixed at %s.", c.RealDay(imports[0].At), c.Today)
	}
	return f
}

// checkKeys checks for API keys that expire soon. It also checks for keys without expiry that may execute changes.
func checkKeys(ctx context.Context, c *toolkit.Call) ([]Finding, error) {
	if c.Keys == nil {
		return nil, nil
	}
	keys, err := c.Keys.Keys(ctx, c.Workspace.ID)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	var ending, mighty []string
	valid := 0
	for _, k := range keys {
		if !k.Valid(c.Real) {
			continue
		}
		valid++
		if !k.ExpiresAt.IsZero() && k.ExpiresAt.Sub(c.Real) < keyEndsSoon {
			ending = append(ending, answer.Clean(k.Name))
		}
		if k.ExpiresAt.IsZero() && slices.Contains(k.Scopes, control.ScopeApprove) {
			mighty = append(mighty, answer.Clean(k.Name))
		}
	}
	var out []Finding
	if len(ending) > 0 {
		out = append(out, Finding{
			Check: "keys", Severity: SeverityWarning, Finding: "These API keys expire within 14 days: " + answer.Listed(ending) + ".", Fix: "Rotate expiring API keys: assay keys rotate ID",
			about: answer.Plural(len(ending), "API key expires", "API keys expire") + " within 14 days",
		})
	}
	if len(mighty) > 0 {
		out = append(out, Finding{
			Check: "keys", Severity: SeverityInfo, Finding: "These API keys may execute changes and never expire: " + answer.Listed(mighty) + ".",
			Fix: "Replace them with keys that have an expiry date.",
		})
	}
	if len(out) == 0 {
		out = []Finding{{Check: "keys", Severity: SeverityOK, Finding: answer.Plural(valid, "API key is", "API keys are") + " valid."}}
	}
	return out, nil
}

const (
	hooksSilent = 7 * 24 * time.Hour // time without messages before a warning
	hooksLate   = 1000               // number of pending messages before a warning
)

// checkHooks checks for received webhook messages that are not in the figures, and for missing messages. A workspace
// without webhooks has nothing to check.
func checkHooks(ctx context.Context, c *toolkit.Call) ([]Finding, error) {
	if c.Hooks == nil {
		return nil, nil
	}
	h, err := c.Hooks.HookState(ctx, c.Workspace.ID)
	if err != nil || h.Secrets == 0 {
		return nil, err
	}
	f := Finding{Check: "webhooks", Severity: SeverityOK, Finding: "The last message arrived on " + h.Last.UTC().Format("2006-01-02 15:04 UTC") + "."}
	switch {
	case h.Unusable > 0:
		f.Severity, f.Finding = SeverityWarning, fmt.Sprintf("%s could not be processed. Latest error: %s.", answer.Plural(h.Unusable, "message", "messages"), answer.Clean(h.Problem))
		f.Fix = "Import the orders of the affected days from an export."
		f.about = answer.Plural(h.Unusable, "webhook message", "webhook messages") + " could not be processed"
	case h.Waiting > hooksLate:
		f.Severity, f.Finding, f.Fix = SeverityWarning, fmt.Sprintf("%d messages are waiting to be processed.", h.Waiting), "Check the service's log for errors."
	case h.Last.IsZero():
		f.Severity, f.Finding = SeverityInfo, "A webhook secret is stored, but no message has arrived."
		f.Fix = "In Shopify, send webhooks to /api/webhooks/shopify/" + string(c.Workspace.ID) + "."
	case c.Real.Sub(h.Last) > hooksSilent:
		f.Severity, f.Finding = SeverityWarning, f.Finding+" No message has arrived since then."
		f.Fix = "Check in Shopify that the webhooks still exist: Shopify removes webhooks with failing deliveries."
	}
	return []Finding{f}, nil
}

// checkBackups checks scheduled backups of the installation. Without a schedule there is nothing to check.
func checkBackups(c *toolkit.Call) []Finding {
	if c.Backups == nil {
		return nil
	}
	s := c.Backups()
	switch {
	case !s.Scheduled:
		return nil
	case s.Problem != "":
		return []Finding{{
			Check: "backups", Severity: SeverityError, Finding: s.Problem, Fix: s.Fix, about: "a scheduled backup is missing or failed",
		}}
	case s.Last.IsZero():
		return []Finding{{
			Check: "backups", Severity: SeverityInfo, Finding: "The first scheduled backup is not complete yet.", Fix: "Check again later.",
		}}
	}
	return []Finding{{
		Check: "backups", Severity: SeverityOK, Finding: "The last backup is dated " + s.Last.UTC().Format("2006-01-02 15:04 UTC") + ".",
	}}
}

func checkSettings(c *toolkit.Call) []Finding {
	zone := Finding{Check: "zone", Severity: SeverityOK, Finding: "Days start at midnight in " + c.Workspace.Zone + "."}
	if c.Workspace.Zone == "UTC" {
		zone = Finding{
			Check: "zone", Severity: SeverityInfo, Finding: "Days start at midnight UTC.",
			Fix: "Set the workspace's time zone if the store is in another time zone.",
		}
	}
	limit := Finding{Check: "limits", Severity: SeverityOK, Finding: "The rate limit (requests per minute) depends on the order volume."}
	if c.Workspace.RatePerMin > 0 {
		limit.Finding = fmt.Sprintf("The rate limit is %d requests per minute.", c.Workspace.RatePerMin)
	}
	return []Finding{zone, limit}
}
