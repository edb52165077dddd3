package ingest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
)

func TestNamesOfMappingsAreChecked(t *testing.T) {
	t.Parallel()
	mappings := func(n int) (all []mapper.Mapping) {
		for i := range n {
			all = append(all, mapper.Mapping{Name: fmt.Sprint("m", i)})
		}
		return all
	}
	renamed := []mapper.Mapping{{Name: "new", System: "old"}}
	for _, c := range []struct {
		what     string
		keeping  ingest.Keeping
		mistakes []string // their fields
	}{
		{"a name", ingest.Keeping{Mapping: mapper.Mapping{Name: "till 2-a_b.c"}}, nil},
		{"no name", ingest.Keeping{}, []string{"name"}},
		{"60 letters", ingest.Keeping{Mapping: mapper.Mapping{Name: strings.Repeat("é", 60)}}, nil},
		{"61 letters", ingest.Keeping{Mapping: mapper.Mapping{Name: strings.Repeat("é", 61)}}, []string{"name"}},
		{"a slash", ingest.Keeping{Mapping: mapper.Mapping{Name: "a/b"}}, []string{"name"}},
		{"two blanks", ingest.Keeping{Mapping: mapper.Mapping{Name: "a  b"}}, []string{"name"}},
		{"a blank at the end", ingest.Keeping{Mapping: mapper.Mapping{Name: "a "}}, []string{"name"}},
		{"a built-in source", ingest.Keeping{Mapping: mapper.Mapping{Name: "shopify_orders"}}, []string{"name"}},
		{"the rows of another", ingest.Keeping{Mapping: mapper.Mapping{Name: "old"}, Kept: renamed}, []string{"name"}},
		{"its own rows", ingest.Keeping{Mapping: mapper.Mapping{Name: "old"}, Was: "new", Kept: renamed}, nil},
		{"the hundredth", ingest.Keeping{Mapping: mapper.Mapping{Name: "till"}, Kept: mappings(99)}, nil},
		{"one more", ingest.Keeping{Mapping: mapper.Mapping{Name: "till"}, Kept: mappings(100)}, []string{"name"}},
		{"a change among a hundred", ingest.Keeping{Mapping: mapper.Mapping{Name: "till"}, Was: "m1", Kept: mappings(100)}, nil},
		{"a title of 100", ingest.Keeping{Mapping: mapper.Mapping{Name: "till", Title: strings.Repeat("é", 100)}}, nil},
		{"a title of 101", ingest.Keeping{Mapping: mapper.Mapping{Name: "till", Title: strings.Repeat("é", 101)}}, []string{"title"}},
		{"a title of two lines", ingest.Keeping{Mapping: mapper.Mapping{Name: "a/b", Title: "a\nb"}}, []string{"name", "title"}},
	} {
		var got []string
		for _, m := range c.keeping.Mistakes() {
			got = append(got, m.At)
		}
		if !slices.Equal(got, c.mistakes) {
			t.Errorf("%s: mistakes in %q, want %q", c.what, got, c.mistakes)
		}
	}
	for file, want := range map[string]string{
		"Till-Export_2026.09.csv": "till export", "2026.csv": "my file", strings.Repeat("é", 70) + ".csv": strings.Repeat("é", 60), strings.Repeat("a", 59) + "-b.csv": strings.Repeat("a", 59),
	} {
		if got := ingest.MappingName(file); got != want {
			t.Errorf("%q is named %q, want %q", file, got, want)
		}
	}
}
