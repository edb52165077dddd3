package toolkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/ask"
	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/warehouse/storetest"
)

type questionParams struct {
	answer.Shared

	Tool  string `json:"tool" doc:"Tool to call."`
	About string `json:"about" doc:"Text for the next question."`
}

// asking returns a service with a tool that answers by calling other tools. Its summary is the text of the previous
// question and the result of the called tool.
func asking(t *testing.T) *bench {
	t.Helper()
	b := &bench{facts: storetest.Open(t), noted: &calls{}}
	storetest.Load(t, b.facts, "shop", "shop.csv", storetest.Shop())
	read := func(_ context.Context, c *toolkit.Call, _ params) (*echo, error) {
		a := &echo{Opening: answer.Opening{Summary: fmt.Sprintf("%d orders for %t.", c.Store.Orders, c.Client.Apps)}}
		return a, nil
	}
	question := func(ctx context.Context, c *toolkit.Call, p questionParams) (*echo, error) {
		a := &echo{}
		a.Summary = "no previous question"
		if previous := c.Questions.Previous(); previous != nil {
			a.Summary = "after " + previous.Tool
		}
		if c.Questions.Translator == nil {
			return nil, errors.New("there is no translator")
		}
		result, err := c.Questions.Run(ctx, p.Tool, json.RawMessage(`{}`))
		if err != nil {
			return nil, err
		}
		var called mcp.CallResult
		if err := json.Unmarshal(result, &called); err != nil {
			return nil, err
		}
		a.Summary += ": " + called.Content[0].Text
		if p.About != "" {
			c.Questions.Remember(ask.Call{Tool: p.About})
		}
		return a, nil
	}
	var err error
	b.Service, err = toolkit.NewService(toolkit.Deps{
		Sources: snapshot.Sources{Facts: b.facts, Models: toolkittest.Nothing{}, Experiments: toolkittest.Nothing{}, Clock: storetest.Clock, Now: storetest.Clock},
		Keys:    toolkittest.Nothing{}, Hooks: toolkittest.Nothing{}, Accounts: toolkittest.Nothing{}, Calls: b.noted, Callers: b, Log: slog.New(slog.DiscardHandler),
		Turns: 1,
	}, []toolkit.Tool{
		toolkit.Define(toolkit.Spec{Name: "reads", Title: "Reads", Description: "Reads.", App: &toolkit.App{URI: "ui://reads"}}, read).Tool,
		toolkit.Define(toolkit.Spec{Name: "other", Title: "Other", Description: "Reads."}, read).Tool,
		toolkit.Define(toolkit.Spec{Name: "acts", Title: "Acts", Description: "Acts.", Writes: true, Acts: toolkit.Action{Argument: "confirm", Scope: control.ScopeWrite}}, read).Tool,
		toolkit.Define(toolkit.Spec{Name: "asks", Title: "Asks", Description: "Asks.", Asks: true, Uncached: true}, question).Tool,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A question calls tools that only read, with the permissions of its caller. Its calls are part of the caller's call.
func TestAQuestionCallsToolsThatRead(t *testing.T) {
	t.Parallel()
	b := asking(t)
	few := key(control.ScopeRead)
	few.Tools = []string{"asks", "other"}
	for _, c := range []struct {
		what, tool string
		p          auth.Principal
		fails      bool
		part       string
	}{
		{"a tool that reads", "reads", key(control.ScopeRead), false, "120 orders for false."},
		{"a tool that writes", "acts", key(control.ScopeRead, control.ScopeWrite), true, `a question cannot call tool "acts".`},
		{"a tool that asks", "asks", key(control.ScopeRead), true, `a question cannot call tool "asks".`},
		{"an unknown tool", "none", key(control.ScopeRead), true, `a question cannot call tool "none".`},
		{"a tool outside the allow-list", "reads", few, false, "this key may not call reads"},
		{"a tool in the allow-list", "other", few, false, "120 orders"},
	} {
		session, ok := b.Session(c.p, "r").(*toolkit.Session)
		if !ok {
			t.Fatal("the session has another type")
		}
		text, err := session.For(mcp.Client{Apps: true}).CallTool(t.Context(), "asks", json.RawMessage(`{"tool":"`+c.tool+`"}`))
		var r mcp.CallResult
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil || r.IsError != c.fails || !strings.Contains(r.Content[0].Text, c.part) {
			t.Errorf("%s: %s, %v; want an error: %t, with %q", c.what, text, err, c.fails, c.part)
		}
	}
	for _, call := range b.noted.all {
		if call.Tool != "asks" {
			t.Errorf("a call of the tool %s is recorded", call.Tool)
		}
	}
	if len(b.noted.all) != 6 {
		t.Errorf("%d calls are recorded, want 6", len(b.noted.all))
	}
	if _, err := b.Answer(t.Context(), key(control.ScopeRead), "asks", json.RawMessage(`{"tool":"none"}`)); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a page gets %v, want a fault of kind invalid", err)
	}
}

// The previous call belongs to a workspace, an actor and a client.
func TestTheNextQuestionOfACallerFollowsThePrevious(t *testing.T) {
	t.Parallel()
	b := asking(t)
	one := key(control.ScopeRead)
	actor, client, workspace := one, one, one
	actor.Actor, client.Client, workspace.Workspace.ID = "key:k2", "c1", "another"
	for _, step := range []struct {
		what  string
		p     auth.Principal
		about string
		want  string
	}{
		{"the first question", one, "", "no previous question:"},
		{"a question after a question without a call", one, "trends", "no previous question:"},
		{"the next question", one, "", "after trends:"},
		{"another actor", actor, "campaigns", "no previous question:"},
		{"another client", client, "products", "no previous question:"},
		{"another workspace", workspace, "surveys", "no previous question:"},
		{"the first caller again", one, "geo", "after trends:"},
		{"a later question of the first caller", one, "", "after geo:"},
		{"a later question of the other actor", actor, "", "after campaigns:"},
		{"a later question of the other client", client, "", "after products:"},
		{"a later question in the other workspace", workspace, "", "after surveys:"},
	} {
		r := b.call(t, step.p, "asks", `{"tool":"other","about":"`+step.about+`"}`)
		if r.IsError || !strings.Contains(r.Content[0].Text, step.want) {
			t.Errorf("%s: %s, want %q", step.what, r.Content[0].Text, step.want)
		}
	}
}

func TestQuestionsAreTranslatedToToolsThatDoNotAsk(t *testing.T) {
	t.Parallel()
	run := func(context.Context, *toolkit.Call, params) (*echo, error) { return &echo{}, nil }
	reads := toolkit.Define(toolkit.Spec{Name: "performance", Title: "Reads", Description: "Reads."}, run).Tool
	asks, broken := reads, reads
	asks.Asks, asks.Schema = true, json.RawMessage("not a schema")
	broken.Schema = asks.Schema
	if translator, err := toolkit.NewTranslator([]toolkit.Tool{reads, asks}); err != nil || translator == nil {
		t.Errorf("a tool that asks: %v", err)
	}
	if _, err := toolkit.NewTranslator([]toolkit.Tool{reads, broken}); err == nil {
		t.Error("a tool with a broken schema is accepted")
	}
	broken.Schema = json.RawMessage(`[]`)
	if service, err := toolkit.NewService(toolkit.Deps{}, []toolkit.Tool{reads, broken}); err == nil || service != nil {
		t.Errorf("a service has a tool with the schema []: %v", err)
	}
}
