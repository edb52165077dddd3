package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/app"
	"assay/internal/auth"
	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/spelling"
	"assay/internal/tools"
)

type keysCommand struct {
	Create keysCreate `cmd:"" help:"Create a key. Its secret is shown once."`
	List   keysList   `cmd:"" help:"List a workspace's keys."`
	Revoke keysRevoke `cmd:"" help:"Revoke a key permanently."`
	Rotate keysRotate `cmd:"" help:"Replace a key; the old key stays valid during --overlap."`
}

// dataFlag is the flag --data of commands that use the control data.
type dataFlag struct {
	Data string `env:"ASSAY_DATA" placeholder:"D" help:"Data directory. Default: the data setting."`
}

// settings loads the settings of the service: the file that ASSAY_CONFIG names, the environment and --data.
func (d *dataFlag) settings() (config.Config, error) {
	flags := make(map[string]string)
	if d.Data != "" {
		flags["data"] = d.Data
	}
	c, err := config.Load(config.Sources{File: os.Getenv("ASSAY_CONFIG"), Environ: os.Environ(), Flags: flags})
	if err == nil {
		d.Data = c.Data // messages name the data directory
	}
	return c, err
}

// do runs an operation on a workspace of the data directory. The audit log records the name of the command.
func do[In, Out any](
	ctx context.Context, con *console, d dataFlag, op operation.Operation[In, Out], command, workspace string, in In,
) (out Out, err error) {
	settings, err := d.settings()
	if err != nil {
		return out, err
	}
	call := operation.Call{Workspace: measure.WorkspaceID(workspace), Caller: operation.Operator("assay " + command)}
	return app.Do(ctx, settings, op, call, in, con.now)
}

func (d dataFlag) open(ctx context.Context, con *console) (*app.Control, error) {
	settings, err := d.settings()
	if err != nil {
		return nil, err
	}
	return app.OpenControl(ctx, app.ControlOf(settings, con.now))
}

const maxDays = 3650

type keysCreate struct {
	dataFlag
	Workspace string   `required:"" placeholder:"W" help:"Workspace of the key."`
	Name      string   `default:"key" placeholder:"N" help:"Name of the key, such as the client that uses it."`
	Scopes    []string `default:"measurement.read" placeholder:"S,…" help:"Scopes: measurement.read, measurement.write or measurement.approve_execution."`
	Tools     []string `placeholder:"T,…" help:"Allowed tools. Default: all."`
	Days      int      `default:"90" help:"Days until the key expires; 0: never."`
	JSON      bool     `name:"json" help:"Print JSON."`
}

// Run creates the key and prints its secret.
func (c *keysCreate) Run(ctx context.Context, con *console) error {
	if c.Days < 0 || c.Days > maxDays {
		return fault.Invalid("--days %d is not between 0 and %d", c.Days, maxDays)
	}
	scopes, err := control.ParseScopes(c.Scopes)
	if err != nil {
		return err
	}
	if err := areTools(c.Tools); err != nil {
		return err
	}
	made, err := do(ctx, con, c.dataFlag, operation.CreateKey, "keys create", c.Workspace, auth.NewKey{
		Name: c.Name, Scopes: scopes, Tools: c.Tools, Lifetime: time.Duration(c.Days) * 24 * time.Hour, NoExpiry: c.Days == 0,
	})
	if err != nil {
		return err
	}
	return printSecret(con, c.JSON, made.Secret, made.Key)
}

// areTools rejects unknown tool names, because a key for them would give no access.
func areTools(names []string) error {
	var all []string
	for _, t := range tools.All() {
		all = append(all, t.Name)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			if near := nearest(name, all); near != "" {
				return fault.Invalid("tool %q does not exist; did you mean %s?", name, near).WithHint("the tools are %s", strings.Join(all, ", "))
			}
			return fault.Invalid("tool %q does not exist", name).WithHint("the tools are %s", strings.Join(all, ", "))
		}
	}
	return nil
}

// nearest returns the known name that a misspelled name probably means, or "" if none is close.
func nearest(name string, all []string) string {
	best, least := "", max(2, len(name)/4)+1
	for _, other := range all {
		if d := spelling.Distance(strings.ToLower(name), other); d < least {
			best, least = other, d
		}
	}
	return best
}

