package record

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/decision"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

type annotationParams struct {
	Date  civil.Date             `json:"date" required:"true" doc:"First day."`
	Label string                 `json:"label" required:"true" nonempty:"true" doc:"What happened."`
	End   civil.Date             `json:"end_date" doc:"Last day."`
	Type  control.AnnotationType `json:"type" enum:"promotion|outage|launch|other" default:"other" doc:"Type."`
}

func annotate(_ context.Context, c *toolkit.Call, p annotationParams) (*Change, error) {
	given, err := control.Annotation{Days: civil.Range{First: p.Date, Last: p.End}, Label: p.Label, Type: p.Type}.Checked()
	if err != nil {
		return nil, err
	}
	when := "on " + given.Days.First.String()
	if given.Days.Days() > 1 {
		when = answer.Dates(given.Days)
	}
	ch := &Change{
		Verb: "add", Past: "added", Object: fmt.Sprintf("the annotation %s %s", told(given.Label), when),
		Note:   " The trends and chart tools and the Forecasts & targets page show the annotation.",
		Undo:   removal(c, "annotations", "ID"),
		Record: Record{Date: given.Days.First, EndDate: given.Days.Last, Label: answer.Foreign(given.Label), Type: given.Type},
	}
	show := func(a control.Annotation) {
		ch.ID, ch.Undo = string(a.ID), removal(c, "annotations", string(a.ID))
		ch.Record = Record{Date: a.Days.First, EndDate: a.Days.Last, Label: answer.Foreign(a.Label), Type: a.Type}
	}
	if at := slices.IndexFunc(c.Annotations, given.Same); at >= 0 {
		ch.Existing = true
		show(c.Annotations[at])
	}
	ch.do = func(ctx context.Context, ch *Change) (bool, error) {
		kept, err := c.Managed.AddAnnotation(ctx, c.Principal, given)
		if err != nil {
			return false, err
		}
		show(kept.Record)
		return kept.Changed, nil
	}
	return ch, nil
}

// removal returns the command that removes a record of a kind, such as annotations.
func removal(c *toolkit.Call, kind, id string) string {
	return fmt.Sprintf("assay %s remove %s --workspace %s", kind, id, c.Workspace.ID)
}

type couponParams struct {
	Code    string `json:"code" required:"true" nonempty:"true" doc:"Discount code."`
	Channel string `json:"channel" required:"true" nonempty:"true" doc:"Channel, or unattributed for none."`
}

func mapCoupon(ctx context.Context, c *toolkit.Call, p couponParams) (*Change, error) {
	code, err := control.CheckedName(p.Code)
	if err != nil {
		return nil, fault.Invalid("params.code: %v", err)
	}
	channel := measure.Unattributed
	if measure.ParseChannel(p.Channel) != measure.Unattributed {
		if channel, err = toolkit.Creditable(c.Snapshot, p.Channel); err != nil {
			return nil, err
		}
	}
	now, err := c.CouponChannel(ctx, code)
	if err != nil {
		return nil, err
	}
	shown := func(was measure.Channel) measure.Channel {
		if was == "" {
			return measure.Unattributed
		}
		return was
	}
	ch := &Change{
		Verb: "map", Past: "mapped", Object: fmt.Sprintf("the coupon %s to %s", told(now.Code), answer.ChannelName(channel)), ID: now.Code,
		Existing: shown(now.Channel) == channel,
		Note:     " All past and future orders with the coupon and without touchpoints are attributed to the channel. Orders with touchpoints do not change.",
	}
	show := func(was measure.Channel) {
		ch.Record = Record{Code: answer.Foreign(now.Code), Channel: channel, Previous: shown(was)}
		ch.Undo = fmt.Sprintf("Call manage with action=map_coupon, the coupon code and channel=%s (the previous value).", answer.Clean(string(shown(was))))
	}
	show(now.Channel)
	ch.do = func(ctx context.Context, _ *Change) (bool, error) {
		kept, err := c.Managed.MapCoupon(ctx, c.Principal, warehouse.CouponChannel{Code: now.Code, Channel: channel})
		if err == nil {
			show(kept.Record.Channel)
		}
		return kept.Changed, err
	}
	return ch, nil
}

