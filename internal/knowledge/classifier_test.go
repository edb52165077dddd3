package knowledge

import (
	"slices"
	"strings"
	"testing"
)

const fewestWordings = 13 // of an article

func TestWordingsBelongToOneArticleEach(t *testing.T) {
	t.Parallel()
	l := library(t)
	all, err := readWordings(wordingsText)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, q := range questions(t, "development.tsv") {
		seen[strings.Join(wordsOf(q.text), " ")] = "development.tsv"
	}
	for id, texts := range all {
		if _, err := l.Article(id); err != nil && id != foreignTexts {
			t.Errorf("wordings of %q: %v", id, err)
		}
		for _, text := range texts {
			key := strings.Join(wordsOf(text), " ")
			if of := seen[key]; of != "" || key == "" {
				t.Errorf("%s: wording %q is also in %q", id, text, of)
			}
			seen[key] = string(id)
		}
	}
	for _, a := range l.articles {
		if n := len(all[a.ID]); n < fewestWordings {
			t.Errorf("%s has %d wordings, want at least %d", a.ID, n, fewestWordings)
		}
	}
}

func TestWordingsAreSorted(t *testing.T) {
	t.Parallel()
	var ids []string
	for line := range strings.Lines(wordingsText) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") && line != "["+string(foreignTexts)+"]" {
			ids = append(ids, strings.Trim(line, "[]"))
		}
	}
	if !slices.IsSorted(ids) {
		t.Error("the articles of wordings.txt are not sorted by ID")
	}
}

func TestReadWordingsRejectsTwoListsOfOneArticle(t *testing.T) {
	t.Parallel()
	if _, err := readWordings("[a]\nx\n[b]\ny\n[a]\nz\n"); err == nil || !strings.Contains(err.Error(), "two lists") {
		t.Errorf("got error %v", err)
	}
}

func TestClassifierIsDeterministicAndLearnsItsTexts(t *testing.T) {
	t.Parallel()
	l := library(t)
	wordings, err := readWordings(wordingsText)
	if err != nil {
		t.Fatal(err)
	}
	a, b := newClassifier(l.articles, wordings), l.trained()
	if !slices.Equal(a.weight, b.weight) {
		t.Error("two trainings have different weights")
	}
	var asked, right int
	for i, article := range l.articles {
		for _, text := range wordings[article.ID] {
			scores := a.likeness(wordsOf(text))
			asked++
			if slices.Max(scores) == scores[i] {
				right++
			}
		}
	}
	if got := percent(right, asked); got < 95 {
		t.Errorf("%.1f%% of its own %d texts have their article first, want 95%%", got, asked)
	}
}

func BenchmarkTrainClassifier(b *testing.B) {
	l := library(b)
	wordings, err := readWordings(wordingsText)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		newClassifier(l.articles, wordings)
	}
}

func BenchmarkFind(b *testing.B) {
	l := library(b)
	l.trained()
	for b.Loop() {
		l.Find("my ads cost more and more for each new buyer, why is that")
	}
}
