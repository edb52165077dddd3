// Package knowledge contains the articles that explain figures, methods, statuses and tools, and finds the articles
// that answer a question. The articles are embedded Markdown files; no article contains data of a store. The search
// uses the weighted mean of two scores. BM25F measures how much of the question matches an article's names and text. A
// linear classifier measures how similar the question is to the wordings of wordings.txt. The classifier is trained at
// the first search.
package knowledge

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"assay/internal/fault"
)

//go:embed articles
var articles embed.FS

// ID identifies an article. It is the name of its file.
type ID string

// Topic is a group of articles with their files in one folder.
type Topic string

// The topics, as the contract names them.
const (
	Service        Topic = "the service"
	Channels       Topic = "channels"
	MMM            Topic = "mmm"
	Incrementality Topic = "incrementality"
	Surveys        Topic = "surveys"
	Pixel          Topic = "pixel"
	Integrations   Topic = "integrations"
	Glossary       Topic = "glossary"
)

// Topics returns all topics in the order of the API contract.
func Topics() []Topic {
	return []Topic{Service, Channels, MMM, Incrementality, Surveys, Pixel, Integrations, Glossary}
}

// Article explains one subject. Its texts are Markdown.
type Article struct {
	ID        ID
	Topic     Topic
	Title     string
	Aliases   []string // other names and codes
	Questions []string // other wordings, which only the search uses
	Lead      string   // first paragraph: the definition or the answer
	Body      string   // all paragraphs, the lead included
	Formula   string   // optional
	Pitfalls  []string
	Related   []ID
	Call      *Call // optional
	Constants []Constant
}

// Call is the tool call that returns the article's figure for the reader's store.
type Call struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

// Constant is a number in the text that equals a constant of the code. Source is the constant's package path below
// internal, a dot and its name.
type Constant struct {
	Meaning, Source, Value string
}

// Library is the set of all articles. It does not change, so callers may share it.
type Library struct {
	articles []*Article // sorted by topic in the contract's order, then by ID
	byID     map[ID]*Article
	byName   map[string]*Article // articles by the words of ID, title and aliases; if several articles have the name, the first
	index    func() index        // made at the first call
	trained  func() *classifier  // trains at the first call
}

// Load reads and validates the embedded articles. All callers of a process share one library.
func Load() (*Library, error) { return embedded() }

var embedded = sync.OnceValues(func() (*Library, error) {
	files, err := fs.Sub(articles, "articles")
	if err != nil {
		return nil, err
	}
	return load(files)
})

func load(files fs.FS) (*Library, error) {
	l := &Library{byID: map[ID]*Article{}, byName: map[string]*Article{}}
	for _, topic := range Topics() {
		names, err := fs.Glob(files, topic.folder()+"/*.md")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			a, err := readArticle(files, name, topic)
			if err != nil {
				return nil, err
			}
			if l.byID[a.ID] != nil {
				return nil, fault.Invalid("article %s: topic %s has an article of the same name", name, l.byID[a.ID].Topic)
			}
			l.byID[a.ID] = a
			l.articles = append(l.articles, a)
		}
	}
	for _, a := range l.articles {
		for _, name := range append([]string{string(a.ID), a.Title}, a.Aliases...) {
			if key := nameKey(name); l.byName[key] == nil {
				l.byName[key] = a
			}
		}
		for _, id := range a.Related {
			if l.byID[id] == nil || id == a.ID {
				return nil, fault.Invalid("article %s: related article %q does not exist or is the article itself", a.ID, id)
			}
		}
	}
	wordings, err := readWordings(wordingsText)
	if err != nil {
		return nil, err
	}
	l.index = sync.OnceValue(func() index { return newIndex(l.articles, wordings) })
	l.trained = sync.OnceValue(func() *classifier { return newClassifier(l.articles, wordings) })
	return l, nil
}

// Warm builds the index and trains the classifier. Otherwise, the first search does both.
func (l *Library) Warm() {
	l.index()
	l.trained()
}

func (t Topic) folder() string {
	if t == Service {
		return "service"
	}
	return string(t)
}

// Articles returns the articles of a topic, sorted by ID. For an empty topic, it returns all articles, sorted by topic.
func (l *Library) Articles(topic Topic) []*Article {
	if topic == "" {
		return slices.Clone(l.articles)
	}
	var of []*Article
	for _, a := range l.articles {
		if a.Topic == topic {
			of = append(of, a)
		}
	}
	return of
}

// Named returns the article that has a name as its ID, title or alias.
func (l *Library) Named(name string) (*Article, bool) {
	a, ok := l.byName[nameKey(name)]
	return a, ok
}

// nameKey returns the words of a name.
func nameKey(name string) string {
	return strings.Join(wordsOf(strings.ReplaceAll(name, "_", " ")), " ")
}

// Definition returns the first sentence of the article.
func (a *Article) Definition() string {
	first, _, more := strings.Cut(a.Lead, ". ")
	if more {
		first += "."
	}
	return first
}

// Article returns the article of an ID.
func (l *Library) Article(id ID) (*Article, error) {
	if a := l.byID[id]; a != nil {
		return a, nil
	}
	return nil, fault.NotFound("no article has the ID %q", id)
}
