package main

import (
	"fmt"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/lab"
)

// labCommand groups the methods that run on plain files. docs/methods explains each of them.
type labCommand struct {
	Seed uint64 `default:"1" help:"The same seed gives the same result."`

	Attribution labAttribution `cmd:"" help:"Credit conversions to channels."`
	CLV         labCLV         `cmd:"" name:"clv" help:"Fit repeat purchases or their value, and project them."`
	MMM         labMMM         `cmd:"" name:"mmm" help:"Media mix models, and budgets divided by them."`
	Geo         labGeo         `cmd:"" help:"Tests by region: what they brought, and which to run."`
	Forecast    labForecast    `cmd:"" help:"Forecast series with intervals."`
	Anomalies   labAnomalies   `cmd:"" help:"Say which points of a series are unusual."`
}

// runLab runs a method on the file and prints its report. A result that is not reportable is printed and ends with the
// exit code that says so.
func runLab[R lab.Report](con *console, csv string, method func(*lab.Table) (R, error)) error {
	began := con.now()
	table, err := lab.Open(csv)
	if err != nil {
		return err
	}
	report, err := method(table)
	if err != nil {
		return err
	}
	report.Took(con.now().Sub(began))
	return printReport(con, report)
}

func printReport(con *console, report lab.Report) error {
	if err := lab.Write(con.out, report); err != nil {
		return err
	}
	if !report.Reportable() {
		fmt.Fprintln(con.errs, "assay: the result is not reportable; reasons has why")
		return exitError(exitNotReady)
	}
	return nil
}

// csvFlag is the file that a command reads.
type csvFlag struct {
	CSV string `name:"csv" required:"" placeholder:"F" help:"File with a header, separated by commas."`
}

type labAttribution struct {
	csvFlag
	Path        string `required:"" placeholder:"C" help:"Column of paths; touches are separated by ' > '."`
	Conversions string `required:"" placeholder:"C" help:"Column of conversions."`
	Value       string `placeholder:"C" help:"Column of what the conversions are worth."`
	Null        string `placeholder:"C" help:"Column of journeys of this form that did not convert."`
	Model       string `required:"" placeholder:"M" help:"first, last, linear, time_decay, position, markov:K (K to 3) or shapley."`
}

// Run prints the credits.
func (c *labAttribution) Run(con *console) error {
	return runLab(con, c.CSV, lab.Attribution{
		Path: c.Path, Conversions: c.Conversions, Value: c.Value, Null: c.Null, Model: c.Model,
	}.Run)
}

type labCLV struct {
	csvFlag
	Customer       string `required:"" placeholder:"C" help:"Column of customers."`
	Date           string `required:"" placeholder:"C" help:"Column of days, YYYY-MM-DD; one purchase per customer and day counts."`
	Value          string `placeholder:"C" help:"Column of values, for gammagamma."`
	Model          string `default:"bgnbd" placeholder:"M" help:"bgnbd, paretonbd or gammagamma (default: ${default})."`
	CalibrationEnd string `placeholder:"D" help:"Last day that the fit sees. Default: the last of the file."`
	HorizonDays    int    `default:"365" placeholder:"N" help:"Days that the expectation covers (default: ${default})."`
}

// Run prints the fit.
func (c *labCLV) Run(con *console) error {
	method := lab.CLV{Customer: c.Customer, Date: c.Date, Value: c.Value, Model: c.Model, HorizonDays: c.HorizonDays}
	if c.CalibrationEnd != "" {
		end, err := civil.Parse(c.CalibrationEnd)
		if err != nil {
			return fault.Invalid("--calibration-end: %v", err)
		}
		method.CalibrationEnd = end
	}
	return runLab(con, c.CSV, method.Run)
}

type labForecast struct {
	csvFlag
	ID      string `name:"id" required:"" placeholder:"C" help:"Column of series."`
	Date    string `required:"" placeholder:"C" help:"Column of days, times or positions."`
	Value   string `required:"" placeholder:"C" help:"Column of values."`
	Horizon int    `required:"" placeholder:"H" help:"Points to forecast."`
	Season  int    `required:"" placeholder:"S" help:"Points per cycle; 1: none."`
	Level   []int  `default:"80,95" placeholder:"L,…" help:"Levels of the intervals in per cent (default: ${default})."`
	Model   string `default:"auto" placeholder:"M" help:"auto, ets, arima, theta or pool (default: ${default})."`
}

// Run prints the forecasts.
func (c *labForecast) Run(con *console) error {
	return runLab(con, c.CSV, lab.Forecast{
		ID: c.ID, Date: c.Date, Value: c.Value, Horizon: c.Horizon, Season: c.Season, Levels: c.Level, Model: c.Model,
	}.Run)
}

type labAnomalies struct {
	csvFlag
	Date      string  `required:"" placeholder:"C" help:"Column of days, times or positions."`
	Value     string  `required:"" placeholder:"C" help:"Column of values."`
	Threshold float64 `default:"2" placeholder:"Z" help:"|z| from which a point is a flag (default: ${default})."`
	Season    int     `placeholder:"S" help:"Points per cycle; 1: none. Default: what the steps of the dates suggest."`
}

// Run prints the flags.
func (c *labAnomalies) Run(con *console) error {
	return runLab(con, c.CSV, lab.Anomalies{Date: c.Date, Value: c.Value, Threshold: c.Threshold, Season: c.Season}.Run)
}
