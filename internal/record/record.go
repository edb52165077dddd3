// Package record plans and executes the changes of records that the tool `manage` offers. It defines the parameters of
// each action, the values that the action would write, and the way to undo it.
package record

import (
	"context"
	"strconv"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/toolkit"
)

// Record is a record of any kind. Only the fields of its kind are set.
type Record struct {
	Date      civil.Date                 `json:"date,omitzero"`
	EndDate   civil.Date                 `json:"end_date,omitzero" doc:"Last day, included."`
	Label     answer.Foreign             `json:"label,omitempty"`
	Type      control.AnnotationType     `json:"type,omitempty"`
	Code      answer.Foreign             `json:"code,omitempty"`
	Name      answer.Foreign             `json:"name,omitempty"`
	Channel   measure.Channel            `json:"channel,omitempty"`
	Previous  measure.Channel            `json:"previous_channel,omitempty" doc:"Previous channel of the coupon."`
	Kind      control.ExperimentKind     `json:"kind,omitempty"`
	Status    control.ExperimentStatus   `json:"status,omitempty" doc:"Status of the experiment."`
	May       []control.ExperimentStatus `json:"next_statuses,omitempty" doc:"Statuses that can follow the current status."`
	Treated   []string                   `json:"treated_regions,omitempty"`
	HeldOut   []string                   `json:"held_out_regions,omitempty"`
	Metric    control.AlertMetric        `json:"metric,omitempty"`
	Condition control.AlertCondition     `json:"condition,omitempty"`
	Threshold *float64                   `json:"threshold,omitempty" doc:"In percent for change_above."`
	Tool      string                     `json:"tool,omitempty" doc:"Tool that the report calls."`
	URI       string                     `json:"uri,omitempty" doc:"Resource with the current answer."`
}

// Change describes the effect of a call. Text of the caller is quoted.
type Change struct {
	Verb, Past string // such as add and added
	Object     string // such as the annotation "Sale" on 2026-10-10
	Note       string // a sentence about the effect that begins with a space; "" for none
	Undo       string // "" if the change cannot be undone
	Existing   bool   // nothing is left to do
	Refusal    error  // reason why the change cannot be executed now; nil: it can be executed
	ID         string // "" before an execution that assigns it
	Record     Record

	do func(ctx context.Context, ch *Change) (changed bool, err error) // sets the ID and the record
}

// Do executes the change and updates its ID and record. It reports false if the record already existed.
func (ch *Change) Do(ctx context.Context) (changed bool, err error) { return ch.do(ctx, ch) }

// planner decodes the parameters of an action and returns the effect of the action.
type planner func(ctx context.Context, c *toolkit.Call, params map[string]any) (*Change, error)

// Plan returns the effect of an action with these parameters, without executing it. Invalid parameters are a fault of
// kind invalid.
func Plan(ctx context.Context, c *toolkit.Call, action string, params map[string]any) (*Change, error) {
	return planners[action](ctx, c, params)
}

var planners = map[string]planner{
	"create_annotation": formed(annotate),
	"create_alert":      formed(createAlert),
	"map_coupon":        formed(mapCoupon),
	"create_experiment": formed(createExperiment),
	"update_experiment": formed(updateExperiment),
	"save_report":       formed(saveReport),
	"dismiss_insight":   formed(dismissInsight),
}

// formed decodes the parameters of an action.
func formed[P any](plan func(context.Context, *toolkit.Call, P) (*Change, error)) planner {
	form := mcp.FormOf[P]()
	return func(ctx context.Context, c *toolkit.Call, params map[string]any) (*Change, error) {
		p, err := form.Decode("params", c.Today, params)
		if err != nil {
			return nil, err
		}
		return plan(ctx, c, p)
	}
}

// told quotes a caller's text for a sentence.
func told(text string) string { return strconv.Quote(answer.Clean(text)) }