func printSecret(con *console, asJSON bool, secret auth.Secret, key control.Key) error {
	if asJSON {
		return printJSON(con.out, map[string]any{"id": key.ID, "key": string(secret), "expires_at": instant(key.ExpiresAt)})
	}
	fmt.Fprintln(con.out, string(secret))
	// Standard error of a scheduled rotation is often stored in a log, so it does not contain the secret.
	fmt.Fprintf(con.errs, "key %s for %s, %s, expires %s. The secret is shown only now.\nnext: assay serve, then: ASSAY_KEY=SECRET assay call performance\n",
		key.ID, key.Workspace, join(key.Scopes), orNever(key.ExpiresAt))
	return nil
}

type keysList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the keys."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

type keyLine struct {
	ID        control.KeyID   `json:"id"`
	Name      string          `json:"name"`
	Hint      string          `json:"hint"`
	State     string          `json:"state"`
	Scopes    []control.Scope `json:"scopes"`
	Tools     []string        `json:"tools,omitempty"`
	CreatedAt *time.Time      `json:"created_at"`
	ExpiresAt *time.Time      `json:"expires_at"`
	RevokedAt *time.Time      `json:"revoked_at"`
	LastUsed  *time.Time      `json:"last_used"`
}

// Run lists the keys.
func (c *keysList) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con)
	if err != nil {
		return err
	}
	defer store.Close()
	if _, err := store.Store.Workspace(ctx, measure.WorkspaceID(c.Workspace)); err != nil {
		return err
	}
	keys, err := store.Keys.List(ctx, measure.WorkspaceID(c.Workspace))
	if err != nil {
		return err
	}
	lines := make([]keyLine, 0, len(keys))
	for _, k := range keys {
		lines = append(lines, keyLine{
			ID: k.ID, Name: k.Name, Hint: "asy_" + k.Hint + "…", State: state(k, con.now()), Scopes: k.Scopes, Tools: k.Tools,
			CreatedAt: instant(k.CreatedAt), ExpiresAt: instant(k.ExpiresAt), RevokedAt: instant(k.RevokedAt), LastUsed: instant(k.LastUsed),
		})
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintf(con.errs, "workspace %s has no keys; create one with: assay keys create --workspace %s\n", c.Workspace, c.Workspace)
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"id", "name", "key", "state", "scopes", "expires", "last used"})
	for i, l := range lines {
		t.AppendRow(table.Row{l.ID, l.Name, l.Hint, l.State, join(l.Scopes), orNever(keys[i].ExpiresAt), orNever(keys[i].LastUsed)})
	}
	t.Render()
	return nil
}

func state(k control.Key, now time.Time) string {
	switch {
	case !k.RevokedAt.IsZero():
		return "revoked"
	case !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt):
		return "expired"
	}
	return "valid"
}

type keysRevoke struct {
	dataFlag
	ID control.KeyID `arg:"" help:"ID of the key (assay keys list)."`
}

// Run revokes the key.
func (c *keysRevoke) Run(ctx context.Context, con *console) error {
	workspace, err := keyWorkspace(ctx, con, c.dataFlag, c.ID)
	if err != nil {
		return err
	}
	key, err := do(ctx, con, c.dataFlag, operation.RevokeKey, "keys revoke", workspace, c.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(con.errs, "key %s (%s) is revoked; a running service rejects it within seconds\n", key.ID, key.Name)
	return nil
}

type keysRotate struct {
	dataFlag
	ID      control.KeyID `arg:"" help:"ID of the key (assay keys list)."`
	Overlap time.Duration `default:"24h" help:"How long the old key stays valid."`
	JSON    bool          `name:"json" help:"Print JSON."`
}

// Run creates the new key and prints its secret.
func (c *keysRotate) Run(ctx context.Context, con *console) error {
	if c.Overlap <= 0 {
		return fault.Invalid("--overlap %s is not positive", c.Overlap).WithHint("to replace a key immediately, create a new one and revoke the old one")
	}
	workspace, err := keyWorkspace(ctx, con, c.dataFlag, c.ID)
	if err != nil {
		return err
	}
	made, err := do(ctx, con, c.dataFlag, operation.RotateKey, "keys rotate", workspace, operation.Rotation{ID: c.ID, Overlap: c.Overlap})
	if err != nil {
		return err
	}
	return printSecret(con, c.JSON, made.Secret, made.Key)
}

// keyWorkspace returns the workspace of a key.
func keyWorkspace(ctx context.Context, con *console, d dataFlag, id control.KeyID) (string, error) {
	store, err := d.open(ctx, con)
	if err != nil {
		return "", err
	}
	defer store.Close()
	key, err := store.Store.Key(ctx, id)
	return string(key.Workspace), err
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

func join[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return strings.Join(texts, ", ")
}

func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	utc := t.UTC()
	return &utc
}

func orNever(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04")
}
