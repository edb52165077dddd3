package toolkit

import (
	"fmt"

	"assay/internal/civil"
	"assay/internal/mcp"
	"assay/internal/number"
)

// The arguments that several prompts have.
var (
	startArgument   = mcp.PromptArgument{Name: "start_date", Description: "First day as YYYY-MM-DD. Default: first of the 30 days that end on end_date."}
	endArgument     = mcp.PromptArgument{Name: "end_date", Description: "Last day as YYYY-MM-DD. Default: yesterday."}
	channelArgument = mcp.PromptArgument{Name: "channel", Description: "Only this channel, such as facebook."}
)

// prompts lists the prompts in the order of prompts/list. A prompt is listed only for callers who may call all its
// tools.
var prompts = []prompt{
	{mcp.Prompt{
		Name: WeeklyReview, Title: "Weekly review",
		Description: "Review a week: what changed from the previous week, why, and what to check next.",
		Arguments: []mcp.PromptArgument{
			{Name: "week", Description: "A day of the week as YYYY-MM-DD, or words such as 'last week'. Default: the last complete week."},
			channelArgument,
		},
	}, reviewWeek},
	{mcp.Prompt{
		Name: "revenue_change", Title: "Why did revenue change?",
		Description: "Find why revenue changed from the previous period: orders, order value, channels, customers, products, or missing data.",
		Arguments:   []mcp.PromptArgument{startArgument, endArgument, channelArgument},
	}, explainRevenue},
	{mcp.Prompt{
		Name: "next_budget", Title: "Where to spend the next 1,000",
		Description: "Decide which channel gets additional budget, from marginal ROAS and experiments.",
		Arguments:   []mcp.PromptArgument{{Name: "budget", Description: "Additional budget per month in the store's currency. Default: 1000."}},
	}, placeBudget},
	{mcp.Prompt{
		Name: "geo_experiment", Title: "Prepare a geo experiment",
		Description: "Choose a channel to test and check regions, length and detectable effect of a geo experiment.",
		Arguments:   []mcp.PromptArgument{{Name: "channel", Description: "Channel to test, such as facebook. Default: the channel with the most revenue at stake."}},
	}, prepareExperiment},
	{mcp.Prompt{
		Name: "creator_review", Title: "Creator review",
		Description: "Review creators: orders by signal, ROI, leaked codes, and which creators to book again.",
		Arguments:   []mcp.PromptArgument{startArgument, endArgument, {Name: "creator", Description: "Name of the creator to review first."}},
	}, reviewCreators},
	{mcp.Prompt{
		Name: "budget_move", Title: "Change a campaign budget with approval",
		Description: "Justify a change of a campaign's daily budget, preview it, and execute it only after a person agrees.",
		Arguments: []mcp.PromptArgument{
			{Name: "platform", Description: "facebook, google_ads or tiktok."},
			{Name: "campaign", Description: "Name or platform ID of the campaign."},
			{Name: "new_daily_budget", Description: "New daily budget in the store's currency."},
			{Name: "reason", Description: "Why the budget should change."},
		},
	}, moveBudget},
	{mcp.Prompt{
		Name: "data_check", Title: "Check the data",
		Description: "Check whether the data are complete and current enough for decisions, and what to fix first.",
		Arguments:   []mcp.PromptArgument{startArgument, endArgument},
	}, checkData},
}

