package snapshot

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/attribution"
	"assay/internal/warehouse"
)

// refit replaces the figures of last-touch totals with the figures of another attribution model. It uses the conversion
// paths or survey answers of the windows. Spend, platform-reported figures and totals do not change.
func (c *Snapshot) refit(ctx context.Context, model measure.Model, in warehouse.Windows,
	totals *warehouse.Pair[[]warehouse.ChannelTotal],
) error {
	switch model {
	case measure.Markov, measure.Shapley:
		return c.refitByPaths(ctx, model, in, totals)
	case measure.SurveyBlended:
		for _, w := range []struct {
			days civil.Range
			rows *[]warehouse.ChannelTotal
		}{{in.Recent, &totals.Recent}, {in.Earlier, &totals.Earlier}} {
			if w.days.Days() == 0 {
				continue
			}
			blended, err := c.blend(ctx, w.days, *w.rows)
			if err != nil {
				return err
			}
			*w.rows = recredited(*w.rows, blended.Credits)
			if w.days == in.Recent {
				c.Blended = &blended
			}
		}
	case measure.LastTouch, measure.FirstTouch, measure.Linear, measure.TimeDecay, measure.PositionBased,
		measure.PlatformReported:
	}
	return nil
}

// pathModels maps attribution models to path models.
var pathModels = map[measure.Model]attribution.Model{
	measure.Markov: attribution.Markov1, measure.Shapley: attribution.Shapley,
}

func (c *Snapshot) refitByPaths(ctx context.Context, model measure.Model, in warehouse.Windows,
	totals *warehouse.Pair[[]warehouse.ChannelTotal],
) error {
	paths, err := c.Paths(ctx, "", in)
	if err != nil {
		return err
	}
	for _, w := range []struct {
		paths []warehouse.PathTotal
		rows  *[]warehouse.ChannelTotal
	}{{paths.Recent, &totals.Recent}, {paths.Earlier, &totals.Earlier}} {
		journeys := journeysOf(w.paths)
		last, err := attribution.CreditSums(journeys, attribution.Last)
		if err != nil {
			return err
		}
		credits, err := attribution.CreditSums(journeys, pathModels[model])
		if err != nil {
			return err
		}
		// Orders without a conversion path have no touchpoints, so all models treat them in the same way.
		for _, t := range *w.rows {
			credits[t.Channel] = credits[t.Channel].Add(t.Sums)
		}
		for channel, sums := range last {
			credits[channel] = credits[channel].Add(sums.Negated())
		}
		*w.rows = recredited(*w.rows, credits)
	}
	return nil
}

// Paths returns the conversion paths of both windows.
func (c *Snapshot) Paths(ctx context.Context, segment warehouse.Segment, in warehouse.Windows) (
	warehouse.Pair[[]warehouse.PathTotal], error,
) {
	paths, err := c.facts.Paths(ctx, c.Workspace.ID, segment, in)
	if err != nil {
		return paths, fmt.Errorf("journeys %s: %w", in.Recent, err)
	}
	c.note("paths", len(paths.Recent)+len(paths.Earlier))
	return paths, nil
}

func journeysOf(paths []warehouse.PathTotal) []attribution.Journey {
	journeys := make([]attribution.Journey, len(paths))
	for i, p := range paths {
		journeys[i] = attribution.Journey{Channels: p.Channels, Sums: p.Sums}
	}
	return journeys
}

// recredited replaces the figures attributed to the channels. It adds channels without previous figures.
func recredited(rows []warehouse.ChannelTotal, credits attribution.Sums) []warehouse.ChannelTotal {
	rows, left := slices.Clone(rows), maps.Clone(credits)
	for i, row := range rows {
		rows[i].Sums = credits[row.Channel]
		delete(left, row.Channel)
	}
	for _, channel := range slices.Sorted(maps.Keys(left)) {
		rows = append(rows, warehouse.ChannelTotal{Channel: channel, Sums: left[channel]})
	}
	return rows
}

// blend combines the attributed figures of a window with the window's survey answers.
func (c *Snapshot) blend(ctx context.Context, days civil.Range, rows []warehouse.ChannelTotal) (
	attribution.BlendedSums, error,
) {
	strata, err := c.strata(ctx, days)
	if err != nil {
		return attribution.BlendedSums{}, err
	}
	credits := attribution.Sums{}
	for _, t := range rows {
		credits[t.Channel] = credits[t.Channel].Add(t.Sums)
	}
	return attribution.BlendSums(credits, strata, attribution.Blend{})
}

// strata returns a window's survey answers by customer segment: new, returning and unknown. It uses only questions with
// answers that name a channel. It omits answers without an order in the store, and segments without orders.
func (c *Snapshot) strata(ctx context.Context, days civil.Range) ([]attribution.Stratum, error) {
	in := warehouse.Windows{Recent: days}
	answers, err := c.facts.Answers(ctx, c.Workspace.ID, warehouse.AnswersOf{Windows: in})
	if err != nil {
		return nil, fmt.Errorf("answers %s: %w", days, err)
	}
	segments, err := c.facts.SegmentTotals(ctx, c.Workspace.ID, "", in)
	if err != nil {
		return nil, fmt.Errorf("segments %s: %w", days, err)
	}
	c.note("answers", len(answers.Counts))
	stratum := func(name string, sums measure.Sums) attribution.Stratum {
		return attribution.Stratum{
			Name: name, Orders: sums.OrderCount(), Value: max(0, sums.Charged), Answers: map[measure.Channel]float64{},
		}
	}
	first, again := stratum("new", segments.Recent.New), stratum("returning", segments.Recent.Returning)
	unknown := stratum("unknown", segments.Recent.Unknown)
	naming := NamingQuestions(answers.Counts)
	for _, n := range answers.Counts {
		rest := n.Known - n.New - n.Returning
		switch {
		case !naming[n.Question]:
		case n.Channel == "":
			first.Unmapped += float64(n.New)
			again.Unmapped += float64(n.Returning)
			unknown.Unmapped += float64(rest)
		default:
			first.Answers[n.Channel] += float64(n.New)
			again.Answers[n.Channel] += float64(n.Returning)
			if rest > 0 {
				unknown.Answers[n.Channel] += float64(rest)
			}
		}
	}
	if unknown.Orders == 0 {
		return []attribution.Stratum{first, again}, nil
	}
	return []attribution.Stratum{first, again, unknown}, nil
}

// NamingQuestions lists the questions with at least one answer that names a channel.
func NamingQuestions(counts []warehouse.AnswerCount) map[string]bool {
	naming := map[string]bool{}
	for _, n := range counts {
		if n.Channel != "" {
			naming[n.Question] = true
		}
	}
	return naming
}
