package performance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"assay/internal/console/frame"
	"assay/internal/tools"
)

// askView is the view of the Ask page.
type askView struct {
	frame.Place
	Question string
	Answer   *tools.AskAnswer // nil: no question yet
	Parts    []askedPart
	Examples []string
	Token    string
}

// askedPart is a call that answers a part of the question.
type askedPart struct {
	tools.AskedCall
	Page  option // page with the same figures
	Table *frame.Table
	Call  frame.Section
}

// examples are questions for an empty page.
var examples = []string{
	"How much revenue did we make last week, by channel?", "Compare this month with last month.",
	"Which campaigns had the best ROAS in the last 30 days?", "What is our retention?",
}

func (c *pages) askPage(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	c.showAnswer(w, v, askView{Place: p, Examples: examples})
}

// ask answers a question with the tool ask, which makes no change.
func (c *pages) ask(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	view := askView{Place: p, Question: strings.TrimSpace(v.PostForm.Get("question")), Examples: examples}
	if view.Question == "" {
		c.showAnswer(w, v, view)
		return
	}
	a, err := frame.AnswerOf(c.Frame, v, p, tools.Ask, frame.Arguments{"question": view.Question, "detail_level": "analyst"})
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view.Answer = a
	if len(a.Examples) > 0 {
		view.Examples = a.Examples
	}
	for i, row := range a.Rows {
		id := "part" + frame.Count(int64(i+1))
		with := frame.Arguments(row.Arguments)
		part := askedPart{AskedCall: row, Call: frame.Section{Title: frame.Capitalized(frame.Words(row.Tool)), Call: c.CallOf(id, row.Tool, with)}}
		part.Page, part.Table = pageOf(p, row), tableOf(row)
		view.Parts = append(view.Parts, part)
	}
	c.showAnswer(w, v, view)
}

func (c *pages) showAnswer(w http.ResponseWriter, v frame.Visit, view askView) {
	view.Token = v.Visitor.Secret.FormToken(frame.FormPurpose)
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "ask", Title: "Ask", View: view, Visitor: &v.Visitor})
}

// toolPages are the pages that show the answers of a tool.
var toolPages = map[string]option{
	"performance": {Name: "Channels", Address: "/channels"}, "compare": {Name: "Overview", Address: "/"}, "trends": {Name: "Overview", Address: "/"},
	"campaigns": {Name: "Campaigns", Address: "/campaigns"}, "customers": {Name: "Customers", Address: "/customers"},
	"products": {Name: "Products", Address: "/products"},
	"creators": {Name: "Creators", Address: "/creators"}, "surveys": {Name: "Surveys", Address: "/surveys"},
	"email_lifecycle": {Name: "Email & SMS", Address: "/email"},
	"omnichannel":     {Name: "Sales surfaces", Address: "/surfaces"}, "experiments": {Name: "Experiments", Address: "/experiments"},
	"optimization": {Name: "Media mix model", Address: "/models"},
	"forecasting":  {Name: "Forecasts & targets", Address: "/forecasts"}, "diagnose": {Name: "Data", Address: "/data"},
}

// pageOf returns the page that shows the figures of a tool call, for the days and the channel of the call.
func pageOf(p frame.Place, row tools.AskedCall) option {
	page, ok := toolPages[row.Tool]
	if !ok {
		return option{}
	}
	query := map[string][]string{}
	for from, to := range map[string]string{"start_date": startParam, "end_date": endParam, "channel": channelParam} {
		if text, ok := row.Arguments[from].(string); ok {
			query[to] = []string{text}
		}
	}
	if len(query[startParam])+len(query[endParam]) == 1 {
		delete(query, startParam)
		delete(query, endParam)
	}
	page.Address += "?" + frame.WithWorkspace(p, query).Encode()
	return page
}

// mostColumns is the maximum number of columns of an answer's table.
const mostColumns = 8

