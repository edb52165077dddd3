package measurement

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/console/frame/plot"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/money"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

// Widths of charts: in the main column, over the full width, and on a phone.
const (
	mainChart   = 640
	wideChart   = 940
	largeChart  = 1120
	narrowChart = 350
)

// optimizationArguments returns the arguments for the results of the model by channel.
func optimizationArguments() frame.Arguments {
	return frame.Arguments{"detail_level": answers.AnalystLevel, "compact": true}
}

func (c *modelPages) results(v frame.Visit, p frame.Place) (*tools.OptimizationAnswer, error) {
	return frame.AnswerOf(c.Frame, v, p, tools.Optimization, optimizationArguments())
}

// section returns the heading of a section, with the address of the article about its method and the call that returns
// the model's results.
func (c *modelPages) section(p frame.Place, id, title, note, article string) frame.Section {
	return frame.Section{
		ID: id, Title: title, Note: note, Article: frame.ArticleAddress(p, article),
		Call: c.CallOf(id, tools.Optimization.Name, optimizationArguments()),
	}
}

// summary shows the incremental share of revenue, and the channels above break-even.
func (c *modelPages) summary(v frame.Visit, view *modelsView) error {
	a, err := c.results(v, view.Place)
	if err != nil {
		return err
	}
	share := shareOf(a.Rows)
	view.Heading = "Advertising generates " + frame.Figure(share, 1) + "% of revenue. " + certainty(a)
	view.Lead = summaryLead(a)
	for _, w := range a.Warnings {
		view.Warnings = append(view.Warnings, w.Text)
	}
	returns := frame.Block{
		Section: c.section(view.Place, "returns", "ROAS by channel", "90% credible intervals", "incremental revenue"), Table: returnTable(a),
		Legend: []frame.Legend{{Name: "ROAS", Class: "dot"}, {Name: "Marginal ROAS", Class: "diamond"}},
		After:  returnsNote(a),
	}
	returns.CSV = frame.ModelsPath + "/export.csv?of=channels&" + view.Query
	view.Blocks, view.Facts = []frame.Block{returns}, c.facts(view, a, share)
	view.Below = []frame.Block{c.waterfall(view, a)}
	return nil
}

// shareOf returns the share of revenue that the channels generate, in percent.
func shareOf(rows []toolkit.MixRow) (share float64) {
	for _, r := range rows {
		if r.SharePct != nil {
			share += float64(*r.SharePct)
		}
	}
	return share
}

// breakEvenOf returns the ROAS at which contribution equals spend. It is 1 if costs are unknown, and infinite if costs
// are at least the revenue.
func breakEvenOf(a *tools.OptimizationAnswer) float64 {
	switch m := a.Metrics.PlanProfit; {
	case m.BreakEven != nil:
		return float64(*m.BreakEven)
	case m.Change != nil:
		return math.Inf(1)
	}
	return 1
}

// neverBreaksEven reports whether no ROAS covers the costs.
func neverBreaksEven(a *tools.OptimizationAnswer) bool { return math.IsInf(breakEvenOf(a), 1) }

// returnsNote explains the red figures in the ROAS table.
func returnsNote(a *tools.OptimizationAnswer) string {
	switch b := a.Metrics.BreakEven; {
	case b != nil:
		return "Red: marginal ROAS is below the break-even ROAS of " + ratio(float64(*b)) + "."
	case neverBreaksEven(a):
		return "All marginal ROAS values are red: there is no break-even ROAS, because costs before ad spend are at least as high as revenue."
	}
	return "Red: marginal ROAS is below 1. " + unknownCosts
}

const unknownCosts = "Costs are unknown, so Assay uses 1 as the break-even ROAS."

// paying returns the number of channels with the whole ROAS interval above break-even.
func paying(a *tools.OptimizationAnswer) (n int) {
	for _, r := range a.Rows {
		if float64(r.ROAS.Low) > breakEvenOf(a) {
			n++
		}
	}
	return n
}

func certainty(a *tools.OptimizationAnswer) string {
	switch n := paying(a); n {
	case 0:
		return "No channel is clearly profitable."
	case 1:
		return "One channel is clearly profitable."
	default:
		return frame.Count(int64(n)) + " channels are clearly profitable."
	}
}

