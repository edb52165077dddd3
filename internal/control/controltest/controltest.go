// Package controltest is the test suite that every store of control data passes.
package controltest

import (
	"context"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// Store is the complete interface of a store of control data.
type Store interface {
	CreateWorkspace(ctx context.Context, w control.Workspace, by control.By) (control.Workspace, error)
	Workspaces(ctx context.Context) ([]control.Workspace, error)
	Workspace(ctx context.Context, id measure.WorkspaceID) (control.Workspace, error)
	UpdateWorkspace(ctx context.Context, w control.Workspace, by control.By) (control.Workspace, error)
	SetCost(ctx context.Context, id measure.WorkspaceID, r measure.CostRule, by control.By) (control.Workspace, error)
	RemoveCost(ctx context.Context, id measure.WorkspaceID, r measure.CostRule, by control.By) (control.Workspace, error)
	DeleteWorkspace(ctx context.Context, id measure.WorkspaceID, by control.By) error
	HasFactsFile(ctx context.Context, id measure.WorkspaceID) (bool, error)
	SetHasFactsFile(ctx context.Context, id measure.WorkspaceID, has bool) error

	CreateKey(ctx context.Context, k control.Key, by control.By) error
	Keys(ctx context.Context, ws measure.WorkspaceID) ([]control.Key, error)
	Key(ctx context.Context, id control.KeyID) (control.Key, error)
	KeyByHash(ctx context.Context, hash []byte) (control.Key, control.Workspace, error)
	RevokeKey(ctx context.Context, id control.KeyID, by control.By) (control.Key, error)
	ReplaceKey(ctx context.Context, id control.KeyID, until time.Time, next control.Key, by control.By) error
	TouchKeys(ctx context.Context, used map[control.KeyID]time.Time) error

	AddConnection(ctx context.Context, c control.Connection, by control.By) error
	Connections(ctx context.Context, ws measure.WorkspaceID) ([]control.Connection, error)
	SetConnectionState(ctx context.Context, c control.Connection) error
	RemoveConnection(ctx context.Context, ws measure.WorkspaceID, p measure.Platform, account string, by control.By) error

	CreateAlert(ctx context.Context, a control.Alert, by control.By) (control.Kept[control.Alert], error)
	Alerts(ctx context.Context, ws measure.WorkspaceID) ([]control.Alert, error)
	RemoveAlert(ctx context.Context, ws measure.WorkspaceID, id control.AlertID, by control.By) (control.Alert, error)
	AddDestination(ctx context.Context, d control.Destination, by control.By) error
	Destinations(ctx context.Context, ws measure.WorkspaceID) ([]control.Destination, error)
	RemoveDestination(ctx context.Context, ws measure.WorkspaceID, id control.DestinationID, by control.By) error
	RaiseAlerts(ctx context.Context, ws measure.WorkspaceID, all []control.AlertEvent) (fresh int, err error)
	CorrectAlerts(ctx context.Context, ws measure.WorkspaceID, all []control.AlertEvent) error
	AlertEvents(ctx context.Context, ws measure.WorkspaceID, since civil.Date) ([]control.AlertEvent, error)
	ClaimAlertMessage(ctx context.Context, now time.Time) (*control.AlertMessage, error)
	SettleAlertMessage(ctx context.Context, m control.AlertMessage, problem string, now time.Time) error
	AlertState(ctx context.Context, ws measure.WorkspaceID) (control.AlertState, error)
	AlertsGivenUp(ctx context.Context) (int, error)

	AddWeeklyReader(ctx context.Context, r control.WeeklyReader, by control.By) error
	RemoveWeeklyReader(ctx context.Context, ws measure.WorkspaceID, member control.UserID, by control.By) error
	WeeklyReaders(ctx context.Context, ws measure.WorkspaceID) ([]control.WeeklyReader, error)
	ClaimWeeklyReader(ctx context.Context, ws measure.WorkspaceID, week civil.Date, now time.Time) (*control.WeeklyReader, error)
	SettleWeeklyReader(ctx context.Context, r control.WeeklyReader, week civil.Date, problem string) error

	CreateShare(ctx context.Context, n control.Share, by control.By) error
	Shares(ctx context.Context, ws measure.WorkspaceID) ([]control.Share, error)
	ShareByHash(ctx context.Context, hash []byte) (control.Share, control.Workspace, error)
	TouchShare(ctx context.Context, id control.ShareID, used time.Time) error
	RevokeShare(ctx context.Context, ws measure.WorkspaceID, id control.ShareID, by control.By) error

	AddHookSecret(ctx context.Context, h control.HookSecret, by control.By) error
	HookSecrets(ctx context.Context, ws measure.WorkspaceID) ([]control.HookSecret, error)
	RemoveHookSecret(ctx context.Context, ws measure.WorkspaceID, id control.HookSecretID, by control.By) error
	Receive(ctx context.Context, d control.Delivery, events ...control.Event) (fresh bool, err error)
	Awaiting(ctx context.Context) ([]measure.WorkspaceID, error)
	Waiting(ctx context.Context, ws measure.WorkspaceID, limit, bytes int) ([]control.Delivery, error)
	Settle(ctx context.Context, settled []control.Delivery, now time.Time) error
	HookState(ctx context.Context, ws measure.WorkspaceID) (control.HookState, error)
	ForgetCustomers(ctx context.Context, id measure.WorkspaceID, customers []string, by control.By) error
	ForgottenCustomers(ctx context.Context, id measure.WorkspaceID) (map[string]struct{}, error)
	SaveMapping(ctx context.Context, m control.Mapping, by control.By) error
	ChangeMapping(ctx context.Context, change control.MappingChange, by control.By) error
	Mappings(ctx context.Context, id measure.WorkspaceID) ([]control.Mapping, error)
	Mapping(ctx context.Context, id measure.WorkspaceID, name string) (control.Mapping, error)
	DeleteMapping(ctx context.Context, id measure.WorkspaceID, name string, by control.By) error

	KeepForecasts(ctx context.Context, ws measure.WorkspaceID, all []control.Forecast) error
	OpenForecasts(ctx context.Context, ws measure.WorkspaceID, before civil.Date) ([]control.Forecast, error)
	Forecasts(ctx context.Context, ws measure.WorkspaceID, since civil.Date) ([]control.Forecast, error)
	LastForecast(ctx context.Context, ws measure.WorkspaceID) (civil.Date, error)
	JudgeForecasts(ctx context.Context, ws measure.WorkspaceID, all []control.Forecast) error
	ForecastRecords(ctx context.Context, ws measure.WorkspaceID) ([]control.ForecastRecord, error)
	ForecastState(ctx context.Context, ws measure.WorkspaceID) (control.ForecastState, error)

	SaveModels(ctx context.Context, m control.StoredModels) error
	ModelState(ctx context.Context, ws measure.WorkspaceID) (control.ModelState, error)
	Models(ctx context.Context, ws measure.WorkspaceID) (control.StoredModels, error)
	RemoveModels(ctx context.Context, ws measure.WorkspaceID) error

	ClaimJob(ctx context.Context, j control.JobLease, now time.Time) error
	ExtendJob(ctx context.Context, j control.JobLease, until time.Time) (has bool, err error)
	EndJob(ctx context.Context, j control.JobLease) error
	RemoveJobs(ctx context.Context, ws measure.WorkspaceID) error
	ReleaseJobs(ctx context.Context) error
	InterruptedJobs(ctx context.Context, now time.Time) ([]control.JobLease, error)

	AppendEvent(ctx context.Context, e control.Event) error
	Events(ctx context.Context, f control.EventFilter) ([]control.Event, error)

	CreateExperiment(ctx context.Context, e control.Experiment, by control.By) (control.Experiment, error)
	Experiments(ctx context.Context, ws measure.WorkspaceID) ([]control.Experiment, error)
	Experiment(ctx context.Context, ws measure.WorkspaceID, id control.ExperimentID) (control.Experiment, error)
	PlanExperiment(ctx context.Context, e control.Experiment, by control.By) (control.Experiment, error)
	MoveExperiment(ctx context.Context, m control.Move, by control.By) (control.Experiment, error)
	ApplyExperiment(ctx context.Context, ws measure.WorkspaceID, id control.ExperimentID, applied bool, by control.By) (control.Experiment, error)
	AddExperiment(ctx context.Context, e control.Experiment, by control.By) (control.Kept[control.Experiment], error)

	AddAnnotation(ctx context.Context, a control.Annotation, by control.By) (control.Kept[control.Annotation], error)
	Annotations(ctx context.Context, ws measure.WorkspaceID) ([]control.Annotation, error)
	RemoveAnnotation(ctx context.Context, ws measure.WorkspaceID, id control.AnnotationID, by control.By) error
	SaveReport(ctx context.Context, r control.SavedReport, by control.By) (control.Kept[control.SavedReport], error)
	Reports(ctx context.Context, ws measure.WorkspaceID) ([]control.SavedReport, error)
	Report(ctx context.Context, ws measure.WorkspaceID, id control.ReportID) (control.SavedReport, error)
	RemoveReport(ctx context.Context, ws measure.WorkspaceID, id control.ReportID, by control.By) error
	DismissInsight(ctx context.Context, d control.DismissedInsight, by control.By) (control.Kept[control.DismissedInsight], error)
	DismissedInsights(ctx context.Context, ws measure.WorkspaceID) ([]control.DismissedInsight, error)
	RestoreInsight(ctx context.Context, ws measure.WorkspaceID, id control.InsightID, by control.By) error

	AddBudgetChange(ctx context.Context, c control.BudgetChange, by control.By) (open *control.BudgetChange, err error)
	UpdateBudgetChange(ctx context.Context, c control.BudgetChange, from control.ChangeStatus, by control.By) (
		open *control.BudgetChange, err error)
	BudgetChange(ctx context.Context, id control.BudgetChangeID) (control.BudgetChange, error)
	BudgetChanges(ctx context.Context, f control.BudgetChangeFilter) ([]control.BudgetChange, error)
	SavePreview(ctx context.Context, p control.BudgetPreview) error
	LastPreview(ctx context.Context, p control.BudgetPreview) (time.Time, error)
	Guardrails(ctx context.Context, ws measure.WorkspaceID) (control.Guardrails, error)
	SetGuardrails(ctx context.Context, g control.Guardrails, by control.By) (control.Guardrails, error)

	control.CallLog
}

// Run tests a store. Each call of the function open returns an empty store, which is closed at the end of the test.
func Run(t *testing.T, open func(t *testing.T) Store) {
	t.Helper()
	cases := []struct {
		name string
		run  func(t *testing.T, s Store)
	}{
		{"a new workspace is returned as stored", workspaceIsKept},
		{"workspaces are listed by id", workspacesAreListed},
		{"costs change the workspace", costsChangeTheWorkspace},
		{"an ID is assigned once", idIsGivenOnce},
		{"invalid settings are rejected", settingsAreChecked},
		{"a change of settings raises the version", updateRaisesVersion},
		{"a change of outdated settings is a conflict", staleUpdateIsConflict},
		{"deleting a workspace ends its keys and keeps its audit log", deletionEndsKeys},
		{"whether a workspace has a facts file ends with the workspace", factsFilesAreNoted},
		{"a key is found by id, by hash and in its workspace", keyIsKept},
		{"a key needs a workspace", keyNeedsWorkspace},
		{"a revoked key keeps the first time of revocation", revocationIsFinal},
		{"a replaced key stays valid for the overlap", replacementOverlaps},
		{"an overlap never extends a key's lifetime", overlapIsCapped},
		{"a key is replaced once and only while it is valid", replacementIsOnce},
		{"the last use only moves forward", lastUseMovesForward},
		{"security events come newest first", eventsAreListed},
		{"security events are selected", eventsAreSelected},
		{"calls are returned as stored, newest first", callsAreKept},
		{"calls are selected", callsAreSelected},
		{"calls are bounded by age and number", callsAreBounded},
		{"calls end with their workspace", callsEndWithTheWorkspace},
		{"an experiment is returned as stored", experimentIsKept},
		{"an experiment moves only from draft to completed", experimentMovesForward},
		{"only one of two concurrent moves of an experiment succeeds", experimentMovesOnce},
		{"experiments that clash are rejected and named", clashesAreRefused},
		{"a plan changes until the experiment starts", plansChangeUntilTheStart},
		{"only a completed experiment is applied", onlyCompletedIsApplied},
		{"an open experiment with the same plan is added once", experimentIsAddedOnce},
		{"annotations are stored in their workspace", annotationsAreKept},
		{"an annotation is added once", annotationIsAddedOnce},
		{"saved reports are stored under a unique name", reportsAreKept},
		{"the number of records is limited", recordsAreCapped},
		{"dismissed insights are stored until they are restored", insightsAreDismissed},
		{"a budget change is found as it was stored, and its history outlives the workspace", budgetChangeIsKept},
		{"budget changes that cannot be meant are rejected", changesAreChecked},
		{"of ten that claim a campaign at once one does", campaignIsClaimedOnce},
		{"a shared budget is claimed once", sharedBudgetIsClaimedOnce},
		{"a budget change is settled once, with an event for each status", changesAreSettledOnce},
		{"a change that awaits approval is decided once", changesAreApproved},
		{"only people who may approve change budgets", onlyApproversChangeBudgets},
		{"an applied rollback is entered in the change that it undoes", rollbacksAreEntered},
		{"previews are stored for a while", previewsAreKept},
		{"guardrails are found as they were set", guardrailsAreKept},
		{"webhook secrets are stored in their workspace", hookSecretsAreKept},
		{"connections are stored in their workspace", connectionsAreKept},
		{"a connection has the state of its present credentials", connectionsHaveTheStateOfTheirCredentials},
		{"messages are pending until they are imported", deliveriesWait},
		{"alert rules are stored once in their workspace", alertsAreKept},
		{"a day raises an alert once, with one message to each destination", alertsAreRaisedOnce},
		{"alert messages are retried and given up", alertMessagesAreRetried},
		{"forgotten customers are listed by workspace and end with it", forgottenCustomersAreKept},
		{"a mapping is stored under its name until it is replaced or removed", mappingsAreKept},
		{"a mapping replaces only the version that was read", mappingsAreChangedAsTheyWereSeen},
		{"a forecast is stored once and unchanged until it is evaluated", forecastsAreKept},
		{"evaluated forecasts are summarized by series", forecastsAreSummedUp},
		{"forecasts that share no day are counted", forecastsThatShareNoDay},
		{"models are replaced by newer models only", modelsAreReplaced},
		{"models end with their workspace", modelsEndWithTheWorkspace},
		{"a job is run by the node that has its lease", jobsAreLeased},
		{"missing objects are not found", absenceIsNotFound},
		{"writers do not block each other", writersQueue},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}

// noon is the time of all changes. It includes a fraction of a second with microsecond precision.
var noon = time.Date(2026, time.November, 20, 12, 0, 0, 123_456_000, time.UTC)

func at(d time.Duration) control.By { return control.By{Actor: "assay test", At: noon.Add(d)} }

// newWorkspace stores a workspace with the given name.
func newWorkspace(t *testing.T, s Store, name string) control.Workspace {
	t.Helper()
	w, err := s.CreateWorkspace(t.Context(), control.NewWorkspace(name), at(0))
	if err != nil {
		t.Fatalf("CreateWorkspace(%q): %v", name, err)
	}
	return w
}

// newKey stores a key with every field set.
func newKey(t *testing.T, s Store, ws measure.WorkspaceID, id control.KeyID) control.Key {
	t.Helper()
	k := keyLike(ws, id)
	if err := s.CreateKey(t.Context(), k, at(0)); err != nil {
		t.Fatalf("CreateKey(%q): %v", id, err)
	}
	return k
}

func keyLike(ws measure.WorkspaceID, id control.KeyID) control.Key {
	return control.Key{
		ID: id, Workspace: ws, Name: "weekly report", Hint: "Ab3d", Hash: []byte("hash of " + id),
		Scopes: []control.Scope{control.ScopeRead, control.ScopeApprove}, Tools: []string{"performance", "ask"},
		CreatedAt: noon, ExpiresAt: noon.Add(90 * 24 * time.Hour),
	}
}

func wantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want %s", what, want)
		return
	}
	if got := fault.KindOf(err); got != want {
		t.Errorf("%s: %v is of kind %s, want %s", what, err, got, want)
	}
}
