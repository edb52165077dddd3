package measurement

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/console/frame/plot"
	"assay/internal/console/measurement/tilemap"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/money"
	"assay/internal/tools"
)

// planStep is a step in the planning of a geo experiment, from the channel to the saved draft. The query contains the
// values of the steps, so a plan can be shared and continued.
type planStep int

const (
	channelStep planStep = iota + 1
	designStep
	regionStep
	dateStep
	checkStep
)

// experimentPlan is the view of a step.
type experimentPlan struct {
	frame.Place
	frame.Messages
	Heading, Lead string
	Step          planStep
	Steps         []stepLink
	Hidden        [][2]string // values of the other steps
	Next          planStep
	Back          string // address of the previous step, "" for the first

	Channel  measure.Channel
	Channels *frame.Table
	Check    *tools.PreflightAnswer
	Designs  []design
	Chosen   string
	Power    []frame.Block
	Treated  []string
	Regions  frame.Choices // regions that the region step offers
	Tiles    []tilemap.Tile
	Start    civil.Date
	End      civil.Date
	Gates    *frame.Table
	Facts    []frame.Fact
	Name     string
	Guess    string // hypothesis
	Writes   bool
}

// Last reports whether the current step is the last step, which saves the draft.
func (e experimentPlan) Last() bool { return e.Step == checkStep }

// stepLink is a link to a step, at the top of the page.
type stepLink struct {
	N          int
	Name, Note string
	Address    string // "": not reached yet
	Here, Done bool
}

// design is a way to change the spend in the treated regions.
type design struct {
	Key, Name   string
	Factor      float64 // multiple of the usual spend
	Change      float64 // change of spend in the test
	Detectable  float64 // smallest incremental ROAS with 80% power, 0 if unknown
	Power       float64 // in percent, at the assumed incremental ROAS
	Bar         template.HTML
	MDE, Spend  string
	Recommended bool
	Chosen      bool
	Note        string // Recommended, or Highest power
}

// wantedPower is the power in percent that a design should reach.
const wantedPower = 80.0

// designsOf derives three designs from the readiness check. It assumes that the effect of a design is proportional to
// its change of spend. If a channel saturates, the effect of higher spend is smaller.
func designsOf(a *tools.PreflightAnswer, roas float64, currency money.Currency) []design {
	if a.Metrics.Spend == nil || *a.Metrics.Spend <= 0 || a.Metrics.Revenue == nil || a.Metrics.MDE == nil || *a.Metrics.MDE <= 0 {
		return nil
	}
	spend, base := float64(*a.Metrics.Spend), float64(*a.Metrics.Revenue)/float64(*a.Metrics.MDE)*100
	all := []design{{Key: "off", Name: "Pause channel", Factor: 0}, {Key: "x3", Name: "Triple spend", Factor: 3}, {Key: "x4", Name: "Quadruple spend", Factor: 4}}
	for i := range all {
		d := &all[i]
		d.Change = (d.Factor - 1) * spend
		d.Detectable = float64(*a.Metrics.Revenue) / math.Abs(d.Change)
		d.Power = powerAt(a, 100*roas*math.Abs(d.Change)/base)
		d.MDE, d.Spend = ratio(d.Detectable), signedText(d.Change, func(x float64) string { return money.Display(x, 0, currency) })
		class := "was"
		if d.Power >= wantedPower {
			class = "accent"
		}
		d.Bar = plot.Level(d.Power, wantedPower, 236, class)
	}
	best := 0
	for i, d := range all {
		enough, has := d.Power >= wantedPower, all[best].Power >= wantedPower
		if enough && !has || !enough && !has && d.Power > all[best].Power {
			best = i
		}
	}
	all[best].Recommended, all[best].Note = true, "Highest power"
	if all[best].Power >= wantedPower {
		all[best].Note = "Recommended"
	}
	return all
}

