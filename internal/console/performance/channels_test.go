package performance

import (
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

func TestChannelsPageComparesReturnsWithBreakEven(t *testing.T) {
	t.Parallel()
	ratioOf := func(x float64) *answer.Metric[answer.Ratio] {
		return &answer.Metric[answer.Ratio]{Value: new(answer.Ratio(x))}
	}
	contribution := &answer.Metric[answer.Money]{Value: new(answer.Money(-500))}
	for _, c := range []struct {
		name           string
		profit         toolkit.ProfitMetrics
		lead, evidence string
	}{
		{
			"costs are unknown", toolkit.ProfitMetrics{}, "1 channel has an incremental ROAS with a 90% interval entirely above 1, where incremental revenue equals spend.", "dotted line: break-even ROAS 1.00",
		},
		{
			"costs are known",
			toolkit.ProfitMetrics{Contribution: contribution, BreakEven: ratioOf(1.5)},
			"1 channel has an incremental ROAS with a 90% interval entirely above the break-even ROAS of 1.50, where contribution equals spend.", "dotted line: break-even ROAS 1.50",
		},
		{
			"unit costs are above the price",
			toolkit.ProfitMetrics{Contribution: contribution},
			"There is no break-even ROAS, because costs before ad spend are at least as high as revenue.", "no break-even ROAS",
		},
	} {
		row := tools.ChannelRow{Channel: "google", Spend: new(answer.Money(100)), Revenue: 400}
		row.Return, row.Basis = &answer.Estimate[answer.Ratio]{Value: 3, Low: 2, High: 4}, snapshot.ByModel
		a := returns{&tools.PerformanceAnswer{}}
		a.Rows, a.Metrics.ProfitMetrics = []tools.ChannelRow{row}, c.profit
		if got := channelsLead(a); got != c.lead {
			t.Errorf("%s: lead is %q, want %q", c.name, got, c.lead)
		}
		if got := a.evidence(); !strings.HasSuffix(got, " · "+c.evidence) {
			t.Errorf("%s: evidence is %q, want %q at the end", c.name, got, c.evidence)
		}
		if axis := a.scale(170).Axis(); !strings.Contains(string(axis), ">4<") {
			t.Errorf("%s: axis %s has no 4", c.name, axis)
		}
	}
}

func TestTotalROASIsAbsentWithoutSpendOrTouchpoints(t *testing.T) {
	t.Parallel()
	row := func(channel measure.Channel, spend float64, roas *answer.Ratio) tools.ChannelRow {
		return tools.ChannelRow{Channel: channel, Spend: new(answer.Money(spend)), ROAS: roas}
	}
	for _, c := range []struct {
		name           string
		rows           []tools.ChannelRow
		spend, revenue float64
		want           string
	}{
		{"spend", []tools.ChannelRow{row("google", 100, new(answer.Ratio(4))), row("facebook", 100, nil)}, 200, 400, "2.00"},
		{"reports without spend", []tools.ChannelRow{row("google", 0, nil), row("facebook", 0, nil)}, 0, 5000, "none"},
		{"no touchpoints", []tools.ChannelRow{row("google", 100, nil), row("facebook", 100, nil)}, 200, 0, "none"},
	} {
		a := returns{&tools.PerformanceAnswer{}}
		a.Currency, a.Rows = "USD", c.rows
		if got := totalCells(a, []channelColumn{roasColumn}, c.spend, c.revenue, 0)[1].Text; got != c.want {
			t.Errorf("%s: total ROAS is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestUnchangedFiguresHaveNoDirection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change answer.Percent
		want   string
	}{{0.2, "Revenue is unchanged at $48,000."}, {-3, "Revenue fell 3.0% to $48,000."}, {3, "Revenue rose 3.0% to $48,000."}} {
		a := &tools.CompareAnswer{}
		a.Currency, a.Metrics.Revenue.Value, a.Metrics.Revenue.ChangePct = "USD", new(answer.Money(48000)), new(c.change)
		if got := overviewHeading(a); got != c.want {
			t.Errorf("change of %v%%: %q, want %q", c.change, got, c.want)
		}
	}
}

func TestSurfacesPageStatesOrdersWithoutRevenue(t *testing.T) {
	t.Parallel()
	row := tools.SurfaceRow{Surface: measure.OnlineStore}
	shared := row
	shared.Share = new(answer.Percent(100))
	for _, c := range []struct {
		orders answer.Count
		rows   []tools.SurfaceRow
		want   string
	}{
		{0, nil, "No sales surface has orders in this period."},
		{240, []tools.SurfaceRow{row}, "The orders in this period have no revenue."},
		{240, []tools.SurfaceRow{shared}, "Online store generates 100.0% of revenue."},
	} {
		a := &tools.OmnichannelAnswer{}
		a.Rows, a.Metrics.Orders.Value = c.rows, &c.orders
		if got := surfacesHeading(a); got != c.want {
			t.Errorf("%v orders: heading is %q, want %q", c.orders, got, c.want)
		}
	}
}
