package snapshot

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// questions queries the data of one workspace and records the queries.
type questions struct {
	facts     Facts
	workspace measure.WorkspaceID
	reads     []Question // queries so far, in order
}

// Question is a warehouse query and the number of rows it returned.
type Question struct {
	Question string
	Rows     int
}

// note records a query for the debug detail of an answer.
func (q *questions) note(name string, rows int) {
	q.reads = append(q.reads, Question{Question: name, Rows: rows})
}

// Reads lists the queries in order.
func (q *questions) Reads() []Question { return q.reads }

// noted records a query. If the query failed, it returns an error that names the data and, if given, the days.
func (q *questions) noted(question string, rows int, err error, what string, days civil.Range) error {
	switch {
	case err == nil:
		q.note(question, rows)
		return nil
	case days.Days() == 0:
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s %s: %w", what, days, err)
}

// Campaigns returns campaigns, ad sets, ads or creatives.
func (q *questions) Campaigns(ctx context.Context, of warehouse.CampaignsOf) (warehouse.CampaignPage, error) {
	found, err := q.facts.Campaigns(ctx, q.workspace, of)
	return found, q.noted("campaigns", len(found.Rows), err, "campaigns", of.Windows.Recent)
}

// FirstCreative returns the first creative and the number of creatives.
func (q *questions) FirstCreative(ctx context.Context, of warehouse.CampaignsOf) (warehouse.CampaignPage, error) {
	of.Level, of.Limit, of.Offset = warehouse.Creatives, 1, 0
	found, err := q.facts.Campaigns(ctx, q.workspace, of)
	return found, q.noted("creatives", len(found.Rows), err, "creatives", of.Windows.Recent)
}

// AdHistory returns the states of campaigns at the end of a period, and the changes of campaigns, ad sets and ads
// within it.
func (q *questions) AdHistory(ctx context.Context, of measure.AdHistoryOf, days civil.Range) (
	measure.AdHistory, error,
) {
	found, err := q.facts.AdHistory(ctx, q.workspace, of)
	return found, q.noted("ad_versions", len(found.Standings)+len(found.Changes), err, "history of campaigns", days)
}

// SourceDays returns the days on which sources have rows.
func (q *questions) SourceDays(ctx context.Context, days civil.Range) ([]warehouse.SourceDay, error) {
	found, err := q.facts.SourceDays(ctx, q.workspace, days)
	return found, q.noted("source_days", len(found), err, "days of sources", days)
}

// SegmentTotals returns the totals of new and returning customers of a channel, or of the store for an empty channel.
func (q *questions) SegmentTotals(ctx context.Context, channel measure.Channel, in warehouse.Windows) (
	warehouse.Pair[warehouse.SegmentTotals], error,
) {
	found, err := q.facts.SegmentTotals(ctx, q.workspace, channel, in)
	return found, q.noted("segment_totals", 2, err, "segments", in.Recent)
}

// TopPaths returns the most frequent conversion paths.
func (q *questions) TopPaths(ctx context.Context, of warehouse.PathsOf) (warehouse.PathRanking, error) {
	found, err := q.facts.TopPaths(ctx, q.workspace, of)
	if err = q.noted("path_totals", 2, err, "journeys", of.Windows.Recent); err == nil {
		q.note("path_tops", len(found.Paths))
	}
	return found, err
}

// Journeys returns the number of orders by number of touchpoints and days to conversion.
func (q *questions) Journeys(ctx context.Context, segment warehouse.Segment, days civil.Range) (
	[]warehouse.JourneyCount, error,
) {
	found, err := q.facts.Journeys(ctx, q.workspace, segment, days)
	return found, q.noted("journeys", len(found), err, "lengths of journeys", days)
}

// Imports returns the latest entries of the import ledger.
func (q *questions) Imports(ctx context.Context, limit int) ([]warehouse.ImportRecord, error) {
	found, err := q.facts.Imports(ctx, q.workspace, limit)
	return found, q.noted("imports", len(found), err, "import ledger", civil.Range{})
}

// MessageTotals returns the totals of emails and text messages.
func (q *questions) MessageTotals(ctx context.Context, in warehouse.Windows) (
	warehouse.Pair[[]warehouse.MessageTotal], error,
) {
	found, err := q.facts.MessageTotals(ctx, q.workspace, in)
	return found, q.noted("message_totals", len(found.Recent)+len(found.Earlier), err, "messages", in.Recent)
}

// Messages returns message campaigns and flows.
func (q *questions) Messages(ctx context.Context, of warehouse.MessagesOf) ([]warehouse.MessageEntity, error) {
	found, err := q.facts.Messages(ctx, q.workspace, of)
	return found, q.noted("messages", len(found), err, "campaigns and flows", of.Days)
}

// LateChanges returns the number of daily totals of a surface or platform that changed after they were first visible,
// and the range of their days. It includes only changes by imports in the given period.
func (q *questions) LateChanges(ctx context.Context, imported civil.Range) (parts int, days civil.Range, err error) {
	parts, days, err = q.facts.LateChanges(ctx, q.workspace, imported)
	return parts, days, q.noted("late_changes", 1, err, "history of days", imported)
}

// SurfaceTotals returns the totals of sales surfaces.
func (q *questions) SurfaceTotals(ctx context.Context, in warehouse.Windows) (
	warehouse.Pair[[]warehouse.SurfaceTotal], error,
) {
	found, err := q.facts.SurfaceTotals(ctx, q.workspace, in)
	return found, q.noted("surface_totals", len(found.Recent)+len(found.Earlier), err, "surfaces", in.Recent)
}

// Products returns the sales of products.
func (q *questions) Products(ctx context.Context, of warehouse.ProductsOf) (warehouse.ProductPage, error) {
	found, err := q.facts.Products(ctx, q.workspace, of)
	return found, q.noted("products", len(found.Rows), err, "products", of.Windows.Recent)
}

// ProductSpans returns the sales of each product in two windows, with the product's first and last day with a sale.
func (q *questions) ProductSpans(ctx context.Context, in warehouse.Windows) (
	warehouse.Pair[[]warehouse.ProductSpan], error,
) {
	found, err := q.facts.ProductSpans(ctx, q.workspace, in)
	return found, q.noted("product_spans", len(found.Recent)+len(found.Earlier), err, "products", in.Recent)
}

// CouponChannel returns the channel and the creator of a discount code.
func (q *questions) CouponChannel(ctx context.Context, code string) (warehouse.CouponChannel, error) {
	found, err := q.facts.CouponChannel(ctx, q.workspace, code)
	return found, q.noted("coupon_channel", 1, err, "coupon", civil.Range{})
}

// Coupons returns the sales with discount codes.
func (q *questions) Coupons(ctx context.Context, of warehouse.CouponsOf) (warehouse.CouponPage, error) {
	found, err := q.facts.Coupons(ctx, q.workspace, of)
	return found, q.noted("coupons", len(found.Rows), err, "coupons", of.Windows.Recent)
}

// Answers returns the numbers of survey answers.
func (q *questions) Answers(ctx context.Context, of warehouse.AnswersOf) (warehouse.AnswerSummary, error) {
	found, err := q.facts.Answers(ctx, q.workspace, of)
	if err = q.noted("answers", len(found.Counts), err, "answers", of.Windows.Recent); err == nil {
		q.note("answer_credits", len(found.Credits))
	}
	return found, err
}

// AnswerRows returns individual survey answers.
func (q *questions) AnswerRows(ctx context.Context, of warehouse.AnswersOf) (warehouse.AnswerPage, error) {
	found, err := q.facts.AnswerRows(ctx, q.workspace, of)
	return found, q.noted("answer_rows", len(found.Rows), err, "single answers", of.Windows.Recent)
}

// Targets returns the workspace's targets.
func (q *questions) Targets(ctx context.Context) ([]warehouse.Target, error) {
	found, err := q.facts.Targets(ctx, q.workspace)
	return found, q.noted("targets", len(found), err, "targets", civil.Range{})
}