// powerAt returns the power to detect a lift, in percent, from the power curve of the readiness check.
func powerAt(a *tools.PreflightAnswer, lift float64) float64 {
	for i, at := range a.Power {
		if float64(at.Lift) < lift {
			continue
		}
		if i == 0 {
			return float64(at.Planning)
		}
		before := a.Power[i-1]
		span := float64(at.Lift - before.Lift)
		if span <= 0 {
			return float64(at.Planning)
		}
		return float64(before.Planning) + (lift-float64(before.Lift))/span*float64(at.Planning-before.Planning)
	}
	if n := len(a.Power); n > 0 {
		return float64(a.Power[n-1].Planning)
	}
	return 0
}

func (c *experimentPages) planPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	p.Here = experimentsPath
	view := &experimentPlan{Place: p, Writes: p.Role.Writes(), Channel: measure.Channel(strings.TrimSpace(query.Get("channel"))), Step: stepIn(query)}
	status := http.StatusOK
	err := c.plan(v, view, query)
	if fault.KindOf(err) == fault.KindInvalid && view.Channel != "" { // an unknown channel or region
		view = &experimentPlan{Place: p, Writes: view.Writes, Step: channelStep, Messages: frame.Messages{Problem: "Assay cannot check the plan. " + frame.PublicText(err)}}
		status, err = http.StatusBadRequest, c.plan(v, view, url.Values{})
	}
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	c.Render(w, v.Request, status, frame.Page{Name: "plan", Title: view.Heading, View: *view, Visitor: &v.Visitor})
}

// stepIn returns the step that the query requests. Without a channel, it returns channelStep. If the query requests no
// valid step, it returns designStep.
func stepIn(query url.Values) planStep {
	if strings.TrimSpace(query.Get("channel")) == "" {
		return channelStep
	}
	n, err := strconv.Atoi(query.Get("step"))
	if err != nil || n < int(channelStep) || n > int(checkStep) {
		return designStep
	}
	return planStep(n)
}

func (c *experimentPages) plan(v frame.Visit, view *experimentPlan, query url.Values) error {
	next, err := c.nextTest(v, view.Place)
	if err != nil {
		return err
	}
	view.Channels = planChannels(view, next)
	view.Heading, view.Lead = "Which channel do you want to test?", "The revenue at stake is the standard deviation of the channel’s incremental revenue over 90 days."
	if view.Channel != "" {
		if err := c.prepare(v, view, query, next); err != nil {
			return err
		}
	}
	view.link(query)
	if view.Step == channelStep {
		view.Heading, view.Lead = "Which channel do you want to test?", "The revenue at stake is the standard deviation of the channel’s incremental revenue over 90 days."
	}
	return nil
}

func planChannels(view *experimentPlan, a *tools.ExperimentsAnswer) *frame.Table {
	t := &frame.Table{Caption: "Channels", Empty: "No channel has spend. Import an ad report on the Data page first.", Columns: []frame.Column{
		{Key: "channel", Name: "Channel", Fixed: true},
		{Key: "stake", Name: "At stake, 90 days", Number: true, Fixed: true},
		{Key: "roas", Name: "Attributed ROAS", Number: true, Fixed: true, Minor: true},
		{Key: "last", Name: "Last test", Number: true, Fixed: true},
	}}
	for _, row := range a.Rows {
		name := frame.ChannelCell(row.Channel)
		name.Href = planPath + "?" + url.Values{"workspace": {string(view.Workspace.ID)}, "channel": {string(row.Channel)}, "step": {"2"}}.Encode()
		last := frame.Cell{Text: "never", Missing: true}
		if !row.LastTest.IsZero() {
			last = frame.TextCell(row.LastTest.Words())
		}
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{name, frame.MoneyCell(row.Stake, 0, a.Currency), frame.FigureCell(row.ROAS, 2), last}})
	}
	return t
}

