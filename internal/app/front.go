package app

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/fault"
	"assay/internal/httpapi"
	"assay/internal/mcp"
	"assay/internal/oauth"
	"assay/internal/panics"
	"assay/internal/tools"
	"assay/internal/warehouse"
)

// front is what faces the network: who may come in, and what they see. It is made once the address is known,
// because tokens and pages name it.
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
	f.metrics.Defects(panics.Seen)
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
		History: pageHistory{a.facts, a.tools},
		Uploads: filepath.Join(a.config.Data, uploadsDir), TrustedProxies: a.config.TrustedProxies, Counter: a.counter, Now: a.now, Log: a.log,
	})
	f.handler = httpapi.New(httpapi.Options{
		BaseURL:        baseURL,
		Auth:           f.keys,
		Limits:         a.limiter,
		Session:        func(p auth.Principal, requestID string) mcp.Session { return a.tools.Session(p, requestID) },
		Singer:         a.singerOverHTTP,
		Shopify:        a.receive,
		Bodies:         a.bodies,
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

// pageHistory is what the pages read of the history of days.
type pageHistory struct {
	*warehouse.Warehouse
	*tools.Service
}

const signingSecretFile = "oauth-secret"

// signingSecrets returns the secrets that access tokens are signed with: the configured one, else one that a demo
// keeps in the data directory. One that is set and empty means that there is none.
func (a *App) signingSecrets() ([][]byte, error) {
	if a.config.OAuthSecret.IsSet() {
		if text := a.config.OAuthSecret.Text(); text != "" {
			return [][]byte{[]byte(text)}, nil
		}
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(a.config.Data, signingSecretFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Unavailable("%s cannot be read", signingSecretFile).Wrap(err)
	}
	return [][]byte{bytes.TrimSpace(text)}, nil
}

// keepSigningSecret makes a secret for a demo where it has none.
func (a *App) keepSigningSecret() error {
	path := filepath.Join(a.config.Data, signingSecretFile)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeFile(path, []byte(rand.Text()+rand.Text()+"\n")); err != nil {
		return fmt.Errorf("%s: %w", signingSecretFile, err)
	}
	return nil
}

func toolNames() []string {
	var names []string
	for _, t := range tools.All() {
		names = append(names, t.Name)
	}
	return names
}
