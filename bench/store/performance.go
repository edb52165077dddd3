package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"assay/bench/process"
	"assay/bench/report"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/mcp"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/tools"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// side is one implementation of the answer.
type side struct {
	name      string
	ask       func(context.Context, civil.Range) error
	remote    bool          // a server runs the statements, so this process does not measure their CPU time
	wall, cpu report.Sample // milliseconds, one per window
}

// comparePerformance queries every side in turn. It uses distinct windows of 30 days, so that no answer is cached.
func comparePerformance(ctx context.Context, o settings, f files) (err error) {
	copied := filepath.Join(filepath.Dir(f.data), "hand-written.duckdb")
	if err := copyFile(copied, f.database()); err != nil {
		return err
	}
	engine, err := duckdb.Open(ctx, duckdb.Options{Dir: filepath.Dir(f.database()), Clock: clock})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close(ctx)) }()
	session, opening, err := firstCall(ctx, engine)
	if err != nil {
		return err
	}
	return onDatabase(ctx, copied, func(db *sql.Conn) (err error) {
		prepared, err := db.PrepareContext(ctx, statement)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, prepared.Close()) }()
		for i := range o.calls {
			if err := sameFigures(ctx, session, prepared.QueryContext, windowAt(i)); err != nil {
				return err
			}
		}
		sides := []*side{assaySide(session), sqlSide("SQL prepared once", prepared.QueryContext), sqlSide("SQL", unprepared(db))}
		if err := inTurn(ctx, sides, o.calls); err != nil {
			return err
		}
		return reportPerformance(o, sides, opening)
	})
}

func assaySide(session mcp.Session) *side {
	return &side{name: "assay", ask: func(ctx context.Context, w civil.Range) error {
		_, err := call(ctx, session, w, "")
		return err
	}}
}

func sqlSide(name string, query queryer) *side {
	return &side{name: name, ask: func(ctx context.Context, w civil.Range) error {
		_, err := ask(ctx, query, w)
		return err
	}}
}

// unprepared sends the statement as text each time.
func unprepared(db *sql.Conn) queryer {
	return func(ctx context.Context, args ...any) (*sql.Rows, error) {
		return db.QueryContext(ctx, statement, args...)
	}
}

// windowAt returns the i-th window of 30 days, counted back from the last day. Windows repeat after two years.
func windowAt(i int) civil.Range {
	last := lastDay.AddDays(-(i % (storeDays - 60)))
	return civil.Range{First: last.AddDays(-29), Last: last}
}

// inTurn queries every window on every side. The order of the sides alternates, because the side that runs second has
// warmer caches.
func inTurn(ctx context.Context, sides []*side, calls int) error {
	for i := range calls {
		for n := range sides {
			s := sides[(i+n)%len(sides)]
			watch := process.Begin()
			if err := s.ask(ctx, windowAt(i)); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			wall, cpu := watch.Took()
			s.wall = append(s.wall, float64(wall.Microseconds())/1000)
			s.cpu = append(s.cpu, float64(cpu.Microseconds())/1000)
		}
	}
	return nil
}

// firstCall opens the tools over an engine and measures the first call.
func firstCall(ctx context.Context, engine warehouse.Engine) (session mcp.Session, took time.Duration, err error) {
	service, err := toolkit.NewService(toolkit.Deps{
		Sources: snapshot.Sources{Facts: warehouse.New(engine), Models: toolkittest.Nothing{}, Experiments: toolkittest.Nothing{}, Clock: clock, Now: clock},
		Keys:    toolkittest.Nothing{}, Hooks: toolkittest.Nothing{}, Calls: toolkittest.Nothing{}, Callers: toolkittest.Nothing{},
		Log: slog.New(slog.DiscardHandler),
	}, tools.All())
	if err != nil {
		return nil, 0, err
	}
	session = service.Session(reader(), "bench")
	watch := process.Begin()
	_, err = call(ctx, session, windowAt(0), "debug")
	took, _ = watch.Took()
	return session, took, err
}

// clock returns noon of the store's last day.
func clock() time.Time { return lastDay.UTC().Add(12 * time.Hour) }

// reader is a key with read scope.
func reader() auth.Principal {
	workspace := control.NewWorkspace(workspaceID)
	workspace.ID, workspace.Version = workspaceID, 1
	return auth.Principal{Workspace: workspace, Actor: "key:bench", Kind: auth.ByKey, Scopes: []control.Scope{control.ScopeRead}}
}

// call calls the tool for a window.
func call(ctx context.Context, session mcp.Session, window civil.Range, detail string) (json.RawMessage, error) {
	arguments, err := json.Marshal(struct {
		Start  civil.Date `json:"start_date"`
		End    civil.Date `json:"end_date"`
		Detail string     `json:"detail_level,omitempty"`
	}{window.First, window.Last, detail})
	if err != nil {
		return nil, err
	}
	return session.CallTool(ctx, "performance", arguments)
}

func copyFile(to, from string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

func reportPerformance(o settings, sides []*side, opening time.Duration) error {
	rows := []report.Row{{What: "assay, first call after the start", Of: report.Sample{float64(opening.Microseconds()) / 1000}, Unit: "ms"}}
	for _, s := range sides {
		rows = append(rows, report.Row{What: s.name, Of: s.wall, Unit: "ms"})
	}
	for _, s := range sides {
		if !s.remote {
			rows = append(rows, report.Row{What: s.name + ", CPU", Of: s.cpu, Unit: "ms"})
		}
	}
	for _, s := range sides[1:] {
		wall := report.Times(sides[0].wall, s.wall)
		rows = append(rows, report.Row{What: "assay / " + s.name, Of: wall, Unit: "times", Verdict: wall.AtMost(1.3)})
		if !s.remote {
			rows = append(rows, report.Row{What: "assay / " + s.name + ", CPU", Of: report.Times(sides[0].cpu, s.cpu), Unit: "times"})
		}
	}
	return report.Print(os.Stdout, fmt.Sprintf("Tool performance over 30 days of %d orders, not cached, %d windows", o.orders, o.calls), rows)
}
