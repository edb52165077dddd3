package main

import (
	"fmt"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/lab"
)

// labCommand groups the methods that run on plain CSV files. docs/methods explains each of them.
type labCommand struct {
	Seed uint64 `default:"1" help:"Random seed. The same seed gives the same result."`

	Attribution labAttribution `cmd:"" help:"Attribute conversions to channels."`
	CLV         labCLV         `cmd:"" name:"clv" help:"Estimate customer lifetime value (CLV)."`
	MMM         labMMM         `cmd:"" name:"mmm" help:"Fit media mix models and optimize budgets."`
	Geo         labGeo         `cmd:"" help:"Analyze and design geo experiments."`
	Forecast    labForecast    `cmd:"" help:"Forecast time series with prediction intervals."`
	Anomalies   labAnomalies   `cmd:"" help:"Detect anomalies in a time series."`
	Ask         labAsk         `cmd:"" help:"Translate plain-language questions to tool calls."`
}

// runLab runs a method on the file and prints its report. A result that is not reportable is printed too, and the
// command exits with exitNotReady.
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
		fmt.Fprintln(con.errs, "assay: the result is not reportable; see the reasons in the result")
		return exitError(exitNotReady)
	}
	return nil
}

// csvFlag is the input file of a command.
type csvFlag struct {
	CSV string `name:"csv" required:"" placeholder:"F" help:"CSV file with a header row."`
}

type labAttribution struct {
	csvFlag
	Path        string `required:"" placeholder:"C" help:"Column of conversion paths; touchpoints are separated by ' > '."`
	Conversions string `required:"" placeholder:"C" help:"Column of conversion counts."`
	Value       string `placeholder:"C" help:"Column of conversion values."`
	Null        string `placeholder:"C" help:"Column of counts of the same path without a conversion."`
	Model       string `required:"" placeholder:"M" help:"Attribution model: first, last, linear, time_decay, position, markov:K (K from 1 to 3) or shapley."`
}

// Run prints the attributed conversions and values.
func (c *labAttribution) Run(con *console) error {
	return runLab(con, c.CSV, lab.Attribution{
		Path: c.Path, Conversions: c.Conversions, Value: c.Value, Null: c.Null, Model: c.Model,
	}.Run)
}

type labCLV struct {
	csvFlag
	Customer       string `required:"" placeholder:"C" help:"Column of customer IDs."`
	Date           string `required:"" placeholder:"C" help:"Column of purchase dates, YYYY-MM-DD. Purchases of a customer on the same day count as one purchase."`
	Value          string `placeholder:"C" help:"Column of purchase values, for gammagamma."`
	Model          string `default:"bgnbd" placeholder:"M" help:"Model: bgnbd, paretonbd or gammagamma (default: ${default})."`
	CalibrationEnd string `placeholder:"D" help:"Last day of the calibration period. Default: the last day in the file."`
	HorizonDays    int    `default:"365" placeholder:"N" help:"Days to predict (default: ${default})."`
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
	ID      string `name:"id" required:"" placeholder:"C" help:"Column of series IDs."`
	Date    string `required:"" placeholder:"C" help:"Column of dates, times or indexes."`
	Value   string `required:"" placeholder:"C" help:"Column of values."`
	Horizon int    `required:"" placeholder:"H" help:"Number of points to forecast."`
	Season  int    `required:"" placeholder:"S" help:"Points per season; 1: no seasonality."`
	Level   []int  `default:"80,95" placeholder:"L,…" help:"Levels of the prediction intervals in percent (default: ${default})."`
	Model   string `default:"auto" placeholder:"M" help:"Model: auto, ets, arima, theta or pool (default: ${default})."`
}

// Run prints the forecasts.
func (c *labForecast) Run(con *console) error {
	return runLab(con, c.CSV, lab.Forecast{
		ID: c.ID, Date: c.Date, Value: c.Value, Horizon: c.Horizon, Season: c.Season, Levels: c.Level, Model: c.Model,
	}.Run)
}

type labAnomalies struct {
	csvFlag
	Date      string  `required:"" placeholder:"C" help:"Column of dates, times or indexes."`
	Value     string  `required:"" placeholder:"C" help:"Column of values."`
	Threshold float64 `default:"2" placeholder:"Z" help:"Minimum |z| of an anomaly (default: ${default})."`
	Season    int     `placeholder:"S" help:"Points per season; 1: no seasonality. Default: derived from the spacing of the dates."`
}

// Run prints the anomalies.
func (c *labAnomalies) Run(con *console) error {
	return runLab(con, c.CSV, lab.Anomalies{Date: c.Date, Value: c.Value, Threshold: c.Threshold, Season: c.Season}.Run)
}
