package main

import "assay/internal/lab"

type labGeo struct {
	Fit    labGeoFit    `cmd:"" help:"Estimate the effect of a geo experiment."`
	Design labGeoDesign `cmd:"" help:"Compare possible designs of a geo experiment."`
}

// panelFlags are the columns of a panel.
type panelFlags struct {
	csvFlag
	Unit    string `required:"" placeholder:"C" help:"Column of units such as regions, cities or states."`
	Time    string `required:"" placeholder:"C" help:"Column of dates (YYYY-MM-DD) or numbers such as 2012.25."`
	Outcome string `required:"" placeholder:"C" help:"Column of the outcome."`
}

func (f panelFlags) panel() lab.GeoPanel {
	return lab.GeoPanel{Unit: f.Unit, Time: f.Time, Outcome: f.Outcome}
}

type labGeoFit struct {
	panelFlags
	Treated   []string `required:"" placeholder:"A,…" help:"Treated units."`
	Start     string   `required:"" placeholder:"T" help:"First period of the experiment."`
	End       string   `placeholder:"T" help:"Last period of the experiment. Default: the last period in the file."`
	Method    string   `default:"default" placeholder:"M" help:"Method: default, sc, asc, sdid, did or tbr (default: ${default})."`
	Demean    string   `placeholder:"on|off" help:"Demean the series before matching. Default: off for sc, on for default and asc."`
	Inference string   `default:"placebo" placeholder:"I" help:"Inference: placebo, conformal or conformal-iid (default: ${default})."`
	Alpha     float64  `default:"0.05" placeholder:"A" help:"1 minus the level of the confidence interval (default: ${default})."`
	Cost      float64  `placeholder:"X" help:"Cost of the experiment, to estimate iROAS."`
}

// Run prints the effect.
func (c *labGeoFit) Run(con *console, group *labCommand) error {
	return runLab(con, c.CSV, lab.GeoFit{
		GeoPanel: c.panel(), Treated: c.Treated, Start: c.Start, End: c.End, Method: c.Method, Demean: c.Demean,
		Inference: c.Inference, Alpha: c.Alpha, Cost: c.Cost, Seed: group.Seed,
	}.Run)
}

type labGeoDesign struct {
	panelFlags
	Sizes     []int     `required:"" placeholder:"N,…" help:"Numbers of treated units to compare."`
	Durations []int     `required:"" placeholder:"N,…" help:"Durations to compare, in periods."`
	Effects   []float64 `default:"0,0.05,0.1,0.15,0.2,0.25" placeholder:"E,…" help:"Simulated lifts, as fractions (default: ${default})."`
	CPIC      *float64  `name:"cpic" placeholder:"X" help:"Cost per incremental unit of the outcome."`
	Include   []string  `placeholder:"A,…" help:"Units that every design treats."`
	Exclude   []string  `placeholder:"A,…" help:"Units that no design treats; they remain in the donor pool."`
	Lookback  int       `default:"1" placeholder:"N" help:"Number of simulated windows; each ends one period earlier (default: ${default})."`
	Alpha     float64   `default:"0.1" placeholder:"A" help:"Significance level: a lift is detected if p is below it (default: ${default})."`
}

// Run prints the designs.
func (c *labGeoDesign) Run(con *console, group *labCommand) error {
	return runLab(con, c.CSV, lab.GeoDesign{
		GeoPanel: c.panel(), Sizes: c.Sizes, Durations: c.Durations, Effects: c.Effects, Include: c.Include, Exclude: c.Exclude,
		Lookback: c.Lookback, Alpha: c.Alpha, CostEach: c.CPIC, Seed: group.Seed,
	}.Run)
}
