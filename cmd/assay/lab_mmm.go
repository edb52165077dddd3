package main

import (
	"context"
	"errors"
	"maps"

	"assay/internal/fault"
	"assay/internal/lab"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats/hmc"
)

type labMMM struct {
	Fit      labMMMFit      `cmd:"" help:"Fit a media mix model."`
	Optimize labMMMOptimize `cmd:"" help:"Divide a budget among the channels of a fitted model."`
}

type labMMMFit struct {
	csvFlag
	Date       string            `required:"" placeholder:"C" help:"Column of periods' first days, YYYY-MM-DD, or of an index that counts weeks."`
	Target     string            `required:"" placeholder:"C" help:"Column of what is explained."`
	Media      []string          `required:"" placeholder:"C,…" help:"Columns of exposures: spend, impressions or clicks."`
	Geo        string            `placeholder:"C" help:"Column of places, when the records are of several."`
	Population string            `placeholder:"C" help:"Column of the places' sizes. Default: the mean target of each."`
	Controls   []string          `placeholder:"C,…" help:"Columns of what moves the target and is not media."`
	Holidays   []string          `placeholder:"CC,…" help:"Countries whose holidays move the target: AT, AU, BE, CA, CH, DE, DK, ES, FI, FR, GB, IE, IT, NL, NO, NZ, PL, PT, SE, US."`
	Events     string            `placeholder:"F" help:"CSV file of events of your own, such as sales: name,first,last, a line for each time."`
	Spend      map[string]string `placeholder:"A=C,…" mapsep:"," help:"Column of money of a medium; without it the exposure is the money."`
	Frequency  map[string]string `placeholder:"A=C,…" mapsep:"," help:"Column of frequency of a medium whose own column is reach."`
	Varying    int               `default:"0" placeholder:"N" help:"Effects change slowly, in about N periods; 0: they are constant (default: ${default})."`
	Adstock    string            `default:"geometric:8" placeholder:"A" help:"geometric, delayed, binomial, weibull_cdf, weibull_pdf with :PERIODS, or none (default: ${default})."`
	Saturation string            `default:"logistic" placeholder:"S" help:"logistic, hill, michaelis_menten, tanh, root, log, ces or none (default: ${default})."`
	Effect     string            `default:"coefficient" placeholder:"E" help:"What priors of a channel's size speak of: coefficient, roi or share (default: ${default})."`
	Yearly     int               `default:"0" placeholder:"N" help:"Pairs of sine and cosine of the year (default: ${default})."`
	Weekly     int               `default:"0" placeholder:"N" help:"Pairs of sine and cosine of the week, for daily data (default: ${default})."`
	Trend      string            `default:"linear" placeholder:"T" help:"linear, knots:PERIODS or none (default: ${default})."`
	Likelihood string            `default:"normal" placeholder:"L" help:"normal, student_t or log_normal (default: ${default})."`
	Priors     string            `placeholder:"F" help:"JSON file of priors by parameter."`
	LiftTests  string            `placeholder:"F" help:"CSV file of lift tests: channel,x,delta_x,delta_y,sigma[,geo]."`
	Holdout    int               `placeholder:"N" help:"Last periods kept from the fit, to judge it."`
	Checks     []string          `placeholder:"K,…" help:"Checks of the model: prior, slices, placebo, worlds. All but prior take many fits."`
	Slices     string            `placeholder:"F:H:S" help:"Slices of the check: periods of the first fit, periods predicted, periods between fits. Default: the last four tenths."`
	Chains     int               `default:"4" placeholder:"N" help:"Chains (default: ${default})."`
	Warmup     int               `default:"1000" placeholder:"N" help:"Draws of each chain that adapt the sampler (default: ${default})."`
	Draws      int               `default:"1000" placeholder:"N" help:"Draws kept of each chain (default: ${default})."`
	Out        string            `placeholder:"DIR" help:"Directory for draws.csv, contributions.csv, curves.csv and model.json."`
}