func summaryLead(a *tools.OptimizationAnswer) string {
	limit := "the break-even ROAS of " + ratio(breakEvenOf(a))
	if a.Metrics.BreakEven == nil {
		limit += " (an assumption, because costs are unknown)"
	}
	over := "The ROAS interval (90%) is entirely above " + limit + " in " + frame.Count(int64(paying(a))) + " of " + answers.Plural(len(a.Rows), "channel", "channels") + "."
	if neverBreaksEven(a) {
		over = "There is no break-even ROAS, because costs before ad spend are at least as high as revenue."
	}
	if a.Metrics.TestFirst != "" {
		over += " Test " + frame.ChannelName(a.Metrics.TestFirst) + " next: the ROAS of this channel is the most valuable unknown."
	}
	return over
}

func returnTable(a *tools.OptimizationAnswer) *frame.Table {
	even, marker := breakEvenOf(a), breakEvenOf(a)
	if neverBreaksEven(a) {
		marker = 0 // no line
	}
	var highs []float64
	for _, r := range a.Rows {
		highs = append(highs, float64(r.ROAS.High))
	}
	s := plot.NewScale(highs, marker, 210)
	t := &frame.Table{Caption: "ROAS by channel", Columns: []frame.Column{
		{Key: "channel", Name: "Channel"},
		{Fixed: true, Axis: s.Axis(), Minor: true},
		{Key: "roas", Name: "ROAS", Number: true},
		{Key: "marginal_roas", Name: "Marginal", Number: true},
		{Key: "evidence", Name: "Evidence", Number: true, Minor: true},
	}}
	rows := slices.Clone(a.Rows)
	slices.SortStableFunc(rows, func(x, y toolkit.MixRow) int { return cmp.Compare(y.ROAS.Value, x.ROAS.Value) })
	for _, r := range rows {
		roas := frame.FigureCell(&r.ROAS.Value, 2)
		roas.Sub = ratio(float64(r.ROAS.Low)) + " – " + ratio(float64(r.ROAS.High))
		marginal := frame.FigureCell(&r.MarginalROAS.Value, 2)
		marginal.Tone = frame.ToneOf(float64(r.MarginalROAS.Value) - even)
		evidence := frame.Cell{Text: "model only", Missing: true}
		if n := len(r.Tested); n > 0 {
			evidence = frame.TextCell(answers.Plural(n, "experiment", "experiments"))
		}
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			frame.ChannelCell(r.Channel),
			{Picture: s.Pair(float64(r.ROAS.Value), float64(r.ROAS.Low), float64(r.ROAS.High), float64(r.MarginalROAS.Value), frame.ChannelColor(r.Channel))},
			roas, marginal, evidence,
		}})
	}
	return t
}

// facts returns the model's key figures, each with a name and a value.
func (c *modelPages) facts(view *modelsView, a *tools.OptimizationAnswer, share float64) []frame.Fact {
	m, currency := view.Model, view.Workspace.Currency
	var incremental, spend float64
	for _, r := range a.Rows {
		if r.Incremental != nil {
			incremental += float64(r.Incremental.Value)
		}
		spend += float64(modelledSpend(r))
	}
	facts := []frame.Fact{
		{Name: "Incremental share of revenue", Value: frame.Figure(share, 1) + "%"},
		{Name: "Incremental revenue per month", Value: money.Display(incremental, 0, currency)},
		{Name: "Spend per month", Value: money.Display(spend, 0, currency)},
	}
	if spend > 0 {
		facts = append(facts, frame.Fact{Name: "ROAS of all spend", Value: ratio(incremental / spend)})
	}
	tests := 0
	for _, t := range m.Tests {
		if t.Used() {
			tests++
		}
	}
	out := frame.Fact{Name: "Out-of-sample error", Value: "unknown"}
	if m.Holdout != nil {
		out.Value = frame.Figure(100*m.Holdout.WMAPE, 1) + "%"
	}
	return append(facts, breakEvenFact(a, view.Workspace.ID),
		frame.Fact{Name: "Training window", Value: frame.Count(int64(m.Weeks)) + " weeks to " + m.Window.Last.Words()},
		out, frame.Fact{Name: "R²", Value: ratio(m.Accuracy.R2)},
		frame.Fact{Name: "Experiments in the model", Value: frame.Count(int64(tests)), Href: experimentsPath + "?workspace=" + string(view.Workspace.ID)},
	)
}