type experimentParams struct {
	Channel    string                 `json:"channel" required:"true" nonempty:"true" doc:"Channel to test."`
	Name       string                 `json:"name" doc:"Name."`
	Kind       control.ExperimentKind `json:"kind" enum:"geo|lift_study|conversion_lift" default:"geo" doc:"Design."`
	Start      civil.Date             `json:"start_date" doc:"First day."`
	End        civil.Date             `json:"end_date" doc:"Last day."`
	Regions    []string               `json:"regions" doc:"Treated regions."`
	HeldOut    []string               `json:"held_out_regions" doc:"Control regions."`
	Hypothesis string                 `json:"hypothesis" doc:"Expected result."`
}

func createExperiment(ctx context.Context, c *toolkit.Call, p experimentParams) (*Change, error) {
	given := control.Experiment{
		Workspace: c.Workspace.ID, Channel: measure.Channel(p.Channel), Name: p.Name, Kind: p.Kind, Treated: p.Regions, HeldOut: p.HeldOut,
		Days: civil.Range{First: p.Start, Last: p.End}, Hypothesis: p.Hypothesis,
	}
	given, err := toolkit.Planned(ctx, c.Snapshot, given)
	if err != nil {
		return nil, err
	}
	checked, err := given.Checked()
	if err != nil {
		return nil, err
	}
	ch := &Change{
		Verb: "create", Past: "created", Object: fmt.Sprintf("the experiment %s on %s as a draft", told(checked.Name), answer.ChannelName(checked.Channel)),
		Undo: "Call manage with action=update_experiment, the experiment_id and status=cancelled.", Record: experimentRecord(checked),
	}
	same := func(e control.Experiment) bool { return e.Status.Open() && e.SamePlan(checked) }
	if at := slices.IndexFunc(c.Experiments, same); at >= 0 {
		ch.Existing, ch.ID, ch.Record = true, string(c.Experiments[at].ID), experimentRecord(c.Experiments[at])
	}
	ch.do = func(ctx context.Context, ch *Change) (bool, error) {
		kept, err := c.Managed.AddExperiment(ctx, c.Principal, given)
		ch.ID, ch.Record = string(kept.Record.ID), experimentRecord(kept.Record)
		return kept.Changed, err
	}
	return ch, nil
}

func experimentRecord(e control.Experiment) Record {
	return Record{
		Name: answer.Foreign(e.Name), Channel: e.Channel, Kind: e.Kind, Status: e.Status, May: e.Status.Before(), Date: e.Days.First, EndDate: e.Days.Last,
		Treated: cleaned(e.Treated), HeldOut: cleaned(e.HeldOut),
	}
}

func cleaned(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, answer.Clean(name))
	}
	return all
}

type experimentStatusParams struct {
	ID     string                   `json:"experiment_id" required:"true" nonempty:"true" doc:"Experiment."`
	Status control.ExperimentStatus `json:"status" enum:"draft|planned|running|completed|cancelled" required:"true" doc:"New status."`
	Return *float64                 `json:"incremental_roas" doc:"Result of a completed study."`
	Low    *float64                 `json:"low" doc:"Lower interval limit."`
	High   *float64                 `json:"high" doc:"Upper interval limit."`
	Level  int                      `json:"level_pct" default:"90" min:"50" max:"99" doc:"Level of the interval."`
}

// finding returns the experiment's result from the parameters, or nil if they contain no result.
func (p experimentStatusParams) finding() (*control.Finding, error) {
	switch {
	case p.Return == nil && p.Low == nil && p.High == nil:
		return nil, nil
	case p.Return == nil || p.Low == nil || p.High == nil:
		return nil, fault.Invalid("params: a result requires incremental_roas, low and high")
	}
	return &control.Finding{Return: *p.Return, Low: *p.Low, High: *p.High, LevelPct: p.Level}, nil
}

