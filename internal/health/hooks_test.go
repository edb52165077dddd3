package health

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// hooks is the state of a workspace's webhooks, or an error.
type hooks struct {
	state control.HookState
	err   error
}

// HookState implements [toolkit.Hooks].
func (h hooks) HookState(context.Context, measure.WorkspaceID) (control.HookState, error) {
	return h.state, h.err
}

func TestDiagnoseReportsWebhooks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	const received = "The last message arrived on 2026-03-10 12:00 UTC."
	for name, c := range map[string]struct {
		state control.HookState
		want  Severity
		text  string
		fix   string // part of the fix
		line  string // in a summary; "": the text
	}{
		"no problem": {control.HookState{Secrets: 1, Last: now}, SeverityOK, received, "", ""},
		"an unusable message": {
			control.HookState{Secrets: 1, Last: now, Unusable: 1, Waiting: 2000, Problem: "no date"},
			SeverityWarning,
			"1 message could not be processed. Latest error: no date.", "from an export", "1 webhook message could not be processed.",
		},
		"unusable messages": {
			control.HookState{Secrets: 2, Last: now, Unusable: 3, Problem: "no date"},
			SeverityWarning,
			"3 messages could not be processed. Latest error: no date.", "from an export", "3 webhook messages could not be processed.",
		},
		"as many waiting messages as usual": {control.HookState{Secrets: 1, Last: now, Waiting: hooksLate}, SeverityOK, received, "", ""},
		"more waiting messages": {
			control.HookState{Secrets: 1, Last: now, Waiting: hooksLate + 1}, SeverityWarning, "1001 messages are waiting to be processed.", "log for errors", "",
		},
		"no message yet": {
			control.HookState{Secrets: 1}, SeverityInfo, "A webhook secret is stored, but no message has arrived.", "/api/webhooks/shopify/shop.", "",
		},
		"no message for a week": {
			control.HookState{Secrets: 1, Last: now.Add(-hooksSilent)}, SeverityOK, "The last message arrived on 2026-03-03 12:00 UTC.", "", "",
		},
		"no message for more than a week": {
			control.HookState{Secrets: 1, Last: now.Add(-hooksSilent - time.Minute)},
			SeverityWarning,
			"The last message arrived on 2026-03-03 11:59 UTC. No message has arrived since then.", "webhooks still exist", "",
		},
	} {
		call := &toolkit.Call{
			Snapshot: &snapshot.Snapshot{State: snapshot.State{Workspace: control.Workspace{ID: "shop"}}, Real: now}, Hooks: hooks{state: c.state},
		}
		got, err := checkHooks(t.Context(), call)
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		line := c.line
		if line == "" {
			line = c.text
		}
		if f := got[0]; f.Check != "webhooks" || f.Severity != c.want || f.Finding != c.text || f.Line() != line || (f.Fix == "") != (c.fix == "") || !strings.Contains(f.Fix, c.fix) {
			t.Errorf("%s: %+v with the line %q; want %s, %q, a fix with %q and the line %q", name, f, f.Line(), c.want, c.text, c.fix, line)
		}
	}
}

func TestAWorkspaceWithoutWebhooksHasNothingToCheck(t *testing.T) {
	t.Parallel()
	broken := errors.New("no answer")
	for name, c := range map[string]struct {
		hooks toolkit.Hooks
		err   error
	}{
		"webhooks are not served": {nil, nil},
		"no secret":               {hooks{state: control.HookState{Waiting: 5000, Unusable: 1}}, nil},
		"an unreadable state":     {hooks{state: control.HookState{Secrets: 1}, err: broken}, broken},
	} {
		got, err := checkHooks(t.Context(), &toolkit.Call{Snapshot: &snapshot.Snapshot{}, Hooks: c.hooks})
		if got != nil || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v, %v; want nothing, %v", name, got, err, c.err)
		}
	}
}
