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
	Optimize labMMMOptimize `cmd:"" help:"Optimize the allocation of a budget with a fitted model."`
}

type labMMMFit struct {
	csvFlag
	Date       string            `required:"" placeholder:"C" help:"Column of the first day of each period (YYYY-MM-DD), or a weekly index."`
	Target     string            `required:"" placeholder:"C" help:"Column of the target, such as revenue."`
	Media      []string          `required:"" placeholder:"C,…" help:"Columns of media: spend, impressions or clicks."`
	Geo        string            `placeholder:"C" help:"Column of geos, for data of several geos."`
	Population string            `placeholder:"C" help:"Column of the population of geos. Default: the mean target of each geo."`
	Controls   []string          `placeholder:"C,…" help:"Columns of control variables."`
	Holidays   []string          `placeholder:"CC,…" help:"Countries with public holidays as controls: AT, AU, BE, CA, CH, DE, DK, ES, FI, FR, GB, IE, IT, NL, NO, NZ, PL, PT, SE, US."`
	Events     string            `placeholder:"F" help:"CSV file of events such as promotions: name,first,last, one line per occurrence."`
	Spend      map[string]string `placeholder:"A=C,…" mapsep:"," help:"Spend column of a medium. Default: the column of the medium contains spend."`
	Frequency  map[string]string `placeholder:"A=C,…" mapsep:"," help:"Frequency column of a medium. The medium's own column then contains reach."`
	Varying    int               `default:"0" placeholder:"N" help:"Time-varying effects with a length scale of N periods; 0: constant effects (default: ${default})."`
	Adstock    string            `default:"geometric:8" placeholder:"A" help:"Adstock: geometric, delayed, binomial, weibull_cdf or weibull_pdf with :PERIODS, or none (default: ${default})."`
	Saturation string            `default:"logistic" placeholder:"S" help:"Saturation: logistic, hill, michaelis_menten, tanh, root, log, ces or none (default: ${default})."`
	Effect     string            `default:"coefficient" placeholder:"E" help:"Quantity that channel priors describe: coefficient, roi or share (default: ${default})."`
	Yearly     int               `default:"0" placeholder:"N" help:"Fourier pairs of the yearly seasonality (default: ${default})."`
	Weekly     int               `default:"0" placeholder:"N" help:"Fourier pairs of the weekly seasonality, for daily data (default: ${default})."`
	Trend      string            `default:"linear" placeholder:"T" help:"Trend: linear, knots:PERIODS or none (default: ${default})."`
	Likelihood string            `default:"normal" placeholder:"L" help:"Likelihood: normal, student_t or log_normal (default: ${default})."`
	Priors     string            `placeholder:"F" help:"JSON file of priors by parameter."`
	LiftTests  string            `placeholder:"F" help:"CSV file of lift tests: channel,x,delta_x,delta_y,sigma[,geo]."`
	Holdout    int               `placeholder:"N" help:"Number of most recent periods held out to measure the out-of-sample error."`
	Checks     []string          `placeholder:"K,…" help:"Model checks: prior, slices, placebo, worlds (simulated data sets). All except prior need many fits."`
	Slices     string            `placeholder:"F:H:S" help:"Backtest of --checks slices: periods of the first fit, of each prediction, and between fits. Default: the most recent 40%."`
	Chains     int               `default:"4" placeholder:"N" help:"Number of chains (default: ${default})."`
	Warmup     int               `default:"1000" placeholder:"N" help:"Warmup draws per chain (default: ${default})."`
	Draws      int               `default:"1000" placeholder:"N" help:"Draws per chain after warmup (default: ${default})."`
	Out        string            `placeholder:"DIR" help:"Output directory for draws.csv, contributions.csv, curves.csv and model.json."`
}

// Run fits the model and prints the report.
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
		return s, fault.Invalid("%d chains of %d + %d draws: each number must be at least 1", c.Chains, c.Warmup, c.Draws)
	}
	return s, nil
}

type labMMMOptimize struct {
	Model   string  `required:"" placeholder:"DIR" help:"Output directory of fit --out."`
	Budget  float64 `required:"" placeholder:"N" help:"Total budget over the model's window."`
	Bounds  string  `placeholder:"F" help:"JSON file: {\"channel\": {\"min\": N, \"max\": N}}. Default: the limits of --risk."`
	Groups  string  `placeholder:"F" help:"JSON file of bounds on the total spend of channel groups: {\"name\": {\"channels\": [\"a\", \"b\"], \"min\": N, \"max\": N}}."`
	Periods int     `placeholder:"N" help:"Also allocate the budget over the N periods after the data."`
	Change  string  `placeholder:"F" help:"JSON file of maximum changes between consecutive periods, as shares of usual spend: {\"channel\": 0.2}."`
	By      string  `placeholder:"geo" enum:",geo" default:"" help:"geo: optimize per channel and geo. Bounds apply to channel[geo]; groups may name geos."`
	Risk    string  `default:"balanced" placeholder:"R" help:"conservative, balanced or aggressive: changes of at most 15%, 30% or 60% (default: ${default})."`
}

// Run prints the allocation.
func (c *labMMMOptimize) Run(con *console, group *labCommand) error {
	began := con.now()
	report, err := lab.Optimize{Model: c.Model, Budget: c.Budget, Bounds: c.Bounds, Groups: c.Groups, Periods: c.Periods, Change: c.Change, ByGeo: c.By == "geo", Risk: c.Risk, Seed: group.Seed}.Run()
	if err != nil {
		return err
	}
	report.Took(con.now().Sub(began))
	return printReport(con, report)
}
