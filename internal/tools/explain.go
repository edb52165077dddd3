package tools

import (
	"context"
	"fmt"

	"assay/internal/answer"
	"assay/internal/knowledge"
	"assay/internal/toolkit"
)

// Explain is the `explain` tool.
var Explain = toolkit.Define(toolkit.Spec{
	Name:        "explain",
	Title:       "Explain a term",
	Description: "Look up a measurement term or method in a fixed knowledge base without store data.",
	Arguments:   map[string]any{"query": "roas"},
}, runExplain)

type explainParams struct {
	Query string          `json:"query" required:"true" doc:"Term or method to explain."`
	Topic knowledge.Topic `json:"topic" enum:"the service|channels|mmm|incrementality|surveys|pixel|integrations|glossary" also:"service=the service|assay=the service" doc:"Topic to search."`
	answer.Shared
}

// ExplainAnswer is the answer of the explain tool. Its summary is the definition of the best article with its formula.
type ExplainAnswer struct {
	answer.Opening
	Found   bool            `json:"found" doc:"true if an article answers the query."`
	Topic   knowledge.Topic `json:"topic,omitempty" doc:"The topic that was searched; absent: all."`
	Article string          `json:"article,omitempty" doc:"The best article in Markdown, from detail_level=analyst."`
	answer.Table[ExplainRow]
	answer.Closing
}

// ExplainRow is an article that answers the query, or one of the nearest articles if none answers it. The best article
// comes first.
type ExplainRow struct {
	Title    string          `json:"title"`
	Topic    knowledge.Topic `json:"topic"`
	Resource string          `json:"resource" doc:"URI of the whole article."`
}

// nearestArticles is the number of articles that an answer lists if none answers the query.
const nearestArticles = 3

func runExplain(_ context.Context, c *toolkit.Call, p explainParams) (*ExplainAnswer, error) {
	a, topics := &ExplainAnswer{Topic: p.Topic}, []knowledge.Topic{}
	if p.Topic != "" {
		topics = append(topics, p.Topic)
	}
	a.ShowAll(true)
	matches := c.Knowledge.Find(p.Query, topics...)
	if len(matches) == 0 {
		matches = c.Knowledge.Nearest(p.Query, nearestArticles, topics...)
		explainNothing(c, a, p, matches)
	} else if err := explainBest(c, a, matches[0].Article); err != nil {
		return nil, err
	}
	for _, m := range matches {
		a.Rows = append(a.Rows, ExplainRow{Title: m.Article.Title, Topic: m.Article.Topic, Resource: toolkit.ArticleURI + string(m.Article.ID)})
	}
	c.Describe(&a.Closing, answer.DataQuality{}, "none")
	return a, nil
}

// explainBest adds the text and the calls of an article. The level of detail determines the length of the text.
func explainBest(c *toolkit.Call, a *ExplainAnswer, best *knowledge.Article) (err error) {
	a.Found = true
	if a.Summary, err = c.Knowledge.Text(best.ID, knowledge.Summary); err != nil {
		return err
	}
	if length := knowledge.Length(c.View.DetailLevel); length != knowledge.Summary {
		if a.Article, err = c.Knowledge.Text(best.ID, length); err != nil {
			return err
		}
	}
	if best.Call != nil && c.Works(best.Call.Tool, best.Call.Arguments) {
		c.Suggest(&a.Closing, best.Call.Tool, best.Call.Arguments, "See related figures of the store.")
	}
	related, err := c.Knowledge.Article(best.Related[0])
	if err != nil {
		return err
	}
	c.Suggest(&a.Closing, "explain", map[string]any{"query": related.Title}, "Read a related article.")
	return nil
}

// explainNothing states that no article answers the query and lists the nearest titles.
func explainNothing(c *toolkit.Call, a *ExplainAnswer, p explainParams, nearest []knowledge.Match) {
	titles := make([]string, len(nearest))
	for i, m := range nearest {
		titles[i] = m.Article.Title
	}
	a.Summary = "No article answers this query. The knowledge base covers marketing measurement and this service only."
	if p.Topic != "" {
		a.Summary = fmt.Sprintf("No article in the topic %q answers this query.", p.Topic)
	}
	if len(titles) > 0 {
		a.Summary += " The nearest titles are: " + answer.Listed(titles) + "."
	}
	if p.Topic != "" && len(c.Knowledge.Find(p.Query)) > 0 {
		c.Suggest(&a.Closing, "explain", map[string]any{"query": p.Query}, "Search in all topics.")
	}
	c.Suggest(&a.Closing, "discover", map[string]any{}, "See the store's data and tools.")
}