// Run fits the model and prints what it says.
func (c *labMMMFit) Run(ctx context.Context, con *console, group *labCommand) error {
	spec, err := c.spec()
	if err != nil {
		return err
	}
	ask := lab.MMM{
		Date: c.Date, Target: c.Target, Geo: c.Geo, Population: c.Population, Media: c.Media, Controls: c.Controls, Holidays: c.Holidays, Events: c.Events, Spend: maps.Clone(c.Spend), Frequency: maps.Clone(c.Frequency),
		Priors: c.Priors, Lifts: c.LiftTests, Spec: spec,
		Sampling: mmm.Sampling{
			Seed: group.Seed, Chains: c.Chains, Warmup: c.Warmup, Draws: c.Draws,
			Stop: func() bool { return ctx.Err() != nil },
		},
		Slices: c.Slices,
	}
	for _, check := range c.Checks {
		ask.Checks = append(ask.Checks, lab.MMMCheck(check))
	}
	return runLab(con, c.CSV, func(t *lab.Table) (*lab.MMMReport, error) {
		report, err := ask.Run(t)
		if errors.Is(err, hmc.ErrStopped) {
			return nil, context.Cause(ctx)
		}
		if err != nil || c.Out == "" {
			return report, err
		}
		return report, report.Save(c.Out)
	})
}

func (c *labMMMFit) spec() (s mmm.Spec, err error) {
	s = mmm.Spec{Effect: mmm.Effect(c.Effect), Yearly: c.Yearly, Weekly: c.Weekly, Holdout: c.Holdout, TimeVarying: c.Varying}
	var fails [4]error
	s.Adstock, fails[0] = mmm.ParseAdstock(c.Adstock)
	s.Saturation, fails[1] = mmm.ParseSaturation(c.Saturation)
	s.Trend, fails[2] = mmm.ParseTrend(c.Trend)
	s.Likelihood, fails[3] = mmm.ParseLikelihood(c.Likelihood)
	for _, err := range fails {
		if err != nil {
			return s, err
		}
	}
	if c.Chains < 1 || c.Warmup < 1 || c.Draws < 1 {
		return s, fault.Invalid("%d chains of %d + %d draws cannot be taken", c.Chains, c.Warmup, c.Draws)
	}
	return s, nil
}

type labMMMOptimize struct {
	Model   string  `required:"" placeholder:"DIR" help:"Directory that fit wrote with --out."`
	Budget  float64 `required:"" placeholder:"N" help:"Money over the model's whole window."`
	Bounds  string  `placeholder:"F" help:"JSON file: {\"channel\": {\"min\": N, \"max\": N}}. Default: the limits of --risk."`
	Groups  string  `placeholder:"F" help:"JSON file of what channels spend together: {\"name\": {\"channels\": [\"a\", \"b\"], \"min\": N, \"max\": N}}."`
	Periods int     `placeholder:"N" help:"Spread the budget, in proportion, over the N periods that follow the data, too."`
	Change  string  `placeholder:"F" help:"JSON file of largest changes from a period to the next, as shares of usual spends: {\"channel\": 0.2}."`
	By      string  `placeholder:"geo" enum:",geo" default:"" help:"geo: divide among the channels in each geo, by each geo's own effects. Bounds are of channel[geo], groups may name geos."`
	Risk    string  `default:"balanced" placeholder:"R" help:"conservative, balanced or aggressive: moves of at most 15, 30, 60 % (default: ${default})."`
}

// Run prints the plan.
func (c *labMMMOptimize) Run(con *console, group *labCommand) error {
	began := con.now()
	report, err := lab.Optimize{Model: c.Model, Budget: c.Budget, Bounds: c.Bounds, Groups: c.Groups, Periods: c.Periods, Change: c.Change, ByGeo: c.By == "geo", Risk: c.Risk, Seed: group.Seed}.Run()
	if err != nil {
		return err
	}
	report.Took(con.now().Sub(began))
	return printReport(con, report)
}
