package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/app"
	"assay/internal/backup"
	"assay/internal/config"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/operation"
)

type backupCommand struct {
	dataFlag
	Dir        string `arg:"" help:"Folder of backups, outside of the data directory; created if missing."`
	WithSecret bool   `help:"Include the secret of the installation. Anyone who can read the folder can then use all keys."`
	Keep       int    `placeholder:"N" help:"Remove all but the newest N backups. Default: keep all."`
	JSON       bool   `name:"json" help:"Print JSON."`
}

// Run makes a backup, in the running service if there is one.
func (c *backupCommand) Run(ctx context.Context, con *console) error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fault.Invalid("folder %s: %v", c.Dir, err)
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	bar := newProgress(con.errs, "copying")
	call := operation.Call{Caller: operation.Operator("assay backup"), Progress: bar.set}
	request := backup.Request{Dir: dir, WithSecret: c.WithSecret, Keep: c.Keep}
	made, err := app.Do(ctx, settings, operation.MakeBackup, call, request, con.now)
	bar.end()
	if err != nil {
		return err
	}
	if c.JSON {
		if err := printJSON(con.out, made); err != nil {
			return err
		}
		return made.Err()
	}
	fmt.Fprintf(con.out, "backup of %s: %d files, %s, %s new; facts of %d of %d workspaces changed\n",
		made.At.Format(time.RFC3339), made.Files, bytesText(made.Bytes), bytesText(made.NewBytes), len(made.Copied), made.Workspaces)
	if made.Removed > 0 {
		fmt.Fprintf(con.out, "removed %d old backups\n", made.Removed)
	}
	fmt.Fprintf(con.errs, "restore it with: assay restore %s --data NEW-DIRECTORY\n", c.Dir)
	if !made.WithSecret {
		fmt.Fprintf(con.errs, "the backup has no installation secret: store a copy of %s in another place\n", secretOf(settings))
	}
	return made.Err()
}

// secretOf returns the path of the installation's secret.
func secretOf(c config.Config) string {
	return cmp.Or(c.SecretFile, filepath.Join(c.Data, datadir.Secret))
}

// bytesText formats a size in bytes.
func bytesText(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1e3)
}

type restoreCommand struct {
	dataFlag
	Dir  string `arg:"" help:"Folder of backups."`
	At   string `placeholder:"TIME" help:"Restore the newest backup made at or before this time (UTC). Default: the newest."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// restoreResult is the result of a restore as JSON.
type restoreResult struct {
	At          time.Time           `json:"at"`
	Program     string              `json:"program"`
	Compared    []backup.Comparison `json:"compared"`
	Problems    map[string]string   `json:"problems,omitempty"`
	LacksSecret bool                `json:"lacks_secret"`
}

// Run restores a backup and prints the comparison with its manifest.
func (c *restoreCommand) Run(ctx context.Context, con *console) error {
	at, err := parseInstant(c.At)
	if err != nil {
		return err
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	bar := newProgress(con.errs, "restoring")
	restored, err := app.Restore(ctx, settings, c.Dir, at, bar.set)
	bar.end()
	if len(restored.Compared) > 0 {
		if printed := c.print(con, restored); printed != nil {
			return printed
		}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(con.errs, "restored the backup of %s, made by assay %s, into %s\n",
		restored.Manifest.At.Format(time.RFC3339), restored.Manifest.Program, c.Data)
	for _, w := range restored.Manifest.Workspaces {
		if w.Problem != "" {
			fmt.Fprintf(con.errs, "workspace %s: the facts are missing or from an earlier backup: %s\n", w.ID, w.Problem)
		}
	}
	if restored.LacksSecret {
		fmt.Fprintf(con.errs, "the backup has no installation secret: copy the saved secret to %s with mode 0600.\n"+
			"Without the secret, no API key is valid. Assay cannot read webhook secrets and cannot recognize returning customers\n",
			secretOf(settings))
	}
	if own := filepath.Join(c.Data, datadir.Secret); !restored.LacksSecret && own != secretOf(settings) {
		fmt.Fprintf(con.errs, "the installation secret is in %s: move it to %s with mode 0600 before you start the service\n", own, settings.SecretFile)
	}
	if settings.ControlURL.Text() != "" {
		fmt.Fprintf(con.errs, "the restored control data are in SQLite: move them to an empty PostgreSQL database with assay control move --data %s\n", c.Data)
		return nil
	}
	fmt.Fprintf(con.errs, "next: assay doctor --data %s\n", c.Data)
	return nil
}

// print prints the tables that have rows or differ from the manifest.
func (c *restoreCommand) print(con *console, r backup.Restored) error {
	if c.JSON {
		result := restoreResult{
			At: r.Manifest.At, Program: r.Manifest.Program, Compared: r.Compared, LacksSecret: r.LacksSecret,
			Problems: map[string]string{},
		}
		for _, w := range r.Manifest.Workspaces {
			if w.Problem != "" {
				result.Problems[string(w.ID)] = w.Problem
			}
		}
		return printJSON(con.out, result)
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"workspace", "table", "rows in backup", "rows restored", "rows and totals by day"})
	equal := 0
	for _, one := range r.Compared {
		verdict := "equal"
		if !one.Equal {
			verdict = "DIFFERENT"
		} else {
			equal++
		}
		if one.Rows > 0 || one.Restored > 0 || !one.Equal {
			name := string(one.Workspace)
			if name == "" {
				name = "(control data)"
			}
			t.AppendRow(table.Row{name, one.Table, one.Rows, one.Restored, verdict})
		}
	}
	t.Render()
	_, err := fmt.Fprintf(con.out, "%d of %d tables are equal to the backup\n", equal, len(r.Compared))
	return err
}

// parseInstant parses an instant or a day. For a day, it returns the last millisecond of the day in UTC. For "", it
// returns the zero time.
func parseInstant(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, 1).Add(-time.Millisecond), nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02 15:04:05"} {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fault.Invalid("--at %q is not a time", text).
		WithHint("use 2026-11-23 for the end of a day, or 2026-11-23T06:30:00Z; times are UTC")
}
