package snapshot

import (
	"context"
	"fmt"
	"strconv"

	"github.com/maypok86/otter/v2"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/panics"
	"assay/internal/warehouse"
)

// Panel contains the customers of a store with their orders and refunds. Inside contains the customers with their first
// order in a window. Figures include the days up to Observed.
type Panel struct {
	warehouse.Panel
	days     civil.Range // days of first orders
	Observed civil.Date  // the last complete day
	Inside   []warehouse.PanelCustomer
}

// CustomerPanel returns the customers that one channel acquired in a window, or the customers of all channels if
// channel is empty. It omits customers with a first order more than [cohort.LongestAge] days ago, because such a date
// is a data error.
func (c *Snapshot) CustomerPanel(ctx context.Context, days civil.Range, channel measure.Channel) (Panel, error) {
	all, err := c.wholePanel(ctx)
	if err != nil {
		return Panel{}, fmt.Errorf("panel of customers: %w", err)
	}
	c.note("panel", len(all.Customers))
	p := Panel{Panel: all, days: days, Observed: c.Store.OrderDays.Last}
	if !p.Observed.Before(c.Today) {
		p.Observed = c.Today.AddDays(-1)
	}
	for _, customer := range all.Customers {
		age := p.Observed.Sub(customer.FirstDay)
		if days.Contains(customer.FirstDay) && age >= 0 && age <= cohort.LongestAge &&
			(channel == "" || customer.Channel == channel) {
			p.Inside = append(p.Inside, customer)
		}
	}
	return p, nil
}

// people caches the panels of workspaces and the models fitted to these panels, by data version.
type people struct {
	panels *otter.Cache[dataKey, warehouse.Panel]
	fits   *otter.Cache[fitKey, Projection]
}

// fitKey identifies all inputs of the models of a panel's purchases.
type fitKey struct {
	dataKey
	basis    measure.RevenueBasis
	observed civil.Date
}

const (
	panelsBytes = 32 << 20 // maximum size of all cached panels in bytes; a panel of 20,000 customers uses about 5 million
	rowBytes    = 100      // bytes per customer and per day of a panel
	maxFits     = 1000
)

func newPeople() (*people, error) {
	panels, err := otter.New(&otter.Options[dataKey, warehouse.Panel]{
		MaximumWeight: panelsBytes,
		Weigher: func(_ dataKey, p warehouse.Panel) uint32 {
			rows := len(p.Customers)
			for _, c := range p.Customers {
				rows += len(c.Days)
			}
			return uint32(rows * rowBytes)
		},
	})
	if err != nil {
		return nil, err
	}
	fits, err := otter.New(&otter.Options[fitKey, Projection]{MaximumSize: maxFits})
	return &people{panels: panels, fits: fits}, err
}

// wholePanel returns the store's panel. The result is read-only.
func (c *Snapshot) wholePanel(ctx context.Context) (warehouse.Panel, error) {
	if c.data == 0 { // unknown version: not cached
		return c.facts.Panel(ctx, c.Workspace.ID)
	}
	return c.reader.people.panels.Get(
		ctx, c.dataKey, Loading(func(ctx context.Context, key dataKey) (warehouse.Panel, error) {
			return c.facts.Panel(ctx, key.workspace)
		}))
}

// Sampled reports whether the panel is a sample of the store's customers.
func (p Panel) Sampled() bool { return int64(len(p.Customers)) < p.Everybody }

// Members returns the customers of the window with their value by day. The parameter of is the function that calculates
// the value.
func (p Panel) Members(of func(warehouse.PanelDay) int64) []cohort.Member {
	members := make([]cohort.Member, len(p.Inside))
	for i, customer := range p.Inside {
		m := cohort.Member{Channel: customer.Channel, AgeDays: p.Observed.Sub(customer.FirstDay)}
		for _, d := range customer.Days {
			if amount := of(d); amount != 0 && !d.Day.After(p.Observed) {
				// A refund with a date before the first order is a data error. The refund is assigned to the day of the
				// first order.
				m.Gains = append(m.Gains, cohort.Gain{Day: max(0, d.Day.Sub(customer.FirstDay)), Amount: amount})
			}
		}
		members[i] = m
	}
	return members
}

// CurvesOf returns the curve of each channel and of all customers. Without customers it returns no curves.
func CurvesOf(members []cohort.Member) (channels []cohort.Curve, whole cohort.Curve, err error) {
	err = panics.Together(
		func() error {
			all, err := cohort.Curves(togetherAs(Everybody, members), 0, cohort.DefaultLevel)
			if len(all) > 0 {
				whole = all[0]
			}
			return err
		},
		func() (err error) {
			channels, err = cohort.Curves(members, 0, cohort.DefaultLevel)
			return err
		},
	)
	return channels, whole, err
}

// togetherAs copies members into one group.
func togetherAs(name measure.Channel, members []cohort.Member) []cohort.Member {
	out := make([]cohort.Member, len(members))
	for i, m := range members {
		m.Channel = name
		out[i] = m
	}
	return out
}

// NetOf returns a day's revenue after refunds, on the workspace's revenue basis.
func (c *Snapshot) NetOf(d warehouse.PanelDay) int64 {
	return c.Workspace.Basis.NetRevenue(
		measure.Sums{Charged: d.Charged, Tax: d.Tax, Shipping: d.Shipping, Refunds: d.Refunds})
}

