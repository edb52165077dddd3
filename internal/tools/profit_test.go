package tools

import (
	"fmt"
	"math"
	"testing"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// contributionText computes the contribution of February in cents from facts, without the roll-ups. The payment fee is
// 2.9% plus 0.30 per order. For wholesale orders, it is 1%. The shipping cost is 4.80 per order up to the 14th and 5.20
// from the 15th. Lines without a known cost have the cost rate of the other lines. For wholesale orders, they have a
// gross margin of 40%.
const contributionText = `
WITH sold AS (
    SELECT *, surface = 'wholesale' AS bulk FROM {{orders}}
    WHERE NOT cancelled AND NOT test AND day BETWEEN DATE '2026-02-01' AND DATE '2026-02-28'
),
costed AS (
    SELECT o.day, o.bulk, l.net, CASE WHEN l.cost_known THEN l.cost ELSE l.quantity * (
        SELECT arg_max(p.cost, p.since) FROM {{product_costs}} p WHERE p.sku = l.sku AND p.since <= o.day
    ) END AS cost
    FROM {{order_lines}} l JOIN sold o ON o.source = l.source AND o.key = l.key
),
lines AS (
    SELECT day, bulk, sum(net) AS net, coalesce(sum(net) FILTER (cost IS NOT NULL), 0) AS known, coalesce(sum(cost), 0) AS cost
    FROM costed GROUP BY day, bulk
),
days AS (
    SELECT day, bulk, sum(charged) AS charged, sum(tax) AS tax, sum(charged - tax - shipping) AS goods, count(*) AS orders
    FROM sold GROUP BY day, bulk
),
covers AS (
    SELECT *, CAST(round(CAST(goods AS DECIMAL(18, 0)) * known / greatest(net, goods)) AS BIGINT) AS covered
    FROM days JOIN lines USING (day, bulk)
),
sums AS (
    SELECT sum(charged - tax) AS revenue, sum(cost) AS cost, sum(cost) FILTER (NOT bulk) AS base_cost,
        sum(goods - covered) FILTER (NOT bulk) AS base_open, sum(covered) FILTER (NOT bulk) AS base_covered,
        sum(((goods - covered) * 6 + 5) // 10) FILTER (bulk) AS at_margin,
        sum(CASE WHEN bulk THEN (charged + 50) // 100 ELSE (charged * 29 + 500) // 1000 + 30 * orders END) AS fees,
        sum(orders * CASE WHEN day < DATE '2026-02-15' THEN 480 ELSE 520 END) AS shipping
    FROM covers
)
SELECT CAST(revenue - cost - CAST(round(base_cost * base_open / base_covered) AS BIGINT) - at_margin - fees - shipping - (
    SELECT sum(amount) FROM {{refunds}} WHERE day BETWEEN DATE '2026-02-01' AND DATE '2026-02-28'
) AS BIGINT) FROM sums`

// partlyCosted returns two months of orders in two currencies. Of the four products, one has costs on its lines, and
// one has a cost that changes within the period. One has a cost from a certain day, and one has no cost. Some refunds
// are after the period. Some orders are wholesale.
func partlyCosted() *warehouse.Batch {
	b := shop(68, 5, func(i int, o *warehouse.Order) {
		o.Charged, o.Tax, o.Shipping = int64(2000+37*i), int64(100+i), 490
		o.Original = money.Amount{Minor: o.Charged, Currency: "USD"}
		if i%3 == 0 {
			o.Original = money.Amount{Minor: 9 * o.Charged / 10, Currency: "EUR"}
		}
		o.Cancelled = i%31 == 0
		if i%7 < 2 {
			o.Surface = measure.Wholesale
		}
	})
	for i := range b.Lines {
		l, o := &b.Lines[i], b.Orders[i]
		l.SKU = string("ABCD"[i%4])
		l.Title, l.Net, l.Quantity = l.SKU, o.Charged-o.Shipping-o.Tax/2, int64(1+i%2)
		l.CostKnown = l.SKU == "A"
		if !l.CostKnown {
			l.Cost = 0
		}
		if i%9 == 0 {
			b.Refunds = append(b.Refunds, warehouse.Refund{OrderRef: o.OrderRef, Refund: "1", At: o.At, Day: o.Day.AddDays(5), Amount: o.Charged / 3})
		}
	}
	since := func(sku, day string, cost int64) {
		c := warehouse.ProductCost{Source: "costs", SKU: sku, Cost: cost}
		if day != "" {
			c.From = civil.MustParse(day)
		}
		b.Costs = append(b.Costs, c)
	}
	since("B", "", 611)
	since("B", "2026-02-13", 727)
	since("C", "2026-01-20", 433)
	return b
}

func TestContributionReconcilesToTheCent(t *testing.T) {
	t.Parallel()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: fixtureClock})
	if err != nil {
		t.Fatal(err)
	}
	facts, ws := warehouse.New(engine), newWorkspace("profit")
	if err := load(t.Context(), facts, ws.ID, partlyCosted()); err != nil {
		t.Fatal(err)
	}
	var cents int64
	query := warehouse.Statement{Name: "contribution", Text: warehouse.Render(duckdb.Dialect{}, ws.ID, contributionText)}
	if err := engine.Select(t.Context(), ws.ID, query, func(row warehouse.Row) error { return row.Scan(&cents) }); err != nil {
		t.Fatal(err)
	}
	perOrder := func(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }
	ws.Costs = measure.CostRules{}.With(measure.CostRule{Kind: measure.PaymentFee, Share: 29_000, Fixed: perOrder(30)}).
		With(measure.CostRule{Kind: measure.PaymentFee, Surface: measure.Wholesale, Share: 10_000}).
		With(measure.CostRule{Kind: measure.GrossMargin, Surface: measure.Wholesale, Share: 400_000}).
		With(measure.CostRule{Kind: measure.Shipping, Fixed: perOrder(480)}).
		With(measure.CostRule{Kind: measure.Shipping, Fixed: perOrder(520), From: civil.MustParse("2026-02-15")})
	s, err := toolkit.NewService(plainDeps(facts, fixtureClock), All())
	if err != nil {
		t.Fatal(err)
	}
	session := s.Session(reader(ws), "r1")
	want := answer.Money(money.Major(cents, "USD"))
	p := decoded[PerformanceAnswer](t, callAs(t, session, "performance", `{`+february+`}`).StructuredContent)
	const periods = `{"period1_start":"2026-01-04","period1_end":"2026-01-31","period2_start":"2026-02-01",` +
		`"period2_end":"2026-02-28","detail_level":"debug"}`
	c := decoded[CompareAnswer](t, callAs(t, session, "compare", periods).StructuredContent)
	for tool, m := range map[string]toolkit.ProfitMetrics{"performance": p.Metrics.ProfitMetrics, "compare": c.Metrics.ProfitMetrics} {
		if m.Contribution == nil || *m.Contribution.Value != want {
			t.Errorf("%s: contribution %+v, want %v", tool, m.Contribution, want)
		}
	}
	products := decoded[ProductsAnswer](t, callAs(t, session, "products", `{`+february+`}`).StructuredContent)
	for _, r := range products.Rows {
		if known := r.SKU != "D"; (r.Profit != nil) != known {
			t.Errorf("product %s: contribution %v, want it known: %t", r.SKU, r.Profit, known)
		}
	}
}

