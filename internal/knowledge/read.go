package knowledge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"

	"assay/internal/fault"
)

// Limits of an article.
const (
	minWords = 120 // minimum number of words of body and pitfalls
	maxWords = 500
	maxLead  = 70 // maximum number of words of the first paragraph, which is the shortest answer
)

// matter is the front matter of a file: YAML between two lines of three dashes.
type matter struct {
	Title     string            `json:"title"`
	Aliases   []string          `json:"aliases"`
	Questions []string          `json:"questions"`
	Formula   string            `json:"formula"`
	Pitfalls  []string          `json:"pitfalls"`
	Related   []ID              `json:"related"`
	Call      *Call             `json:"call"`
	Constants map[string]string `json:"constants"` // "measure/mix.minWeeks = 40" by its meaning
}

func readArticle(files fs.FS, name string, topic Topic) (*Article, error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	m, body, err := splitFile(text)
	if err != nil {
		return nil, fault.Invalid("article %s: %v", name, err)
	}
	lead, _, _ := strings.Cut(body, "\n\n")
	a := &Article{
		ID: ID(strings.TrimSuffix(path.Base(name), ".md")), Topic: topic, Title: m.Title, Aliases: m.Aliases, Questions: m.Questions,
		Lead: oneLine(lead), Body: body, Formula: m.Formula, Pitfalls: m.Pitfalls, Related: m.Related, Call: m.Call,
	}
	if a.Call != nil && a.Call.Arguments == nil {
		a.Call.Arguments = map[string]any{}
	}
	for meaning, text := range m.Constants {
		source, value, ok := strings.Cut(text, " = ")
		if !ok {
			return nil, fault.Invalid("article %s: constant %q is not SOURCE = VALUE", name, text)
		}
		a.Constants = append(a.Constants, Constant{Meaning: meaning, Source: source, Value: value})
	}
	slices.SortFunc(a.Constants, func(a, b Constant) int { return cmp.Compare(a.Meaning, b.Meaning) })
	if problem := a.problem(); problem != "" {
		return nil, fault.Invalid("article %s: %s", name, problem)
	}
	return a, nil
}

// splitFile returns the front matter and the body of a file.
func splitFile(text []byte) (matter, string, error) {
	head, body, ok := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
	if !ok || !bytes.HasPrefix(text, []byte("---\n")) {
		return matter{}, "", fault.Invalid("it has no front matter between two lines of ---")
	}
	values, err := yaml.Parser().Unmarshal([]byte(head))
	if err != nil {
		return matter{}, "", err
	}
	encoded, err := json.Marshal(values)
	if err != nil {
		return matter{}, "", err
	}
	var m matter
	d := json.NewDecoder(bytes.NewReader(encoded))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return matter{}, "", err
	}
	return m, strings.TrimSpace(body), nil
}

// problem returns the defect of a single article, or "".
func (a *Article) problem() string {
	words := len(strings.Fields(a.Body + " " + strings.Join(a.Pitfalls, " ")))
	switch {
	case a.Title == "":
		return "it has no title"
	case len(a.Aliases) == 0:
		return "it has no aliases"
	case len(a.Related) == 0:
		return "it has no related articles"
	case words < minWords || words > maxWords:
		return "body and pitfalls have " + countWords(words) + ", outside of 120 to 500"
	case len(strings.Fields(a.Lead)) > maxLead:
		return "the first paragraph has " + countWords(len(strings.Fields(a.Lead))) + ", more than 70"
	case !strings.HasSuffix(a.Lead, "."):
		return "the first paragraph does not end with a period"
	case a.Call != nil && a.Call.Tool == "":
		return "its call has no tool"
	}
	return ""
}
