package warehouse_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

var update = flag.Bool("update", false, "rewrite golden files")

// questions returns the SQL texts of the directory sql, by file name.
func questions(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("sql/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no questions: %v", err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

func TestRenderedQuestionsAreGolden(t *testing.T) {
	t.Parallel()
	const golden = "testdata/duckdb.txtar"
	texts := questions(t)
	archive := &txtar.Archive{Comment: []byte("The questions as DuckDB is asked them, for the workspace \"shop\".\n\n")}
	files, _ := filepath.Glob("sql/*.sql")
	for _, file := range files {
		name := filepath.Base(file)
		rendered := warehouse.Render(duckdb.Dialect{}, "shop", texts[name])
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(rendered)})
	}
	got := txtar.Format(archive)
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("rendered questions differ (-want +got); rewrite them with -update:\n%s", diff)
	}
}

func TestEachQuestionIsAsked(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	for file := range questions(t) {
		name, _, _ := strings.Cut(file, ".")
		if !strings.Contains(code.String(), `"`+name+`"`) {
			t.Errorf("nobody asks sql/%s", file)
		}
	}
}

func TestEachQuestionStatesItsGrain(t *testing.T) {
	t.Parallel()
	for file, text := range questions(t) {
		if !regexp.MustCompile(`^-- (At most one|One) row`).MatchString(text) {
			t.Errorf("sql/%s does not begin with a comment on its rows", file)
		}
	}
}

// Roll-ups have a row per day and dimension. The large tables have a row per order, customer or ad.
func TestQuestionsThatReadLargeTablesAreHeavy(t *testing.T) {
	t.Parallel()
	large := regexp.MustCompile(`\{\{(orders|order_rows|order_lines|order_coupons|refunds|profiles|touches|ad_days|identities|customer_ties)\}\}`)
	heavy := regexp.MustCompile(`(?m)^-- heavy: `)
	for file, text := range questions(t) {
		if reads, says := large.FindString(text), heavy.MatchString(text); (reads != "") != says {
			t.Errorf("sql/%s reads %q of the large tables; heavy: %v", file, reads, says)
		}
	}
}

// A table can be named only by a {{placeholder}}, which adds the workspace.
func TestEveryQuestionFiltersByWorkspace(t *testing.T) {
	t.Parallel()
	relation := regexp.MustCompile(`(?i)\b(?:FROM|JOIN)\s+(\S+)`)
	for file, text := range questions(t) {
		bare := withoutComments(text)
		found := relation.FindAllStringSubmatch(bare, -1)
		if len(found) == 0 {
			t.Errorf("sql/%s reads no table", file)
		}
		for _, match := range found {
			if !strings.HasPrefix(match[1], "{{") && !strings.HasPrefix(match[1], "(") {
				t.Errorf("sql/%s reads %s without a placeholder", file, match[1])
			}
		}
		if rendered := warehouse.Render(duckdb.Dialect{}, "shop", bare); strings.Contains(rendered, "{{") {
			t.Errorf("sql/%s has a placeholder that is not rendered", file)
		}
	}
}

// The SQL texts use only syntax that DuckDB and ClickHouse share. The test searches the SQL texts for other syntax.
func TestQuestionsKeepToTheSharedSubset(t *testing.T) {
	t.Parallel()
	for pattern, instead := range map[string]string{
		`::`:                    "CAST",
		`(?i)\bWITH\b`:          "a subquery",
		`(?i)\bOVER\b`:          "Go",
		`(?i)GROUP BY\s+[0-9]`:  "the columns' names",
		`(?i)GROUP BY ALL`:      "the columns' names",
		`(?i)\bFILTER\b`:        "sum(CASE …)",
		`(?i)\bILIKE\b`:         "lower() LIKE",
		`(?i)\bQUALIFY\b`:       "a subquery",
		`(?i)\bDATE\s+'`:        "CAST('…' AS DATE)",
		`(?i)\bdate_trunc\b`:    "a column",
		`(?i)\bany_value\b`:     "min",
		`(?i)IS NOT DISTINCT\b`: "coalesce",
	} {
		for file, text := range questions(t) {
			if found := regexp.MustCompile(pattern).FindString(withoutComments(text)); found != "" {
				t.Errorf("sql/%s uses %q, which ClickHouse may not support; use %s", file, found, instead)
			}
		}
	}
}

func withoutComments(text string) string {
	return regexp.MustCompile(`(?m)^--.*$`).ReplaceAllString(text, "")
}