func updateExperiment(_ context.Context, c *toolkit.Call, p experimentStatusParams) (*Change, error) {
	at := slices.IndexFunc(c.Experiments, func(e control.Experiment) bool { return string(e.ID) == p.ID })
	if at < 0 {
		return nil, fault.NotFound("experiment_id: there is no experiment %s", told(p.ID)).WithHint("The `experiments` tool with `view=results` lists the experiments.")
	}
	found, err := p.finding()
	if err != nil {
		return nil, err
	}
	e := c.Experiments[at]
	moved := e
	moved.Status = p.Status
	if found != nil {
		moved.Found = found
	}
	ch := &Change{
		Verb: "set", Past: "set", Object: fmt.Sprintf("the status of the experiment %s to %s", told(e.Name), p.Status), ID: string(e.ID),
		Existing: e.Status == p.Status, Record: experimentRecord(moved), Note: fmt.Sprintf(" The previous status is %s.", e.Status),
	}
	if !ch.Existing {
		ch.Refusal = unreachable(c, e, moved)
	}
	ch.do = func(ctx context.Context, ch *Change) (bool, error) {
		kept, err := c.Managed.MoveExperiment(ctx, c.Principal, control.Move{ID: e.ID, To: p.Status, Found: found})
		ch.Record = experimentRecord(kept.Record)
		return kept.Changed, err
	}
	return ch, nil
}

// unreachable returns why an experiment cannot change to a status now, or nil if it can.
func unreachable(c *toolkit.Call, e, moved control.Experiment) error {
	next := e.Status.Before()
	switch {
	case len(next) == 0:
		return fault.Conflict("params.status: the status %s is final", e.Status)
	case !slices.Contains(next, moved.Status):
		names := make([]string, len(next))
		for i, s := range next {
			names[i] = string(s)
		}
		return fault.Conflict("params.status: the status cannot change from %s to %s", e.Status, moved.Status).
			WithHint("The next status can be %s.", strings.Join(names, " or "))
	}
	if _, err := moved.Checked(); err != nil {
		return err
	}
	for _, other := range c.Experiments {
		if why := moved.Clash(other); why != "" {
			return fault.Conflict("the experiment conflicts with %s: %s", told(string(other.ID)), answer.Clean(why)).WithHint("Cancel one of the experiments.")
		}
	}
	return nil
}

type reportParams struct {
	Name      string         `json:"name" required:"true" nonempty:"true" doc:"Name."`
	Tool      string         `json:"tool" default:"performance" doc:"Tool to call."`
	Arguments map[string]any `json:"arguments" doc:"Tool arguments."`
}

func saveReport(ctx context.Context, c *toolkit.Call, p reportParams) (*Change, error) {
	given := control.SavedReport{Name: p.Name, Tool: p.Tool}
	if len(p.Arguments) > 0 {
		encoded, err := json.Marshal(p.Arguments)
		if err != nil {
			return nil, fault.Invalid("params.arguments must be an object")
		}
		given.Arguments = encoded
	}
	given, err := given.Checked()
	if err != nil {
		return nil, err
	}
	if err := c.Reports(given.Tool, given.Arguments); err != nil {
		return nil, err
	}
	all, err := c.Managed.Reports(ctx, c.Workspace.ID)
	if err != nil {
		return nil, err
	}
	ch := &Change{
		Verb: "save", Past: "saved", Object: fmt.Sprintf("the report %s, which calls the %s tool", told(given.Name), given.Tool),
		Note: " Each read of the saved report calls the tool again.", Undo: removal(c, "reports", "ID"),
		Record: Record{Name: answer.Foreign(given.Name), Tool: given.Tool},
	}
	show := func(r control.SavedReport) {
		ch.ID, ch.Record.URI = string(r.ID), toolkit.ReportURI+string(r.ID)
		ch.Undo = removal(c, "reports", string(r.ID))
	}
	if at := slices.IndexFunc(all, func(r control.SavedReport) bool { return r.Name == given.Name }); at >= 0 {
		if ch.Existing = all[at].Same(given); ch.Existing {
			show(all[at])
		} else {
			ch.Refusal = fault.Conflict("params.name: another saved report has the name %s", told(given.Name)).WithHint("Use another name.")
		}
	}
	ch.do = func(ctx context.Context, _ *Change) (bool, error) {
		kept, err := c.Managed.SaveReport(ctx, c.Principal, given)
		if err == nil {
			show(kept.Record)
		}
		return kept.Changed, err
	}
	return ch, nil
}

