package tools

import (
	_ "embed"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/toolkit"
)

//go:embed experiments_guide.md
var guideText string

// passage is the guide's text on a topic.
type passage struct {
	topic   GuideTopic
	summary string
	text    []string
}

// passages contains all topics of the guide, in the order of the contract.
var passages = passagesIn(guideText)

// passagesIn splits the guide at its headings. The first paragraph of a section is the summary.
func passagesIn(guide string) []passage {
	var all []passage
	for _, section := range strings.Split(guide, "\n## ")[1:] {
		paragraphs := strings.Split(strings.TrimSpace(section), "\n\n")
		for i, p := range paragraphs {
			paragraphs[i] = strings.Join(strings.Fields(p), " ")
		}
		all = append(all, passage{GuideTopic(paragraphs[0]), paragraphs[1], paragraphs[2:]})
	}
	return all
}

// showGuide shows a topic, by default the overview.
func showGuide(c *toolkit.Call, a *ExperimentsAnswer, topic GuideTopic) {
	a.Metrics = ExperimentMetrics{}
	a.Topic = topic
	a.ShowAll(true)
	if topic == "" {
		a.Topic = overviewTopic
	}
	at := slices.IndexFunc(passages, func(p passage) bool { return p.topic == a.Topic })
	a.Summary = passages[at].summary
	for _, text := range passages[at].text {
		a.Rows = append(a.Rows, ExperimentRow{Topic: a.Topic, Text: text})
	}
	next := passages[(at+1)%len(passages)]
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(GuideView), "topic": string(next.topic)}, "Read the next topic.")
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(NextTestView)}, "See which channel to test next.")
	c.Describe(&a.Closing, answer.DataQuality{}, "none")
}
