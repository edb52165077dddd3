package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// A file can be a replica of facts that are stored elsewhere. In that case, the engine publishes each import before it
// commits the import, and the file stores the place of the published commit. The engine applies commits of other
// processes to the file.

// Place is the position of a file in the commits of its workspace. A file without commits has the zero place.
type Place struct{ Sequence, Attempt int64 }

// Publisher stores the changes of an import elsewhere. If it returns an error, the import rolls back.
type Publisher func(ctx context.Context, ws measure.WorkspaceID, changes *Changes) (Place, error)

// StoredTable is a table of a file with its columns. Flags and small numbers have the type Int, because their values
// may be NULL.
type StoredTable struct {
	Name    string
	Columns []facts.Column
	kinds   []string // DuckDB's types
}

// replicated contains the type of values for each of DuckDB's types.
var replicated = map[string]facts.Type{
	"VARCHAR": facts.Nullable, "BIGINT": facts.Int, "INTEGER": facts.Int, "BOOLEAN": facts.Int, "DOUBLE": facts.Float,
	"TIMESTAMP": facts.Instant, "DATE": facts.Day,
}

// storedTables returns the tables of a file, sorted by name. It omits the table of the schema version, because each
// file has its own version.
func storedTables(ctx context.Context, from querier, catalog string) (tables []StoredTable, err error) {
	err = eachColumn(ctx, from, catalog, func(table, column, kind string) error {
		if table == "schema_version" {
			return nil
		}
		if len(tables) == 0 || tables[len(tables)-1].Name != table {
			tables = append(tables, StoredTable{Name: table})
		}
		carrier, ok := replicated[kind]
		if !ok {
			return fmt.Errorf("column %s.%s has the type %s, which replicas do not support", table, column, kind)
		}
		t := &tables[len(tables)-1]
		t.Columns, t.kinds = append(t.Columns, facts.Column{Name: column, Type: carrier}), append(t.kinds, kind)
		return nil
	})
	return tables, err
}

// named returns the quoted names of the columns, qualified with a relation unless it is "".
func (t StoredTable) named(relation string) string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if names[i] = identifier(c.Name); relation != "" {
			names[i] = relation + "." + names[i]
		}
	}
	return strings.Join(names, ", ")
}

// carried returns the select list that converts the columns to texts, 64-bit numbers and floating-point numbers.
func (t StoredTable) carried() string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		name := "t." + identifier(c.Name)
		switch t.kinds[i] {
		case "INTEGER", "BOOLEAN":
			name = "CAST(" + name + " AS BIGINT)"
		case "TIMESTAMP":
			name = "epoch_us(" + name + ")"
		case "DATE":
			name = "CAST(" + name + " - DATE '1970-01-01' AS BIGINT)"
		}
		list[i] = name
	}
	return strings.Join(list, ", ")
}

// localRows is the first row number that DuckDB gives to rows of an uncommitted transaction: MAX_ROW_ID in its storage.
const localRows = 36_028_797_018_960_000

// groupRows is the number of consecutive rows that form one group of a comparison.
const groupRows = spanRows

// resultRows is the maximum number of rows that a statement reads. DuckDB stores the result of a statement in memory
// that the memory limit does not include.
const resultRows = 8 * groupRows

// Changes are the changes of an import that is about to commit: the rows that it adds to each table and removes from
// it. An updated row is in both lists.
type Changes struct {
	Schema int64

	ws       measure.WorkspaceID
	feeds    *feeds
	before   *sql.Conn // reads the facts before the import
	after    *sql.Conn // the import
	tables   []StoredTable
	updated  map[string]bool
	complete bool  // the added rows are all rows, and none are removed
	most     int64 // maximum number of rows that a statement reads

	old, now map[string]map[int64]string // fingerprints of groups of rows before and after the import, by table
}

// newRows is the group number of the rows that the import adds.
const newRows = -1

// Tables returns the workspace's tables.
func (c *Changes) Tables() []StoredTable { return c.tables }

// Complete adds all rows of the workspace to the changes, as if the workspace had been empty before.
func (c *Changes) Complete() { c.complete = true }