type insightParams struct {
	ID     string `json:"insight_id" required:"true" nonempty:"true" doc:"Insight."`
	Reason string `json:"reason" doc:"Reason for dismissal."`
}

func dismissInsight(ctx context.Context, c *toolkit.Call, p insightParams) (*Change, error) {
	given, err := control.DismissedInsight{Workspace: c.Workspace.ID, Insight: control.InsightID(p.ID), Reason: p.Reason}.Checked()
	if err != nil {
		return nil, err
	}
	ch := &Change{
		Verb: "dismiss", Past: "dismissed", Object: "the insight " + told(p.ID), ID: p.ID,
		Note: " The insights tool omits the insight until its evidence changes.", Undo: "Restore the insight on the Insights page.", Record: Record{Label: answer.Foreign(given.Reason)},
	}
	ch.Existing = slices.ContainsFunc(c.Dismissed, func(d control.DismissedInsight) bool { return d.Insight == given.Insight })
	if !ch.Existing {
		if _, err := decision.Dismissable(ctx, c, given.Insight); err != nil {
			return nil, err
		}
	}
	ch.do = func(ctx context.Context, _ *Change) (bool, error) {
		kept, err := c.Managed.DismissInsight(ctx, c.Principal, given)
		return kept.Changed, err
	}
	return ch, nil
}

type alertParams struct {
	Metric    control.AlertMetric    `json:"metric" enum:"revenue|orders|spend|roas|aov" required:"true" doc:"Metric of one day."`
	Condition control.AlertCondition `json:"condition" enum:"above|below|change_above" required:"true" doc:"Condition of the rule."`
	Threshold float64                `json:"threshold" required:"true" min:"0" max:"1000000000000" doc:"Threshold of the rule; in percent for change_above."`
	Channel   string                 `json:"channel" doc:"Only this channel."`
	Name      string                 `json:"name" doc:"Name."`
}

func createAlert(ctx context.Context, c *toolkit.Call, p alertParams) (*Change, error) {
	given := control.Alert{Name: p.Name, Metric: p.Metric, Condition: p.Condition, Threshold: control.NewAlertValue(p.Threshold)}
	var err error
	if p.Channel != "" {
		if given.Channel, err = toolkit.Creditable(c.Snapshot, p.Channel); err != nil {
			return nil, err
		}
	}
	if given, err = given.Checked(c.Workspace.Currency); err != nil {
		return nil, err
	}
	all, err := c.Managed.Alerts(ctx, c.Workspace.ID)
	if err != nil {
		return nil, err
	}
	ch := &Change{
		Verb: "create", Past: "created", Object: fmt.Sprintf("the alert rule %s", told(given.Rule(c.Workspace.Currency))),
		Undo:   removal(c, "alerts", "ID"),
		Record: Record{Name: answer.Foreign(given.Name), Channel: given.Channel, Metric: given.Metric, Condition: given.Condition, Threshold: new(p.Threshold)},
	}
	stored := func(id control.AlertID) { ch.ID, ch.Undo = string(id), removal(c, "alerts", string(id)) }
	same := func(a control.Alert) bool {
		return a.Metric == given.Metric && a.Channel == given.Channel && a.Condition == given.Condition && a.Threshold == given.Threshold
	}
	if at := slices.IndexFunc(all, same); at >= 0 {
		ch.Existing = true
		stored(all[at].ID)
	}
	ch.do = func(ctx context.Context, ch *Change) (bool, error) {
		kept, err := c.Managed.CreateAlert(ctx, c.Principal, given)
		stored(kept.Record.ID)
		return kept.Changed, err
	}
	return ch, nil
}