// modelledSpend returns the spend in an average month of the model's training window. ROAS and incremental revenue
// refer to this spend.
func modelledSpend(r toolkit.MixRow) answers.Money {
	if r.Modelled != nil {
		return *r.Modelled
	}
	return r.Spend
}

// breakEvenFact is the break-even ROAS, or a link to enter costs if they are unknown.
func breakEvenFact(a *tools.OptimizationAnswer, workspace measure.WorkspaceID) frame.Fact {
	switch {
	case a.Metrics.BreakEven != nil:
		return frame.Fact{Name: "Break-even ROAS", Value: ratio(float64(*a.Metrics.BreakEven))}
	case neverBreaksEven(a):
		return frame.Fact{Name: "Break-even ROAS", Value: "none"}
	}
	return frame.Fact{Name: "Break-even ROAS", Value: "enter costs", Href: "/costs?workspace=" + string(workspace)}
}

// waterfall splits the revenue of an average month into the baseline and the incremental revenue of the channels.
func (c *modelPages) waterfall(view *modelsView, a *tools.OptimizationAnswer) frame.Block {
	currency := view.Workspace.Currency
	var sum, share float64
	w := plot.Waterfall{Axis: frame.ShortMoney(currency), Value: func(x float64) string { return money.Display(x, 0, currency) }}
	for _, r := range a.Rows {
		if r.Incremental == nil || r.SharePct == nil {
			continue
		}
		sum, share = sum+float64(r.Incremental.Value), share+float64(*r.SharePct)
		w.Steps = append(w.Steps, plot.Step{
			Name: frame.ChannelName(r.Channel), Note: frame.Figure(*r.SharePct, 1) + "%", Value: float64(r.Incremental.Value), Color: frame.ChannelColor(r.Channel),
		})
	}
	slices.SortStableFunc(w.Steps, func(x, y plot.Step) int { return cmp.Compare(y.Value, x.Value) })
	total := 0.0
	if share > 0 {
		total = sum / share * 100
	}
	base := plot.Step{Name: "Baseline", Note: frame.Figure(100-share, 1) + "%", Value: math.Max(0, total-sum), Color: "other"}
	w.Steps = append([]plot.Step{base}, w.Steps...)
	w.Total = plot.Step{Name: "Revenue", Note: "100.0%", Value: total, Color: "owned"}
	w.Label = "Mean monthly revenue: baseline " + w.Value(base.Value) + ", advertising " + w.Value(sum) + ", total " + w.Value(total) + "."
	return frame.Block{
		Section: c.section(view.Place, "waterfall", "Incremental revenue by channel", "monthly mean over the training window", "incremental revenue"),
		Wide:    w.Draw(wideChart), Large: w.Draw(largeChart), Narrow: w.Rows(narrowChart),
	}
}

