package measurement

import (
	"fmt"
	"net/url"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/console/frame/plot"
	"assay/internal/console/measurement/tilemap"
	"assay/internal/control"
	"assay/internal/money"
	"assay/internal/operation"
	"assay/internal/tools"
)

// resultsArguments returns the arguments for all experiments, or for the evidence of one experiment.
func resultsArguments(id string) frame.Arguments {
	with := frame.Arguments{"view": tools.ResultsView, "detail_level": answers.AnalystLevel, "compact": true}
	if id != "" {
		with["experiment_id"] = id
	}
	return with
}

func (c *experimentPages) section(p frame.Place, id, title, note, article string, with frame.Arguments) frame.Section {
	return frame.Section{ID: id, Title: title, Note: note, Article: frame.ArticleAddress(p, article), Call: c.CallOf(id, tools.Experiments.Name, with)}
}

// nextTest returns the channels in the order in which to test them.
func (c *experimentPages) nextTest(v frame.Visit, p frame.Place) (*tools.ExperimentsAnswer, error) {
	return frame.AnswerOf(c.Frame, v, p, tools.Experiments, nextTestArguments())
}

func nextTestArguments() frame.Arguments {
	return frame.Arguments{"view": tools.NextTestView, "detail_level": answers.AnalystLevel, "compact": true}
}

// breakEven returns the ROAS at which contribution equals spend, or 0 if it is unknown.
func (c *experimentPages) breakEven(v frame.Visit, p frame.Place) (float64, error) {
	a, err := frame.AnswerOf(c.Frame, v, p, tools.Performance, frame.Arguments{"detail_level": answers.AnalystLevel, "compact": true})
	if err != nil {
		return 0, err
	}
	if b := a.Metrics.BreakEven; b != nil && b.Value != nil {
		return float64(*b.Value), nil
	}
	return 0, nil
}

// all shows a forest plot of the experiments, and the channels to test next.
func (c *experimentPages) all(v frame.Visit, view *experimentsView, found *tools.ExperimentsAnswer) error {
	next, err := c.nextTest(v, view.Place)
	if err != nil {
		return err
	}
	even, err := c.breakEven(v, view.Place)
	if err != nil {
		return err
	}
	completed := 0
	for _, row := range found.Rows {
		one := experimentRow{row}
		if one.Completed() {
			completed++
		} else if row.Status != control.ExperimentCancelled {
			view.Open = append(view.Open, one)
		}
	}
	view.Heading, view.Lead = experimentsHeading(found, completed, next), experimentsLead(next)
	if view.Writes {
		if err := c.choices(v, view); err != nil {
			return err
		}
	}
	if len(found.Rows) > 0 {
		view.Blocks = []frame.Block{{
			Section: c.section(view.Place, "forest", "Incremental ROAS", "90% intervals"+evenNote(even), "interpreting experiments", resultsArguments("")),
			Table:   c.forest(view, found, even),
		}}
	}
	if len(next.Rows) > 0 {
		view.Halves = []frame.Block{
			{Section: c.section(view.Place, "next", "What to test next", "", "experiment planning", nextTestArguments()), Table: c.stakes(view, next)},
			{
				Section: c.section(view.Place, "gap", "Attributed and incremental ROAS", "", "incrementality factor", nextTestArguments()), Table: gapTable(next),
				Legend: []frame.Legend{{Name: "Incremental", Class: "dot"}, {Name: "Attributed", Class: "diamond"}},
			},
		}
	}
	return nil
}

// choices sets the channels and regions of the form.
func (c *experimentPages) choices(v frame.Visit, view *experimentsView) (err error) {
	if view.Channels, err = c.ChannelListOf(v, view.Place, view.Form.Get("channel")); err != nil {
		return err
	}
	known, err := c.regions(v, view.Place)
	view.Treated = frame.ChoicesOf("treated", "Treated regions", "", known, frame.Values(view.Form["treated"]))
	view.HeldOut = frame.ChoicesOf("held_out", "Control regions", "", known, frame.Values(view.Form["held_out"]))
	return err
}

