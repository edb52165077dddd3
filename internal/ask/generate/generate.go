package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"assay/internal/ask"
	"assay/internal/knowledge"
)

const (
	samples      = 18 // maximum number of questions per pattern
	termSamples  = 80 // maximum number of questions per pattern with a term
	triesPerItem = 3
	longestTerm  = 4 // maximum number of words
	seed         = 3
)

// slots contains the possible values of each slot in a pattern, separated by |.
var slots = map[string]string{
	"metric": "revenue|sales|orders|spend|roas|aov|ad spend|number of orders",
	"date": `last week|yesterday|this month|last month|in October|in Q3|since June 1|the past 30 days|over the last 7 days|on Black Friday||
		this year|last quarter|today|from 2026-09-01 to 2026-09-30|last weekend|in the past 3 months|for September|since Monday|year to date||lately`,
	"channel":  "facebook|google|tiktok|meta|instagram|snapchat|amazon|pinterest|youtube|bing|google ads|fb",
	"n":        "3|5|10|20|three|five|ten",
	"money":    "$50k|120,000|$20,000|80k|30000 dollars|$1,000|a million|$200|75 thousand",
	"id":       "23851234567|987654321|120211234|exp_17|4455667|ins_3",
	"code":     "WELCOME10|SPRING25|VIP20|SAVE15",
	"region":   "CA|TX|NY|Ohio|Florida|WA",
	"future":   "for the next 14 days|next week|next month|next quarter|over the next three weeks|for the coming month|in the next 10 days",
	"platform": "facebook|google|tiktok",
	"name":     "Austin|Spain|Berlin|Tokyo|London|Canada|the office",
	"term": `roas|adstock|incrementality|mmm|attribution|a cohort|ltv|cac|aov|mer|saturation|geo tests|lift tests|synthetic control|payback period|
		the pixel|halo effect|marginal roas|last touch|first touch|credible intervals|holdouts|media mix modeling|markov attribution|post purchase surveys|
		conversion rate|contribution margin|response curves|utm parameters|view through conversions|the confidence score|statistical power|podcast|youtube|a friend`,
}

// generate returns the contents of the generated files of the package in a folder.
func generate(dir string) (map[string][]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, "patterns.txt"))
	if err != nil {
		return nil, err
	}
	if err := addTerms(); err != nil {
		return nil, err
	}
	examples, err := expand(string(text))
	if err != nil {
		return nil, err
	}
	words := vocabulary(examples)
	weights, err := ask.Train(examples, words)
	if err != nil {
		return nil, err
	}
	var set bytes.Buffer
	for _, e := range examples {
		fmt.Fprintf(&set, "%s\t%s\n", e.Tool, e.Question)
	}
	return map[string][]byte{
		filepath.Join(dir, "utterances.tsv"): set.Bytes(),
		filepath.Join(dir, "words.txt"):      []byte(words),
		filepath.Join(dir, "weights.bin"):    weights,
	}, nil
}

// addTerms adds the titles and aliases of the knowledge base to the terms that questions ask about.
func addTerms() error {
	library, err := knowledge.Load()
	if err != nil {
		return err
	}
	terms := strings.Split(slots["term"], "|")
	for _, a := range library.Articles("") {
		for _, name := range append([]string{a.Title}, a.Aliases...) {
			name = strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' }), " ")
			if n := len(strings.Fields(name)); n > 0 && n <= longestTerm && !slices.Contains(terms, name) {
				terms = append(terms, name)
			}
		}
	}
	slots["term"] = strings.Join(terms, "|")
	return nil
}

// expand returns random questions of each pattern, without duplicates.
func expand(patterns string) ([]ask.Example, error) {
	var out []ask.Example
	random := rand.New(rand.NewPCG(seed, seed))
	seen := map[string]bool{}
	for line := range strings.Lines(patterns) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		tool, pattern, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("pattern %q has no tool", line)
		}
		made, most := 0, samples
		if strings.Contains(pattern, "{term}") && tool == "explain" {
			most = termSamples
		}
		for range triesPerItem * most {
			question := fill(pattern, random)
			if made == most || seen[question] || question == "" {
				continue
			}
			seen[question] = true
			made++
			out = append(out, ask.Example{Tool: tool, Question: question})
		}
	}
	return out, nil
}

var (
	alternatives = regexp.MustCompile(`\(([^()]*)\)`)
	slot         = regexp.MustCompile(`\{(\w+)\}`)
)

// fill chooses one of the alternatives at each place and one value for each slot.
func fill(pattern string, random *rand.Rand) string {
	for alternatives.MatchString(pattern) {
		pattern = alternatives.ReplaceAllStringFunc(pattern, func(group string) string {
			options := strings.Split(group[1:len(group)-1], "|")
			return options[random.IntN(len(options))]
		})
	}
	pattern = slot.ReplaceAllStringFunc(pattern, func(name string) string {
		options := strings.Split(slots[name[1:len(name)-1]], "|")
		return strings.TrimSpace(options[random.IntN(len(options))])
	})
	return strings.Join(strings.Fields(pattern), " ")
}

var wordForm = regexp.MustCompile(`[a-z]{2,}`)

// vocabulary lists the words of the questions by descending frequency. A word that occurs only in questions out of
// scope has a leading minus.
func vocabulary(examples []ask.Example) string {
	count := map[string]int{}
	inScope := map[string]bool{}
	for _, e := range examples {
		for _, w := range wordForm.FindAllString(strings.ToLower(strings.ReplaceAll(e.Question, "'", "")), -1) {
			count[w]++
			inScope[w] = inScope[w] || e.Tool != ask.OutOfScope
		}
	}
	words := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	var b strings.Builder
	for _, w := range words {
		if !inScope[w] {
			b.WriteByte('-')
		}
		b.WriteString(w + "\n")
	}
	return b.String()
}
