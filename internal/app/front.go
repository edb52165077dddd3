package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/httpapi"
	"assay/internal/mcp"
	"assay/internal/oauth"
	"assay/internal/oauth/clientip"
	"assay/internal/operation"
	"assay/internal/panics"
	"assay/internal/snapshot"
	"assay/internal/tools"
	"assay/internal/warehouse"
)

// front is the network-facing part of the service: authentication, pages and routes. It is built once the address is
// known, because tokens and pages contain the address.
type front struct {
	keys    *auth.Keys
	server  *oauth.Server
	pages   *console.Console
	handler http.Handler
	metrics *httpapi.Metrics
}

func (a *App) newFront(baseURL string) (*front, error) {
	secrets, err := a.signingSecrets()
	if err != nil {
		return nil, err
	}
	f := &front{metrics: httpapi.NewMetrics()}
	f.metrics.NotLogged(a.calls.Dropped)
	f.metrics.Unopened(a.unopened)
	f.metrics.AlertsGivenUp(a.alertsGivenUp)
	f.metrics.Defects(panics.Seen)
	if a.backups.Plan.Dir != "" {
		f.metrics.Backups(a.backupMetric)
	}
	f.server, err = oauth.New(oauth.Options{
		BaseURL: baseURL, Store: a.control.Store, Secrets: secrets, TrustedProxies: a.config.TrustedProxies,
		Counter: a.counter, Now: a.now, Log: a.log,
	})
	if err != nil {
		return nil, err
	}
	f.keys = auth.NewKeys(auth.KeysOptions{Store: a.control.Store, Installation: a.control.Installation, Tokens: f.server, Now: a.now, Log: a.log})
	f.pages = console.New(console.Options{
		BaseURL: baseURL, People: a.control.People, Store: a.control.Store, Keys: f.keys, Limits: a.limiter, Models: pageModels{a},
		Tools: toolNames(), Ask: a.tools.Answer, Operations: a.operations,
		History: pageHistory{a.facts, a.tools.Snapshots()},
		Uploads: filepath.Join(a.config.Data, datadir.Uploads), TrustedProxies: a.config.TrustedProxies, Counter: a.counter, Now: a.now, Log: a.log,
	})
	f.handler = httpapi.New(httpapi.Options{
		BaseURL:        baseURL,
		Auth:           f.keys,
		Limits:         a.limiter,
		Session:        func(p auth.Principal, requestID string) mcp.Session { return a.tools.Session(p, requestID) },
		Singer:         a.singerOverHTTP,
		Shopify:        a.messages.Receive,
		Bodies:         a.bodies,
		AddressOf:      clientip.NewAddresses(a.config.TrustedProxies).Of,
		OAuth:          f.server.Handler(f.pages),
		Pages:          f.pages,
		Tools:          toolDocs(),
		AllowedOrigins: a.config.AllowedOrigins,
		Ready:          a.ready,
		Unopened:       a.unopened,
		Log:            a.log,
		Version:        Version(),
		Metrics:        f.metrics,
		Now:            a.now,
		Instructions:   instructions,
	})
	return f, nil
}

// pageHistory provides the history of daily totals to the pages.
type pageHistory struct {
	*warehouse.Warehouse
	*snapshot.Reader
}

// signingSecrets returns the secrets that sign access tokens. If no secret is configured, it returns the secret that a
// demo stores in the data directory. A configured empty secret disables signing.
func (a *App) signingSecrets() ([][]byte, error) {
	if a.config.OAuthSecret.IsSet() {
		if text := a.config.OAuthSecret.Text(); text != "" {
			return [][]byte{[]byte(text)}, nil
		}
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(a.config.Data, datadir.OAuthSecret))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Unavailable("%s cannot be read", datadir.OAuthSecret).Wrap(err)
	}
	return [][]byte{bytes.TrimSpace(text)}, nil
}

// singerOverHTTP imports the messages of a caller after it checks the caller's scope. It returns the last state.
func (a *App) singerOverHTTP(ctx context.Context, p auth.Principal, messages io.Reader, skipRejected bool) (state, report json.RawMessage, err error) {
	call := operation.Call{Workspace: p.Workspace.ID, Caller: operation.Client(p)}
	done, err := operation.ImportStream.Do(ctx, a.operations, call, operation.Stream{
		Messages: messages, SkipRejected: skipRejected, Emit: func(passed []byte) error {
			state = append(state[:0], passed...)
			return nil
		},
	})
	if workspaceGone := fault.KindOf(err) == fault.KindNotFound; workspaceGone {
		err = fault.Invalid("the workspace was deleted")
	}
	report, encoding := json.Marshal(done)
	return state, report, errors.Join(err, encoding)
}

func toolNames() []string {
	var names []string
	for _, t := range tools.All() {
		names = append(names, t.Name)
	}
	return names
}