// regions returns the regions with orders in the last year.
func (c *experimentPages) regions(v frame.Visit, p frame.Place) ([]string, error) {
	return operation.ListRegions.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), operation.None{})
}

func evenNote(even float64) string {
	if even == 0 {
		return ""
	}
	return " · dotted line: break-even ROAS " + ratio(even)
}

func experimentsHeading(a *tools.ExperimentsAnswer, completed int, next *tools.ExperimentsAnswer) string {
	conclusive := 0
	for _, row := range a.Rows {
		if row.Outcome == tools.EffectFound {
			conclusive++
		}
	}
	text := "No experiment is completed."
	if completed > 0 {
		text = fmt.Sprintf("%d of %s detected an effect.", conclusive, answers.Plural(completed, "completed experiment", "completed experiments"))
	}
	if len(next.Rows) > 0 && next.Rows[0].Stake != nil && *next.Rows[0].Stake > 0 {
		text += " Test " + frame.ChannelName(next.Rows[0].Channel) + " next."
	}
	return text
}

func experimentsLead(next *tools.ExperimentsAnswer) string {
	if len(next.Rows) == 0 || next.Rows[0].Stake == nil || *next.Rows[0].Stake <= 0 {
		return "A geo experiment changes a channel’s spend in some regions and compares the revenue of these regions with that of the other regions."
	}
	return money.Display(float64(*next.Rows[0].Stake), 0, next.Currency) + " of 90-day revenue is at stake in the next channel to test: one standard deviation of the channel’s incremental revenue."
}

// forest shows all experiments on one scale.
func (c *experimentPages) forest(view *experimentsView, a *tools.ExperimentsAnswer, even float64) *frame.Table {
	var lows, highs []float64
	for _, row := range a.Rows {
		if row.Return != nil {
			lows, highs = append(lows, float64(row.Return.Low)), append(highs, float64(row.Return.High))
		}
	}
	s := plot.NewForest(lows, highs, even, 260)
	t := &frame.Table{Name: "experiments", Caption: "Experiments", Columns: []frame.Column{
		{Key: "experiment", Name: "Experiment"},
		{Fixed: true, Axis: s.Axis(), Minor: true},
		{Key: "incremental_roas", Name: "Incremental ROAS", Number: true},
		{Key: "lift_pct", Name: "Lift", Number: true, Minor: true},
		{Key: "attributed_roas", Name: "Attributed", Number: true, Minor: true},
		{Key: "factor", Name: "Factor", Number: true, Minor: true},
		{Key: "status", Name: "Status", Number: true},
	}}
	for _, row := range a.Rows {
		name := frame.TextCell(string(row.Name))
		name.Color, name.Href = frame.ChannelColor(row.Channel), experimentAddress(view.Place, row.ID)
		name.Sub = experimentSub(row)
		cells := []frame.Cell{name, {Picture: s.Empty()}, frame.None("none"), frame.None("none"), frame.FigureCell(row.ROAS, 2), frame.None("none"), statusCell(experimentRow{row})}
		if e := row.Return; e != nil {
			cells[1].Picture = s.Whisker(float64(e.Value), float64(e.Low), float64(e.High), frame.ChannelColor(row.Channel))
			cells[2] = frame.FigureCell(&e.Value, 2)
			cells[2].Sub = frame.Figure(e.Low, 2) + " – " + frame.Figure(e.High, 2)
		}
		if e := row.Lift; e != nil {
			cells[3] = frame.PercentCell(&e.Value)
		}
		if e := row.Factor; e != nil {
			cells[5] = frame.FigureCell(&e.Value, 2)
		}
		t.Rows = append(t.Rows, frame.Row{Cells: cells})
	}
	return t
}

func experimentAddress(p frame.Place, id control.ExperimentID) string {
	return experimentsPath + "?" + url.Values{"workspace": {string(p.Workspace.ID)}, "experiment": {string(id)}}.Encode()
}

