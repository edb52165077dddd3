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

// Panel is the customers whose first order lies in a window, with all they did until the last whole day.
type Panel struct {
	warehouse.Panel
	days     civil.Range // of first orders
	Observed civil.Date  // the last whole day
	Inside   []warehouse.PanelCustomer
}

// CustomerPanel reads the customers won in a window, by one channel or by any.
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
		if days.Contains(customer.FirstDay) && !customer.FirstDay.After(p.Observed) && (channel == "" || customer.Channel == channel) {
			p.Inside = append(p.Inside, customer)
		}
	}
	return p, nil
}

// people keeps the panels of workspaces, read once for each version of their data, and what was fitted to them.
type people struct {
	panels *otter.Cache[dataKey, warehouse.Panel]
	fits   *otter.Cache[fitKey, Projection]
}

// fitKey is all that the models of a panel's purchases depend on.
type fitKey struct {
	dataKey
	basis    measure.RevenueBasis
	observed civil.Date
}

const (
	panelsBytes = 32 << 20 // of all panels kept; one of twenty thousand customers takes about five million
	rowBytes    = 100      // of a customer of a panel, and of a day
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

// wholePanel returns the store's panel, which nobody may change.
func (c *Snapshot) wholePanel(ctx context.Context) (warehouse.Panel, error) {
	if c.data == 0 { // the version is not known: nothing is kept
		return c.facts.Panel(ctx, c.Workspace.ID)
	}
	return c.reader.people.panels.Get(ctx, c.dataKey, Loading(func(ctx context.Context, key dataKey) (warehouse.Panel, error) {
		return c.facts.Panel(ctx, key.workspace)
	}))
}

// Sampled reports whether the panel is a part of the store's customers.
func (p Panel) Sampled() bool { return int64(len(p.Customers)) < p.Everybody }

// Members turns the customers of the window into what they brought by day, as each says what a day brought.
func (p Panel) Members(of func(warehouse.PanelDay) int64) []cohort.Member {
	members := make([]cohort.Member, len(p.Inside))
	for i, customer := range p.Inside {
		m := cohort.Member{Channel: customer.Channel, AgeDays: p.Observed.Sub(customer.FirstDay)}
		for _, d := range customer.Days {
			if amount := of(d); amount != 0 && !d.Day.After(p.Observed) {
				// A refund may be dated before the first order by mistake; it is the first day's then.
				m.Gains = append(m.Gains, cohort.Gain{Day: max(0, d.Day.Sub(customer.FirstDay)), Amount: amount})
			}
		}
		members[i] = m
	}
	return members
}

// CurvesOf returns the curve of each channel, and that of all customers together. Without customers there is none.
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

// NetOf is what a day brought after refunds, on the workspace's basis of revenue.
func (c *Snapshot) NetOf(d warehouse.PanelDay) int64 {
	return c.Workspace.Basis.NetRevenue(measure.Sums{Charged: d.Charged, Tax: d.Tax, Shipping: d.Shipping, Refunds: d.Refunds})
}

// saleOf is a day's orders as margins see them: without tax and shipping. Their cost is known when that of every line
// is.
func saleOf(d warehouse.PanelDay) cohort.Sale {
	return cohort.Sale{Revenue: max(0, d.Charged-d.Tax-d.Shipping), Cost: max(0, d.Cost), CostKnown: d.Net > 0 && d.Costed == d.Net}
}

// Margins says how the margin of the panel's sales is known. It is an error of kind not ready when costs are not.
func (p Panel) Margins() (cohort.Margins, error) {
	var sales []cohort.Sale
	for _, customer := range p.Customers {
		for _, d := range customer.Days {
			if d.Orders > 0 {
				sales = append(sales, saleOf(d))
			}
		}
	}
	return cohort.MarginsOf(sales, 0)
}

// Buyers returns the purchase histories of customers, in weeks.
func (c *Snapshot) Buyers(customers []warehouse.PanelCustomer, end civil.Date) ([]cohort.Buyer, error) {
	var purchases []cohort.Purchase
	for i, customer := range customers {
		name := strconv.Itoa(i)
		for _, d := range customer.Days {
			if d.Orders > 0 {
				d.Refunds = 0 // of this or an earlier order; what is expected is what will be ordered
				purchases = append(purchases, cohort.Purchase{Customer: name, Day: d.Day, Value: max(0, c.NetOf(d))})
			}
		}
	}
	return cohort.Buyers(purchases, end)
}

// ProjectionSeed is the seed of every projection: the same data give the same answer.
const ProjectionSeed = 7

// How much of a panel the models look at. Customers are sorted by a hash, so the first of them are a sample.
const (
	fittedCustomers    = 8_000 // the parameters' errors are a few percent with as many
	ComparedCustomers  = 2_000 // by the second model, whose likelihood is slow
	ProjectedCustomers = 1_000 // of a group, whose futures are drawn
	ProjectionDraws    = 100   // futures behind an interval
)

// Projection expects what customers will order.
type Projection struct {
	Model   string
	Weeks   float64
	Refused []string // what the history lacks, so that nothing is expected
	NoFit   bool     // the model of repeat purchases has no best fit
	Dear    SpendProblem
	Project func(group []cohort.Buyer) (cohort.Projection, error)
	Valued  bool
}

// longestHorizon is how far a projection looks ahead, in days, when the history is as long.
const longestHorizon = 365

// Project returns what the models of repeat purchases expect of customers like those of the panel.
func (c *Snapshot) Project(ctx context.Context, p Panel) (Projection, error) {
	if c.data == 0 { // the version is not known: nothing is kept
		return c.fitted(p)
	}
	key := fitKey{dataKey: c.dataKey, basis: c.Workspace.Basis, observed: p.Observed}
	return c.reader.people.fits.Get(ctx, key, Loading(func(context.Context, fitKey) (Projection, error) {
		return c.fitted(p)
	}))
}

// fitted fits the models to the customers of the panel, whenever they were won.
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
		return out, nil //nolint:nilerr // a fit without a maximum is an answer
	}
	value, why := fitSpend(spends)
	out.Model, out.Dear, out.Valued = "BG/NBD", why, value != nil
	if out.Valued {
		out.Model += " with Gamma-Gamma"
	}
	out.Project = func(group []cohort.Buyer) (cohort.Projection, error) {
		return cohort.Project(fit, value, group, cohort.Horizon{Time: out.Weeks, Draws: ProjectionDraws, Level: cohort.DefaultLevel, Seed: ProjectionSeed})
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

// SpendProblem is why the value of purchases is not expected, only their number; the zero value where it is.
type SpendProblem struct {
	Correlation float64 // of a customer's spend and frequency, where it is too large
	NoFit       bool
}

// fitSpend fits the model of what purchases are worth, or says why it cannot be trusted.
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
