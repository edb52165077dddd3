package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"strings"

	"assay/internal/answer"
	"assay/internal/ask"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// Ask is the ask tool.
var Ask = toolkit.Define(toolkit.Spec{
	Name:        "ask",
	Title:       "Ask in plain language",
	Description: "Answer a question in plain language by calling the right tools. With known dates or filters, call the matching tool directly.",
	Asks:        true,
	Uncached:    true, // the answers of the tools that it calls are cached
	Arguments:   map[string]any{"question": "How much revenue did we make last week?"},
}, runAsk)

type askParams struct {
	Question string `json:"question" required:"true" doc:"The question."`
	answer.Shared
}

// AskAnswer is the answer of the ask tool.
type AskAnswer struct {
	answer.Opening
	Assumptions  []string      `json:"assumptions,omitempty" doc:"How dates, channels and misspelled words were interpreted."`
	Alternatives []answer.Next `json:"alternatives,omitempty" doc:"Other interpretations of the question."`
	Examples     []string      `json:"examples,omitempty" doc:"Example questions, if this question is out of scope."`
	answer.Table[AskedCall]
	answer.Closing
}

// AskedCall is a tool call that answers a part of the question.
type AskedCall struct {
	Tool           string          `json:"tool"`
	Arguments      map[string]any  `json:"arguments"`
	Status         AskedStatus     `json:"status"`
	Interpretation string          `json:"interpretation,omitempty" detail:"analyst" doc:"The figures in a sentence."`
	Problem        string          `json:"problem,omitempty" doc:"Why there is no result, and what to do."`
	Result         json.RawMessage `json:"result,omitempty" doc:"The tool's answer. Rows that exceed the size limit are omitted."`
}

// AskedStatus is the outcome of a part of a question.
type AskedStatus string

// The outcomes.
const (
	askAnswered    AskedStatus = "answered"
	askFailed      AskedStatus = "failed"        // the tool returned an error
	askIncomplete  AskedStatus = "incomplete"    // the question lacks required arguments
	askProposed    AskedStatus = "proposed"      // the tool writes: next has the preview, no tool was called
	askUnavailable AskedStatus = "not_available" // the caller may not call the tool
)

// askExamples are questions that can be asked about every store.
var askExamples = []string{
	"How much revenue did we make last week, by channel?", "Compare this month with last month.",
	"Which campaigns had the best ROAS in the last 30 days?",
}

func runAsk(ctx context.Context, c *toolkit.Call, p askParams) (*AskAnswer, error) {
	q := ask.Question{
		Text: p.Question, Today: c.Today, Previous: c.Questions.Previous(), Decimals: c.Workspace.Currency.Exponent(),
		Names: func() []ask.Name { return namesToAsk(ctx, c) },
	}
	plan := c.Questions.Translator.Improve(ctx, c.Questions.Language, q, c.Questions.Translator.Translate(q))
	a := &AskAnswer{Assumptions: plan.Assumptions}
	a.Rows = []AskedCall{}
	for _, call := range plan.Calls {
		row, err := answerPart(ctx, c, a, call)
		if err != nil {
			return nil, err
		}
		a.Rows = append(a.Rows, row)
		if row.Status == askAnswered {
			c.Questions.Remember(call)
		}
	}
	for _, other := range plan.Alternatives {
		a.Alternatives = append(a.Alternatives, answer.Next{Tool: other.Tool, Arguments: other.Arguments, Reason: "Another interpretation of the question."})
	}
	a.Summary = askSummary(a)
	if len(a.Rows) == 0 {
		a.Examples = askExamples
	}
	c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String()}, snapshot.FromOrders, snapshot.FromAds)
	return a, fitResults(a, c.View)
}

// answerPart makes one call. A call that writes becomes a suggestion.
func answerPart(ctx context.Context, c *toolkit.Call, a *AskAnswer, call ask.Call) (AskedCall, error) {
	row := AskedCall{Tool: call.Tool, Arguments: call.Arguments}
	switch {
	case !c.Principal.MayCall(call.Tool):
		row.Status = askUnavailable
		row.Problem = fmt.Sprintf("This key may not call %s. Use a key without an allow-list.", call.Tool)
	case len(call.Missing) > 0:
		row.Status = askIncomplete
		row.Problem = fmt.Sprintf("The question does not contain `%s`. Add this value to the question, or call `%s`.", strings.Join(call.Missing, "`, `"), call.Tool)
	case call.Writes:
		row.Status = askProposed
		row.Problem = fmt.Sprintf("A question cannot change anything. Call %s to preview the change, then confirm the change.", call.Tool)
		c.Suggest(&a.Closing, call.Tool, call.Arguments, "Preview the change. A preview changes nothing.")
	default:
		return callPart(ctx, c, row, call)
	}
	return row, nil
}

