package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A corrected call keeps the view and all other valid arguments, and is accepted.
func TestCorrectedCallsKeepWhatWasAsked(t *testing.T) {
	t.Parallel()
	cases := []struct{ tool, args, want string }{
		{"performance", `{"start_date":"yesterday","channel":"facebook"}`, `{"start_date":"2026-03-09","channel":"facebook"}`},
		{"performance", `{"start_date":"2026-02-30","end_date":"today"}`, `{"start_date":"2026-02-28","end_date":"2026-03-10"}`},
		{"performance", `{"start_date":"2026-04-01","channel":"facebook"}`, `{"channel":"facebook"}`},
		{"performance", `{"start_date":"2026-02-02","end_date":"2026-02-01","model":"linear"}`, `{"start_date":"2026-02-01","end_date":"2026-02-02","model":"linear"}`},
		{"performance", `{"model":"last-touch","start_date":"2026-02-01"}`, `{"start_date":"2026-02-01","model":"last_touch"}`},
		{"performance", `{"model":"crystal ball","start_date":"2026-02-01"}`, `{"start_date":"2026-02-01"}`},
		{"performance", `{"channel":"facebook_","start_date":"2026-02-01"}`, `{"start_date":"2026-02-01","channel":"facebook"}`},
		{"performance", `{"channel":"billboards","start_date":"2026-02-01"}`, `{"start_date":"2026-02-01"}`},
		{"experiments", `{"view":"results","start_date":"2026-02-01","channel":"facebook"}`, `{"view":"results","channel":"facebook"}`},
		{"experiments", `{"start_date":"2026-02-01","end_date":"2026-02-03"}`, `{"view":"true_vs_reported","start_date":"2026-02-01","end_date":"2026-02-03"}`},
		{"experiments", `{"view":"results","start_date":"2026-02-01","end_date":"2026-02-03","topic":"did"}`, `{"view":"results"}`},
		{"customers", `{"view":"ltv","segment":"new","channel":"facebook"}`, `{"view":"ltv","channel":"facebook"}`},
		{"products", `{"view":"products","code":"WELCOME","limit":3}`, `{"view":"products","limit":3}`},
		{"products", `{"code":"WELCOME","limit":3}`, `{"view":"coupons","code":"WELCOME","limit":3}`},
		{"surveys", `{"view":"individual","min_order_value":-5}`, `{"view":"individual","min_order_value":0}`},
		{"forecasting", `{"aspect":"alerts","period_type":"monthly","channel":"facebook"}`, `{"aspect":"alerts","channel":"facebook"}`},
		{"chart", `{"metric":"roas","chart_type":"pie","title":"T"}`, `{"metric":"roas","chart_type":"bar","title":"T"}`},
		{"chart", `{"metric":"revenue","channel":"google","channels":["facebook","google"]}`, `{"metric":"revenue","channels":["facebook","google"]}`},
		{"influencers", `{"action":"top_performers","view":"overview"}`, `{"action":"top_performers"}`},
		{"compare", `{"period1_start":"2026-02-02","period1_end":"2026-02-01","include_channels":true}`, `{"period1_start":"2026-02-01","period1_end":"2026-02-02","include_channels":true}`},
		{"trends", `{"metric":"roas","start_date":"yesterday","granularity":"weekly","limit":500}`, `{"start_date":"2026-03-09","metric":"roas","granularity":"week","limit":100}`},
	}
	for _, c := range cases {
		r := call(t, "full", c.tool, c.args)
		if !r.IsError {
			t.Errorf("%s %s is accepted", c.tool, c.args)
			continue
		}
		_, after, ok := strings.Cut(r.Content[0].Text, "Corrected call: ")
		var corrected struct {
			Name      string
			Arguments json.RawMessage
		}
		if !ok || json.Unmarshal([]byte(after), &corrected) != nil || corrected.Name != c.tool {
			t.Errorf("%s %s: %q has no corrected call of the tool", c.tool, c.args, r.Content[0].Text)
			continue
		}
		if diff := cmp.Diff(decoded[map[string]any](t, json.RawMessage(c.want)), decoded[map[string]any](t, corrected.Arguments)); diff != "" {
			t.Errorf("%s %s: corrected (-want +got):\n%s", c.tool, c.args, diff)
		}
		if again := call(t, "full", c.tool, string(corrected.Arguments)); again.IsError {
			t.Errorf("%s: the corrected call %s is rejected: %s", c.tool, corrected.Arguments, again.Content[0].Text)
		}
	}
}