// fit shows the fit and the out-of-sample error of the model.
func (c *modelPages) fit(_ frame.Visit, view *modelsView) error {
	m := view.Model
	view.Heading = "The model explains " + frame.Figure(100*m.Accuracy.R2, 0) + "% of the variation in weekly revenue."
	view.Lead = "A good fit does not prove causality: spend that follows demand can appear to cause demand. Only an experiment can measure the effect of spend."
	out := frame.KPI{Name: "Out-of-sample error", Value: "unknown", Missing: true, From: fmt.Sprintf("last %d weeks", mix.HoldoutWeeks)}
	if m.Holdout != nil {
		out.Value, out.Missing = frame.Figure(100*m.Holdout.WMAPE, 1)+"%", false
	}
	view.KPIs = []frame.KPI{
		{Name: "R²", Value: ratio(m.Accuracy.R2), From: "in sample"},
		{Name: "Weekly error (WMAPE)", Value: frame.Figure(100*m.Accuracy.WMAPE, 1) + "%", From: "in sample"},
		out,
		{Name: "Weeks", Value: frame.Count(int64(m.Weeks)), From: m.Window.Words()},
	}
	h, currency := m.History(), view.Workspace.Currency
	d := plot.Days{
		Name: "Revenue", Ahead: "Fit", Axis: frame.ShortMoney(currency), Value: func(x float64) string { return money.Display(x, 0, currency) },
		Title: func(day civil.Date) string { return "Week of " + day.Words() }, Tick: civil.Date.Short,
		Label: "Weekly revenue and the fit of the model. The export “Weeks (CSV)” has the same figures.",
	}
	for i, week := range h.Weeks {
		d.Points = append(d.Points, plot.Day{Date: week, Value: &h.Actual[i], Ahead: &h.Expected[i]})
	}
	b := frame.Block{
		Section: c.section(view.Place, "fit", "Revenue and fit by week", "training window", "model fit"),
		Legend:  []frame.Legend{{Name: "Revenue", Class: "now"}, {Name: "Fit", Class: "ahead"}},
		Wide:    d.Draw(wideChart), Large: d.Draw(largeChart), Narrow: d.Draw(narrowChart),
	}
	b.CSV = frame.ModelsPath + "/export.csv?of=weeks&" + view.Query
	view.Below = []frame.Block{b}
	return nil
}

// contributions shows the incremental revenue of each channel over time.
func (c *modelPages) contributions(v frame.Visit, view *modelsView) error {
	a, err := c.results(v, view.Place)
	if err != nil {
		return err
	}
	view.Heading = "No channel has an estimate of incremental revenue."
	if len(a.Rows) > 0 && a.Rows[0].Incremental != nil {
		first := a.Rows[0]
		view.Heading = fmt.Sprintf("%s generates the most incremental revenue: %s per month.", frame.ChannelName(first.Channel),
			money.Display(float64(first.Incremental.Value), 0, a.Currency))
		view.Lead = fmt.Sprintf("90%% credible interval: %s – %s per month.", money.Display(float64(first.Incremental.Low), 0, a.Currency), money.Display(float64(first.Incremental.High), 0, a.Currency))
	}
	section := c.section(view.Place, "parts", "Incremental revenue by week", "stacked on the baseline", "incremental revenue")
	section.CSV = frame.ModelsPath + "/export.csv?of=weeks&" + view.Query
	picture := pictureOf(view.Query, "parts", "Expected weekly revenue: baseline without media, and incremental revenue stacked by channel. The export “Weeks (CSV)” has the same figures.")
	section.Picture = picture.Address
	view.Pictures = []picturePart{{Section: section, Pictures: []frame.Picture{picture}}}
	table := frame.Block{
		Section: c.section(view.Place, "channels", "Channels", "monthly mean over the training window, 90% credible intervals", "incremental revenue"), Table: contributionTable(a),
		After: "Saturation is the percentage by which marginal ROAS is below ROAS. Adstock is the share of a week’s effect that carries over to the next week.",
	}
	table.CSV = frame.ModelsPath + "/export.csv?of=channels&" + view.Query
	view.Below = []frame.Block{table}
	for _, l := range view.Model.LeftOut {
		view.LeftOut = append(view.LeftOut, frame.ChannelName(l.Channel)+": "+l.Reason)
	}
	return nil
}

