package toolkit

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Records reads and changes the records of a workspace. It checks the caller's permission before each change. A
// repeated identical change has no effect and is reported as unchanged.
type Records interface {
	Reports(ctx context.Context, ws measure.WorkspaceID) ([]control.SavedReport, error)
	Alerts(ctx context.Context, ws measure.WorkspaceID) ([]control.Alert, error)
	Report(ctx context.Context, ws measure.WorkspaceID, id control.ReportID) (control.SavedReport, error)

	AddAnnotation(ctx context.Context, p auth.Principal, a control.Annotation) (control.Kept[control.Annotation], error)
	SaveReport(ctx context.Context, p auth.Principal, r control.SavedReport) (control.Kept[control.SavedReport], error)
	CreateAlert(ctx context.Context, p auth.Principal, a control.Alert) (control.Kept[control.Alert], error)
	// MapCoupon returns the previous mapping.
	MapCoupon(ctx context.Context, p auth.Principal, m warehouse.CouponChannel) (control.Kept[warehouse.CouponChannel], error)
	AddExperiment(ctx context.Context, p auth.Principal, e control.Experiment) (control.Kept[control.Experiment], error)
	MoveExperiment(ctx context.Context, p auth.Principal, m control.Move) (control.Kept[control.Experiment], error)
	DismissInsight(ctx context.Context, p auth.Principal, d control.DismissedInsight) (control.Kept[control.DismissedInsight], error)
}

// reportable returns a fault unless the call can be a saved report of the caller: a valid call of an implemented tool
// that only reads.
func (s *Session) reportable(today civil.Date, name string, args json.RawMessage) error {
	tool, ok := s.service.tools[name]
	if !ok || tool.Writes || !s.principal.MayCall(name) {
		var allowed []string
		for _, t := range s.described() {
			if !t.Writes {
				allowed = append(allowed, t.Name)
			}
		}
		slices.Sort(allowed)
		return fault.Invalid("params.tool %q cannot be saved: a report can call one of %s", answer.Clean(name), strings.Join(allowed, ", "))
	}
	if err := tool.Check(today, args); err != nil {
		text, hint, _ := fault.Public(err)
		return fault.Invalid("params.arguments of %s: %s", name, text).WithHint("%s", hint)
	}
	return nil
}

func listReports(ctx context.Context, s *Session) ([]mcp.Resource, error) {
	if s.service.deps.Records == nil {
		return nil, nil
	}
	reports, err := s.service.deps.Records.Reports(ctx, s.principal.Workspace.ID)
	if err != nil {
		return nil, err
	}
	var all []mcp.Resource
	for _, r := range reports {
		if s.principal.MayCall(r.Tool) {
			all = append(all, mcp.Resource{
				URI: string(r.ID), Name: string(r.ID), Title: answer.Clean(r.Name),
				Description: "Saved report with the current answer of " + r.Tool + " as JSON.",
			})
		}
	}
	return all, nil
}

// readReport calls the tool of a saved report now, with the caller's permissions. The answer is always JSON, regardless
// of the format of the report.
func readReport(ctx context.Context, s *Session, id string) (string, error) {
	if s.service.deps.Records == nil {
		return "", fault.NotFound("there is no saved report")
	}
	r, err := s.service.deps.Records.Report(ctx, s.principal.Workspace.ID, control.ReportID(id))
	if err != nil {
		return "", err
	}
	tool, ok := s.service.tools[r.Tool]
	if !ok || tool.Writes || !s.principal.MayCall(r.Tool) {
		return "", fault.NotFound("there is no saved report %q that this caller may read", answer.Clean(id))
	}
	args := map[string]json.RawMessage{}
	if err := json.Unmarshal(r.Arguments, &args); err != nil {
		return "", err
	}
	args["format"] = json.RawMessage(`"` + answer.JSONFormat + `"`)
	encoded, err := answer.Encode(args)
	if err != nil {
		return "", err
	}
	reading := &Session{service: s.service, principal: s.principal, requestID: s.requestID, faults: true}
	result, err := reading.CallTool(ctx, r.Tool, encoded)
	if err != nil {
		return "", reportFailure(r, err)
	}
	var answered mcp.CallResult
	if err := json.Unmarshal(result, &answered); err != nil {
		return "", err
	}
	return string(answered.StructuredContent), nil
}

// reportFailure names the report in a failure that the caller can act on. If an object is missing, the kind is invalid:
// not_found would mean that the report is missing.
func reportFailure(r control.SavedReport, err error) error {
	text, hint, ok := fault.Public(err)
	if !ok {
		return err
	}
	kind := fault.KindOf(err)
	if kind == fault.KindNotFound {
		kind = fault.KindInvalid
	}
	if hint != "" {
		text += ". " + hint
	}
	return fault.New(kind, "the saved report %q failed: %s", answer.Clean(r.Name), text)
}
