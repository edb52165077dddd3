package assay

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// docsIndex is the document that links to all others under docs/, directly or indirectly.
const docsIndex = "docs/README.md"

var (
	markdownLink   = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	markdownFence  = regexp.MustCompile("(?ms)^```.*?^```[ \t]*$")
	markdownCode   = regexp.MustCompile("`[^`\n]*`")
	markdownTitle  = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *#*$`)
	markdownAnchor = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
)

func TestMarkdownLinksHaveTargets(t *testing.T) {
	t.Parallel()
	for file, text := range markdownFiles(t) {
		for _, link := range linksOf(text) {
			if problem := followed(file, link); problem != "" {
				t.Errorf("%s: the link %q %s", file, link, problem)
			}
		}
	}
}

func TestEveryDocumentIsReachableFromTheIndex(t *testing.T) {
	t.Parallel()
	files := markdownFiles(t)
	reached := map[string]bool{docsIndex: true}
	for open := []string{docsIndex}; len(open) > 0; open = open[1:] {
		for _, link := range linksOf(files[open[0]]) {
			target, _ := resolved(open[0], link)
			if _, ok := files[target]; ok && !reached[target] {
				reached[target] = true
				open = append(open, target)
			}
		}
	}
	for file := range files {
		// Decisions are listed in the index of their folder.
		if strings.HasPrefix(file, "docs/") && !reached[file] && path.Dir(file) != "docs/decisions" {
			t.Errorf("%s cannot be reached from %s", file, docsIndex)
		}
	}
}

// Documents name tests as evidence of their figures.
func TestTestsNamedInDocumentsExist(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w+)")
	defined := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	exist := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		for _, found := range defined.FindAllStringSubmatch(string(text), -1) {
			exist[found[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range markdownFiles(t) {
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			if !exist[found[1]] {
				t.Errorf("%s: there is no test %s", file, found[1])
			}
		}
	}
}

func TestBrokenLinksAreFound(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]string{
		"methods/mmm.md":             "",
		"methods/mmm.md#mathematics": "",
		"methods":                    "",
		"https://example.com/x":      "",
		"methods/absent.md":          "leads to no file",
		"methods/mmm.md#no-such-one": "names no heading",
		"../../outside.md":           "leads out of the repository",
	} {
		if got := followed(docsIndex, link); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("link %q: got %q, want %q", link, got, want)
		}
	}
	text := "[a](b.md) `[no](code.md)` ![c](d.svg)\n```\n[no](fence.md)\n```\n[e](#f)"
	if got, want := linksOf(text), []string{"b.md", "d.svg", "#f"}; !slices.Equal(got, want) {
		t.Errorf("links of %q: got %v, want %v", text, got, want)
	}
}

// followed returns the problem of a link in a file, or "" if its target exists. For Markdown the heading must exist
// too. Links with a scheme are not checked.
func followed(file, link string) string {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return ""
	}
	target, fragment := resolved(file, link)
	if target == ".." || strings.HasPrefix(target, "../") {
		return "leads out of the repository"
	}
	info, err := os.Stat(filepath.FromSlash(target))
	if err != nil {
		return "leads to no file"
	}
	if fragment == "" || info.IsDir() || path.Ext(target) != ".md" {
		return ""
	}
	text, err := os.ReadFile(filepath.FromSlash(target))
	if err != nil {
		return err.Error()
	}
	if !slices.Contains(anchorsOf(string(text)), fragment) {
		return "names no heading of " + target
	}
	return ""
}

// resolved returns the target of a link as a path from the root, and its heading.
func resolved(file, link string) (target, fragment string) {
	target, fragment, _ = strings.Cut(link, "#")
	if target == "" {
		return file, fragment
	}
	return path.Join(path.Dir(file), target), fragment
}

// linksOf returns the targets of a document's links and pictures, in order, without those in code.
func linksOf(text string) []string {
	var links []string
	for _, found := range markdownLink.FindAllStringSubmatch(markdownCode.ReplaceAllString(markdownFence.ReplaceAllString(text, ""), ""), -1) {
		links = append(links, found[1])
	}
	return links
}

// anchorsOf returns the fragments of a document on GitHub: headings in lower case without punctuation, spaces as hyphens,
// duplicates numbered, and explicit anchors.
func anchorsOf(text string) []string {
	var anchors []string
	seen := map[string]int{}
	for _, title := range markdownTitle.FindAllStringSubmatch(markdownFence.ReplaceAllString(text, ""), -1) {
		var slug strings.Builder
		for _, r := range strings.ToLower(markdownLink.ReplaceAllString(title[1], "]")) {
			switch {
			case r == ' ':
				slug.WriteByte('-')
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				slug.WriteRune(r)
			}
		}
		anchor := slug.String()
		if n := seen[anchor]; n > 0 {
			anchor += "-" + string(rune('0'+n))
		}
		seen[slug.String()]++
		anchors = append(anchors, anchor)
	}
	for _, named := range markdownAnchor.FindAllStringSubmatch(text, -1) {
		anchors = append(anchors, named[1])
	}
	return anchors
}

// markdownFiles returns the project's Markdown files by path from the root, without test data.
func markdownFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && file != "." && (name[0] == '.' || name == "testdata" || name == "node_modules" || name == "bin") {
			return filepath.SkipDir
		}
		if entry.IsDir() || path.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(file)
		files[filepath.ToSlash(file)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
