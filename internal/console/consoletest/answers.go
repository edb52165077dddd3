package consoletest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/auth"
	"assay/internal/console/frame"
)

// root returns the folder of the module. Tests run in the folder of their package.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			t.Fatal("no folder above the test has a go.mod")
		}
		dir = above
	}
}

// Recorded returns the answer of a golden case for every call. The file is a path in the golden cases of the tools,
// such as "campaigns/analyst.txtar".
func Recorded(t *testing.T, file string) frame.Ask {
	t.Helper()
	c, err := txtar.ParseFile(filepath.Join(root(t), "internal/tools/testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var answer bytes.Buffer
	for _, f := range c.Files {
		if f.Name == "answer.json" {
			if err := json.Compact(&answer, f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return func(context.Context, auth.Principal, string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"content":[],"structuredContent":` + answer.String() + `}`), nil
	}
}

// RecordedTools returns the golden answers of a store, by tool. The customers tool has one answer for each view.
func RecordedTools(t *testing.T) frame.Ask {
	t.Helper()
	answers := map[string]frame.Ask{}
	for tool, file := range map[string]string{
		"performance": "defaults", "compare": "channels", "trends": "defaults", "forecasting": "days", "diagnose": "debug", "optimization": "defaults",
		"campaigns": "analyst", "products": "defaults", "creators": "defaults", "email_lifecycle": "defaults", "surveys": "defaults", "omnichannel": "analyst",
		"explain": "analyst", "ask": "two_parts",
		"insights": "second_page", "decision_feed": "defaults", "autopilot_plan": "conservative",
	} {
		answers[tool] = Recorded(t, tool+"/"+file+".txtar")
	}
	views := map[string]frame.Ask{
		"segments": Recorded(t, "customers/defaults.txtar"), "retention": Recorded(t, "customers/retention.txtar"), "ltv": Recorded(t, "customers/ltv.txtar"),
	}
	return func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
		var asked struct{ View string }
		if err := json.Unmarshal(args, &asked); err != nil {
			return nil, err
		}
		if tool == "customers" {
			return views[asked.View](ctx, p, tool, args)
		}
		return answers[tool](ctx, p, tool, args)
	}
}

// Changed returns answers that have a change applied to their structured content.
func Changed(answers frame.Ask, change func(answer map[string]any)) frame.Ask {
	return func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
		text, err := answers(ctx, p, tool, args)
		if err != nil {
			return nil, err
		}
		var result map[string]any
		if err := json.Unmarshal(text, &result); err != nil {
			return nil, err
		}
		change(result["structuredContent"].(map[string]any))
		return json.Marshal(result)
	}
}

// ForTool returns a function that uses answers for the calls of one tool and others for all other calls.
func ForTool(name string, answers, others frame.Ask) frame.Ask {
	return func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
		if tool == name {
			return answers(ctx, p, tool, args)
		}
		return others(ctx, p, tool, args)
	}
}
