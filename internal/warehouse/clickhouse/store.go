package clickhouse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	click "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
	"assay/internal/warehouse/facts"
)

// store reads and writes the tables in ClickHouse. Every table has the workspace first in its key.
type store struct {
	conn     driver.Conn
	database string
	cluster  string // "": one server
	quorum   int    // number of replicas that must have a row before a write ends; 0: one
	prefix   string // prefix of workspace names, for tests that share tables

	mu   sync.Mutex
	made map[string]bool // tables that exist
}

// parse returns the driver's options and a store with the settings in the URL that the driver does not support.
func parse(text string) (options *click.Options, s *store, err error) {
	misconfigured := func(reason string) error {
		return fault.New(fault.KindMisconfigured, "facts_url %s", reason).
			WithHint("use clickhouse://user:password@host:port,host:port/database, with ?cluster=name for replicated tables")
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "clickhouse" || u.Host == "" { // the error of url.Parse contains the password
		return nil, nil, misconfigured("is not a ClickHouse URL")
	}
	s = &store{made: map[string]bool{}, database: strings.TrimPrefix(u.Path, "/")}
	query := u.Query()
	s.cluster = query.Get("cluster")
	if quorum := query.Get("quorum"); quorum != "" {
		if s.quorum, err = strconv.Atoi(quorum); err != nil || s.quorum < 1 || s.cluster == "" {
			return nil, nil, misconfigured("has a quorum that is not a number of replicas of a cluster")
		}
	}
	query.Del("cluster")
	query.Del("quorum")
	u.RawQuery = query.Encode()
	if s.database == "" {
		s.database = "assay"
	}
	for _, name := range []string{s.database, s.cluster} {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			return nil, nil, misconfigured("has a database or cluster with characters other than letters, digits and _")
		}
	}
	if options, err = click.ParseDSN(u.String()); err != nil {
		return nil, nil, misconfigured("has an unknown parameter")
	}
	options.Auth.Database = "" // the database may not exist yet
	if options.Compression == nil {
		options.Compression = &click.Compression{Method: click.CompressionLZ4}
	}
	if options.MaxOpenConns == 0 {
		options.MaxOpenConns = 3 * (mostSmall + mostLarge) // updates of copies leave connections for calls and imports
	}
	if options.DialTimeout == 0 {
		options.DialTimeout = 5 * time.Second
	}
	return options, s, nil
}

// open connects and creates the database and the table of commits.
func open(ctx context.Context, text string) (*store, error) {
	options, s, err := parse(text)
	if err != nil {
		return nil, err
	}
	if s.conn, err = click.Open(options); err != nil {
		return nil, unreachable(err)
	}
	if err := s.ping(ctx); err != nil {
		return nil, errors.Join(err, s.conn.Close())
	}
	if err := s.create(ctx); err != nil {
		return nil, errors.Join(err, s.conn.Close())
	}
	return s, nil
}

func (s *store) close() error { return s.conn.Close() }

func (s *store) ping(ctx context.Context) error { return unreachable(s.conn.Ping(ctx)) }

// unreachable converts an error of ClickHouse to a fault of kind unavailable, unless the error has a kind or the call
// was canceled.
func unreachable(err error) error {
	if err == nil {
		return nil
	}
	if _, known := errors.AsType[*fault.Error](err); known || errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Unavailable("ClickHouse does not answer as expected").WithHint("try again in a few seconds; see the service log for the cause").Wrap(err)
}