// prepare checks the channel and sets the values of all steps.
func (c *experimentPages) prepare(v frame.Visit, view *experimentPlan, query url.Values, next *tools.ExperimentsAnswer) error {
	view.Treated = frame.Values(query["treated"])
	with := frame.Arguments{"channel": string(view.Channel), "detail_level": answers.AnalystLevel, "compact": true}
	if len(view.Treated) > 0 {
		with["treatmentRegions"] = view.Treated
	}
	check, err := frame.AnswerOf(c.Frame, v, view.Place, tools.GeoExperimentPreflight, with)
	if err != nil {
		return err
	}
	view.Check, view.Channel = check, cmp.Or(check.Channel, view.Channel)
	view.Treated = nil
	for _, region := range check.Treatment {
		view.Treated = append(view.Treated, string(region))
	}
	view.Tiles = tilemap.New(view.Treated, nil)
	roas, of := c.assumed(v, view, next)
	view.Designs = designsOf(check, roas, view.Workspace.Currency)
	view.choose(query.Get("design"))
	view.dates(query, civil.DayOf(c.Now(), view.Workspace.Location()))
	view.describe(roas, of)
	section := frame.Section{
		ID: "power", Title: "Power", Note: "probability of detecting a real effect", Article: frame.ArticleAddress(view.Place, "power"),
		Call: c.CallOf("power", tools.GeoExperimentPreflight.Name, with),
	}
	if len(view.Designs) > 0 && len(check.Power) > 1 {
		view.Power = []frame.Block{powerBlock(section, check, view.Designs, roas)}
	}
	view.Gates = gateTable(check)
	if view.Step == regionStep {
		known, err := c.regions(v, view.Place)
		if err != nil {
			return err
		}
		view.Tiles = tilemap.New(view.Treated, known)
		view.Regions = frame.ChoicesOf("treated", "Regions with changed spend",
			"If you change the regions, Assay computes the power again.", known, view.Treated)
	}
	return nil
}

// assumed returns the incremental ROAS that the power calculation assumes. The source is the media mix model, otherwise
// earlier experiments, otherwise last touch. Without a source, the result is 1.
func (c *experimentPages) assumed(v frame.Visit, view *experimentPlan, next *tools.ExperimentsAnswer) (roas float64, of string) {
	if a, err := frame.AnswerOf(c.Frame, v, view.Place, tools.Optimization, optimizationArguments()); err == nil {
		for _, row := range a.Rows {
			if row.Channel == view.Channel {
				return float64(row.ROAS.Value), "media mix model"
			}
		}
	}
	for _, row := range next.Rows {
		if row.Channel == view.Channel && row.ROAS != nil {
			if row.Factor != nil {
				return float64(*row.ROAS) * float64(row.Factor.Value), "earlier experiments"
			}
			return float64(*row.ROAS), "last touch"
		}
	}
	if view.Check.Metrics.LastTouch != nil {
		return float64(*view.Check.Metrics.LastTouch), "last touch"
	}
	return 1, "assumption"
}

func (e *experimentPlan) choose(key string) {
	for i := range e.Designs {
		if e.Designs[i].Key == key || key == "" && e.Designs[i].Recommended {
			e.Designs[i].Chosen, e.Chosen = true, e.Designs[i].Key
		}
	}
	if e.Chosen == "" && key != "" {
		e.choose("")
	}
}

// dates sets the days of the test from the query. By default, the test starts on the Monday after next and has the test
// length of the readiness check.
func (e *experimentPlan) dates(query url.Values, today civil.Date) {
	e.Start = civil.ByWeek.Start(today).AddDays(2 * weekDays)
	if day, err := civil.Parse(query.Get("start")); err == nil {
		e.Start = day
	}
	e.End = e.Start.AddDays(max(1, e.Check.Metrics.Duration) - 1)
	if day, err := civil.Parse(query.Get("end")); err == nil && !day.Before(e.Start) {
		e.End = day
	}
}

func (e *experimentPlan) chosen() *design {
	for i := range e.Designs {
		if e.Designs[i].Chosen {
			return &e.Designs[i]
		}
	}
	return nil
}