func reviewWeek(q *asking) (task, error) {
	today, in := q.today, q.today.AddDays(-7)
	period := func(first, last string) map[string]any { return map[string]any{"start_date": first, "end_date": last} }
	var first, last, beforeFirst, beforeLast, title string
	if said := q.given("week"); said != "" {
		given, err := civil.Parse(said)
		if err != nil { // the client's model determines the week
			first, last, beforeFirst, beforeLast = "<monday>", "<sunday>", "<monday before>", "<sunday before>"
			title = fmt.Sprintf("Review the week %q: today is %s, find the Monday and Sunday of the week first", said, today)
		}
		in = given
	}
	if title == "" {
		start := civil.ByWeek.Start(in)
		week := civil.Range{First: start, Last: start.AddDays(6)}
		before := week.Previous()
		first, last, beforeFirst, beforeLast = week.First.String(), week.Last.String(), before.First.String(), before.Last.String()
		title = fmt.Sprintf("Review the week from %s to %s", first, last)
	}
	channel := map[string]any{"channel": q.given("channel")}
	return task{
		title: title,
		steps: []step{
			{"compare", with(map[string]any{
				"period1_start": beforeFirst, "period1_end": beforeLast, "period2_start": first, "period2_end": last, "include_channels": true,
			}, channel), "changes from the previous week"},
			{"trends", with(period(first, last), channel), "anomalies"},
			{"campaigns", With(period(first, last), "detail_level", "analyst"), "spend by campaign"},
		},
		write: "revenue, orders, spend and ROAS compared with the previous week; the channel with the largest change; anomalies; limits of the figures; " +
			"at most three next steps.",
	}, nil
}

func explainRevenue(q *asking) (task, error) {
	days, err := q.window()
	if err != nil {
		return task{}, err
	}
	before := days.Previous()
	channel := map[string]any{"channel": q.given("channel")}
	return task{
		title: fmt.Sprintf("Find why revenue changed from %s to %s, compared with %s to %s", days.First, days.Last, before.First, before.Last),
		steps: []step{
			{"diagnose", map[string]any{}, "missing or late data, which look like a change"},
			{"compare", with(map[string]any{
				"period1_start": before.First.String(), "period1_end": before.Last.String(),
				"period2_start": days.First.String(), "period2_end": days.Last.String(), "include_channels": true,
			}, channel), "whether the number of orders or their value changed, and in which channels"},
			{"trends", with(Dated(days), channel), "the day of the change, and anomalies"},
			{"customers", with(Dated(days), channel), "new or returning customers"},
			{"products", Dated(days), "products and coupons with the largest changes"},
		},
		write: "the change in money and percent; the parts from orders and from order value; the channels, customers and products that account for the change; " +
			"other explanations that the data cannot exclude, such as season, price or stock; at most three next steps.",
	}, nil
}

func placeBudget(q *asking) (task, error) {
	amount, err := q.amount("budget", 1000)
	if err != nil {
		return task{}, err
	}
	spelled := q.currency + " " + number.Grouped(amount, 0)
	return task{
		title: "Decide which channel gets additional " + spelled + " per month",
		steps: []step{
			{
				"optimization",
				map[string]any{"question": "What is the marginal ROAS of each channel?", "detail_level": "analyst"},
				"marginal ROAS with its interval, saturation, and spend above the observed range. Without a model, state that there is no model and use the other answers",
			},
			{"experiments", map[string]any{"view": "factors", "detail_level": "analyst"}, "incrementality factors from experiments"},
			{"experiments", map[string]any{"view": "next_test"}, "the channel with the most revenue at stake"},
			{"performance", map[string]any{"detail_level": "analyst"}, "current spend by channel"},
		},
		write: "the channel, its expected additional revenue (" + spelled + " times marginal ROAS) with low and high, and the second-best channel. " +
			"Do not decide by average ROAS: it does not show the effect of additional spend. If intervals overlap or the recommendation is hold, state that and propose an experiment instead.",
	}, nil
}

func prepareExperiment(q *asking) (task, error) {
	channel, title := q.given("channel"), "Prepare a geo experiment on the channel with the most revenue at stake"
	steps := []step{{"experiments", map[string]any{"view": "next_test"}, "the channel with the most revenue at stake; tests that are running or planned"}}
	if channel != "" {
		title = fmt.Sprintf("Prepare a geo experiment on %s", channel)
	} else {
		channel = "<channel of step 1>"
	}
	return task{
		title: title,
		steps: append(steps,
			step{"geo_experiment_preflight", map[string]any{"channel": channel, "detail_level": "analyst"}, "readiness, treated regions, length, minimum detectable effect, spend to hold out"},
			step{"experiments", map[string]any{"view": "guide", "topic": "geo_experiments"}, "how to run it"},
		),
		write: "the channel and the question that the test answers; treated and control regions; first and last day; what changes in the ad account; " +
			"the minimum detectable effect and whether the channel's effect is plausibly that large; what the test costs; what to do with each possible result. " +
			"If a gate fails, state what is missing instead of a plan.",
	}, nil
}