// saleOf returns the cost of a day's orders and their revenue without tax and shipping. The cost is known if the cost
// of every line item is known.
func saleOf(d warehouse.PanelDay) cohort.Sale {
	return cohort.Sale{Revenue: max(0, d.Charged-d.Tax-d.Shipping), Cost: max(0, d.Cost), CostKnown: d.Net > 0 &&
		d.Costed == d.Net}
}

// Margins returns the parameters for the margin of the panel's sales. Without costs it returns a not-ready fault.
func (p Panel) Margins() (cohort.Margins, error) {
	var sales []cohort.Sale
	for _, customer := range p.Customers {
		for _, d := range customer.Days {
			if d.Orders > 0 {
				sales = append(sales, saleOf(d))
			}
		}
	}
	return cohort.MarginsOf(sales)
}

// Buyers returns the purchase histories of customers, in weeks.
func (c *Snapshot) Buyers(customers []warehouse.PanelCustomer, end civil.Date) ([]cohort.Buyer, error) {
	var purchases []cohort.Purchase
	for i, customer := range customers {
		name := strconv.Itoa(i)
		for _, d := range customer.Days {
			if d.Orders > 0 {
				d.Refunds = 0 // the projection covers only orders; refunds may belong to earlier orders
				purchases = append(purchases, cohort.Purchase{Customer: name, Day: d.Day, Value: max(0, c.NetOf(d))})
			}
		}
	}
	return cohort.Buyers(purchases, end)
}

// ProjectionSeed is the seed of every projection, so that the same data give the same answer.
const ProjectionSeed = 7

// Sample sizes of the models. Customers are sorted by a hash, so the first n are a random sample.
const (
	fittedCustomers    = 8_000 // parameter errors are a few percent
	ComparedCustomers  = 2_000 // for the second model, which has a slow likelihood
	ProjectedCustomers = 1_000 // per group, each with simulated futures
	ProjectionDraws    = 100   // simulated futures per interval
)

// Projection contains the projection of customers' future orders.
type Projection struct {
	Model   string
	Weeks   float64
	Refused []string // reasons why the history is insufficient
	NoFit   bool     // the model of repeat purchases does not converge
	Dear    SpendProblem
	Project func(group []cohort.Buyer) (cohort.Projection, error)
	Valued  bool
}

// longestHorizon is the maximum horizon of a projection in days. A shorter history reduces the horizon.
const longestHorizon = 365

// Project returns the models of repeat purchases and their projection for the customers of the panel.
func (c *Snapshot) Project(ctx context.Context, p Panel) (Projection, error) {
	if c.data == 0 { // unknown version: not cached
		return c.fitted(p)
	}
	key := fitKey{dataKey: c.dataKey, basis: c.Workspace.Basis, observed: p.Observed}
	return c.reader.people.fits.Get(ctx, key, Loading(func(context.Context, fitKey) (Projection, error) {
		return c.fitted(p)
	}))
}

// fitted fits the models to at most fittedCustomers customers of the panel, regardless of the date of their first
// order.
func (c *Snapshot) fitted(p Panel) (Projection, error) {
	buyers, err := c.Buyers(p.Customers[:min(len(p.Customers), fittedCustomers)], p.Observed)
	if err != nil {
		return Projection{}, err
	}
	histories := HistoriesOf(buyers)
	var spends []cohort.Spend
	for _, b := range buyers {
		if b.Repeats > 0 && b.MeanSpend > 0 {
			spends = append(spends, cohort.Spend{Purchases: b.Repeats, Mean: b.MeanSpend})
		}
	}
	ready := cohort.Ready(histories)
	out := Projection{Refused: ready.Reasons, Weeks: min(longestHorizon/7., ready.Observed)}
	if len(out.Refused) > 0 {
		return out, nil
	}
	fit, err := cohort.FitBGNBD(histories)
	if err != nil {
		out.NoFit = true
		return out, nil //nolint:nilerr // a fit that does not converge is a result
	}
	value, why := fitSpend(spends)
	out.Model, out.Dear, out.Valued = "BG/NBD", why, value != nil
	if out.Valued {
		out.Model += " with Gamma-Gamma"
	}
	out.Project = func(group []cohort.Buyer) (cohort.Projection, error) {
		return cohort.Project(fit, value, group, cohort.Horizon{
			Time: out.Weeks, Draws: ProjectionDraws, Level: cohort.DefaultLevel, Seed: ProjectionSeed,
		})
	}
	return out, nil
}

// HistoriesOf returns the purchase histories of buyers.
func HistoriesOf(buyers []cohort.Buyer) []cohort.History {
	histories := make([]cohort.History, len(buyers))
	for i, b := range buyers {
		histories[i] = b.History
	}
	return histories
}

// SpendProblem is the reason why a projection has orders but no revenue. The zero value means no problem.
type SpendProblem struct {
	Correlation float64 // correlation between spend per order and frequency, if it is too large
	NoFit       bool
}

// fitSpend fits the Gamma-Gamma model of order value, or returns the reason why the model is not usable.
func fitSpend(spends []cohort.Spend) (*cohort.Fit[cohort.GammaGamma], SpendProblem) {
	if r := cohort.SpendFrequencyCorrelation(spends); r > cohort.LargestCorrelation || r < -cohort.LargestCorrelation {
		return nil, SpendProblem{Correlation: r}
	}
	fit, err := cohort.FitGammaGamma(spends)
	if err != nil || fit.Model.Q <= 1 {
		return nil, SpendProblem{NoFit: true}
	}
	return &fit, SpendProblem{}
}