func contributionTable(a *tools.OptimizationAnswer) *frame.Table {
	t := &frame.Table{Name: "channels-table", Caption: "Channels", Columns: []frame.Column{
		{Key: "channel", Name: "Channel"},
		{Key: "spend", Name: "Spend", Number: true, Minor: true},
		{Key: "incremental", Name: "Incremental revenue", Number: true},
		{Key: "share", Name: "Share", Number: true},
		{Key: "roas", Name: "ROAS", Number: true, Minor: true},
		{Key: "saturation", Name: "Saturation", Number: true, Minor: true},
		{Key: "adstock", Name: "Adstock", Number: true, Minor: true},
	}}
	for _, r := range a.Rows {
		incremental := frame.None("none")
		if e := r.Incremental; e != nil {
			incremental = frame.MoneyCell(&e.Value, 0, a.Currency)
			incremental.Sub = money.Display(float64(e.Low), 0, a.Currency) + " – " + money.Display(float64(e.High), 0, a.Currency)
		}
		roas := frame.FigureCell(&r.ROAS.Value, 2)
		roas.Sub = ratio(float64(r.ROAS.Low)) + " – " + ratio(float64(r.ROAS.High))
		spend := modelledSpend(r)
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			frame.ChannelCell(r.Channel), frame.MoneyCell(&spend, 0, a.Currency), incremental, frame.PercentCell(r.SharePct), roas,
			percentEstimate(r.Saturation), percentEstimate(r.CarryOver),
		}})
	}
	return t
}

func percentEstimate(e *answers.Estimate[answers.Percent]) frame.Cell {
	if e == nil {
		return frame.None("none")
	}
	c := frame.PercentCell(&e.Value)
	c.Sub = frame.Figure(e.Low, 0) + " – " + frame.Figure(e.High, 0) + "%"
	return c
}

// responsesText returns the heading and the lead of the response curves.
func responsesText(a *tools.OptimizationAnswer) (heading, lead string) {
	even, below := breakEvenOf(a), 0
	for _, r := range a.Rows {
		if float64(r.MarginalROAS.Value) < even {
			below++
		}
	}
	heading = fmt.Sprintf("Marginal ROAS is below the break-even ROAS in %d of %s.", below, answers.Plural(len(a.Rows), "channel", "channels"))
	lead = fmt.Sprintf("The break-even ROAS is %s.", ratio(even))
	switch {
	case a.Metrics.BreakEven == nil && !neverBreaksEven(a):
		lead = unknownCosts
	case neverBreaksEven(a):
		lead = "There is no break-even ROAS, because costs before ad spend are at least as high as revenue."
	}
	return heading, lead + " In the gray areas, spend is above the range of the data, so the model extrapolates."
}

// responses shows the response curve of each channel.
func (c *modelPages) responses(v frame.Visit, view *modelsView) error {
	a, err := c.results(v, view.Place)
	if err != nil {
		return err
	}
	view.Heading, view.Lead = responsesText(a)
	section := c.section(view.Place, "curves", "Response curves", "incremental revenue per month by monthly spend, 90% credible intervals", "response curve")
	section.CSV = frame.ModelsPath + "/export.csv?of=curves&" + view.Query
	part := picturePart{Section: section}
	for _, r := range a.Rows {
		q := url.Values{
			"workspace": {string(view.Workspace.ID)}, "v": {fmt.Sprint(view.Model.Version)}, "of": {"curve"}, "channel": {string(r.Channel)},
			"now": {fmt.Sprintf("%.0f", float64(r.Spend))}, "plan": {fmt.Sprintf("%.0f", float64(r.Proposed))},
		}
		part.Pictures = append(part.Pictures, pictureOf(q.Encode(), "",
			fmt.Sprintf("Response curve of %s: incremental revenue per month by monthly spend, with 90%% interval. The export “Curves (CSV)” has the same figures.", frame.ChannelName(r.Channel))))
	}
	view.Pictures = []picturePart{part}
	return nil
}

// diagnostics shows whether the estimates are reliable.
func (c *modelPages) diagnostics(_ frame.Visit, view *modelsView) error {
	m := view.Model
	view.Heading = "The model has no diagnostics."
	if d := m.Diagnostics; d != nil {
		view.Heading = fmt.Sprintf("The sampler converged: the maximum R-hat is %.3f, and the minimum effective sample size (ESS) is %.0f.", float64(d.RHatMax), math.Min(float64(d.ESSBulkMin), float64(d.ESSTailMin)))
	}
	view.Verdict, view.Schedule = verdict(m), true
	if len(m.Tests) > 0 {
		view.Below = append(view.Below, frame.Block{
			Section: c.section(view.Place, "tests", "Geo experiments", "incremental ROAS, 90% intervals", "calibration"), Table: testTable(m),
			After: "The experiment result and the observational fit refer to the spend that the experiment changed. ROAS refers to all spend of the channel in the training window.",
		})
	}
	view.Below = append(view.Below, frame.Block{
		Section: c.section(view.Place, "priors", "Priors and posteriors", "90% intervals", "prior"), Table: priorTable(m),
		After: "If the posterior interval is not much narrower than the prior interval, the estimate depends mostly on the prior.",
	})
	return nil
}

