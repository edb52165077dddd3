package performance_test

import (
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/tools"
)

func TestOverviewAndChannelsShowContributionAndBreakEven(t *testing.T) {
	t.Parallel()
	ask := consoletest.RecordedTools(t)
	withCosts := consoletest.Changed(consoletest.Recorded(t, "performance/debug.txtar"), func(a map[string]any) {
		a["metrics"].(map[string]any)["break_even_roas"] = map[string]any{"value": 1.55, "previous": nil, "change_pct": nil}
	})
	s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) {
		o.Ask = consoletest.ForTool("performance", withCosts, ask)
	})
	s.Member(consoletest.Email, control.RoleViewer)
	b := s.SignedIn(consoletest.Email)
	text, err := ask(t.Context(), auth.Principal{}, "compare", json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	compared, err := tools.Compare.Result(text)
	if err != nil {
		t.Fatal(err)
	}
	page, printer := b.Get("/?workspace=acme").Body, message.NewPrinter(language.English)
	for _, want := range []string{
		">Contribution<", printer.Sprintf("$%.0f", float64(*compared.Metrics.Contribution.Value)),
		">Contribution after spend<", printer.Sprintf("$%.0f", float64(*compared.Metrics.AfterSpend.Value)),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the overview does not contain %q", want)
		}
	}
	if page := b.Get("/channels?workspace=acme").Body; !strings.Contains(page, "dotted line: break-even ROAS 1.55") ||
		!strings.Contains(page, "where contribution equals spend") {
		t.Error("the channels do not contain the break-even of the answer")
	}
}
