// Package answer formats tool answers: rounding, units, levels of detail, output formats, warnings, estimates and the
// parameters that all tools share. It does not read the workspace's data.
package answer

import (
	"encoding/json"
	"reflect"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

// Answer is a struct. Its fields are, in this order: an embedded [Opening], the tool's own fields, its Metrics, an
// embedded [Table] of rows and an embedded [Closing]. encoding/json then writes the members in the same order for every
// tool.
//
// A field of a row or of a metric may have the tag detail:"analyst" or detail:"debug". Such a field must be optional
// and is omitted below that level. Figures have the types of rounding.go and are rounded when the answer is written.
type Answer interface {
	start() *Opening
	end() *Closing
	tabular
}

// Opening is the first part of every answer.
type Opening struct {
	Summary  string         `json:"summary" doc:"A few sentences: the main figure, the comparison, the largest change and a caveat."`
	Period   *Period        `json:"period,omitempty"`
	Currency money.Currency `json:"currency,omitempty" doc:"Currency of all amounts. Amounts are in whole units, such as dollars."`
}

func (o *Opening) start() *Opening { return o }

// Period is the range of days that an answer covers, including both ends.
type Period struct {
	Start    civil.Date `json:"start"`
	End      civil.Date `json:"end"`
	Days     int        `json:"days"`
	Timezone string     `json:"timezone" doc:"Time zone in which days start at midnight."`
	Partial  bool       `json:"partial" doc:"true if the last day is incomplete."`
}

// Closing is the last part of every answer.
type Closing struct {
	Pagination     *Pagination     `json:"pagination,omitempty"`
	Truncated      *Truncated      `json:"truncated,omitempty"`
	Warnings       []Warning       `json:"warnings,omitempty"`
	Next           []Next          `json:"next,omitempty"`
	Sources        []Source        `json:"sources,omitzero"`
	DataQuality    *DataQuality    `json:"data_quality,omitempty"`
	StoreDataRange *StoreDataRange `json:"store_data_range,omitempty"`

	allRows bool // the level of detail does not limit the rows
}

func (c *Closing) end() *Closing { return c }

// ShowAll exempts the rows from the row limit of the level of detail. It is for answers with a few rows that belong
// together.
func (c *Closing) ShowAll(all bool) { c.allRows = all }

// Warn adds a warning.
func (c *Closing) Warn(code WarningCode, text string) {
	c.Warnings = append(c.Warnings, Warning{Code: code, Text: text})
}

// Pagination describes which part of all rows an answer contains.
type Pagination struct {
	Limit      int  `json:"limit"`
	Offset     int  `json:"offset"`
	Returned   int  `json:"returned"`
	Total      int  `json:"total"`
	HasMore    bool `json:"has_more"`
	NextOffset *int `json:"next_offset"`
}

// JSONSchema returns a schema in which next_offset is null on the last page.
func (Pagination) JSONSchema() json.RawMessage {
	return json.RawMessage(
		`{"type":"object","properties":{"limit":{"type":"integer"},"offset":{"type":"integer"},"returned":{"type":"integer"},` +
			`"total":{"type":"integer"},"has_more":{"type":"boolean"},"next_offset":{"type":["integer","null"]}},` +
			`"required":["limit","offset","returned","total","has_more","next_offset"]}`)
}

// show records the number of rows in the page and the offset of the next page.
func (p *Pagination) show(returned int) {
	p.Returned = returned
	p.HasMore = returned > 0 && p.Offset+returned < p.Total
	p.NextOffset = nil
	if p.HasMore {
		p.NextOffset = new(p.Offset + returned)
	}
}

// Truncated describes the omitted rows and how to get them.
type Truncated struct {
	RowsReturned int    `json:"rows_returned"`
	RowsTotal    int    `json:"rows_total"`
	Reason       string `json:"reason"`
	How          string `json:"how"`
}

// Warning is a limitation that readers need to know before they use the figures.
type Warning struct {
	Code WarningCode `json:"code"`
	Text string      `json:"text"`
}

// Next is a suggested next call, with complete arguments. The caller is allowed to make it.
type Next struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Reason    string         `json:"reason"`
}

// Source is one of the data sources of the answer.
type Source struct {
	Source      string     `json:"source"`
	Kind        string     `json:"kind"`
	LastDay     civil.Date `json:"last_day,omitzero" doc:"Last day with data. If the row combines several sources, the earliest of their last days."`
	FirstDay    civil.Date `json:"first_day,omitzero" detail:"analyst"`
	MissingDays int64      `json:"missing_days,omitempty" detail:"analyst" doc:"Days without a row between the source's first and last day, inside or outside the period."`
	Rows        int64      `json:"rows,omitempty" detail:"debug"`
}

// DataQuality describes how the figures were calculated.
type DataQuality struct {
	Revenue       string        `json:"revenue,omitempty" doc:"Definition of revenue in this workspace."`
	Model         measure.Model `json:"model,omitempty" doc:"Attribution model."`
	Costs         string        `json:"costs,omitempty" doc:"Costs that the contribution includes, or the missing costs."`
	UndatedRefund *Money        `json:"undated_refunds,omitempty" doc:"Refunds without a date. Answers report these refunds on the order date."`
	Method        string        `json:"method,omitempty" detail:"analyst" doc:"Method of inferred figures."`
	MoreWarnings  int           `json:"more_warnings,omitempty" doc:"Number of warnings omitted to save space."`
	DataVersion   uint64        `json:"data_version,omitempty" detail:"debug"`
	Read          []Read        `json:"read,omitempty" detail:"debug"`
}

// Read is a warehouse query and the number of rows it returned.
type Read struct {
	Question string `json:"question"`
	Rows     int    `json:"rows"`
}

// StoreDataRange is the first and last day of the store's orders and ad reports.
type StoreDataRange struct {
	Start   civil.Date `json:"start,omitzero"`
	End     civil.Date `json:"end,omitzero"`
	AdStart civil.Date `json:"ad_start,omitzero" detail:"analyst"`
	AdEnd   civil.Date `json:"ad_end,omitzero" detail:"analyst"`
}

// Table contains the rows of an answer.
type Table[R any] struct {
	Rows []R `json:"rows"`
}

// tabular is a [Table] of any row type.
type tabular interface {
	size() int
	keep(n int) // cuts the table to its first n rows
	rows() reflect.Value
}

func (t *Table[R]) size() int { return len(t.Rows) }

func (t *Table[R]) keep(n int) { t.Rows = append([]R{}, t.Rows[:min(n, len(t.Rows))]...) }

func (t *Table[R]) rows() reflect.Value { return reflect.ValueOf(t.Rows) }
