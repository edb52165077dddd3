package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
)

const weeklyReview = "weekly_review"

// ListPrompts lists the prompts.
func (s *session) ListPrompts() []mcp.Prompt {
	return []mcp.Prompt{{
		Name: weeklyReview, Title: "Weekly review",
		Description: "Review a week: what changed against the week before, why, and what to look at next.",
		Arguments: []mcp.PromptArgument{
			{Name: "date", Description: "Any day of the week, as YYYY-MM-DD. Default the last whole week."},
			{Name: "channel", Description: "Only this channel."},
		},
	}}
}

// GetPrompt returns a prompt with its dates filled in.
func (s *session) GetPrompt(_ context.Context, name string, args map[string]string) (mcp.PromptResult, error) {
	if name != weeklyReview {
		return mcp.PromptResult{}, fault.NotFound("there is no prompt %q", clean(name)).WithHint("prompts/list names all prompts")
	}
	for _, given := range sortedKeys(args) {
		if !slices.Contains([]string{"date", "channel"}, given) {
			return mcp.PromptResult{}, fault.Invalid("%s has no argument %q; known are date, channel", weeklyReview, clean(given))
		}
	}
	week, err := s.week(args["date"])
	if err != nil {
		return mcp.PromptResult{}, err
	}
	filter := ""
	if channel := args["channel"]; channel != "" {
		filter = fmt.Sprintf(", channel=%q", clean(channel))
	}
	text := fmt.Sprintf(`Review the week from %[1]s to %[2]s.
1. compare with period1_start=%[3]s, period1_end=%[4]s, period2_start=%[1]s, period2_end=%[2]s, include_channels=true%[5]s
2. trends with start_date=%[1]s, end_date=%[2]s%[5]s: the days that stand out
3. campaigns with start_date=%[1]s, end_date=%[2]s, detail_level=analyst: where the spend went
Then write, for the person who runs the store: revenue, orders, spend and ROAS against the week before; the channel that
moved most; days that stand out; what the figures cannot tell; at most three things to look at next. Name the basis of each
figure, and do not add claims of platforms to the store's own revenue.`,
		week.First, week.Last, week.Previous().First, week.Previous().Last, filter)
	return mcp.PromptResult{
		Description: "Weekly review " + week.String(),
		Messages:    []mcp.PromptMessage{{Role: "user", Content: mcp.Content{Type: "text", Text: text}}},
	}, nil
}

// week returns the week of a day, the last whole week when none is given.
func (s *session) week(day string) (civil.Range, error) {
	today := civil.DayOf(s.service.deps.Clock(), s.principal.Workspace.Location())
	in := today.AddDays(-7)
	if day != "" {
		given, err := civil.Parse(day)
		if err != nil {
			return civil.Range{}, fault.Invalid("date: %v", err)
		}
		in = given
	}
	first := civil.ByWeek.Start(in)
	return civil.Range{First: first, Last: first.AddDays(6)}, nil
}
