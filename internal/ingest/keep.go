package ingest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"assay/internal/ingest/mapper"
	"assay/internal/ingest/source"
)

// Limits of the mappings of a workspace.
const (
	MostMappings = 100
	longestName  = 60  // maximum number of letters of a mapping's name
	longestTitle = 100 // letters
)

// Keeping is a mapping to store in a workspace.
type Keeping struct {
	Mapping mapper.Mapping
	Was     string           // name of the mapping that it replaces; "": none
	Kept    []mapper.Mapping // the workspace's mappings
}

// Mistakes returns the reasons not to store the mapping, although it can read files.
func (k Keeping) Mistakes() (mistakes []mapper.Mistake) {
	if problem := k.nameProblem(); problem != "" {
		mistakes = append(mistakes, mapper.Mistake{At: "name", Text: problem})
	}
	if len([]rune(k.Mapping.Title)) > longestTitle || strings.ContainsFunc(k.Mapping.Title, unicode.IsControl) {
		mistakes = append(mistakes, mapper.Mistake{At: "title", Text: fmt.Sprintf("a title is one line of up to %d characters", longestTitle)})
	}
	return mistakes
}

func (k Keeping) nameProblem() string {
	name := k.Mapping.Name
	taken := func(m mapper.Mapping) bool { return m.Name != k.Was && m.System == name }
	switch {
	case name == "":
		return "give the mapping a name, such as till"
	case !plainName(name):
		return fmt.Sprintf("a name has up to %d letters, digits, single spaces, dots, hyphens and underscores", longestName)
	case slices.ContainsFunc(Readers(), func(r source.Reader) bool { return r.Name() == name }):
		return "this is the name of a built-in source; choose another name"
	case slices.ContainsFunc(k.Kept, taken):
		return "rows of a renamed mapping are stored under this name and would mix with the new ones; choose another name"
	case k.Was == "" && len(k.Kept) >= MostMappings:
		return fmt.Sprintf("the workspace has %d mappings, the maximum; delete one first", MostMappings)
	}
	return ""
}

func plainName(name string) bool {
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" _-.", r)
	}
	return len([]rune(name)) <= longestName && !strings.ContainsFunc(name, other) && strings.Join(strings.Fields(name), " ") == name
}

// MappingName derives a mapping's name from a file's name. It omits the file extension and digits, because digits
// change between exports.
func MappingName(file string) string {
	name, _, _ := strings.Cut(file, ".")
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	text := []rune(strings.Join(words, " "))
	if name = strings.TrimSpace(string(text[:min(len(text), longestName)])); name != "" {
		return name
	}
	return "my file"
}