// create creates the database and the table of commits.
func (s *store) create(ctx context.Context) error {
	if exists, err := s.exists(ctx, "commits"); err != nil {
		return err
	} else if exists {
		return s.addPrevious(ctx)
	}
	if err := s.exec(ctx, "CREATE DATABASE IF NOT EXISTS "+s.database+s.everywhere()); err != nil {
		return err
	}
	engine := "MergeTree"
	if s.cluster != "" { // every node has all commits
		engine = "ReplicatedMergeTree('/clickhouse/tables/" + s.database + "/commits', '{shard}-{replica}')"
	}
	return s.exec(ctx, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s.commits%s (
    workspace String, sequence Int64, attempt Int64, previous Int64, base UInt8, dropped UInt8, schema Int64, counts String, at DateTime
) ENGINE = %s ORDER BY (workspace, sequence, attempt)%s`, s.database, s.everywhere(), engine, restartable))
}

// restartable lets a replica start with any number of parts that ZooKeeper does not list. ClickHouse removes merged and
// deleted parts in ZooKeeper first and then from the disk. A replica that is killed in between does not start if these
// parts have more than half of the rows, unless this limit is higher. ClickHouse moves such parts to the folder
// detached.
const restartable = " SETTINGS replicated_max_ratio_of_wrong_parts = 1"

// addPrevious adds the column previous, which the table of commits of an earlier release lacks. On a cluster, the table
// is replicated, so one server adds the column on all servers.
func (s *store) addPrevious(ctx context.Context) error {
	has := func() (bool, error) {
		var n uint64
		row := s.conn.QueryRow(ctx, "SELECT count() FROM system.columns WHERE database = ? AND table = 'commits' AND name = 'previous'", s.database)
		if err := row.Scan(&n); err != nil {
			return false, unreachable(fmt.Errorf("columns of commits: %w", err))
		}
		return n > 0, nil
	}
	if there, err := has(); err != nil || there {
		return err
	}
	if err := s.exec(ctx, "ALTER TABLE "+s.database+".commits ADD COLUMN previous Int64"); err != nil {
		if there, look := has(); look != nil || !there { // another node may have added it at the same time
			return err
		}
	}
	return nil
}

// exists reports whether a table exists. A CREATE statement on a cluster waits for all servers, so the caller runs it
// only for missing tables.
func (s *store) exists(ctx context.Context, table string) (bool, error) {
	var n uint64
	row := s.conn.QueryRow(ctx, "SELECT count() FROM system.tables WHERE database = ? AND name = ?", s.database, table)
	if err := row.Scan(&n); err != nil {
		return false, unreachable(fmt.Errorf("table %s: %w", table, err))
	}
	return n > 0, nil
}

func (s *store) everywhere() string {
	if s.cluster == "" {
		return ""
	}
	return " ON CLUSTER " + s.cluster
}

func (s *store) exec(ctx context.Context, text string) error {
	if err := s.conn.Exec(ctx, text); err != nil {
		return unreachable(fmt.Errorf("%s: %w", text, err))
	}
	return nil
}

// writing adds the settings of writes. With a quorum, a write ends when the required number of replicas has stored it.
func (s *store) writing(ctx context.Context) context.Context {
	settings := click.Settings{}
	if s.cluster != "" {
		settings["insert_distributed_sync"] = 1
	}
	if s.quorum > 1 {
		settings["insert_quorum"] = s.quorum
		settings["insert_quorum_timeout"] = int(quorumTime.Milliseconds())
	}
	return click.Context(ctx, click.WithSettings(settings))
}

// ordered adds the setting for sequential consistency: reads return every commit that ended before the read.
func (s *store) ordered(ctx context.Context) context.Context {
	if s.quorum < 2 {
		return ctx
	}
	return click.Context(ctx, click.WithSettings(click.Settings{"select_sequential_consistency": 1}))
}

// Time limits of a cluster. quorumTime is the limit for reaching a quorum. behindTime is the limit for repeating
// statements while a replica is behind or another write waits for its quorum. A table accepts one write with a quorum
// at a time.
const (
	quorumTime = 20 * time.Second
	behindTime = 40 * time.Second
)

// isBehind reports whether the error is temporary, so that a retry succeeds when replicas have caught up.
func isBehind(err error) bool {
	const (
		noSuchColumn       = 16  // the replica lacks a new column of the table
		unknownIdentifier  = 47  // the same, for a query
		unsatisfiedQuorum  = 286 // another write waits for its quorum
		notInQuorum        = 289 // the replica lacks the last write with a quorum
		unknownInsertState = 319 // the connection to ZooKeeper was lost, or the quorum took too long
	)
	failure, ok := errors.AsType[*click.Exception](err)
	return ok && slices.Contains([]int32{noSuchColumn, unknownIdentifier, unsatisfiedQuorum, notInQuorum, unknownInsertState}, failure.Code)
}

// again retries a statement, because servers of a cluster can be down or behind the others. The statement must be safe
// to repeat: a read, or an insert into replicated tables, which drop repeated blocks.
func (s *store) again(ctx context.Context, do func() error) (err error) {
	began := time.Now() //nolint:forbidigo // the import clock is fixed in tests and demos
	for n := 1; ; n++ {
		err = do()
		if err == nil || ctx.Err() != nil || n >= 5 && (!isBehind(err) || time.Since(began) > behindTime) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(min(time.Duration(n)*50*time.Millisecond, 500*time.Millisecond)):
		}
	}
}

// onceOrAgain retries an insert only on a cluster, where a retry stores no row twice.
func (s *store) onceOrAgain(ctx context.Context, do func() error) error {
	if s.cluster == "" {
		return do()
	}
	return s.again(ctx, do)
}

// commits returns the valid commits of a workspace from the given sequence number on.
func (s *store) commits(ctx context.Context, ws measure.WorkspaceID, from int64) (history, error) {
	var all history
	err := s.again(ctx, func() error {
		var found []commit
		rows, err := s.conn.Query(s.ordered(ctx), "SELECT sequence, attempt, previous, base, dropped, schema, counts FROM "+s.database+".commits "+
			"WHERE workspace = ? AND sequence >= ? ORDER BY sequence, attempt", s.prefix+string(ws), from)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var c commit
			var base, dropped uint8
			var counted string
			if err := rows.Scan(&c.sequence, &c.attempt, &c.previous, &base, &dropped, &c.schema, &counted); err != nil {
				return err
			}
			c.base, c.dropped = base == 1, dropped == 1
			if err := json.Unmarshal([]byte(counted), &c.counts); err != nil {
				return err
			}
			found = append(found, c)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if all = valid(found); from == 0 && !all.complete() {
			return errors.New("some commits are not visible yet")
		}
		return nil
	})
	if err != nil {
		return nil, unreachable(fmt.Errorf("commits of %s: %w", ws, err))
	}
	return all, nil
}

// commit stores a commit. If the outcome is unknown, it checks whether the commit is stored.
func (s *store) commit(ctx context.Context, ws measure.WorkspaceID, c commit) error {
	counted, err := json.Marshal(c.counts)
	if err != nil {
		return err
	}
	now := time.Now() //nolint:forbidigo // the import clock is fixed in tests and demos
	err = s.onceOrAgain(ctx, func() error {
		return s.insert(ctx, s.database+".commits", "workspace, sequence, attempt, previous, base, dropped, schema, counts, at", func(b driver.Batch) error {
			return b.Append(s.prefix+string(ws), c.sequence, c.attempt, c.previous, bit(c.base), bit(c.dropped), c.schema, string(counted), now)
		})
	})
	if err == nil {
		return nil
	}
	all, look := s.commits(ctx, ws, c.sequence)
	if look == nil && slices.ContainsFunc(all, func(o commit) bool { return o.place() == c.place() }) {
		return nil
	}
	return unreachable(fmt.Errorf("commit of %s: %w: %w", ws, warehouse.ErrUnknownOutcome, err))
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func (s *store) insert(ctx context.Context, table, columns string, fill func(driver.Batch) error) error {
	batch, err := s.conn.PrepareBatch(s.writing(ctx), "INSERT INTO "+table+" ("+columns+")")
	if err != nil {
		return err
	}
	if err := fill(batch); err != nil {
		return errors.Join(err, batch.Abort())
	}
	return batch.Send()
}

// typeOf returns ClickHouse's type for a column type. It uses types that every release of ClickHouse has. NULL is
// stored as facts.NullText or facts.NullInt, which needs no additional space. Days are days since 1970, and instants
// are microseconds since 1970.
func typeOf(kind facts.Type) string {
	switch kind {
	case facts.Text, facts.Nullable:
		return "String"
	case facts.Float:
		return "Float64"
	default:
		return "Int64"
	}
}

// table returns the name of a table for a schema.
func (s *store) table(name string, schema int64) string { return fmt.Sprintf("s%d_%s", schema, name) }

// make creates a table unless it exists.
func (s *store) make(ctx context.Context, t duckdb.StoredTable, schema int64) error {
	name := s.table(t.Name, schema)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made[name] {
		return nil
	}
	if exists, err := s.exists(ctx, name); err != nil || exists {
		s.made[name] = exists
		return err
	}
	columns := []string{"workspace String", "attempt Int64", "sign Int8"}
	for _, c := range t.Columns {
		columns = append(columns, "`"+c.Name+"` "+typeOf(c.Type))
	}
	list := strings.Join(columns, ", ")
	local, engine := name, "MergeTree"
	if s.cluster != "" {
		local = name + "_local"
		engine = "ReplicatedMergeTree('/clickhouse/tables/{shard}/" + s.database + "/" + name + "', '{replica}')"
	}
	text := fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s%s (%s) ENGINE = %s ORDER BY (workspace, attempt)%s",
		s.database, local, s.everywhere(), list, engine, restartable)
	if err := s.exec(ctx, text); err != nil {
		return err
	}
	if s.cluster != "" { // one workspace is on one shard
		text := fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s%s (%s) ENGINE = Distributed(%s, %s, %s, cityHash64(workspace))",
			s.database, name, s.everywhere(), list, s.cluster, s.database, local)
		if err := s.exec(ctx, text); err != nil {
			return err
		}
	}
	s.made[name] = true
	return nil
}

// names returns the quoted column names of a table, separated by commas.
func names(t duckdb.StoredTable) string {
	quoted := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		quoted[i] = "`" + c.Name + "`"
	}
	return strings.Join(quoted, ", ")
}

// write adds changed rows of a table to an attempt.
func (s *store) write(ctx context.Context, ws measure.WorkspaceID, to *commit, t duckdb.StoredTable, sign int8, rows *facts.Columnar) error {
	if err := s.make(ctx, t, to.schema); err != nil {
		return err
	}
	n := rows.Len()
	table := s.database + "." + s.table(t.Name, to.schema)
	fill := func(b driver.Batch) error {
		err := cmp.Or(
			b.Column(0).Append(slices.Repeat([]string{s.prefix + string(ws)}, n)),
			b.Column(1).Append(slices.Repeat([]int64{to.attempt}, n)),
			b.Column(2).Append(slices.Repeat([]int8{sign}, n)),
		)
		for i, c := range t.Columns {
			var values any = rows.Of(i).Whole
			switch typeOf(c.Type) {
			case "String":
				values = rows.Of(i).Text
			case "Float64":
				values = rows.Of(i).Float
			}
			err = cmp.Or(err, b.Column(3+i).Append(values))
		}
		return err
	}
	err := s.onceOrAgain(ctx, func() error { return s.insert(ctx, table, "workspace, attempt, sign, "+names(t), fill) })
	if err != nil {
		return unreachable(err)
	}
	of := to.counts[t.Name]
	if sign > 0 {
		of[0] += int64(n)
	} else {
		of[1] += int64(n)
	}
	to.counts[t.Name] = of
	return nil
}

// readRows is the maximum number of rows in a block that read passes on.
const readRows = 1 << 17

// read calls a function with the rows that the commits have in a table. It compares the numbers of rows with the counts
// of the commits. An error of the function is returned unchanged.
func (s *store) read(
	ctx context.Context, ws measure.WorkspaceID, of []commit, t duckdb.StoredTable, pass func(duckdb.StoredTable, int8, *facts.Columnar) error,
) error {
	for at, sign := range []int8{1, -1} {
		var want int64
		var marks []int64
		for _, c := range of {
			if n := c.counts[t.Name][at]; n > 0 {
				want += n
				marks = append(marks, c.attempt)
			}
		}
		if want == 0 {
			continue
		}
		var failed error
		got, err := s.readSign(ctx, ws, of[0].schema, marks, t, sign, func(t duckdb.StoredTable, sign int8, rows *facts.Columnar) error {
			failed = pass(t, sign, rows)
			return failed
		})
		if failed != nil {
			return failed
		}
		if err == nil && got != want {
			err = fmt.Errorf("%d rows are visible of %d", got, want)
		}
		if err != nil {
			return unreachable(err)
		}
	}
	return nil
}

func (s *store) readSign(
	ctx context.Context, ws measure.WorkspaceID, schema int64, marks []int64, t duckdb.StoredTable, sign int8,
	pass func(duckdb.StoredTable, int8, *facts.Columnar) error,
) (n int64, err error) {
	in := make([]string, len(marks))
	for i, mark := range marks {
		in[i] = strconv.FormatInt(mark, 10)
	}
	rows, err := s.conn.Query(ctx, fmt.Sprintf("SELECT %s FROM %s.%s WHERE workspace = ? AND attempt IN (%s) AND sign = %d",
		names(t), s.database, s.table(t.Name, schema), strings.Join(in, ", "), sign), s.prefix+string(ws))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	block := facts.NewColumnar(t.Columns)
	texts, wholes, floats := make([]string, len(t.Columns)), make([]int64, len(t.Columns)), make([]float64, len(t.Columns))
	dest := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		switch typeOf(c.Type) {
		case "String":
			dest[i] = &texts[i]
		case "Float64":
			dest[i] = &floats[i]
		default:
			dest[i] = &wholes[i]
		}
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return n, err
		}
		for i := range dest {
			switch v := block.Of(i); dest[i].(type) {
			case *string:
				v.Text = append(v.Text, texts[i])
			case *float64:
				v.Float = append(v.Float, floats[i])
			default:
				v.Whole = append(v.Whole, wholes[i])
			}
		}
		block.Grow(1)
		n++
		if block.Len() == readRows {
			if err := pass(t, sign, block); err != nil {
				return n, err
			}
			block.Clear()
		}
	}
	if err := rows.Err(); err != nil || block.Len() == 0 {
		return n, err
	}
	return n, pass(t, sign, block)
}

// clean deletes the commits before the given commit, and the rows of all earlier attempts. The given commit must not
// depend on these rows.
func (s *store) clean(ctx context.Context, ws measure.WorkspaceID, all history, from commit) error {
	tables := map[string]bool{}
	for _, c := range all {
		for name := range c.counts {
			tables[s.table(name, c.schema)] = true
		}
	}
	local := ""
	if s.cluster != "" {
		local = "_local"
	}
	const stillRuns = 159 // on a cluster, the servers delete the rows later
	ctx = click.Context(ctx, click.WithSettings(click.Settings{"distributed_ddl_task_timeout": 0}))
	failed := []error{s.conn.Exec(ctx, fmt.Sprintf("ALTER TABLE %s.commits DELETE WHERE workspace = ? AND sequence < ?", s.database),
		s.prefix+string(ws), from.sequence)}
	for name := range tables {
		text := fmt.Sprintf("ALTER TABLE %s.%s%s%s DELETE WHERE workspace = ? AND attempt < ?", s.database, name, local, s.everywhere())
		err := s.conn.Exec(ctx, text, s.prefix+string(ws), from.attempt)
		if late, ok := errors.AsType[*click.Exception](err); !ok || late.Code != stillRuns {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
