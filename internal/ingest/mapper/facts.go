package mapper

import (
	"errors"
	"slices"
	"strings"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// simpleRows reads files in which each row is a separate fact.
type simpleRows struct {
	*binding
	totals source.Totals
	add    func(rec tabular.Record, b *warehouse.Batch) error
	ended  bool // the table has ended; another table follows
}

func newSimpleRows(b *binding) *simpleRows {
	return &simpleRows{binding: b, totals: source.NewTotals()}
}

// Skip implements [source.Rows].
func (r *simpleRows) Skip(fields []string) bool {
	if r.ended || r.ends != "" && strings.HasPrefix(fields[0], r.ends) {
		r.ended = true
		return true
	}
	return isTotal(fields)
}

// Add implements [source.Rows].
func (r *simpleRows) Add(rec tabular.Record, b *warehouse.Batch) error {
	then, err := r.action(rec.Fields, rec.Line)
	if err != nil || then == Skip {
		return err
	}
	return r.add(rec, b)
}

// Close implements [source.Rows].
func (r *simpleRows) Close(*warehouse.Batch) (source.Summary, error) {
	return source.Summary{Totals: r.totals}, nil
}

// Fields of spend by channel.
const (
	spendDate = iota
	spendChannel
	spendAmount
	spendCurrency
	spendRegion
	spendNote
)

// spendRows reads spend by channel. It sums rows with the same channel, day and region, and returns them in Close.
type spendRows struct {
	*simpleRows
	rates    *source.Converter
	index    map[spendKey]int // index in gathered
	gathered []warehouse.ChannelSpend
}

type spendKey struct {
	day     civil.Date
	channel measure.Channel
	region  string
}

func newSpendRows(b *binding) (source.Rows, error) {
	if p := b.fields[spendChannel]; b.options.Channel == "" && p.at < 0 && p.fixed == "" {
		return nil, fault.Invalid("the file does not name the channel of the spend").
			WithHint("name it with --channel, or add a column channel")
	}
	r := &spendRows{simpleRows: newSimpleRows(b), rates: source.NewConverter(b.options.Base, b.options.Rates), index: map[spendKey]int{}}
	r.add = r.gather
	return r, nil
}

func (r *spendRows) gather(rec tabular.Record, _ *warehouse.Batch) error {
	day, err := r.day(rec.Fields, spendDate, rec.Line)
	if err != nil {
		return err
	}
	if err := r.options.CheckDay(day, rec.Line, r.header.Name(r.fields[spendDate].at)); err != nil {
		return err
	}
	c, err := r.currency(rec.Fields, spendCurrency, rec.Line)
	if err != nil {
		return err
	}
	amount, err := r.amount(rec.Fields, spendAmount, rec.Line, c)
	if err != nil {
		return err
	}
	name, cell := r.header.Name(r.fields[spendAmount].at), r.cell(rec.Fields, spendAmount)
	if err := source.CheckSpend(amount, rec.Line, name, cell); err != nil {
		return err
	}
	original := amount
	if err := r.rates.Convert(day, c, &amount); err != nil {
		return source.Located(err, rec.Line, 1)
	}
	key := spendKey{day, r.channel(rec.Fields, spendChannel), source.Region(r.cell(rec.Fields, spendRegion), "")}
	if key.channel == "" {
		return r.unreadable(rec.Line, spendChannel, "", errors.New("the row has no channel"))
	}
	r.totals.See(day)
	r.totals.Spend[c] += original
	if i, ok := r.index[key]; ok {
		r.options.Notes.Add("rows_added", "several rows have the same channel and day: the import uses their total")
		r.gathered[i].Spend += amount
		return nil
	}
	r.index[key] = len(r.gathered)
	r.gathered = append(r.gathered, warehouse.ChannelSpend{
		Source: r.origin(), Channel: key.channel, Day: day, Region: key.region, Spend: amount, Note: r.cell(rec.Fields, spendNote),
	})
	return nil
}

// Close implements [source.Rows].
func (r *spendRows) Close(b *warehouse.Batch) (source.Summary, error) {
	b.ChannelSpend = append(b.ChannelSpend, r.gathered...)
	return r.simpleRows.Close(b)
}

func newRateRows(b *binding) (source.Rows, error) {
	const (
		date = iota
		from
		to
		rate
	)
	r := newSimpleRows(b)
	r.add = func(rec tabular.Record, into *warehouse.Batch) error {
		day, err := b.day(rec.Fields, date, rec.Line)
		if err != nil {
			return err
		}
		fx := warehouse.FXRate{Day: day, Rate: b.cell(rec.Fields, rate), Source: b.origin()}
		for _, side := range []struct {
			field int
			into  *money.Currency
		}{{from, &fx.From}, {to, &fx.To}} {
			cell := b.cell(rec.Fields, side.field)
			if *side.into, err = money.ParseCurrency(cell); err != nil {
				return b.unreadable(rec.Line, side.field, cell, err)
			}
		}
		if b.notation == money.Comma {
			fx.Rate = strings.Replace(fx.Rate, ",", ".", 1)
		}
		if _, err := money.ParseRate(fx.Rate); err != nil {
			return b.unreadable(rec.Line, rate, fx.Rate, err)
		}
		r.totals.See(day)
		into.FXRates = append(into.FXRates, fx)
		return nil
	}
	return r, nil
}

func newTargetRows(b *binding) (source.Rows, error) {
	const (
		metric = iota
		period
		start
		channel
		value
	)
	metrics := []string{"revenue", "orders", "spend", "roas"}
	periods := []string{"daily", "weekly", "monthly", "quarterly"}
	r := newSimpleRows(b)
	r.add = func(rec tabular.Record, into *warehouse.Batch) error {
		target := warehouse.Target{
			Metric: strings.ToLower(b.cell(rec.Fields, metric)), Period: strings.ToLower(b.cell(rec.Fields, period)),
			Channel: b.channel(rec.Fields, channel),
		}
		if !slices.Contains(metrics, target.Metric) {
			return b.unreadable(rec.Line, metric, target.Metric, errors.New("the metric must be one of "+strings.Join(metrics, ", ")))
		}
		if !slices.Contains(periods, target.Period) {
			return b.unreadable(rec.Line, period, target.Period, errors.New("the period must be one of "+strings.Join(periods, ", ")))
		}
		day, err := b.day(rec.Fields, start, rec.Line)
		if err != nil {
			return err
		}
		cell := b.cell(rec.Fields, value)
		if cell == "" {
			return b.unreadable(rec.Line, value, cell, errors.New("a target needs a value; to remove a target, use the Forecasts & targets page"))
		}
		millionths, err := source.Millionths(cell, b.notation)
		if err != nil {
			return b.unreadable(rec.Line, value, cell, err)
		}
		if millionths <= 0 {
			return b.unreadable(rec.Line, value, cell, errors.New("a target must be above zero; to remove a target, use the Forecasts & targets page"))
		}
		target.Start, target.Value = day, float64(millionths)/1e6
		r.totals.See(day)
		into.Targets = append(into.Targets, target)
		return nil
	}
	return r, nil
}