// Each passes blocks of changed rows of a table to the function each. Removed rows have the sign -1, and added rows
// have the sign 1. The blocks are reused.
func (c *Changes) Each(ctx context.Context, t StoredTable, each func(sign int8, rows *facts.Columnar) error) error {
	name := Dialect{}.Table(c.ws, t.Name)
	adding := func(rows *facts.Columnar) error { return each(1, rows) }
	if c.complete {
		if err := c.eachBetween(ctx, t, name, 0, localRows, adding); err != nil {
			return err
		}
		return c.eachBetween(ctx, t, name, localRows, math.MaxInt64, adding)
	}
	if err := c.compare(ctx); err != nil {
		return err
	}
	if err := c.eachOld(ctx, t, name, each); err != nil {
		return err
	}
	if _, any := c.now[t.Name][newRows]; !any {
		return nil
	}
	return c.eachBetween(ctx, t, name, localRows, math.MaxInt64, adding)
}

// eachBetween reads the rows of a table with row numbers from first to before end, after the import.
func (c *Changes) eachBetween(ctx context.Context, t StoredTable, name string, first, end int64, each func(*facts.Columnar) error) error {
	last := int64(-1)
	highest := fmt.Sprintf("SELECT coalesce(max(rowid), -1) FROM %s WHERE rowid >= %d AND rowid < %d", name, first, end)
	err := readColumns(ctx, c.after, highest, []facts.Column{{Type: facts.Int}}, func(row *facts.Columnar) error {
		last = row.Of(0).Whole[0]
		return nil
	})
	for at := first; err == nil && at <= last; at += c.most {
		text := fmt.Sprintf("SELECT %s FROM %s t WHERE rowid >= %d AND rowid < %d", t.carried(), name, at, at+c.most)
		err = readColumns(ctx, c.after, text, t.Columns, each)
	}
	return err
}

// print returns an SQL expression for the fingerprint of a row, which differs for changed rows. The fingerprint depends
// on the row number and, in updated tables, on the row's values.
func (c *Changes) print(t StoredTable) string {
	if c.updated[t.Name] {
		return "hash(rowid, " + t.named("t") + ")"
	}
	return "hash(rowid)"
}

// compare reads the fingerprints of all groups of rows before and after the import. It does nothing if they were
// already read.
func (c *Changes) compare(ctx context.Context) (err error) {
	if c.now != nil {
		return nil
	}
	if c.old, err = c.groups(ctx, c.before); err == nil {
		c.now, err = c.groups(ctx, c.after)
	}
	return err
}

func (c *Changes) groups(ctx context.Context, conn *sql.Conn) (map[string]map[int64]string, error) {
	texts := make([]string, len(c.tables))
	for i, t := range c.tables {
		texts[i] = fmt.Sprintf(`SELECT %s, CASE WHEN rowid >= %d THEN %d ELSE rowid // %d END, CAST(sum(%s) AS VARCHAR) || ' ' || count(*) FROM %s t GROUP BY ALL`,
			quoted(t.Name), localRows, newRows, groupRows, c.print(t), Dialect{}.Table(c.ws, t.Name))
	}
	groups := map[string]map[int64]string{}
	columns := []facts.Column{{Type: facts.Nullable}, {Type: facts.Int}, {Type: facts.Nullable}}
	err := readColumns(ctx, conn, strings.Join(texts, " UNION ALL "), columns, func(rows *facts.Columnar) error {
		for i, table := range rows.Of(0).Text {
			if groups[table] == nil {
				groups[table] = map[int64]string{}
			}
			groups[table][rows.Of(1).Whole[i]] = rows.Of(2).Text[i]
		}
		return nil
	})
	return groups, err
}

// eachOld finds the committed rows that the import deleted or updated. It first compares groups of rows.
func (c *Changes) eachOld(ctx context.Context, t StoredTable, name string, each func(sign int8, rows *facts.Columnar) error) error {
	for _, group := range differing(c.old[t.Name], c.now[t.Name]) {
		rows := fmt.Sprintf("SELECT rowid, CAST(%s AS VARCHAR) FROM %s t WHERE rowid >= %d AND rowid < %d",
			c.print(t), name, group*groupRows, (group+1)*groupRows)
		old, err := readPrints(ctx, c.before, rows)
		if err != nil {
			return err
		}
		now, err := readPrints(ctx, c.after, rows)
		if err != nil {
			return err
		}
		gone := differing(old, now)
		if err := c.pick(ctx, c.before, t, name, gone, func(rows *facts.Columnar) error { return each(-1, rows) }); err != nil {
			return err
		}
		kept := slices.DeleteFunc(gone, func(row int64) bool { _, ok := now[row]; return !ok })
		if err := c.pick(ctx, c.after, t, name, kept, func(rows *facts.Columnar) error { return each(1, rows) }); err != nil {
			return err
		}
	}
	return nil
}