func experimentSub(row tools.ExperimentRow) string {
	text := frame.ChannelName(row.Channel)
	if !row.Start.IsZero() {
		text += " · " + frame.DaysText(row.Start, row.End)
	}
	if n := len(row.Treated); n > 0 {
		text += " · " + answers.Plural(n, "region", "regions")
	}
	return text
}

func statusCell(row experimentRow) frame.Cell {
	switch {
	case row.Applied != nil && *row.Applied:
		return frame.Cell{Text: "Applied", Tag: true, Tone: "good"}
	case row.Outcome == tools.NoResult:
		return frame.Cell{Text: "No result", Tag: true, Tone: "warning"}
	}
	return frame.Cell{Text: frame.Capitalized(string(row.Status)), Tag: true}
}

// stakes lists the channels to test next, with their revenue at stake.
func (c *experimentPages) stakes(view *experimentsView, a *tools.ExperimentsAnswer) *frame.Table {
	t := &frame.Table{Name: "stakes", Caption: "What to test next", Columns: []frame.Column{
		{Key: "channel", Name: "Channel"},
		{Fixed: true, Minor: true},
		{Key: "stake", Name: "At stake, 90 days", Number: true},
		{Key: "last_test", Name: "Last test", Number: true},
	}}
	largest := 0.0
	for _, row := range a.Rows {
		if row.Stake != nil {
			largest = max(largest, float64(*row.Stake))
		}
	}
	for _, row := range a.Rows {
		name := frame.ChannelCell(row.Channel)
		name.Href = planPath + "?" + url.Values{"workspace": {string(view.Workspace.ID)}, "channel": {string(row.Channel)}}.Encode()
		bar, last := frame.Cell{}, frame.Cell{Text: "never", Missing: true}
		if row.Stake != nil {
			bar.Picture = plot.Bar(float64(*row.Stake), largest, 110, false, "c-"+frame.ChannelColor(row.Channel))
		}
		if !row.LastTest.IsZero() {
			last = frame.TextCell(row.LastTest.Words())
		}
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{name, bar, frame.MoneyCell(row.Stake, 0, a.Currency), last}})
	}
	return t
}

// gapTable compares last-touch ROAS with last-touch ROAS times the incrementality factor.
func gapTable(a *tools.ExperimentsAnswer) *frame.Table {
	var highs []float64
	for _, row := range a.Rows {
		if row.ROAS != nil {
			highs = append(highs, float64(*row.ROAS))
		}
	}
	s := plot.NewScale(highs, 0, 150)
	t := &frame.Table{Name: "gaps", Caption: "Attributed and incremental ROAS", Columns: []frame.Column{
		{Key: "channel", Name: "Channel"},
		{Fixed: true, Axis: s.Axis(), Minor: true},
		{Key: "incremental", Name: "Incremental", Number: true},
		{Key: "attributed", Name: "Attributed", Number: true},
	}}
	for _, row := range a.Rows {
		cells := []frame.Cell{frame.ChannelCell(row.Channel), {}, frame.None("untested"), frame.FigureCell(row.ROAS, 2)}
		if row.ROAS != nil {
			roas := float64(*row.ROAS)
			cells[1].Picture = s.Gap(nil, roas, frame.ChannelColor(row.Channel))
			if row.Factor != nil {
				corrected := float64(row.Factor.Value) * roas
				cells[1].Picture, cells[2] = s.Gap(&corrected, roas, frame.ChannelColor(row.Channel)), frame.FigureCell(&corrected, 2)
			}
		}
		t.Rows = append(t.Rows, frame.Row{Cells: cells})
	}
	return t
}

// one shows an experiment with its evidence.
func (c *experimentPages) one(view *experimentsView, found *tools.ExperimentsAnswer) {
	row := experimentRow{found.Rows[0]}
	view.One, view.Found = &row, found.Evidence
	view.Heading, view.Lead = oneHeading(row), experimentSub(row.ExperimentRow)
	view.Tiles = tilemap.New(row.Treated, row.HeldOut)
	view.Bars, view.Own = placeboBars(view.Found)
	view.KPIs = oneKPIs(row, found.Currency)
	if e := found.Evidence; e != nil && len(e.Weeks) > 0 {
		view.Blocks = []frame.Block{c.weeks(view.Place, row, e, found.Currency)}
	}
}