// callPart calls the tool with the level of detail of the question and without metadata.
func callPart(ctx context.Context, c *toolkit.Call, row AskedCall, call ask.Call) (AskedCall, error) {
	args, err := json.Marshal(toolkit.With(toolkit.With(maps.Clone(call.Arguments), "detail_level", c.View.DetailLevel), "compact", true))
	if err != nil {
		return row, err
	}
	encoded, err := c.Questions.Run(ctx, call.Tool, args)
	if err != nil {
		if text, hint, public := fault.Public(err); public { // Run returns failures as errors, not as results
			row.Status, row.Problem = askFailed, strings.TrimSpace(text+" "+hint)
			return row, nil
		}
		return row, err
	}
	var result mcp.CallResult
	if err := json.Unmarshal(encoded, &result); err != nil {
		return row, err
	}
	if result.IsError {
		row.Status, row.Problem = askFailed, result.Content[0].Text
		return row, nil
	}
	row.Status, row.Result = askAnswered, result.StructuredContent
	row.Interpretation = ask.Interpret(call, result.StructuredContent)
	if call.Tool == "explain" { // its articles are fixed texts
		var article struct{ Summary string }
		if err := json.Unmarshal(result.StructuredContent, &article); err != nil {
			return row, err
		}
		row.Interpretation = "explain: " + article.Summary
	}
	return row, nil
}

// askSummary states the figures of all parts, or that the question is out of scope. The summary contains no text of the
// results, except the fixed texts of explain.
func askSummary(a *AskAnswer) string {
	if len(a.Rows) == 0 {
		return "This question is out of scope: the tools answer questions about the store's sales, marketing, customers and measurement. " +
			"See the examples."
	}
	var parts []string
	for _, row := range a.Rows {
		switch {
		case row.Interpretation != "":
			parts = append(parts, row.Interpretation)
		case row.Status == askFailed:
			parts = append(parts, "The `"+row.Tool+"` tool returned an error.")
		default:
			parts = append(parts, row.Problem)
		}
	}
	return strings.Join(parts, " ")
}

// namesToAsk returns the names in the store that a question may contain, such as those of campaigns. A question can be
// answered without the names, so a failure is only logged.
func namesToAsk(ctx context.Context, c *toolkit.Call) []ask.Name {
	found, err := c.Names(ctx)
	if err != nil {
		c.Log.LogAttrs(ctx, fault.LogLevel(ctx, err), "names for questions", slog.String("workspace", string(c.Workspace.ID)), slog.Any("error", err))
		return nil
	}
	var out []ask.Name
	for _, v := range c.Store.Channels {
		out = append(out, ask.Name{Kind: ask.ChannelName, Text: strings.ReplaceAll(string(v.Channel), "_", " "), ID: string(v.Channel)})
	}
	for _, t := range found.Campaigns {
		out = append(out, ask.Name{Kind: ask.CampaignName, Text: t.CampaignName, ID: t.CampaignID, Platform: string(t.Platform)})
	}
	for _, t := range found.Coupons {
		out = append(out, ask.Name{Kind: ask.CouponCode, Text: t.Code})
	}
	for _, p := range found.Creators {
		out = append(out, ask.Name{Kind: ask.CreatorName, Text: p.Name, ID: p.ID, Platform: p.Platform})
	}
	return out
}

// reserved is the size in bytes of the part of an answer that results cannot use.
const reserved = 100

// fitResults shortens the results to the size limit of the answer's level of detail. All parts get an equal share.
func fitResults(a *AskAnswer, view answer.Shared) error {
	results := make([]json.RawMessage, len(a.Rows))
	for i := range a.Rows {
		results[i], a.Rows[i].Result = a.Rows[i].Result, nil
	}
	if view.DetailLevel == answer.SummaryLevel {
		for i := range a.Rows {
			a.Rows[i].Interpretation = ""
		}
	}
	bare, err := answer.Encode(a)
	if err != nil {
		return err
	}
	room := answer.Budgets[view.DetailLevel]*answer.BytesPerToken - len(bare) - reserved
	for i, r := range results {
		if r == nil {
			continue
		}
		share := max(0, room/(len(results)-i))
		var kept []string
		if a.Rows[i].Tool == "optimization" && a.Rows[i].Arguments["question"] != nil {
			kept = []string{"summary"} // the summary answers the question
		}
		if a.Rows[i].Result, err = answer.Shortened(r, share, kept...); err != nil {
			return err
		}
		room -= len(a.Rows[i].Result)
	}
	return nil
}