// differing returns the sorted keys of before that have a different value or no value in after.
func differing(before, after map[int64]string) []int64 {
	var keys []int64
	for key, value := range before {
		if now, ok := after[key]; !ok || now != value {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// pick reads the rows of a table with the given row numbers.
func (c *Changes) pick(
	ctx context.Context, conn *sql.Conn, t StoredTable, name string, rows []int64, each func(*facts.Columnar) error,
) error {
	if len(rows) == 0 {
		return nil
	}
	if err := execute(ctx, conn, "CREATE OR REPLACE TEMP TABLE picked_rows (id BIGINT)"); err != nil {
		return err
	}
	numbers := facts.NewColumnar([]facts.Column{{Name: "id", Type: facts.Int}})
	numbers.Of(0).Whole = rows
	numbers.Grow(len(rows))
	if err := c.feeds.insert(ctx, conn, "picked_rows", numbers, 1); err != nil {
		return err
	}
	text := fmt.Sprintf("SELECT %s FROM %s t WHERE rowid >= %d AND rowid <= %d AND rowid IN (SELECT id FROM picked_rows)",
		t.carried(), name, rows[0], rows[len(rows)-1])
	return readColumns(ctx, conn, text, t.Columns, each)
}

func readPrints(ctx context.Context, conn *sql.Conn, text string) (map[int64]string, error) {
	prints := map[int64]string{}
	err := readColumns(ctx, conn, text, []facts.Column{{Type: facts.Int}, {Type: facts.Nullable}}, func(rows *facts.Columnar) error {
		for i, key := range rows.Of(0).Whole {
			prints[key] = rows.Of(1).Text[i]
		}
		return nil
	})
	return prints, err
}

// updates matches the tables that a statement of the merge updates in place.
var updates = regexp.MustCompile(`UPDATE "[^"]+"\.main\."([a-z_]+)"`)

// noteUpdates records the tables that a statement updates. In DuckDB, an update does not change row numbers.
func (s *session) noteUpdates(text string) {
	for _, match := range updates.FindAllStringSubmatch(text, -1) {
		s.updated[match[1]] = true
	}
}

// publish sends the changes of the session to the publisher and stores their [Place] in the file.
func (s *session) publish(ctx context.Context) error {
	before, err := s.workspace.instance.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer before.Close()
	c := &Changes{ws: s.workspace.id, feeds: s.feeds, before: before, after: s.conn, updated: s.updated, most: resultRows}
	return c.publish(ctx, s.workspace, s.publisher)
}

func (c *Changes) publish(ctx context.Context, w *workspace, to Publisher) (err error) {
	if c.tables, err = storedTables(ctx, c.after, catalog(w.id)); err != nil {
		return err
	}
	state, err := stateOf(ctx, c.after, w)
	if err != nil {
		return err
	}
	c.Schema = state.Schema
	place, err := to(ctx, w.id, c)
	if err != nil {
		return err
	}
	if err := notePlace(context.WithoutCancel(ctx), c.after, w, place); err != nil { // the changes are stored, so the file must follow
		return fmt.Errorf("%w: %w", warehouse.ErrUnknownOutcome, err)
	}
	return nil
}

// Publish publishes all facts of a workspace and stores their [Place] in the file.
func (e *Engine) Publish(ctx context.Context, ws measure.WorkspaceID, to Publisher) error {
	return e.alone(ctx, ws, func(w *workspace, conn *sql.Conn) error {
		c := &Changes{ws: ws, feeds: e.feeds, before: conn, after: conn, complete: true, most: resultRows}
		return c.publish(ctx, w, to)
	})
}

// alone runs a transaction as the only writer of a workspace.
func (e *Engine) alone(ctx context.Context, ws measure.WorkspaceID, do func(*workspace, *sql.Conn) error) error {
	leave, err := e.enterWriter(ctx, ws)
	if err != nil {
		return err
	}
	defer leave()
	w, release, err := e.acquire(ctx, ws)
	if err != nil {
		return err
	}
	defer release()
	s, err := e.session(ctx, w)
	if err != nil {
		return e.noticed(ctx, w, err)
	}
	defer s.Close()
	if err := do(w, s.conn); err != nil {
		return e.noticed(ctx, w, err)
	}
	s.publisher = nil
	if err := s.Commit(ctx); err != nil {
		return e.noticed(ctx, w, err)
	}
	return w.readVersion(context.WithoutCancel(ctx)) // the changes are committed
}

// notePlace stores the place as a comment on a table. The comment is part of the transaction but changes no row.
func notePlace(ctx context.Context, conn *sql.Conn, w *workspace, p Place) error {
	return execute(ctx, conn, w.text("COMMENT ON TABLE {{data_version}} IS ")+quoted(fmt.Sprintf("commit %d %d", p.Sequence, p.Attempt)))
}

// Place returns the workspace's position in the commits, as stored in its file, and the file's schema version. A
// workspace without a file has the zero place.
func (e *Engine) Place(ctx context.Context, ws measure.WorkspaceID) (p Place, schema int64, err error) {
	w, release, err := e.acquire(ctx, ws)
	if err != nil {
		return p, 0, err
	}
	defer release()
	var comment sql.NullString
	err = w.instance.db.QueryRowContext(ctx, w.text(`
SELECT (SELECT max(version) FROM {{schema_version}}), (SELECT comment FROM duckdb_tables() WHERE table_name = 'data_version' AND database_name = $1)`),
		catalog(ws)).Scan(&schema, &comment)
	if err != nil {
		return p, 0, e.noticed(ctx, w, err)
	}
	if kind, rest, _ := strings.Cut(comment.String, " "); kind == "commit" {
		sequence, attempt, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(sequence, 10, 64)
		a, err2 := strconv.ParseInt(attempt, 10, 64)
		if err == nil && err2 == nil {
			p = Place{Sequence: n, Attempt: a}
		}
	}
	return p, schema, nil
}

// RowSource passes the changed rows of tables: added rows with the sign 1, removed rows with the sign -1.
type RowSource func(tables []StoredTable, pass func(table StoredTable, sign int8, rows *facts.Columnar) error) error

// Apply changes a workspace in one transaction and stores its new place. If emptied is true, it first deletes all rows
// of the workspace.
func (e *Engine) Apply(ctx context.Context, ws measure.WorkspaceID, p Place, emptied bool, from RowSource) error {
	return e.alone(ctx, ws, func(w *workspace, conn *sql.Conn) error {
		if emptied {
			if err := empty(ctx, conn, ws); err != nil {
				return err
			}
		}
		return e.fill(ctx, conn, w, p, from)
	})
}

// Upgrade replaces the rows of a workspace with rows in the schema of an earlier release. It migrates these rows to the
// schema of this release and stores the new place. All steps are one transaction.
func (e *Engine) Upgrade(ctx context.Context, ws measure.WorkspaceID, p Place, schema int64, from RowSource) error {
	files, err := migrationFiles()
	if err != nil {
		return err
	}
	return e.alone(ctx, ws, func(w *workspace, conn *sql.Conn) error {
		if err := dropSchema(ctx, conn, w); err != nil {
			return err
		}
		for i, file := range files {
			if int64(i) == schema {
				if err := empty(ctx, conn, ws); err != nil {
					return err
				}
				if err := e.fill(ctx, conn, w, p, from); err != nil {
					return err
				}
			}
			if err := step(ctx, conn, w, file, i+1); err != nil {
				return fmt.Errorf("migration %s: %w", file, err)
			}
		}
		return notePlace(ctx, conn, w, p)
	})
}

// dropSchema removes the tables and views of a workspace. The table of migrations remains and becomes empty.
func dropSchema(ctx context.Context, conn *sql.Conn, w *workspace) error {
	var drops string
	err := conn.QueryRowContext(ctx, `
SELECT string_agg(drop, '; ') FROM (
    SELECT format('DROP VIEW "{}".main."{}"', database_name, view_name) AS drop FROM duckdb_views()
    WHERE NOT internal AND database_name = $1
    UNION ALL
    SELECT format('DROP TABLE "{}".main."{}"', database_name, table_name) FROM duckdb_tables()
    WHERE database_name = $1 AND table_name <> 'schema_version'
)`, catalog(w.id)).Scan(&drops)
	if err != nil {
		return err
	}
	return execute(ctx, conn, drops+w.text("; DELETE FROM {{schema_version}}"))
}

// empty deletes all rows of a workspace.
func empty(ctx context.Context, conn *sql.Conn, ws measure.WorkspaceID) error {
	tables, err := storedTables(ctx, conn, catalog(ws))
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := execute(ctx, conn, "DELETE FROM "+Dialect{}.Table(ws, t.Name)); err != nil {
			return err
		}
	}
	return nil
}

// fill adds and removes the passed rows and stores the new place of the workspace.
func (e *Engine) fill(ctx context.Context, conn *sql.Conn, w *workspace, p Place, from RowSource) error {
	ws := w.id
	tables, err := storedTables(ctx, conn, catalog(ws))
	if err != nil {
		return err
	}
	removed := map[string]bool{}
	err = from(tables, func(t StoredTable, sign int8, rows *facts.Columnar) error {
		to := Dialect{}.Table(ws, t.Name)
		if sign < 0 {
			to = "temp.main." + identifier("removed_"+t.Name)
			if !removed[t.Name] {
				removed[t.Name] = true
				create := fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT * FROM %s LIMIT 0", identifier("removed_"+t.Name), Dialect{}.Table(ws, t.Name))
				if err := execute(ctx, conn, create); err != nil {
					return err
				}
			}
		}
		return e.feeds.insert(ctx, conn, to, rows, e.feedThreads())
	})
	if err != nil {
		return err
	}
	for _, t := range tables {
		if !removed[t.Name] {
			continue
		}
		if err := t.remove(ctx, conn, ws); err != nil {
			return fmt.Errorf("removed rows of %s: %w", t.Name, err)
		}
	}
	return notePlace(ctx, conn, w, p)
}

// remove deletes one equal row of the table for each removed row of a commit. A missing row means that the file and the
// commit are inconsistent.
func (t StoredTable) remove(ctx context.Context, conn *sql.Conn, ws measure.WorkspaceID) error {
	name, removed := Dialect{}.Table(ws, t.Name), "temp.main."+identifier("removed_"+t.Name)
	var want int64
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM "+removed).Scan(&want); err != nil {
		return err
	}
	equal := make([]string, len(t.Columns))
	days := "true"
	for i, c := range t.Columns {
		equal[i] = fmt.Sprintf("t.%[1]s IS NOT DISTINCT FROM g.%[1]s", identifier(c.Name))
		if c.Name == "day" && c.Type == facts.Day { // with this condition, DuckDB reads only the blocks with these days
			var first, last sql.NullString
			err := conn.QueryRowContext(ctx, "SELECT CAST(min(day) AS VARCHAR), CAST(max(day) AS VARCHAR) FROM "+removed+" HAVING count(*) = count(day)").Scan(&first, &last)
			if err == nil && first.Valid {
				days = "t.day >= DATE " + quoted(first.String) + " AND t.day <= DATE " + quoted(last.String)
			}
		}
	}
	done, err := conn.ExecContext(ctx, fmt.Sprintf(`
DELETE FROM %[1]s WHERE rowid IN (
    SELECT id FROM (
        SELECT t.rowid AS id, g.removed_rows AS most, row_number() OVER (PARTITION BY %[3]s) AS number
        FROM %[1]s t
        JOIN (SELECT *, count(*) AS removed_rows FROM %[2]s GROUP BY ALL) g ON %[4]s
        WHERE %[5]s
    ) WHERE number <= most
)`, name, removed, t.named("t"), strings.Join(equal, " AND "), days))
	if err != nil {
		return err
	}
	got, err := done.RowsAffected()
	if err == nil && got != want {
		err = fault.Unavailable("the local copy of workspace %s does not have %d of %d rows", ws, want-got, want).
			WithHint("delete the local copy; it is created again")
	}
	return err
}
