// Package answer is how a tool's answer is written: rounding, units, levels of detail, formats, warnings, estimates and the
// parameters that all tools share. It knows no facts.
package answer

import (
	"encoding/json"
	"reflect"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

// Answer is a struct that embeds, in this order, [Opening], what the tool alone has to say, its Metrics, a [Table] of
// rows and [Closing]. encoding/json then writes the members in the order that every tool keeps.
//
// A field of a row or of a metric may carry the tag detail:"analyst" or detail:"debug"; it is left out below that
// level and must be optional. Figures have the types of rounding.go and are rounded when the answer is written.
type Answer interface {
	start() *Opening
	end() *Closing
	tabular
}

// Opening is how every answer begins.
type Opening struct {
	Summary  string         `json:"summary" doc:"One to three sentences: the figure, the comparison, the biggest mover, a caveat."`
	Period   *Period        `json:"period,omitempty"`
	Currency money.Currency `json:"currency,omitempty" doc:"Of every amount of money, in whole units."`
}

func (o *Opening) start() *Opening { return o }

// Period is the days an answer is about, both ends included.
type Period struct {
	Start    civil.Date `json:"start"`
	End      civil.Date `json:"end"`
	Days     int        `json:"days"`
	Timezone string     `json:"timezone" doc:"The zone whose midnight begins a day."`
	Partial  bool       `json:"partial" doc:"The last day is not over."`
}

// Closing is how every answer ends.
type Closing struct {
	Pagination     *Pagination     `json:"pagination,omitempty"`
	Truncated      *Truncated      `json:"truncated,omitempty"`
	Warnings       []Warning       `json:"warnings,omitempty"`
	Next           []Next          `json:"next,omitempty"`
	Sources        []Source        `json:"sources,omitzero"`
	DataQuality    *DataQuality    `json:"data_quality,omitempty"`
	StoreDataRange *StoreDataRange `json:"store_data_range,omitempty"`

	allRows bool // the rows are few and belong together, so the level does not cut them
}

func (c *Closing) end() *Closing { return c }

// ShowAll says that the rows are few and belong together, so that the level of detail does not cut them.
func (c *Closing) ShowAll(all bool) { c.allRows = all }

// Warn adds a warning.
func (c *Closing) Warn(code WarningCode, text string) {
	c.Warnings = append(c.Warnings, Warning{Code: code, Text: text})
}

// Pagination says which part of all rows an answer holds.
type Pagination struct {
	Limit      int  `json:"limit"`
	Offset     int  `json:"offset"`
	Returned   int  `json:"returned"`
	Total      int  `json:"total"`
	HasMore    bool `json:"has_more"`
	NextOffset *int `json:"next_offset"`
}

// JSONSchema says that the last page has no next offset.
func (Pagination) JSONSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"limit":{"type":"integer"},"offset":{"type":"integer"},"returned":{"type":"integer"},` +
		`"total":{"type":"integer"},"has_more":{"type":"boolean"},"next_offset":{"type":["integer","null"]}},` +
		`"required":["limit","offset","returned","total","has_more","next_offset"]}`)
}

// show notes how many rows the page holds, and where the next one begins.
func (p *Pagination) show(returned int) {
	p.Returned = returned
	p.HasMore = returned > 0 && p.Offset+returned < p.Total
	p.NextOffset = nil
	if p.HasMore {
		p.NextOffset = new(p.Offset + returned)
	}
}

// Truncated says what was cut and how to get it.
type Truncated struct {
	RowsReturned int    `json:"rows_returned"`
	RowsTotal    int    `json:"rows_total"`
	Reason       string `json:"reason"`
	How          string `json:"how"`
}

// Warning is something to know before using the figures.
type Warning struct {
	Code WarningCode `json:"code"`
	Text string      `json:"text"`
}

// Next is a call worth making after this one. It is complete and this caller may make it.
type Next struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Reason    string         `json:"reason"`
}

// Source is one of the deliveries that the answer rests on.
type Source struct {
	Source      string     `json:"source"`
	Kind        string     `json:"kind"`
	LastDay     civil.Date `json:"last_day,omitzero" doc:"Of several sources in one line: the earliest."`
	FirstDay    civil.Date `json:"first_day,omitzero" detail:"analyst"`
	MissingDays int64      `json:"missing_days,omitempty" detail:"analyst" doc:"Days without a row from its first to its last, inside the period or not."`
	Rows        int64      `json:"rows,omitempty" detail:"debug"`
}

// DataQuality says how the figures were made.
type DataQuality struct {
	Revenue       string        `json:"revenue,omitempty" doc:"What revenue means in this workspace."`
	Model         measure.Model `json:"model,omitempty" doc:"How orders were credited to channels."`
	UndatedRefund *Money        `json:"undated_refunds,omitempty" doc:"Refunds of unknown date, dated by their orders."`
	Method        string        `json:"method,omitempty" detail:"analyst" doc:"How what was inferred was inferred."`
	MoreWarnings  int           `json:"more_warnings,omitempty" doc:"Warnings for which there was no room."`
	DataVersion   uint64        `json:"data_version,omitempty" detail:"debug"`
	Read          []Read        `json:"read,omitempty" detail:"debug"`
}

// Read is a question that was put to the warehouse and the number of rows it returned.
type Read struct {
	Question string `json:"question"`
	Rows     int    `json:"rows"`
}

// StoreDataRange is from when to when the store has orders and ad reports.
type StoreDataRange struct {
	Start   civil.Date `json:"start,omitzero"`
	End     civil.Date `json:"end,omitzero"`
	AdStart civil.Date `json:"ad_start,omitzero" detail:"analyst"`
	AdEnd   civil.Date `json:"ad_end,omitzero" detail:"analyst"`
}

// Table is the rows of an answer.
type Table[R any] struct {
	Rows []R `json:"rows"`
}

// tabular is a table whose kind of row does not matter.
type tabular interface {
	size() int
	keep(n int) // cuts the table to its first n rows
	rows() reflect.Value
}

func (t *Table[R]) size() int { return len(t.Rows) }

func (t *Table[R]) keep(n int) { t.Rows = append([]R{}, t.Rows[:min(n, len(t.Rows))]...) }

func (t *Table[R]) rows() reflect.Value { return reflect.ValueOf(t.Rows) }
