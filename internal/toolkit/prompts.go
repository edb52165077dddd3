package toolkit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
)

// WeeklyReview is the name of a prompt.
const WeeklyReview = "weekly_review"

// ListPrompts lists the prompts.
func (s *Session) ListPrompts() []mcp.Prompt {
	return []mcp.Prompt{{
		Name: WeeklyReview, Title: "Weekly review",
		Description: "Review a week: what changed from the previous week, why, and what to check next.",
		Arguments: []mcp.PromptArgument{
			{Name: "week", Description: "A day of the week as YYYY-MM-DD, or words such as 'last week'. Default: the last complete week."},
			{Name: "channel", Description: "Only this channel."},
		},
	}}
}

// GetPrompt returns a prompt with its dates filled in.
func (s *Session) GetPrompt(_ context.Context, name string, args map[string]string) (mcp.PromptResult, error) {
	if name != WeeklyReview {
		return mcp.PromptResult{}, fault.NotFound("prompt %q does not exist", answer.Clean(name)).WithHint("prompts/list lists all prompts.")
	}
	for _, given := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains([]string{"week", "channel"}, given) {
			return mcp.PromptResult{}, fault.Invalid("%s has no argument %q; its arguments are week and channel", WeeklyReview, answer.Clean(given))
		}
	}
	week := s.week(args["week"])
	filter := ""
	if channel := args["channel"]; channel != "" {
		filter = fmt.Sprintf(", channel=%q", answer.Clean(channel))
	}
	text := fmt.Sprintf(`%[6]s.
1. Call compare with period1_start=%[3]s, period1_end=%[4]s, period2_start=%[1]s, period2_end=%[2]s, include_channels=true%[5]s.
2. Call trends with start_date=%[1]s, end_date=%[2]s%[5]s to find anomalies.
3. Call campaigns with start_date=%[1]s, end_date=%[2]s, detail_level=analyst to see the spend by campaign.
Then write a review for the store owner. Include revenue, orders, spend and ROAS compared with the previous week, the channel
with the largest change, anomalies, the limits of the figures and at most three next steps. State the basis of each figure. Do not add
platform-reported revenue to the store's own revenue.`,
		week.first, week.last, week.beforeFirst, week.beforeLast, filter, week.title)
	return mcp.PromptResult{
		Description: "Weekly review",
		Messages:    []mcp.PromptMessage{{Role: "user", Content: mcp.Content{Type: "text", Text: text}}},
	}, nil
}

// reviewed is a week and the previous week, as text for a prompt.
type reviewed struct {
	first, last             string
	beforeFirst, beforeLast string
	title                   string // first sentence of the prompt
}

// week returns the week of a day, or the last complete week if no day is given. Text that is not a date is passed to
// the model.
func (s *Session) week(said string) reviewed {
	today := civil.DayOf(s.service.deps.Clock(), s.principal.Workspace.Location())
	in := today.AddDays(-7)
	if said != "" {
		given, err := civil.Parse(said)
		if err != nil {
			return reviewed{
				"<monday>", "<sunday>", "<monday before>", "<sunday before>",
				fmt.Sprintf("Review the week that was described as %q. Today is %s. Find the Monday and Sunday of that week first", answer.Clean(said), today),
			}
		}
		in = given
	}
	start := civil.ByWeek.Start(in)
	week := civil.Range{First: start, Last: start.AddDays(6)}
	before := week.Previous()
	return reviewed{
		week.First.String(), week.Last.String(), before.First.String(), before.Last.String(),
		fmt.Sprintf("Review the week from %s to %s", week.First, week.Last),
	}
}