func TestWithoutCostsTheContributionIsAbsentAndTheAnswerSaysWhatToImport(t *testing.T) {
	t.Parallel()
	object := string(call(t, "tested", "performance", `{"detail_level":"debug"}`).StructuredContent)
	a := decoded[PerformanceAnswer](t, []byte(object))
	if a.Metrics.ProfitMetrics != (toolkit.ProfitMetrics{}) || a.Rows[0].AfterSpend != nil {
		t.Errorf("contribution without costs in %s", object)
	}
	const want = "contribution unknown: costs known for 0.0% of units. Import a table of SKUs and costs, or enter a gross margin with assay costs set"
	if a.DataQuality.Costs != want {
		t.Errorf("costs %q, want %q", a.DataQuality.Costs, want)
	}
}

// At the store's contribution rate, more budget raises revenue and lowers the contribution after spend. The parts add
// up to the whole change.
func TestABudgetThatLosesMoneySaysSo(t *testing.T) {
	t.Parallel()
	ask := func(total float64) OptimizeBudgetAnswer {
		return answerAs[OptimizeBudgetAnswer](t, "optimize_budget", fmt.Sprintf(`{"total_budget":%v,"detail_level":"debug"}`, total))
	}
	a := ask(1_500_000)
	m := a.Metrics
	if m.PlanProfit.Change == nil || m.PlanProfit.Change.Value >= 0 || m.Change == nil || m.Change.Value <= 0 {
		t.Fatalf("change of revenue %v, of contribution %v; want a gain and a loss", m.Change, m.PlanProfit.Change)
	}
	if len(a.Warnings) == 0 || a.Warnings[0].Code != answer.WarnLosesMoney {
		t.Errorf("warnings %v, want first %s", a.Warnings, answer.WarnLosesMoney)
	}
	if sum := m.Reallocation.Value + m.PlanProfit.Budget.Value; math.Abs(float64(sum-m.PlanProfit.Change.Value)) > 0.02 {
		t.Errorf("parts add up to %v, want %v", sum, m.PlanProfit.Change.Value)
	}
	var proposed answer.Money
	for _, r := range a.Rows {
		proposed += r.Proposed
	}
	near(t, "allocated budget", float64(proposed), 1_500_000, 3)
}

// The ad reports start inside the previous window: its spend is unknown, and so are all figures that include it.
func TestProfitOfAWindowWithPartOfTheSpendIsAbsent(t *testing.T) {
	t.Parallel()
	b := advertised(shop(60, 4, nil), 1000, 1_000_000)
	b.AdDays = b.AdDays[20:] // reports of the last 40 of 60 days
	s := serviceOver(t, b).Session(reader(newWorkspace("w1")), "r1")
	day := func(before int) string { return fixtureToday.AddDays(-before).String() }
	p := decoded[PerformanceAnswer](t, callAs(t, s, "performance",
		fmt.Sprintf(`{"start_date":%q,"end_date":%q,"detail_level":"debug"}`, day(24), day(1))).StructuredContent)
	c := decoded[CompareAnswer](t, callAs(t, s, "compare", fmt.Sprintf(
		`{"period1_start":%q,"period1_end":%q,"period2_start":%q,"period2_end":%q,"detail_level":"debug"}`,
		day(48), day(25), day(24), day(1))).StructuredContent)
	for tool, m := range map[string]toolkit.StoreMetrics{"performance": p.Metrics, "compare": c.Metrics} {
		if m.Contribution == nil || m.Contribution.Previous == nil || m.AfterSpend == nil || m.AfterSpend.Value == nil {
			t.Fatalf("%s: contribution %+v, after spend %+v; want values", tool, m.Contribution, m.AfterSpend)
		}
		if m.Spend.Previous != nil || m.AfterSpend.Previous != nil || m.AfterSpend.ChangePct != nil || m.MER.Previous != nil || m.POAS.Previous != nil {
			t.Errorf("%s: spend %+v, after spend %+v, MER %+v, POAS %+v; want no previous figures", tool, m.Spend, m.AfterSpend, m.MER, m.POAS)
		}
	}
}
