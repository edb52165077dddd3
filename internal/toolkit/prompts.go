package toolkit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
)

// WeeklyReview is the name of a prompt.
const WeeklyReview = "weekly_review"

// prompt is a task for the client's model. All arguments are optional.
type prompt struct {
	mcp.Prompt
	write func(*asking) (task, error)
}

// task is the text of a prompt: the question, the tool calls that answer it, and the form of the result.
type task struct {
	title string
	steps []step
	write string
}

// step is a tool call with complete arguments, and instructions for reading its answer.
type step struct {
	tool      string
	arguments map[string]any
	look      string
}

// asking contains the arguments of a prompt, the current day in the caller's workspace and the workspace's currency.
type asking struct {
	arguments map[string]string
	today     civil.Date
	currency  string
}

// given returns an argument, or "" if it is missing.
func (q *asking) given(name string) string { return answer.Clean(q.arguments[name]) }

// basis is the rule that every task ends with.
const basis = "State the basis of each figure, its dates and the warnings of the answers. Do not add platform-reported revenue to the store's own revenue."

// ListPrompts lists the prompts for which the caller may call all tools.
func (s *Session) ListPrompts() []mcp.Prompt {
	var all []mcp.Prompt
	for _, p := range prompts {
		if s.canFollow(p) {
			all = append(all, p.Prompt)
		}
	}
	return all
}

// canFollow reports whether the caller may call all tools of a prompt.
func (s *Session) canFollow(p prompt) bool {
	t, err := p.write(s.asking(nil))
	callable := s.described()
	return err == nil && !slices.ContainsFunc(t.steps, func(one step) bool {
		return !slices.ContainsFunc(callable, func(tool Tool) bool { return tool.Name == one.tool })
	})
}

func (s *Session) asking(arguments map[string]string) *asking {
	w := s.principal.Workspace
	return &asking{arguments: arguments, today: civil.DayOf(s.service.deps.Clock(), w.Location()), currency: string(w.Currency)}
}

// GetPrompt returns a prompt with its dates and arguments filled in.
func (s *Session) GetPrompt(_ context.Context, name string, args map[string]string) (mcp.PromptResult, error) {
	at := slices.IndexFunc(prompts, func(p prompt) bool { return p.Name == name && s.canFollow(p) })
	if at < 0 {
		return mcp.PromptResult{}, fault.NotFound("prompt %q does not exist", answer.Clean(name)).WithHint("prompts/list lists all prompts.")
	}
	p := prompts[at]
	for _, given := range slices.Sorted(maps.Keys(args)) {
		if !slices.ContainsFunc(p.Arguments, func(a mcp.PromptArgument) bool { return a.Name == given }) {
			return mcp.PromptResult{}, fault.Invalid("%s has no argument %q; its arguments are %s", name, answer.Clean(given), p.argumentNames())
		}
	}
	t, err := p.write(s.asking(args))
	if err != nil {
		return mcp.PromptResult{}, err
	}
	text, err := t.text()
	return mcp.PromptResult{
		Description: p.Title,
		Messages:    []mcp.PromptMessage{{Role: "user", Content: mcp.Content{Type: "text", Text: text}}},
	}, err
}

func (p prompt) argumentNames() string {
	names := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}

// text writes a task with one numbered line per call.
func (t task) text() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n", t.title)
	for i, one := range t.steps {
		arguments, err := answer.Encode(one.arguments)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%d. %s %s: %s\n", i+1, one.tool, arguments, one.look)
	}
	return b.String() + "Then write for the store owner: " + t.write + " " + basis, nil
}

// window returns the period of start_date and end_date. It ends yesterday and has 30 days by default.
func (q *asking) window() (civil.Range, error) {
	w := civil.Range{Last: q.today.AddDays(-1)}
	days := map[string]civil.Date{}
	for _, name := range []string{"start_date", "end_date"} {
		given := q.given(name)
		if given == "" {
			continue
		}
		day, err := civil.Parse(given)
		if err != nil {
			return w, fault.Invalid("%s %q is not a calendar date; use YYYY-MM-DD", name, given)
		}
		days[name] = day
	}
	w.Last = days["end_date"].Or(w.Last)
	w.First = days["start_date"].Or(w.Last.AddDays(1 - defaultPromptDays))
	if w.Last.Before(w.First) {
		return w, fault.Invalid("start_date %s is after end_date %s", w.First, w.Last)
	}
	return w, nil
}

const defaultPromptDays = 30

// amount returns an amount of money, or the default if the argument is missing.
func (q *asking) amount(name string, usual float64) (float64, error) {
	given := strings.ReplaceAll(q.given(name), ",", "")
	if given == "" {
		return usual, nil
	}
	amount, err := strconv.ParseFloat(given, 64)
	if err != nil || !(amount > 0 && amount <= 1e12) {
		return 0, fault.Invalid("%s is %q; use an amount above 0 in the store's currency, such as 1000", name, given)
	}
	return amount, nil
}

// with returns the arguments and the nonempty arguments in the parameter more.
func with(arguments, more map[string]any) map[string]any {
	for name, value := range more {
		if value != "" {
			arguments[name] = value
		}
	}
	return arguments
}
