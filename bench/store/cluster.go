package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	click "github.com/ClickHouse/clickhouse-go/v2"

	"assay/bench/process"
	"assay/bench/report"
	"assay/internal/warehouse/clickhouse"
	"assay/internal/warehouse/duckdb"
)

// servers are the ClickHouse servers of a facts URL.
type servers struct {
	hosts           []string // host:port
	database        string   // Assay's database
	cluster, quorum string   // "": one server
}

func serversOf(factsURL string) (servers, error) {
	u, err := url.Parse(factsURL)
	if err != nil {
		return servers{}, err
	}
	return servers{
		hosts: strings.Split(u.Host, ","), database: strings.TrimPrefix(u.Path, "/"),
		cluster: u.Query().Get("cluster"), quorum: u.Query().Get("quorum"),
	}, nil
}

// on runs statements on one server.
func (s servers) on(ctx context.Context, host string, use func(*sql.Conn) error) error {
	db := click.OpenDB(&click.Options{Addr: []string{host}})
	conn, err := db.Conn(ctx)
	if err == nil {
		err = errors.Join(use(conn), conn.Close())
	}
	return errors.Join(err, db.Close())
}

// size returns the size of a database on all servers in bytes, including replicas.
func (s servers) size(ctx context.Context, database string) (total int64, err error) {
	for _, host := range s.hosts {
		err := s.on(ctx, host, func(db *sql.Conn) error {
			var bytes uint64
			err := db.QueryRowContext(ctx, "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = ?", database).Scan(&bytes)
			total += int64(bytes)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return total, nil
}

// plainTables are the ClickHouse tables that Assay is compared with. Orders are sorted by time, so a query of a window
// reads only the window's rows.
var plainTables = map[string]struct{ columns, order string }{
	"orders": {`order_id UInt64, created_at DateTime, customer_id String, currency String, total Decimal(18, 2), tax Decimal(18, 2),
		shipping Decimal(18, 2), discount Decimal(18, 2), country String, channel String`, "created_at"},
	"spend": {"date Date, channel String, spend Decimal(18, 2), currency String", "date"},
}

// createPlain creates the tables that Assay is compared with. On a cluster, they are replicated and distributed.
func (s servers) createPlain(ctx context.Context) error {
	everywhere := ""
	if s.cluster != "" {
		everywhere = " ON CLUSTER " + s.cluster
	}
	statements := []string{"CREATE DATABASE plain" + everywhere}
	for name, t := range plainTables {
		if s.cluster == "" {
			statements = append(statements, fmt.Sprintf("CREATE TABLE plain.%s (%s) ENGINE = MergeTree ORDER BY %s", name, t.columns, t.order))
			continue
		}
		statements = append(statements,
			fmt.Sprintf("CREATE TABLE plain.part_%s%s (%s) ENGINE = ReplicatedMergeTree('/clickhouse/tables/plain/{shard}/%[1]s', '{replica}') ORDER BY %[4]s",
				name, everywhere, t.columns, t.order),
			fmt.Sprintf("CREATE TABLE plain.%s%s (%s) ENGINE = Distributed(%s, plain, part_%[1]s, rand())", name, everywhere, t.columns, s.cluster))
	}
	return s.on(ctx, s.hosts[0], func(db *sql.Conn) error {
		for _, text := range statements {
			if _, err := db.ExecContext(ctx, text); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	})
}

// insertPlain inserts a file with ClickHouse's own client, with the same guarantees as an import of Assay.
func (s servers) insertPlain(ctx context.Context, csv, table string) (process.Usage, error) {
	host, port, err := net.SplitHostPort(s.hosts[0])
	if err != nil {
		return process.Usage{}, err
	}
	client := []string{
		"clickhouse-client", "--host", host, "--port", port, "--date_time_input_format", "best_effort",
		"--query", "INSERT INTO plain." + table + " FORMAT CSVWithNames",
	}
	if s.cluster != "" {
		client = append(client, "--insert_distributed_sync", "1")
	}
	if s.quorum != "" {
		client = append(client, "--insert_quorum", s.quorum)
	}
	return process.Run(ctx, append([]string{"sh", "-c", `file=$1; shift; exec "$@" <"$file"`, "sh", csv}, client...)...)
}

// clickHouseStatement computes the answer of the `performance` tool from [plainTables]. The channel of an order is the
// channel of its last touch. The number of orders is in millionths.
const clickHouseStatement = `
SELECT channel, toDate(created_at) >= toDate($2) AS recent, toInt64(count() * 1000000), toInt64(sum(total) * 100),
    toInt64(0), toInt64(0), toInt64(0), toInt64(0)
FROM plain.orders
WHERE created_at >= toDateTime(toDate($1)) AND created_at < toDateTime(toDate($3) + 1)
GROUP BY channel, recent
UNION ALL
SELECT channel, date >= toDate($2) AS recent, toInt64(0), toInt64(0), toInt64(0), toInt64(0), toInt64(sum(spend) * 100), toInt64(count())
FROM plain.spend
WHERE date BETWEEN toDate($1) AND toDate($3)
GROUP BY channel, recent`

// onClickHouse compares Assay on ClickHouse servers with SQL on tables of these servers: the import, the size, and the
// `performance` tool on the node that imported. It also measures how long another node takes to copy the facts.
func onClickHouse(ctx context.Context, o settings, f files) (err error) {
	s, err := serversOf(o.factsURL)
	if err != nil {
		return err
	}
	if err := s.createPlain(ctx); err != nil {
		return err
	}
	peer, err := s.insertPlain(ctx, f.orders, "orders")
	if err != nil {
		return err
	}
	if _, err := s.insertPlain(ctx, f.spend, "spend"); err != nil {
		return err
	}
	if err := os.Setenv("ASSAY_FACTS_URL", o.factsURL); err != nil {
		return err
	}
	ours, err := importWithAssay(ctx, o.assay, f)
	if err != nil {
		return err
	}
	if _, err := process.Run(ctx, o.assay, "import", f.spend, "--workspace", workspaceID, "--data", f.data); err != nil {
		return err
	}
	if err := reportClickHouse(ctx, o, f, s, ours, peer); err != nil {
		return err
	}
	if err := performanceOnClickHouse(ctx, o, f, s); err != nil {
		return err
	}
	return anotherNode(ctx, o, filepath.Join(filepath.Dir(f.data), "another"))
}

func reportClickHouse(ctx context.Context, o settings, f files, s servers, ours, peer process.Usage) error {
	stored, err := s.size(ctx, s.database)
	if err != nil {
		return err
	}
	plain, err := s.size(ctx, "plain")
	if err != nil {
		return err
	}
	local, err := process.Size(f.copies())
	if err != nil {
		return err
	}
	perOrder := func(bytes int64) report.Sample { return report.Sample{float64(bytes) / float64(o.orders)} }
	rate := func(u process.Usage) report.Sample {
		return report.Sample{float64(o.orders) / u.Wall.Seconds() / 1000}
	}
	times := report.Times(rate(ours), rate(peer))
	return report.Print(os.Stdout, fmt.Sprintf("%d orders on %d servers of ClickHouse, one import", o.orders, len(s.hosts)), []report.Row{
		{What: "assay import, roll-ups and local copy included", Of: rate(ours), Unit: "1000 rows/s"},
		{What: "clickhouse-client into a table", Of: rate(peer), Unit: "1000 rows/s"},
		{What: "assay / clickhouse-client", Of: times, Unit: "times"},
		{What: "assay import, peak memory", Of: report.Sample{float64(ours.Peak >> 20)}, Unit: "MB"},
		{What: "assay, on all servers", Of: perOrder(stored), Unit: "bytes per order"},
		{What: "table, on all servers", Of: perOrder(plain), Unit: "bytes per order"},
		{What: "assay, local copy of a node", Of: perOrder(local), Unit: "bytes per order"},
	})
}

func performanceOnClickHouse(ctx context.Context, o settings, f files, s servers) (err error) {
	engine, err := clickhouse.Open(ctx, clickhouse.Options{URL: o.factsURL, Local: duckdb.Options{Dir: f.copies(), Clock: clock}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close(ctx)) }()
	session, opening, err := firstCall(ctx, engine)
	if err != nil {
		return err
	}
	return s.on(ctx, s.hosts[0], func(db *sql.Conn) error {
		query := func(ctx context.Context, args ...any) (*sql.Rows, error) {
			return db.QueryContext(ctx, clickHouseStatement, args...)
		}
		for i := range o.calls {
			if err := sameFigures(ctx, session, query, windowAt(i)); err != nil {
				return err
			}
		}
		onServers := sqlSide("SQL on ClickHouse", query)
		onServers.remote = true
		sides := []*side{assaySide(session), onServers}
		if err := inTurn(ctx, sides, o.calls); err != nil {
			return err
		}
		return reportPerformance(o, sides, opening)
	})
}

// anotherNode measures the time until a node without a copy of the facts can answer.
func anotherNode(ctx context.Context, o settings, dir string) (err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	engine, err := clickhouse.Open(ctx, clickhouse.Options{URL: o.factsURL, Local: duckdb.Options{Dir: dir, Clock: clock}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close(ctx)) }()
	watch := process.Begin()
	if _, err := engine.Version(ctx, workspaceID); err != nil {
		return err
	}
	wall, cpu := watch.Took()
	return report.Print(os.Stdout, "Copy of the facts to another node", []report.Row{
		{What: "wall-clock", Of: report.Sample{wall.Seconds()}, Unit: "s"},
		{What: "CPU of the node", Of: report.Sample{cpu.Seconds()}, Unit: "s"},
		{What: "rate", Of: report.Sample{float64(o.orders) / wall.Seconds() / 1000}, Unit: "1000 rows/s"},
	})
}
