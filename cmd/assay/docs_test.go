package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var (
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	fencedCode = regexp.MustCompile("(?ms)^ *```[a-z]*\n(.*?)^ *```")
	shellWord  = regexp.MustCompile(`'([^']*)'|"([^"]*)"|([^\s'"]+)`)
	shellBreak = regexp.MustCompile(`\s[|>&]{1,2}\s|\s<\s`)
)

// TestDocumentedCommandsExist parses every command of the tutorial and the guides, without running it.
func TestDocumentedCommandsExist(t *testing.T) {
	t.Parallel()
	found := 0
	check := func(file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range documentedCommands(string(text)) {
			found++
			if err := parsed(command); err != nil {
				t.Errorf("%s: %q: %v", file, strings.Join(command, " "), err)
			}
		}
	}
	check("../../docs/tutorial.md")
	err := filepath.WalkDir("../../docs/howto", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			check(file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 50 {
		t.Errorf("found %d commands in the tutorial and the guides, want 50 or more: the search is broken", found)
	}
	if err := parsed([]string{"import", "a.csv", "--worksapce", "w"}); err == nil {
		t.Error("a flag that does not exist was accepted")
	}
}

// documentedCommands returns the arguments of each assay command in the code blocks and inline code of a document.
func documentedCommands(text string) [][]string {
	var lines []string
	for _, block := range fencedCode.FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.Split(strings.ReplaceAll(block[1], "\\\n", " "), "\n")...)
	}
	for _, code := range inlineCode.FindAllStringSubmatch(fencedCode.ReplaceAllString(text, ""), -1) {
		lines = append(lines, code[1])
	}
	var commands [][]string
	for _, line := range lines {
		for _, part := range shellBreak.Split(line, -1) {
			var words []string
			for _, w := range shellWord.FindAllStringSubmatch(part, -1) {
				words = append(words, w[1]+w[2]+w[3])
			}
			for len(words) > 0 && strings.HasPrefix(words[0], "ASSAY_") {
				words = words[1:]
			}
			if len(words) > 1 && (words[0] == "assay" || words[0] == "bin/assay") && words[1] != "COMMAND" {
				commands = append(commands, words[1:])
			}
		}
	}
	return commands
}

// parsed parses the arguments of a command.
func parsed(args []string) error {
	parser, err := kong.New(&commands{}, kong.Name("assay"), kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		return err
	}
	_, err = parser.Parse(args)
	return err
}
