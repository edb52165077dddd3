package console_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/tools"
)

func TestOverviewAndChannelsShowContributionAndBreakEven(t *testing.T) {
	t.Parallel()
	ask := recordedTools(t)
	withCosts := changed(recorded(t, "performance/debug.txtar"), func(a map[string]any) {
		a["metrics"].(map[string]any)["break_even_roas"] = map[string]any{"value": 1.55, "previous": nil, "change_pct": nil}
	})
	s := newSiteWith(t, func(_ *site, o *console.Options) { o.Ask = forTool("performance", withCosts, ask) })
	s.member(email, control.RoleViewer)
	b := s.signedIn(email)
	text, err := ask(t.Context(), auth.Principal{}, "compare", json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	compared, err := tools.Compare.Result(text)
	if err != nil {
		t.Fatal(err)
	}
	page, printer := b.get("/?workspace=acme").body, message.NewPrinter(language.English)
	for _, want := range []string{
		">Contribution<", printer.Sprintf("$%.0f", float64(*compared.Metrics.Contribution.Value)),
		">Contribution after spend<", printer.Sprintf("$%.0f", float64(*compared.Metrics.AfterSpend.Value)),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the overview does not contain %q", want)
		}
	}
	if page := b.get("/channels?workspace=acme").body; !strings.Contains(page, "dotted line: break-even 1.55") ||
		!strings.Contains(page, "where contribution equals spend") {
		t.Error("the channels do not contain the break-even of the answer")
	}
}

// changed changes the answers of a tool.
func changed(answers frame.Ask, change func(answer map[string]any)) frame.Ask {
	return func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
		text, err := answers(ctx, p, tool, args)
		if err != nil {
			return nil, err
		}
		var result map[string]any
		if err := json.Unmarshal(text, &result); err != nil {
			return nil, err
		}
		change(result["structuredContent"].(map[string]any))
		return json.Marshal(result)
	}
}

// forTool returns a function that uses answers for the calls of one tool and others for all other calls.
func forTool(name string, answers, others frame.Ask) frame.Ask {
	return func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
		if tool == name {
			return answers(ctx, p, tool, args)
		}
		return others(ctx, p, tool, args)
	}
}