// tableOf returns the rows of an answer as a table, or nil if there are no rows. It omits nested values.
func tableOf(row tools.AskedCall) *frame.Table {
	var result struct{ Rows []map[string]any }
	if json.Unmarshal(row.Result, &result) != nil || len(result.Rows) == 0 {
		return nil
	}
	keys := columnsOf(row.Result)
	t := &frame.Table{Caption: "Rows of " + frame.Words(row.Tool)}
	for i, key := range keys {
		_, isNumber := result.Rows[0][key].(float64)
		t.Columns = append(t.Columns, frame.Column{
			Key: key, Name: columnName(key), Number: isNumber, Minor: i > 2, Fixed: true,
		})
	}
	for _, one := range result.Rows {
		var cells []frame.Cell
		for _, key := range keys {
			cells = append(cells, plainCell(key, one[key]))
		}
		t.Rows = append(t.Rows, frame.Row{Cells: cells})
	}
	return t
}

// columnName returns the header of a member.
func columnName(key string) string {
	switch key {
	case "roas", "aov", "cpa", "cac", "mer", "roi", "sku":
		return strings.ToUpper(key)
	}
	return frame.Capitalized(frame.Words(strings.TrimSuffix(key, "_pct")))
}

// columnsOf returns the names of the members of the first row that are plain values, in the order of the row.
func columnsOf(result json.RawMessage) []string {
	var rows struct{ Rows []json.RawMessage }
	if json.Unmarshal(result, &rows) != nil || len(rows.Rows) == 0 {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(string(rows.Rows[0])))
	var keys []string
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() && len(keys) < mostColumns {
		name, err := d.Token()
		var value any
		if err != nil || d.Decode(&value) != nil {
			return keys
		}
		switch value.(type) {
		case string, float64, bool:
			keys = append(keys, name.(string)) //nolint:forcetypeassert // names of members are strings
		}
	}
	return keys
}

func plainCell(key string, value any) frame.Cell {
	switch v := value.(type) {
	case string:
		if key == "channel" || key == "platform" {
			return frame.ChannelCell(v)
		}
		return frame.TextCell(v)
	case float64:
		if strings.HasSuffix(key, "_pct") {
			return frame.PercentCell(&v)
		}
		decimals := 2
		if v == float64(int64(v)) {
			decimals = 0
		}
		return frame.FigureCell(&v, decimals)
	case bool:
		return frame.TextCell(map[bool]string{true: "yes", false: "no"}[v])
	}
	return frame.None("none")
}

// articleView is the view of an article.
type articleView struct {
	frame.Place
	Title, Summary string
	Paragraphs     []paragraph
	Others         []option
}

// paragraph is a paragraph, a heading or an item of an article.
type paragraph struct {
	Heading, Item bool
	Text          string
}

// article explains a term.
func (c *pages) article(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	term := strings.TrimSpace(v.URL.Query().Get("term"))
	if term == "" {
		term = "what assay does"
	}
	a, err := frame.AnswerOf(c.Frame, v, p, tools.Explain, frame.Arguments{"query": term, "detail_level": "analyst"})
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view := articleView{Place: p, Title: "No article found", Summary: a.Summary}
	for i, row := range a.Rows {
		if i == 0 && a.Found {
			view.Title = row.Title
			continue
		}
		if len(view.Others) < 5 {
			view.Others = append(view.Others, option{Name: row.Title, Address: frame.ArticleAddress(p, row.Title)})
		}
	}
	view.Paragraphs = paragraphsOf(a.Article)
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "article", Title: view.Title, View: view, Visitor: &v.Visitor})
}

// paragraphsOf splits an article in Markdown. Emphasis and links keep their text only.
func paragraphsOf(markdown string) []paragraph {
	plain := strings.NewReplacer("**", "", "`", "")
	var out []paragraph
	for text := range strings.SplitSeq(markdown, "\n\n") {
		text = strings.TrimSpace(text)
		switch {
		case text == "" || strings.HasPrefix(text, "# "):
		case strings.HasPrefix(text, "#"):
			out = append(out, paragraph{Heading: true, Text: plain.Replace(strings.TrimLeft(text, "# "))})
		case strings.HasPrefix(text, "- "):
			for item := range strings.SplitSeq(text, "\n- ") {
				out = append(out, paragraph{Item: true, Text: plain.Replace(strings.TrimPrefix(item, "- "))})
			}
		default:
			out = append(out, paragraph{Text: plain.Replace(text)})
		}
	}
	return slices.Clip(out)
}
