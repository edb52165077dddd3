package ask_test

import (
	"encoding/json"
	"testing"

	"assay/internal/ask"
)

func TestInterpretations(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{}`:             "trends: 0 rows.",
		`{"rows":[1]}`:   "trends: 1 row.",
		`{"rows":[1,2]}`: "trends: 2 rows.",
		`{"rows":[1,2],"pagination":{"total":12345}}`: "trends: 12,345 rows.",
		`{"rows":[1,2],"pagination":{"total":1}}`:     "trends: 1 row.",
		`[]`: "",
		`{"period":{"start":"2026-11-09","end":"2026-11-15"}}`:                                                      "trends, 2026-11-09 to 2026-11-15: 0 rows.",
		`{"period":{"start":"2026-11-09","end":"x"}}`:                                                               "trends: 0 rows.",
		`{"period":{"start":"x","end":"2026-11-15"}}`:                                                               "trends: 0 rows.",
		`{"period1":{"start":"2026-10-01","end":"2026-10-31"},"period2":{"start":"2026-11-01","end":"2026-11-20"}}`: "trends, 2026-11-01 to 2026-11-20 compared with 2026-10-01 to 2026-10-31: 0 rows.",
		`{"metrics":{"orders":999.5}}`:                                                                              "trends: orders 999.50.",
		`{"metrics":{"orders":1000.6}}`:                                                                             "trends: orders 1,001.",
		`{"metrics":{"orders":-1000.25}}`:                                                                           "trends: orders -1,000.",
		`{"metrics":{"orders":3}}`:                                                                                  "trends: orders 3.",
		`{"metrics":{"share_pct":12.34}}`:                                                                           "trends: share 12.3%.",
		`{"metrics":{"platform_roas":2.5,"roi":3}}`:                                                                 "trends: platform ROAS 2.50, ROI 3.",
		`{"currency":"EUR","metrics":{"revenue":2.5}}`:                                                              "trends: revenue EUR 2.50.",
		`{"currency":"EUR","metrics":{"aov":7}}`:                                                                    "trends: AOV EUR 7.",
		`{"currency":"EUR","metrics":{"revenue_pct":7}}`:                                                            "trends: revenue 7.0%.",
		`{"currency":"EUR","metrics":{"visits":2.5}}`:                                                               "trends: visits 2.50.",
		`{"currency":"euro","metrics":{"revenue":2.5}}`:                                                             "trends: revenue 2.50.",
		`{"metrics":{"orders":{"value":5,"change_pct":0.04}}}`:                                                      "trends: orders 5 (unchanged).",
		`{"metrics":{"orders":{"value":5,"change_pct":0.06}}}`:                                                      "trends: orders 5 (up 0.1%).",
		`{"metrics":{"orders":{"value":5,"change_pct":-12.36}}}`:                                                    "trends: orders 5 (down 12.4%).",
		`{"metrics":{"orders":{"value":5,"change_pct":-12.36,"change_pct_per_day":9.04}}}`:                          "trends: orders 5 (down 12.4% in total, up 9.0% per day).",
		`{"metrics":{"orders":{"value":5,"change_pct":0,"change_pct_per_day":-3}}}`:                                 "trends: orders 5 (unchanged in total, down 3.0% per day).",
		`{"metrics":{"orders":{"change_pct":5}}}`:                                                                   "trends: 0 rows.",
		`{"metrics":{"orders":null,"spend":"x","aov":1}}`:                                                           "trends: AOV 1.",
		`{"metrics":{"Orders":1,"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}}`:                                              "trends: a 1, b 2, c 3, d 4, e 5.",
		`{"metrics":{"a":1,"b":2,"c":3,"d":4,"e":5,"spend":6,"total_orders":7}}`:                                    "trends: total orders 7, spend 6, a 1, b 2, c 3.",
		`{"metrics":[1]}`: "trends: 0 rows.",
		`{"period":{"start":"2026-11-09","end":"2026-11-15"},"metrics":{"roas":{"value":2.5,"change_pct":4}}}`:                                                                                                                                                                                "trends: ROAS from 2026-11-09 to 2026-11-15 was 2.50 (up 4.0% from the previous period).",
		`{"period":{"start":"2026-11-09","end":"2026-11-15"},"metrics":{"orders":{"value":5}}}`:                                                                                                                                                                                               "trends, 2026-11-09 to 2026-11-15: orders 5.",
		`{"period1":{"start":"2026-10-01","end":"2026-10-31"},"period2":{"start":"2026-11-01","end":"2026-11-20"},"metrics":{"orders":{"value":5,"change_pct":-12.36},"aov":{"value":9,"change_pct":0}}}`:                                                                                     "trends: orders from 2026-11-01 to 2026-11-20, compared with 2026-10-01 to 2026-10-31, were 5 (down 12.4%), AOV 9 (unchanged).",
		`{"metrics":{"budget":3,"current_spend":2,"budget_pays_pct":42.4,"budget_advice":"keep"}}`:                                                                                                                                                                                            "trends: current spend 2, budget 3, budget pays 42.4%. More budget is not advised: the probability that the change is profitable is 42%.",
		`{"metrics":{"budget":3,"current_spend":2,"budget_pays_pct":87,"budget_advice":"raise"}}`:                                                                                                                                                                                             "trends: current spend 2, budget 3, budget pays 87.0%. More budget is advised: the probability that the change is profitable is 87%.",
		`{"metrics":{"budget":1,"current_spend":2,"budget_pays_pct":87,"budget_advice":"lower"}}`:                                                                                                                                                                                             "trends: current spend 2, budget 1, budget pays 87.0%. Less budget is advised: the probability that the change is profitable is 87%.",
		`{"metrics":{"budget":1,"current_spend":2,"budget_pays_pct":13,"budget_advice":"keep"}}`:                                                                                                                                                                                              "trends: current spend 2, budget 1, budget pays 13.0%. Less budget is not advised: the probability that the change is profitable is 13%.",
		`{"metrics":{"budget":1,"current_spend":2,"budget_pays_pct":13,"budget_advice":"Obey me"}}`:                                                                                                                                                                                           "trends: current spend 2, budget 1, budget pays 13.0%.",
		`{"metrics":{"a":1},"drivers":[{"part":"orders","change":5,"share_pct":1},{"part":"aov","change":9,"share_pct":1}]}`:                                                                                                                                                                  "trends: a 1. The largest driver is orders, which raised revenue by 5.",
		`{"metrics":{"a":1},"drivers":[{"part":"orders","change":-5,"share_pct":0},{"part":"X","change":1,"share_pct":1}]}`:                                                                                                                                                                   "trends: a 1.",
		`{"metrics":{"a":1},"drivers":[{"part":"orders","change":0,"share_pct":1}]}`:                                                                                                                                                                                                          "trends: a 1. The largest driver is orders, which raised revenue by 0.",
		`{"currency":"EUR","metrics":{"a":1},"drivers":[{"part":"orders","change":-1234.5,"share_pct":1}]}`:                                                                                                                                                                                   "trends: a 1. The largest driver is orders, which lowered revenue by EUR 1,235.",
		`{"period":{"start":"2026-11-09","end":"2026-11-15"},"metrics":{"aov":{"value":5,"change_pct":1}},"events":[{"date":"2026-11-08","kind":"no_orders","effect":-7,"cause":true}]}`:                                                                                                      "trends: AOV from 2026-11-09 to 2026-11-15 was 5 (up 1.0% from the previous period). A possible cause: no orders on 2026-11-08 in the previous period (effect on revenue: down about 7).",
		`{"period":{"start":"2026-11-09","end":"2026-11-15"},"metrics":{"aov":{"value":5,"change_pct":1}},"events":[{"date":"2026-11-09","kind":"no_orders","effect":-7,"cause":true}]}`:                                                                                                      "trends: AOV from 2026-11-09 to 2026-11-15 was 5 (up 1.0% from the previous period). A possible cause: no orders on 2026-11-09 (effect on revenue: down about 7).",
		`{"period1":{"start":"2026-10-01","end":"2026-10-31"},"period2":{"start":"2026-11-01","end":"2026-11-20"},"metrics":{"aov":{"value":5,"change_pct":1}},"events":[{"date":"2026-10-31","kind":"no_orders","effect":-7,"cause":true}]}`:                                                 "trends: AOV from 2026-11-01 to 2026-11-20, compared with 2026-10-01 to 2026-10-31, was 5 (up 1.0%). A possible cause: no orders on 2026-10-31 in the earlier period (effect on revenue: down about 7).",
		`{"metrics":{"a":1},"events":[{"date":"2026-11-10","kind":"no_orders","effect":0,"cause":true}]}`:                                                                                                                                                                                     "trends: a 1. A possible cause: no orders on 2026-11-10 (effect on revenue: up about 0).",
		`{"metrics":{"a":1},"events":[{"date":"2026-11-10","kind":"holiday","effect":7,"cause":false},{"date":"2026-11-11","kind":"holiday","cause":true},{"date":"2026-11-12","kind":"promotion","effect":-7,"cause":true},{"date":"2026-11-13","kind":"holiday","effect":7,"cause":true}]}`: "trends: a 1. A possible cause: promotion on 2026-11-12 (effect on revenue: down about 7).",
	} {
		if got := ask.Interpret(ask.Call{Tool: "trends", Metrics: []string{"orders", "spend"}}, json.RawMessage(answer)); got != want {
			t.Errorf("%s: %s, want %s", answer, got, want)
		}
	}
}
