package tools

import (
	"context"
	"slices"

	"assay/internal/fault"
	"assay/internal/mcp"
)

// absence says why a tool has no answers yet, and what to use meanwhile.
type absence struct {
	tool    string
	needs   string // what its answers will rest on
	instead string // what helps now
}

// notYet lists the tools whose arguments are checked and that have no answers yet. It is the only list of
// them: a tool that is built leaves it and its file gets a handler.
var notYet = []absence{
	{"autopilot_plan", "a trained media mix model and experiments", "performance and trends show where to look"},
	{"insights", "insights made by scheduled work", "trends and compare show what changed"},
	{"decision_feed", "readiness, confidence and calibration of models", "diagnose shows what to put right"},
	{"manage", "the records it changes", "assay import loads coupon mappings from a file"},
	{"propose_budget_shift", "a connected ad platform", "campaigns shows spend by campaign"},
	{"pause_campaign", "a connected ad platform", "campaigns shows spend by campaign"},
	{"resume_campaign", "a connected ad platform", "campaigns shows spend by campaign"},
	{"explain", "a knowledge base", "the resource assay://guide explains the figures"},
	{"ask", "a reader of questions in plain language", "performance, trends and compare take dates and channels"},
}

// unavailable returns why a tool has no answers, nil when it has.
func unavailable(tool string) *absence {
	at := slices.IndexFunc(notYet, func(a absence) bool { return a.tool == tool })
	if at < 0 {
		return nil
	}
	return &notYet[at]
}

// defineLater makes a tool of the list: it checks its arguments and says what it needs.
func defineLater[P any](spec mcp.Spec) Tool {
	spec.Repeatable = spec.Repeatable || !spec.Writes
	return mcp.NewTool(spec, func(context.Context, *Call, P) (*statement, error) {
		a := unavailable(spec.Name)
		return nil, fault.NotReady("%s is not available yet: it needs %s", spec.Name, a.needs).
			WithHint("Meanwhile: %s.", a.instead)
	})
}

// statement is an answer without figures.
type statement struct {
	opening
	table[struct{}]
	closing
}