// describe sets the heading of the step, and the name and hypothesis of the draft.
func (e *experimentPlan) describe(roas float64, of string) {
	name, n := frame.ChannelName(e.Channel), answers.Plural(len(e.Treated), "region", "regions")
	e.Heading, e.Lead = name+" is not ready for a geo experiment.", e.Check.Summary
	d := e.chosen()
	if d == nil {
		return
	}
	e.Name = name + ": " + strings.ToLower(d.Name[:1]) + d.Name[1:] + " in " + n
	e.Guess = fmt.Sprintf("The incremental ROAS of %s is about %s (%s). The experiment detects an incremental ROAS of %s or more with 80%% power.", name, ratio(roas), of, d.MDE)
	e.Heading = fmt.Sprintf("%s in %s: %s power.", d.Name, n, frame.Figure(d.Power, 0)+"%")
	e.Lead = fmt.Sprintf("The power is computed for an incremental ROAS of %s (%s). The minimum detectable incremental ROAS is %s at a power of 80%%. Last-touch ROAS is %s.", ratio(roas), of, d.MDE, optionalRatio(e.Check.Metrics.LastTouch))
	switch e.Step {
	case regionStep:
		e.Heading = "Change spend in " + n + "."
		e.Lead = "By default, Assay proposes the set of regions with the lowest minimum detectable effect (MDE) in backtests. All other regions are controls."
	case dateStep:
		e.Heading = fmt.Sprintf("Run the experiment for %s.", answers.Plural(e.Check.Metrics.Duration, "day", "days"))
		e.Lead = "Avoid promotions and holidays that differ by region. Do not read the result before the experiment ends."
	case checkStep:
		e.Heading = gatesHeading(e.Check)
		e.Lead = "Check the conditions, then save the draft. Assay does not change the spend: change it on the ad platform."
	case channelStep, designStep:
	}
	e.Facts = []frame.Fact{
		{Name: "Channel", Value: name},
		{Name: "Design", Value: d.Name},
		{Name: "Regions", Value: frame.Count(int64(len(e.Treated)))},
		{Name: "Days", Value: frame.DaysText(e.Start, e.End)},
		{Name: "Change in spend", Value: d.Spend},
		{Name: "Minimum detectable ROAS", Value: d.MDE},
		{Name: "Power at ROAS " + ratio(roas), Value: frame.Figure(d.Power, 0) + "%"},
	}
}

func optionalRatio(r *answers.Ratio) string {
	if r == nil {
		return "unknown"
	}
	return ratio(float64(*r))
}

// link sets the links to the steps, the hidden form values of other steps and the address of the previous step.
func (e *experimentPlan) link(query url.Values) {
	state := url.Values{"workspace": {string(e.Workspace.ID)}}
	if e.Channel != "" {
		state.Set("channel", string(e.Channel))
	}
	for key, value := range map[string]string{"design": query.Get("design"), "start": query.Get("start"), "end": query.Get("end")} {
		if value != "" {
			state.Set(key, value)
		}
	}
	if given := frame.Values(query["treated"]); len(given) > 0 {
		state["treated"] = given
	}
	to := func(step planStep) string {
		with := url.Values{"step": {strconv.Itoa(int(step))}}
		maps.Copy(with, state)
		return planPath + "?" + with.Encode()
	}
	notes := map[planStep]string{channelStep: "", designStep: "Choose one of three", regionStep: "", dateStep: "", checkStep: ""}
	if e.Channel != "" {
		notes[channelStep] = frame.ChannelName(e.Channel)
	}
	if d := e.chosen(); d != nil && e.Step > designStep {
		notes[designStep], notes[regionStep] = d.Name, frame.Count(int64(len(e.Treated)))+" chosen"
	}
	if e.Step > dateStep {
		notes[dateStep] = frame.DaysText(e.Start, e.End)
	}
	for i, name := range []string{"Channel", "Design", "Regions", "Dates", "Checklist"} {
		step := planStep(i + 1)
		one := stepLink{N: i + 1, Name: name, Note: notes[step], Here: step == e.Step, Done: step < e.Step}
		if one.Done {
			one.Address = to(step)
		}
		e.Steps = append(e.Steps, one)
	}
	if e.Step > channelStep {
		e.Back = to(e.Step - 1)
	}
	own := map[planStep][]string{designStep: {"design"}, regionStep: {"treated"}, dateStep: {"start", "end"}}
	for _, key := range []string{"workspace", "channel", "design", "treated", "start", "end"} {
		if slices.Contains(own[e.Step], key) {
			continue
		}
		for _, value := range state[key] {
			e.Hidden = append(e.Hidden, [2]string{key, value})
		}
	}
	e.Next = e.Step + 1
}

