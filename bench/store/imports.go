package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/duckdb/duckdb-go/v2"

	"assay/bench/process"
	"assay/bench/report"
)

const workspaceID = "bench"

// imported contains the measurements of one system's imports.
type imported struct{ rate, cpu, peak report.Sample }

func (i *imported) add(orders int, u process.Usage) {
	i.rate = append(i.rate, float64(orders)/u.Wall.Seconds()/1000)
	i.cpu = append(i.cpu, u.CPU.Seconds()*1e6/float64(orders))
	i.peak = append(i.peak, float64(u.Peak>>20))
}

// compareImports imports the orders in rounds: with DuckDB's own reader into an empty table, and with Assay into an
// empty store. It keeps the last store and imports the spend into it.
func compareImports(ctx context.Context, o settings, f files) error {
	var ours, peers imported
	copied := filepath.Join(filepath.Dir(f.data), "copy.duckdb")
	for range o.imports {
		u, err := readWithDuckDB(ctx, f.orders, copied)
		if err != nil {
			return err
		}
		peers.add(o.orders, u)
		if u, err = importWithAssay(ctx, o.assay, f); err != nil {
			return err
		}
		ours.add(o.orders, u)
		if err := sameOrders(ctx, copied, f.database()); err != nil {
			return err
		}
	}
	if _, err := process.Run(ctx, o.assay, "import", f.spend, "--workspace", workspaceID, "--data", f.data); err != nil {
		return err
	}
	return reportImports(o, f, ours, peers)
}

func importWithAssay(ctx context.Context, assay string, f files) (process.Usage, error) {
	if err := os.RemoveAll(f.data); err != nil {
		return process.Usage{}, err
	}
	if _, err := process.Run(ctx, assay, "workspace", "create", workspaceID, "--data", f.data); err != nil {
		return process.Usage{}, err
	}
	return process.Run(ctx, assay, "import", f.orders, "--workspace", workspaceID, "--data", f.data)
}

// readWithDuckDB runs [readCSV] in a new process of this program, because Assay's import is also a separate process.
func readWithDuckDB(ctx context.Context, csv, database string) (process.Usage, error) {
	if err := os.Remove(database); err != nil && !errors.Is(err, os.ErrNotExist) {
		return process.Usage{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return process.Usage{}, err
	}
	return process.Run(ctx, self, "read", csv, database)
}

// readCSV is the import that Assay is compared with. DuckDB's reader fills a table with all cores and without
// preserving the row order. This is its fastest mode.
func readCSV(ctx context.Context, csv, database string) error {
	return onDatabase(ctx, database, func(db *sql.Conn) error {
		if _, err := db.ExecContext(ctx, "SET preserve_insertion_order = false"); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, "CREATE TABLE orders AS SELECT * FROM read_csv($1)", csv); err != nil {
			return err
		}
		_, err := db.ExecContext(ctx, "CHECKPOINT")
		return err
	})
}

// onDatabase opens a DuckDB file, uses it through one connection and closes it.
func onDatabase(ctx context.Context, file string, use func(*sql.Conn) error) error {
	connector, err := duckdb.NewConnector(file, nil)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	conn, err := db.Conn(ctx)
	if err == nil {
		err = errors.Join(use(conn), conn.Close())
	}
	return errors.Join(err, db.Close())
}

// sameOrders checks that DuckDB's table and Assay's store have the same number of orders and the same total.
func sameOrders(ctx context.Context, copied, store string) error {
	var theirs, ours [2]int64
	err := onDatabase(ctx, copied, func(db *sql.Conn) error {
		return db.QueryRowContext(ctx, "SELECT count(*), CAST(sum(CAST(round(total * 100) AS BIGINT)) AS BIGINT) FROM orders").Scan(&theirs[0], &theirs[1])
	})
	if err != nil {
		return err
	}
	err = onDatabase(ctx, store+"?access_mode=READ_ONLY", func(db *sql.Conn) error {
		return db.QueryRowContext(ctx, "SELECT count(*), CAST(sum(charged) AS BIGINT) FROM orders").Scan(&ours[0], &ours[1])
	})
	if err == nil && ours != theirs {
		err = fmt.Errorf("the sides took in different orders: %v and %v", ours, theirs)
	}
	return err
}

func reportImports(o settings, f files, ours, peers imported) error {
	csv, err := os.Stat(f.orders)
	if err != nil {
		return err
	}
	ourSize, err := process.Size(f.database())
	if err != nil {
		return err
	}
	copied, err := process.Size(filepath.Join(filepath.Dir(f.data), "copy.duckdb"))
	if err != nil {
		return err
	}
	perOrder := func(bytes int64) report.Sample { return report.Sample{float64(bytes) / float64(o.orders)} }
	order := "oldest first"
	if o.newestFirst {
		order = "newest first"
	}
	times, effort := report.Times(ours.rate, peers.rate), report.Times(ours.cpu, peers.cpu)
	return report.Print(os.Stdout, fmt.Sprintf("Import of %d orders, %s, a CSV file of %d MB, %d rounds", o.orders, order, csv.Size()>>20, o.imports), []report.Row{
		{What: "assay import, roll-ups included", Of: ours.rate, Unit: "1000 rows/s"},
		{What: "DuckDB read_csv into a table", Of: peers.rate, Unit: "1000 rows/s"},
		{What: "assay / DuckDB", Of: times, Unit: "times", Verdict: times.AtLeast(0.5)},
		{What: "assay import, CPU", Of: ours.cpu, Unit: "us/row"},
		{What: "DuckDB read_csv, CPU", Of: peers.cpu, Unit: "us/row"},
		{What: "assay / DuckDB, CPU", Of: effort, Unit: "times"},
		{What: "assay import, peak memory", Of: ours.peak, Unit: "MB"},
		{What: "DuckDB read_csv, peak memory", Of: peers.peak, Unit: "MB"},
		{What: "assay, file", Of: perOrder(ourSize), Unit: "bytes per order"},
		{What: "DuckDB read_csv, file", Of: perOrder(copied), Unit: "bytes per order"},
	})
}
