package tools

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/panics"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// noted stores calls in memory.
type noted struct {
	mu    sync.Mutex // guards calls
	calls []control.Call
}

func (n *noted) Note(c control.Call) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls = append(n.calls, c)
}

func TestCallLogHasTheStatusOfEachCall(t *testing.T) {
	t.Parallel()
	deps, log := fixtureDeps(t), &noted{}
	ticks := 0
	deps.Calls, deps.Now = log, func() time.Time { ticks++; return fixtureNow.Add(time.Duration(ticks) * time.Millisecond) }
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkspace("full")
	few, open := reader(w), reader(w)
	few.Tools = []string{"discover"}
	open.Workspace.LogArguments = true
	person := auth.Principal{
		Workspace: w, Actor: "user:anna", Kind: auth.ByOAuth, Client: "c1", ClientName: "Ledger Owl", Scopes: []control.Scope{control.ScopeRead},
	}
	steps := []struct {
		what string
		p    auth.Principal
		tool string
		args string
		want control.Call
	}{
		{"an answer", reader(w), "discover", `{}`, control.Call{Tool: "discover", Status: control.CallOK, Actor: "key:k1"}},
		{"a wrong argument", reader(w), "performance", `{"limit":0}`, control.Call{Tool: "performance", Status: control.CallError, Actor: "key:k1"}},
		{"an unknown name", reader(w), "<b>asy_key", `{}`, control.Call{Tool: "unknown", Status: control.CallError, Actor: "key:k1"}},
		{"outside the allow-list", few, "performance", `{}`, control.Call{Tool: "performance", Status: control.CallRefused, Actor: "key:k1"}},
		{"a key without the scope", reader(w), "pause_campaign", `{"confirm":true}`, control.Call{Tool: "pause_campaign", Status: control.CallRefused, Actor: "key:k1", Missing: control.ScopeApprove}},
		{"a person's program without the scope", person, "manage", `{"confirmed":true}`, control.Call{
			Tool: "manage", Status: control.CallRefused, Actor: "user:anna", Client: "c1", ClientName: "Ledger Owl", Missing: control.ScopeWrite,
		}},
		{"with arguments", open, "discover", `{"detail_level":"summary"}`, control.Call{
			Tool: "discover", Status: control.CallOK, Actor: "key:k1", Arguments: `{"detail_level":"summary"}`,
		}},
	}
	for _, step := range steps {
		log.calls = nil
		result, _ := s.Session(step.p, "r1").CallTool(t.Context(), step.tool, []byte(step.args))
		if len(log.calls) != 1 {
			t.Fatalf("%s: %d calls are recorded, want 1", step.what, len(log.calls))
		}
		got := log.calls[0]
		if got.Took <= 0 || got.At.IsZero() {
			t.Errorf("%s: at %s, took %s", step.what, got.At, got.Took)
		}
		step.want.At, step.want.Took, step.want.Workspace, step.want.Bytes = got.At, got.Took, "full", len(result)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, diff)
		}
	}
}

// brokenFacts panics when the `performance` tool calculates its answer.
type brokenFacts struct{ snapshot.Facts }

func (brokenFacts) ChannelBriefs(context.Context, measure.WorkspaceID, measure.Model, warehouse.Windows) (warehouse.Pair[[]warehouse.ChannelTotal], error) {
	panic("what cannot happen")
}

// The cache loader converts a panic to a counted error. Otherwise, the cache would return its own error, which is not
// counted.
func TestAPanicInACachedAnswerIsCounted(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	deps := fixtureDeps(t)
	deps.Facts, deps.Log = brokenFacts{deps.Facts}, slog.New(slog.NewTextHandler(&log, nil))
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Session(reader(newWorkspace("full")), "r1").CallTool(t.Context(), "performance", []byte(`{}`))
	if err != nil || !strings.Contains(string(result), "logged as request r1") || !strings.Contains(log.String(), `error="panic: what cannot happen\n`) {
		t.Errorf("%s, %v; logged %.200s", result, err, log.String())
	}
	log.Reset()
	_, err = s.Answer(t.Context(), auth.Principal{Workspace: newWorkspace("full"), Scopes: control.Scopes()}, "performance", []byte(`{}`))
	if _, is := errors.AsType[*panics.Error](err); !is || log.Len() > 0 {
		t.Errorf("a page gets %v, and %d bytes are logged for it; want the defect, which the page logs", err, log.Len())
	}
}

// countedModels returns a model for the first call only.
type countedModels struct {
	fixtureModels
	asked *int
}

func (m countedModels) MMM(ctx context.Context, w control.Workspace) (mix.Held, error) {
	if *m.asked++; *m.asked > 1 {
		return mix.Held{}, nil
	}
	return m.fixtureModels.MMM(ctx, w)
}

func TestAnAnswerUsesTheStateOfItsCacheKey(t *testing.T) {
	t.Parallel()
	deps, models := fixtureDeps(t), countedModels{asked: new(int)}
	deps.Models = models
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	r := callAs(t, s.Session(reader(newWorkspace("full")), "r1"), "optimization", `{}`)
	if r.IsError || *models.asked != 1 {
		t.Errorf("the model was read %d times, want once: %s", *models.asked, r.Content[0].Text)
	}
}

func TestACallThatPanicsIsLogged(t *testing.T) {
	t.Parallel()
	log := &noted{}
	deps := fixtureDeps(t)
	deps.Calls, deps.Facts = log, nil
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic without facts")
			}
		}()
		_, err := s.Session(reader(newWorkspace("full")), "r1").CallTool(t.Context(), "discover", []byte(`{}`))
		t.Errorf("no panic: %v", err)
	}()
	if len(log.calls) != 1 || log.calls[0].Status != control.CallError || strings.Contains(log.calls[0].Arguments, "{") {
		t.Errorf("recorded %+v, want one error", log.calls)
	}
}