func oneHeading(row experimentRow) string {
	name := string(row.Name)
	switch {
	case row.Outcome == tools.NoResult:
		return "No result: " + name + "."
	case row.Lift == nil:
		return name
	case row.Outcome == tools.EffectFound:
		return "Effect detected: lift " + frame.Figure(row.Lift.Value, 1) + "% (90% interval " + frame.Figure(row.Lift.Low, 1) + "% to " + frame.Figure(row.Lift.High, 1) + "%)."
	}
	return "Inconclusive: lift " + frame.Figure(row.Lift.Value, 1) + "% (90% interval " + frame.Figure(row.Lift.Low, 1) + "% to " + frame.Figure(row.Lift.High, 1) + "%)."
}

func oneKPIs(row experimentRow, c money.Currency) []frame.KPI {
	var kpis []frame.KPI
	add := func(name, value, from string) { kpis = append(kpis, frame.KPI{Name: name, Value: value, From: from}) }
	if e := row.Lift; e != nil {
		add("Lift", frame.Figure(e.Value, 1)+"%", frame.Figure(e.Low, 1)+"% to "+frame.Figure(e.High, 1)+"%")
	}
	if e := row.Incremental; e != nil {
		add("Incremental revenue", money.Display(float64(e.Value), 0, c), money.Display(float64(e.Low), 0, c)+" to "+money.Display(float64(e.High), 0, c))
	}
	if e := row.Return; e != nil {
		add("Incremental ROAS", frame.Figure(e.Value, 2), frame.Figure(e.Low, 2)+" to "+frame.Figure(e.High, 2))
	}
	if e := row.Factor; e != nil {
		from := frame.Figure(e.Low, 2) + " to " + frame.Figure(e.High, 2)
		if row.ROAS != nil {
			from += "; attributed ROAS " + frame.Figure(*row.ROAS, 2)
		}
		add("Factor", frame.Figure(e.Value, 2), from)
	}
	if row.PValue != nil {
		add("p-value", frame.Figure(*row.PValue, 3), "two-sided; null hypothesis: no effect")
	}
	return kpis
}

// weeks draws observed and expected revenue of the treated regions. Each week is drawn at its first day.
func (c *experimentPages) weeks(p frame.Place, row experimentRow, e *tools.ExperimentEvidence, currency money.Currency) frame.Block {
	d := plot.Days{
		Name: "Observed", Ahead: "Expected", Band: "90% range of earlier weeks", Axis: frame.ShortMoney(currency),
		Value: func(x float64) string { return money.Display(x, 0, currency) },
		Title: func(day civil.Date) string { return "Week of " + day.Words() }, Tick: civil.Date.Short,
		Label: "Weekly revenue of the treated regions: observed, and expected without the experiment. The table below has the same figures.",
		Notes: []plot.Note{{Date: row.Start, Label: "Experiment starts"}},
	}
	var last civil.Date
	for _, w := range e.Weeks {
		for !last.IsZero() && w.Start.Sub(last) > weekDays { // missing weeks are drawn as a gap
			last = last.AddDays(weekDays)
			d.Points = append(d.Points, plot.Day{Date: last})
		}
		last = w.Start
		d.Points = append(d.Points, plot.Day{Date: w.Start, Value: number(w.Observed), Ahead: number(w.Expected), Low: number(w.Low), High: number(w.High)})
	}
	return frame.Block{
		Section: c.section(p, "weeks", "Observed and expected revenue", "treated regions, by week", "synthetic control", resultsArguments(string(row.ID))),
		Legend:  []frame.Legend{{Name: "Observed", Class: "now"}, {Name: "Expected", Class: "ahead"}, {Name: "90% range of earlier weeks", Class: "now fan"}},
		Wide:    d.Draw(mainChart), Large: d.Draw(mainChart + 110), Narrow: d.Draw(narrowChart),
	}
}

func number[T ~float64](x T) *float64 { return new(float64(x)) }
