package main

import "assay/internal/lab"

type labGeo struct {
	Fit    labGeoFit    `cmd:"" help:"Estimate what a test by region brought."`
	Design labGeoDesign `cmd:"" help:"Compare the tests that could be run."`
}

// panelFlags name the columns of a panel.
type panelFlags struct {
	csvFlag
	Unit    string `required:"" placeholder:"C" help:"Column of units: regions, cities, states."`
	Time    string `required:"" placeholder:"C" help:"Column of days, YYYY-MM-DD, or of numbers such as 2012.25."`
	Outcome string `required:"" placeholder:"C" help:"Column of the outcome."`
}

func (f panelFlags) panel() lab.GeoPanel {
	return lab.GeoPanel{Unit: f.Unit, Time: f.Time, Outcome: f.Outcome}
}

type labGeoFit struct {
	panelFlags
	Treated   []string `required:"" placeholder:"A,…" help:"Treated units."`
	Start     string   `required:"" placeholder:"T" help:"First time of the test."`
	End       string   `placeholder:"T" help:"Last time of the test. Default: the last of the file."`
	Method    string   `default:"default" placeholder:"M" help:"default, sc, asc, sdid, did or tbr (default: ${default})."`
	Demean    string   `placeholder:"on|off" help:"Whether sc matches demeaned series. Default: off for sc, on for default and asc."`
	Inference string   `default:"placebo" placeholder:"I" help:"placebo, conformal or conformal-iid (default: ${default})."`
	Alpha     float64  `default:"0.05" placeholder:"A" help:"1 - level of the interval (default: ${default})."`
	Cost      float64  `placeholder:"X" help:"What the test cost, for the return on it."`
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
	Sizes     []int     `required:"" placeholder:"N,…" help:"Numbers of treated units."`
	Durations []int     `required:"" placeholder:"N,…" help:"Periods of the test."`
	Effects   []float64 `default:"0,0.05,0.1,0.15,0.2,0.25" placeholder:"E,…" help:"Lifts tried, as fractions (default: ${default})."`
	CPIC      *float64  `name:"cpic" placeholder:"X" help:"Cost per incremental unit of the outcome."`
	Include   []string  `placeholder:"A,…" help:"Units that every test treats."`
	Exclude   []string  `placeholder:"A,…" help:"Units that no test treats; they stay donors."`
	Lookback  int       `default:"1" placeholder:"N" help:"Windows tried, each ending one period earlier (default: ${default})."`
	Alpha     float64   `default:"0.1" placeholder:"A" help:"A lift is found when p lies below (default: ${default})."`
}

// Run prints the candidates.
func (c *labGeoDesign) Run(con *console, group *labCommand) error {
	return runLab(con, c.CSV, lab.GeoDesign{
		GeoPanel: c.panel(), Sizes: c.Sizes, Durations: c.Durations, Effects: c.Effects, Include: c.Include, Exclude: c.Exclude,
		Lookback: c.Lookback, Alpha: c.Alpha, CostEach: c.CPIC, Seed: group.Seed,
	}.Run)
}