func reviewCreators(q *asking) (task, error) {
	days, err := q.window()
	if err != nil {
		return task{}, err
	}
	title := fmt.Sprintf("Review the creators from %s to %s", days.First, days.Last)
	if creator := q.given("creator"); creator != "" {
		title += fmt.Sprintf(", starting with %q", creator)
	}
	return task{
		title: title,
		steps: []step{
			{"creators", With(Dated(days), "detail_level", "analyst"), "orders by signal, ROI and confidence"},
			{"influencers", With(Dated(days), "action", "top_performers"), "tracked clicks, orders and costs"},
			{"products", With(Dated(days), "view", "coupons"), "codes with unusually many orders, which may be leaked"},
			{"surveys", Dated(days), "customers who name a creator"},
		},
		write: "creators by ROI, with the signals and the uncertainty of each ROI; codes that look leaked; creators without a known cost or ROI; " +
			"which creators to book again, and what to track better.",
	}, nil
}

func moveBudget(q *asking) (task, error) {
	amount, err := q.amount("new_daily_budget", 0)
	if err != nil {
		return task{}, err
	}
	campaign, platform, budget := q.given("campaign"), q.given("platform"), "a new daily budget"
	title := "Change the daily budget of a campaign"
	if campaign != "" {
		title = fmt.Sprintf("Change the daily budget of the campaign %q", campaign)
	}
	if amount > 0 {
		budget = q.currency + " " + number.Grouped(amount, 2) + " per day"
		title += " to " + budget
	}
	if platform == "" {
		platform = "<platform of step 1>"
	}
	return task{
		title: title,
		steps: []step{
			{"campaigns", map[string]any{"detail_level": "analyst"}, "the campaign, its platform_campaign_id, spend and ROAS"},
			{"optimization", map[string]any{"question": "What is the marginal ROAS of each channel?", "detail_level": "analyst"}, "whether the channel is saturated"},
			{"explain", map[string]any{"query": "platform budget units"}, "how the platform writes " + budget},
			{"propose_budget_shift", with(map[string]any{
				"platform": platform, "platform_campaign_id": "<ID of step 1>", "new_budget_value": "<number in platform units>", "confirm": false,
			}, map[string]any{"reason": q.given("reason")}), "the preview: current and new budget, guardrails"},
		},
		write: "the campaign, the current and the new daily budget in money and percent, the reason, the expected effect with its uncertainty, and how to undo it. " +
			"Then ask for approval. Call `propose_budget_shift` with `confirm=true` only once, after a person has agreed to this preview. Then report the status. " +
			"Never repeat a call with the status unknown or awaiting_approval.",
	}, nil
}

func checkData(q *asking) (task, error) {
	days, err := q.window()
	if err != nil {
		return task{}, err
	}
	return task{
		title: fmt.Sprintf("Check whether the data from %s to %s are good enough for decisions", days.First, days.Last),
		steps: []step{
			{"diagnose", map[string]any{"detail_level": "analyst"}, "problems and their fixes"},
			{"discover", map[string]any{"aspect": "integrations", "detail_level": "analyst"}, "sources that are stale or have gaps"},
			{"discover", map[string]any{"aspect": "capabilities", "detail_level": "analyst"}, "tools without data"},
			{"performance", With(Dated(days), "detail_level", "analyst"), "unattributed revenue, unknown spend, warnings"},
			{"performance", With(With(Dated(days), "model", "platform_reported"), "detail_level", "analyst"), "platform-reported revenue compared with the store's revenue"},
		},
		write: "which questions the data can and cannot answer; problems in the order of their effect on decisions, each with its fix; the last complete day of each source.",
	}, nil
}
