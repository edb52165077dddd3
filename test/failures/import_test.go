package failures

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// bulk is the workspace of the import that loses its lock. bulkOrders is the number of orders of the file.
const (
	bulk       = "bulk"
	bulkOrders = 30_000
)

// interruptImport kills and restarts PostgreSQL while a node imports a file. The import must report that nothing is
// stored, and succeed when it is repeated.
func (s *site) interruptImport() {
	s.t.Helper()
	n := s.nodes[0]
	s.bulkFiles++
	path := filepath.Join(n.dir, "bulk.csv")
	text := []byte("order_id,created_at,customer_id,currency,total\n")
	for i := range bulkOrders {
		text = fmt.Appendf(text, "b%d-%d,2026-03-%02dT12:00:00Z,c%d,USD,10.00\n", s.bulkFiles, i, 1+i%28, i)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	defer os.Remove(path)
	var out bytes.Buffer
	cmd := n.command("", "import", path, "--workspace", bulk)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if !s.bulkLocked(ended) {
		s.t.Errorf("the import ended before PostgreSQL was killed: %s", out.String())
		return
	}
	time.Sleep(staleness) // the import reads the file
	s.postgres.Kill(s.t)
	s.postgres.Start(s.t)
	err := <-ended
	if report := out.String(); err == nil || !strings.Contains(report, "nothing changed") ||
		!strings.Contains(report, "repeat the import") && !strings.Contains(report, "try again") {
		s.t.Errorf("the interrupted import: %v, %s; want an error that asks to repeat it", err, report)
	} else {
		s.t.Logf("the import is not stored: %s", report[strings.LastIndex(report, "assay: "):])
	}
	s.wantBulk(bulkOrders * (s.bulkFiles - 1))
	for began := time.Now(); ; time.Sleep(time.Second) {
		text, err := n.command("", "import", path, "--workspace", bulk).CombinedOutput()
		if err == nil {
			break
		}
		if time.Since(began) > recovery {
			s.t.Errorf("the repeated import: %v, %s", err, text)
			return
		}
	}
	s.wantBulk(bulkOrders * s.bulkFiles)
}

// bulkLocked waits until a node has the lock of the import. It returns false if the import ends first.
func (s *site) bulkLocked(ended chan error) bool {
	s.t.Helper()
	db, err := sql.Open("pgx", s.databaseURL)
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	for {
		var locks int
		err := db.QueryRowContext(s.t.Context(), `SELECT count(*) FROM pg_locks
			WHERE locktype = 'advisory' AND objid::bigint = (hashtext($1)::bigint & 4294967295)`, bulk).Scan(&locks)
		if err != nil {
			s.t.Fatal(err)
		}
		if locks > 0 {
			return true
		}
		select {
		case err := <-ended:
			ended <- err
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// wantBulk checks that every node reports the expected number of orders for the workspace.
func (s *site) wantBulk(want int) {
	s.t.Helper()
	time.Sleep(staleness)
	for _, n := range s.nodes {
		var got string
		for began := time.Now(); time.Since(began) < recovery; time.Sleep(200 * time.Millisecond) {
			r := n.callAs(s.bulkKey, "performance", march)
			if r.err != nil || r.refused() || strings.Contains(strings.ToLower(r.body), "try again") {
				got = fmt.Sprint(r.err, r.body)
				continue
			}
			var a figures
			if err := json.Unmarshal([]byte(r.text()), &a); err != nil && want > 0 {
				s.t.Errorf("%s: %v in %.300s", n.name, err, r.body)
			}
			got = fmt.Sprint(a.Metrics.Orders.Value)
			break
		}
		if got != fmt.Sprint(float64(want)) {
			s.t.Errorf("%s has %s orders of the interrupted import, want %d", n.name, got, want)
		}
	}
}
