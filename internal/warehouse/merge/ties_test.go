package merge_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"assay/internal/warehouse/duckdb"
	"assay/internal/warehouse/merge"
)

// A file may tie thousands of customers in one chain. The number of passes must not grow with the length of the chain.
func TestLongChainsOfTiesNeedFewPasses(t *testing.T) {
	t.Parallel()
	follow, err := merge.Render(duckdb.Dialect{}, shop, "sql/follow_ties", nil)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	exec := func(text string) int64 {
		t.Helper()
		result, err := db.ExecContext(t.Context(), text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const length = 4000
	for seed := range uint64(3) {
		// IDs connect neighbors in the chain. The addresses have a random order along the chain for the first two
		// seeds, and a sorted order for the last seed.
		place := rand.New(rand.NewPCG(seed, 1)).Perm(length)
		if seed == 2 {
			for i := range place {
				place[i] = i
			}
		}
		exec("CREATE OR REPLACE TABLE places (position INTEGER, place INTEGER)")
		var rows []string
		for i, p := range place {
			rows = append(rows, fmt.Sprintf("(%d, %d)", i, p))
		}
		exec("INSERT INTO places VALUES " + strings.Join(rows, ","))
		exec(`CREATE OR REPLACE TEMP TABLE tied AS
			SELECT format('id{:05}', a.position) AS known_as, format('e{:05}', a.place) AS customer FROM places a
			UNION ALL SELECT format('id{:05}', a.position), format('e{:05}', b.place) FROM places a JOIN places b ON b.position = a.position + 1`)
		exec(`CREATE OR REPLACE TEMP TABLE named AS SELECT name, min(customer) AS customer
			FROM (SELECT known_as AS name, customer FROM tied UNION ALL SELECT customer, customer FROM tied) GROUP BY name`)
		passes := 0
		for exec(follow) > 0 {
			if passes++; passes > 40 {
				t.Fatalf("seed %d: more than 40 repetitions for a chain of %d ties", seed, length)
			}
		}
		var customers, names int
		var first string
		if err := db.QueryRowContext(t.Context(), "SELECT count(DISTINCT customer), count(*), min(customer) FROM named").Scan(&customers, &names, &first); err != nil {
			t.Fatal(err)
		}
		if customers != 1 || names != 2*length || first != "e00000" {
			t.Errorf("seed %d: %d names have %d customers, the first is %s", seed, names, customers, first)
		}
		t.Logf("seed %d: %d passes", seed, passes)
	}
}
