package servertest

import (
	"database/sql"
	"testing"
)

func TestAKilledServerStartsAgainWithItsData(t *testing.T) {
	t.Parallel()
	p := StartPostgres(t)
	db, err := sql.Open("pgx", p.NewDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE kept AS SELECT 1 AS n`); err != nil {
		t.Fatal(err)
	}
	p.Kill(t)
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("a killed server answers")
	}
	p.Start(t)
	var n int
	if err := db.QueryRowContext(t.Context(), `SELECT n FROM kept`).Scan(&n); err != nil || n != 1 {
		t.Errorf("after the restart: %d, %v; want 1", n, err)
	}
}
