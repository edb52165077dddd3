package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"
)

// plainConn is a connection to an empty database.
func plainConn(t *testing.T) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestStatementsRunUntilTheFirstFailure(t *testing.T) {
	t.Parallel()
	conn := plainConn(t)
	err := execute(t.Context(), conn, "CREATE TABLE t AS SELECT range AS n FROM range(300000); INSERT INTO t SELECT sum(n) FROM t; SELECT error('stop'); DROP TABLE t")
	if err == nil || !strings.Contains(err.Error(), "stop") {
		t.Errorf("the third statement's failure is %v", err)
	}
	var rows int
	if err := conn.QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&rows); err != nil || rows != 300_001 {
		t.Errorf("the statements before left %d rows, %v; want 300001", rows, err)
	}
	for _, text := range []string{"SELEKT 1", "SELECT * FROM nowhere"} {
		if err := execute(t.Context(), conn, text); err == nil {
			t.Errorf("%q is executed", text)
		}
	}
}

func TestAStatementEndsWithItsContext(t *testing.T) {
	t.Parallel()
	conn := plainConn(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	// Without the interrupt, the statement would run for days.
	err := execute(ctx, conn, "CREATE TABLE t AS SELECT count(*) AS n FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range % 5")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the statement ends with %v", err)
	}
	if err := execute(t.Context(), conn, "CREATE TABLE t (n INTEGER)"); err != nil {
		t.Errorf("the connection is unusable afterwards: %v", err)
	}
}
