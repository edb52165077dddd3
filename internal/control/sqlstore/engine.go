package sqlstore

import (
	"context"
	"database/sql"
	"hash/fnv"
	"io/fs"
	"regexp"
	"strings"
	"testing/fstest"

	"github.com/pressly/goose/v3"
)

// engine is the database engine that stores the control data.
type engine struct {
	goose      goose.Dialect
	variant    string         // ending of migrations for this engine only, such as ".postgres.sql"
	text       *regexp.Regexp // text to replace in other migrations
	by         string         // replacement of the text
	changes    *sql.TxOptions // options of transactions that change data
	state      string         // a query that returns a different result after every change
	tables     string         // a query of the names of all tables
	rowsAtOnce int            // number of rows in one statement of a copy
}

// migrations returns the migrations of the engine. A migration name.postgres.sql replaces name.sql for PostgreSQL.
func (e engine) migrations() (fs.FS, error) {
	all, err := fs.ReadDir(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	files, own := fstest.MapFS{}, map[string][]byte{}
	for _, f := range all {
		text, err := migrations.ReadFile("migrations/" + f.Name())
		if err != nil {
			return nil, err
		}
		switch name := f.Name(); {
		case e.variant != "" && strings.HasSuffix(name, e.variant):
			own[strings.TrimSuffix(name, e.variant)+".sql"] = text
		case strings.Count(name, ".") > 1: // a migration of another engine
		case e.text != nil:
			files[name] = &fstest.MapFile{Data: e.text.ReplaceAll(text, []byte(e.by))}
		default:
			files[name] = &fstest.MapFile{Data: text}
		}
	}
	for name, text := range own {
		files[name] = &fstest.MapFile{Data: text}
	}
	return files, nil
}

// tablesOf returns the names of all tables of the database, sorted.
func tablesOf(ctx context.Context, e engine, q querier) ([]string, error) {
	return collect(ctx, q, func(row scanner) (name string, err error) {
		return name, row.Scan(&name)
	}, e.tables)
}

// stateOf returns the result of the query [engine.state] as a number.
func stateOf(value any) uint64 {
	switch v := value.(type) {
	case int64:
		return uint64(v)
	case string:
		h := fnv.New64a()
		h.Write([]byte(v)) // never fails
		return h.Sum64()
	}
	panic("sqlstore: the state of the database is neither a number nor text")
}
