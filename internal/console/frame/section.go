package frame

import (
	"encoding/json"
	"html/template"
	"net/url"
	"strings"
)

// Section is the heading of a part of a page, with the addresses of its method and files, and with its tool call.
type Section struct {
	ID, Title string
	Note      string
	Article   string // address of the article that explains the method
	CSV       string // address of the rows as a file
	Picture   string // address of the chart as SVG
	Drawn     bool   // the chart is on the page and can be saved
	Call      *Call
}

// Call is a tool call that returns the figures of a section.
type Call struct {
	ID, JSON, Curl string
}

// CallOf returns the call of a tool. The curl command reads the key from the environment.
func (c *Frame) CallOf(id, tool string, with Arguments) *Call {
	type params struct {
		Name      string    `json:"name"`
		Arguments Arguments `json:"arguments"`
	}
	body, err := json.MarshalIndent(struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", 1, "tools/call", params{tool, with}}, "", "  ")
	if err != nil {
		panic(err) // arguments of pages are plain values
	}
	quoted := strings.ReplaceAll(string(body), "'", `'\''`)
	return &Call{ID: id, JSON: string(body), Curl: "curl " + c.BaseURL + "/api/mcp/rpc \\\n  -H \"Authorization: Bearer $ASSAY_KEY\" \\\n" +
		"  -H 'Content-Type: application/json' \\\n  -d '" + quoted + "'"}
}

// ArticleAddress returns the address of the article about a term.
func ArticleAddress(p Place, term string) string {
	return "/articles?" + WithWorkspace(p, url.Values{"term": {term}}).Encode()
}

// KPI is a key figure with its change and its sparkline.
type KPI struct {
	Name, Value string
	Missing     bool
	Change      *Change
	From        string // earlier value or another remark
	Spark       template.HTML
}

// Change is a change with its tone: good, bad or "".
type Change struct{ Text, Tone string }

// laidRow is a row with the columns of its table.
type laidRow struct {
	Row   Row
	Cells []laidCell
}

type laidCell struct {
	Cell
	Column Column
	First  bool
}

func rowIn(t *Table, r any) laidRow {
	row, ok := r.(Row)
	if !ok {
		row = *r.(*Row)
	}
	laid := laidRow{Row: row}
	for i, c := range row.Cells {
		laid.Cells = append(laid.Cells, laidCell{Cell: c, Column: t.Columns[i], First: i == 0})
	}
	return laid
}
