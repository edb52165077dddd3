package warehouse

import (
	"context"
	"fmt"

	"assay/internal/measure"
)

// CreatorProfile is a creator and the signals that identify the creator's orders.
type CreatorProfile struct {
	ID       string
	Name     string
	Handle   string
	Platform string
	HasCode  bool // the creator has a discount code
	HasLink  bool // customers have used a link of the creator
}

// CreatorTotals contains the totals of all creators in a window.
type CreatorTotals struct {
	Orders []CreatorOrders // sorted by creator and signals
	Links  []CreatorLinks  // sorted by creator and kind
	Costs  []CreatorSpend  // by creator; if there is no row, the cost is unknown
}

// CreatorOrders contains the totals of the orders that one combination of signals (code, survey answer) attributes to a
// creator. An order is in one row only. The creator in the survey answer takes precedence over the creator of the code
// with the largest discount.
type CreatorOrders struct {
	Creator  string // "": orders of the online store without a creator
	ByCode   bool
	BySurvey bool
	Touched  int64 // orders with the channel influencer or creator in their path, in millionths
	Sums     measure.Sums
}

// CreatorLinks contains the use of a creator's links as the link tool reports it. The tool's orders are anonymous, so
// codes and surveys may include the same orders.
type CreatorLinks struct {
	Creator string
	Kind    string // vanity or referral
	Clicks  int64
	Orders  int64 // whole orders
	Revenue int64
}

// CreatorSpend is the cost of a creator.
type CreatorSpend struct {
	Creator string
	Amount  int64
}

// Creators returns all creators, sorted by name.
func (w *customerQuestions) Creators(ctx context.Context, ws measure.WorkspaceID) ([]CreatorProfile, error) {
	var out []CreatorProfile
	err := w.ask(ctx, ws, "creators", nil, func(row Row) error {
		var p CreatorProfile
		var code, link int
		err := row.Scan(&p.ID, &p.Name, &p.Handle, &p.Platform, &code, &link)
		p.HasCode, p.HasLink = code > 0, link > 0
		out = append(out, p)
		return err
	})
	return out, err
}

// CreatorTotals returns the totals of all creators in each window, each list sorted by creator.
func (w *customerQuestions) CreatorTotals(ctx context.Context, ws measure.WorkspaceID, in Windows) (Pair[CreatorTotals], error) {
	var totals Pair[CreatorTotals]
	var period int
	err := w.ask(ctx, ws, "creator_orders", in.bind(), func(row Row) error {
		var o CreatorOrders
		err := row.Scan(append([]any{&period, &o.Creator, &o.ByCode, &o.BySurvey, &o.Touched}, sumsOf(&o.Sums)...)...)
		part := totals.of(period)
		part.Orders = append(part.Orders, o)
		return err
	})
	if err != nil {
		return totals, fmt.Errorf("orders of creators: %w", err)
	}
	err = w.ask(ctx, ws, "creator_links", in.bind(), func(row Row) error {
		var l CreatorLinks
		err := row.Scan(&period, &l.Creator, &l.Kind, &l.Clicks, &l.Orders, &l.Revenue)
		part := totals.of(period)
		part.Links = append(part.Links, l)
		return err
	})
	if err != nil {
		return totals, fmt.Errorf("links of creators: %w", err)
	}
	err = w.ask(ctx, ws, "creator_costs", in.bind(), func(row Row) error {
		var s CreatorSpend
		err := row.Scan(&period, &s.Creator, &s.Amount)
		part := totals.of(period)
		part.Costs = append(part.Costs, s)
		return err
	})
	if err != nil {
		return totals, fmt.Errorf("costs of creators: %w", err)
	}
	return totals, nil
}