// powerBlock draws the power of the designs as a function of the true incremental ROAS.
func powerBlock(section frame.Section, a *tools.PreflightAnswer, designs []design, roas float64) frame.Block {
	base := float64(*a.Metrics.Revenue) / float64(*a.Metrics.MDE) * 100
	most := math.Max(2*roas, 1)
	for _, d := range designs {
		most = math.Max(most, math.Min(d.Detectable*1.15, 4*math.Max(roas, 1)))
	}
	p := plot.Power{Label: "Power of each design by true incremental ROAS.", Most: most, Wanted: wantedPower, Marker: roas, MarkerName: "assumed " + ratio(roas), Across: "True incremental ROAS"}
	for _, d := range designs {
		line := plot.PowerLine{Name: strings.Replace(d.Name, " spend", "", 1), Chosen: d.Chosen}
		const steps = 60
		for i := range steps + 1 {
			at := most * float64(i) / steps
			line.Values = append(line.Values, powerAt(a, 100*at*math.Abs(d.Change)/base))
		}
		p.Lines = append(p.Lines, line)
	}
	return frame.Block{
		Section: section, Wide: p.Draw(mainChart), Large: p.Draw(mainChart + 110), Narrow: p.Draw(narrowChart),
		After: "The curves assume that the effect is proportional to the change in spend. If the channel saturates, additional spend has a smaller effect.",
	}
}

func gateTable(a *tools.PreflightAnswer) *frame.Table {
	t := &frame.Table{Name: "gates", Caption: "Readiness", Size: 50, Empty: "Assay cannot check the conditions of a geo experiment yet.", Columns: []frame.Column{
		{Key: "gate", Name: "Condition", Fixed: true}, {Key: "status", Name: "Result", Number: true, Fixed: true},
	}}
	for _, g := range a.Rows {
		name := frame.TextCell(frame.Capitalized(frame.Words(g.Gate)))
		name.Sub = g.Detail
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{name, {Text: gateWords(g.Status), Tag: true, Tone: gateTone(g.Status)}}})
	}
	return t
}

// gatesHeading returns a heading with the number of failed conditions.
func gatesHeading(a *tools.PreflightAnswer) string {
	failed := 0
	for _, g := range a.Rows {
		if g.Status == geo.Fail {
			failed++
		}
	}
	if failed == 0 {
		return fmt.Sprintf("No condition fails. The readiness score is %d of 100.", a.Metrics.Score)
	}
	return fmt.Sprintf("Failed conditions: %d of %s. The readiness score is %d of 100.", failed, frame.Count(int64(len(a.Rows))), a.Metrics.Score)
}

// gateWords describes the result of a condition.
func gateWords(status geo.Verdict) string {
	switch status {
	case geo.Pass:
		return "Pass"
	case geo.Warn:
		return "Warning"
	case geo.Fail:
		return "Fail"
	case geo.Unknown:
	}
	return "Unknown"
}

func gateTone(status geo.Verdict) string {
	switch status {
	case geo.Pass:
		return "good"
	case geo.Fail:
		return "bad"
	case geo.Warn, geo.Unknown:
	}
	return "warning"
}

// rowAction is an experiment with the forms that change it.
type rowAction struct {
	View  experimentsView
	Token string
	Row   experimentRow
}

func rowActionOf(v experimentsView, token string, row any) rowAction {
	if p, ok := row.(*experimentRow); ok {
		return rowAction{v, token, *p}
	}
	return rowAction{v, token, row.(experimentRow)}
}

// Kind returns the kind of the draft.
func (experimentPlan) Kind() control.ExperimentKind { return control.GeoTest }