func testTable(m *mix.Model) *frame.Table {
	t := &frame.Table{Name: "tests-table", Caption: "Geo experiments in the model", Columns: []frame.Column{
		{Key: "experiment", Name: "Experiment", Fixed: true},
		{Key: "result", Name: "Experiment result", Number: true, Fixed: true},
		{Key: "observational", Name: "Observational fit", Number: true, Fixed: true, Minor: true},
		{Key: "before", Name: "ROAS without experiment", Number: true, Fixed: true, Minor: true},
		{Key: "after", Name: "ROAS with experiment", Number: true, Fixed: true},
	}}
	for _, one := range m.Tests {
		name := frame.ChannelCell(one.Channel)
		name.Sub = one.Days.Words() + ". " + testVerdict(one)
		row := []frame.Cell{name, frame.None("none"), frame.None("none"), frame.None("none"), frame.None("none")}
		if one.Used() {
			row[1] = estimateCell(one.PerCost())
			for _, e := range m.Effects {
				if e.Channel == one.Channel && e.ROAS != nil {
					row[4] = estimateCell(mmm.EstimateOf(*e.ROAS))
				}
			}
			if a := one.Observational; a != nil {
				row[2], row[3] = estimateCell(one.FitPerCost()), estimateCell(mmm.EstimateOf(a.ROAS))
			}
			if one.Observational != nil && one.Contradicts() {
				row[1].Tone = "bad"
			}
		}
		t.Rows = append(t.Rows, frame.Row{Cells: row})
	}
	return t
}

func testVerdict(t mix.Calibration) string {
	switch a := t.Observational; {
	case !t.Used():
		return "The model does not use the experiment: " + t.Why + "."
	case a == nil:
		return "The model uses the experiment. There is no observational fit for a comparison."
	case t.Contradicts():
		return fmt.Sprintf("The model uses the experiment, but the result differs from the observational fit by %.1f standard deviations. The result or the fit may be biased.", math.Abs(a.ZScore))
	default:
		text := fmt.Sprintf("The model uses the experiment. The result is consistent with the observational fit: the difference is %.1f standard deviations.", math.Abs(a.ZScore))
		if t.FitMorePrecise() {
			text += " The observational fit is more precise than the experiment, so the model has no confounding term for the channel."
		}
		return text
	}
}

func estimateCell(e measure.Estimate) frame.Cell {
	c := frame.FigureCell(&e.Value, 2)
	c.Sub = ratio(e.Low) + " – " + ratio(e.High)
	return c
}

func priorTable(m *mix.Model) *frame.Table {
	t := &frame.Table{Name: "priors-table", Caption: "Priors and posteriors of the parameters", Size: 100, Columns: []frame.Column{
		{Key: "channel", Name: "Channel"},
		{Key: "parameter", Name: "Parameter", Fixed: true},
		{Key: "prior", Name: "Prior", Number: true, Fixed: true, Minor: true},
		{Key: "posterior", Name: "Posterior", Number: true, Fixed: true},
		{Key: "narrower", Name: "Interval", Number: true, Fixed: true, Minor: true},
	}}
	for _, b := range m.PriorPosteriors() {
		narrowed := frame.None("not narrower")
		if b.Narrowed > 0.01 {
			narrowed = frame.TextCell(fmt.Sprintf("%.0f%% narrower", 100*b.Narrowed))
		}
		name, note := parameterName(b.Parameter)
		parameter := frame.TextCell(name)
		parameter.Sub = note
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{frame.ChannelCell(b.Channel), parameter, estimateCell(b.Before), estimateCell(b.After), narrowed}})
	}
	return t
}
