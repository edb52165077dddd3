package operation

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"assay/internal/ads"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

// ConnectionLine is a connection without its credentials.
type ConnectionLine struct {
	Platform    string                   `json:"platform"` // in the contract's spelling: facebook, google_ads or tiktok
	Account     string                   `json:"account"`
	Name        string                   `json:"name,omitempty"` // name of the account
	Status      control.ConnectionStatus `json:"status"`
	Problem     string                   `json:"problem,omitempty"`
	Hint        string                   `json:"hint,omitempty"`
	TestedAt    *time.Time               `json:"tested_at"`
	Currency    money.Currency           `json:"currency,omitempty"`
	Zone        string                   `json:"timezone,omitempty"`
	Expires     *time.Time               `json:"token_expires"`
	Permissions []string                 `json:"permissions,omitempty"`
	Sandbox     bool                     `json:"sandbox,omitempty"` // a simulated account of the demo store
	CreatedAt   time.Time                `json:"created_at"`
}

// ConnectionLineOf describes a connection.
func ConnectionLineOf(c control.Connection) ConnectionLine {
	instant := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	return ConnectionLine{
		Platform: ads.WritingName(c.Platform), Account: c.Account, Name: c.Name, Status: c.Status, Problem: c.Problem, Hint: c.Hint,
		TestedAt: instant(c.TestedAt), Currency: c.Currency, Zone: c.Zone, Expires: instant(c.Expires),
		Permissions: c.Permissions, Sandbox: c.Sandbox, CreatedAt: c.CreatedAt,
	}
}

// NewConnection is an account to connect.
type NewConnection struct {
	Platform    string // facebook, google_ads or tiktok
	Credentials string // one JSON object; docs/platforms.md lists its members
}

// AddConnection encrypts, stores and tests the credentials of an ad account. Credentials that fail the test are also
// stored, with the status error, because the platform may be temporarily unavailable. A later test updates the status.
// An account that is already connected gets the new credentials.
var AddConnection = Operation[NewConnection, ConnectionLine]{
	Spec{Name: "connection.add", Needs: Manage, Facts: true, Undo: "Remove the connection."},
	(*Run).addConnection,
}

func (r *Run) addConnection(ctx context.Context, in NewConnection) (line ConnectionLine, err error) {
	p, err := ads.ParsePlatform(in.Platform)
	if err != nil {
		return line, err
	}
	opened, err := r.Accounts.Open(p, []byte(in.Credentials))
	if err != nil {
		return line, err
	}
	by := r.By()
	c := control.Connection{
		Workspace: r.Workspace.ID, Platform: p, Account: opened.Account().ID, CreatedAt: by.At,
		Sealed: r.Installation.Seal(r.Workspace.ID, compact(in.Credentials)),
	}
	if c.ConnectionState = r.Accounts.Try(ctx, opened); ctx.Err() != nil {
		return line, ctx.Err()
	}
	if err := r.Store.AddConnection(ctx, c, by); err != nil {
		return line, err
	}
	r.Accounts.Forget(c.Workspace, opened.Account())
	return ConnectionLineOf(c), nil
}

// compact removes white space from the JSON, such as the line break at the end of a file.
func compact(text string) string {
	var members map[string]string
	if json.Unmarshal([]byte(text), &members) != nil {
		return text // unreachable, because the caller has parsed the text
	}
	small, err := json.Marshal(members)
	if err != nil {
		return text
	}
	return string(small)
}

// ListConnections lists a workspace's connections by platform and account.
var ListConnections = Operation[None, []ConnectionLine]{
	Spec{Name: "connection.list", Needs: Read, Facts: true},
	func(r *Run, ctx context.Context, _ None) ([]ConnectionLine, error) {
		all, err := r.Store.Connections(ctx, r.Workspace.ID)
		return connectionLines(all), err
	},
}

func connectionLines(all []control.Connection) []ConnectionLine {
	lines := make([]ConnectionLine, 0, len(all))
	for _, c := range all {
		lines = append(lines, ConnectionLineOf(c))
	}
	return lines
}

// TestedConnections selects connections to test.
type TestedConnections struct {
	Platform string // "": of all platforms
}

// TestConnections tests connections and stores the results.
var TestConnections = Operation[TestedConnections, []ConnectionLine]{
	Spec{Name: "connection.test", Needs: Write, Facts: true, Undo: "A test changes nothing on the platform."},
	func(r *Run, ctx context.Context, in TestedConnections) (lines []ConnectionLine, err error) {
		var p measure.Platform
		if in.Platform != "" {
			if p, err = ads.ParsePlatform(in.Platform); err != nil {
				return nil, err
			}
		}
		all, err := r.Accounts.Test(ctx, r.Workspace.ID, p)
		if err == nil && len(all) == 0 {
			return nil, notConnected(in.Platform)
		}
		return connectionLines(all), err
	},
}

func notConnected(name string) error {
	if name == "" {
		name = "an ad platform"
	}
	return fault.NotFound("the workspace has no connection to %s", name).
		WithHint("add one: assay connections add PLATFORM --workspace W < credentials.json")
}

// OldConnection names the connection to remove.
type OldConnection struct {
	Platform string
	Account  string // may be empty if only one account of the platform is connected
}

// RemoveConnection removes a connection with its credentials.
var RemoveConnection = Operation[OldConnection, ConnectionLine]{
	Spec{Name: "connection.remove", Needs: Manage, Facts: true, Undo: "Add the connection again with its credentials."},
	(*Run).removeConnection,
}

func (r *Run) removeConnection(ctx context.Context, in OldConnection) (line ConnectionLine, err error) {
	p, err := ads.ParsePlatform(in.Platform)
	if err != nil {
		return line, err
	}
	all, err := r.Store.Connections(ctx, r.Workspace.ID)
	if err != nil {
		return line, err
	}
	account := in.Account
	if account != "" {
		if account, err = ads.AccountID("account", account); err != nil {
			return line, err
		}
	}
	var found []control.Connection
	var known []string
	for _, c := range all {
		if c.Platform != p {
			continue
		}
		known = append(known, c.Account)
		if account == "" || c.Account == account {
			found = append(found, c)
		}
	}
	switch {
	case len(known) == 0:
		return line, notConnected(in.Platform)
	case len(found) == 0:
		return line, fault.NotFound("account %s of %s is not connected", account, in.Platform).
			WithHint("connected accounts: %s", strings.Join(known, ", "))
	case len(found) > 1:
		return line, fault.Invalid("%s has several connected accounts", in.Platform).
			WithHint("name one with --account: %s", strings.Join(known, ", "))
	}
	c := found[0]
	if err := r.Store.RemoveConnection(ctx, c.Workspace, c.Platform, c.Account, r.By()); err != nil {
		return line, err
	}
	r.Accounts.Forget(c.Workspace, ads.Account{Platform: c.Platform, ID: c.Account})
	return ConnectionLineOf(c), nil
}
