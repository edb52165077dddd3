// Package sandbox runs simulated accounts of the ad platforms inside the process, for the demo store. Each account has
// one file in the folder of the sandbox, so changed budgets remain after a restart. Clients connect to the accounts
// through [Sandbox.Options], without a network.
package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/connect"
	"assay/internal/datadir"
	"assay/internal/measure"
)

// Options configure a sandbox.
type Options struct {
	Dir string           // folder of the files; created by [Sandbox.Create]
	Now func() time.Time // the real clock, for the limits and expiries of the simulators
	Log *slog.Logger
}

// Sandbox is a set of simulated accounts, at most one per platform. Its methods are safe for concurrent use.
type Sandbox struct {
	options Options

	mu       sync.RWMutex // guards accounts
	accounts map[measure.Platform]platform
}

// platform is a simulator with its account.
type platform interface {
	http.Handler
	Save(to io.Writer) error
	Load(from io.Reader) error
	OnChange(do func())
}

// Platforms returns the platforms that a sandbox can simulate.
func Platforms() []measure.Platform {
	return []measure.Platform{measure.Facebook, measure.Google, measure.TikTok}
}

// Open returns the sandbox with the accounts of the folder. If the folder is missing, there are no accounts.
func Open(o Options) (*Sandbox, error) {
	s := &Sandbox{options: o, accounts: map[measure.Platform]platform{}}
	for _, p := range Platforms() {
		text, err := os.ReadFile(s.file(p))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		account := newPlatform(Account{Platform: p}, o.Now)
		if err := account.Load(bytes.NewReader(text)); err != nil {
			return nil, fmt.Errorf("sandbox: file %s: %w", s.file(p), err)
		}
		s.add(p, account)
	}
	return s, nil
}

// Create simulates an account and stores its file. It replaces an earlier account of the same platform. It returns the
// credentials of the account.
func (s *Sandbox) Create(a Account) (credentials string, err error) {
	if err := os.MkdirAll(s.options.Dir, 0o700); err != nil {
		return "", fmt.Errorf("sandbox: %w", err)
	}
	account := newPlatform(a, s.options.Now)
	if err := s.save(a.Platform, account); err != nil {
		return "", err
	}
	s.add(a.Platform, account)
	return a.credentials(), nil
}

// Has reports whether the sandbox simulates an account of the platform.
func (s *Sandbox) Has(p measure.Platform) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.accounts[p] != nil
}

// add adds an account and stores its state after each change.
func (s *Sandbox) add(p measure.Platform, account platform) {
	var saving sync.Mutex // one write at a time, so that the file contains the latest state
	account.OnChange(func() {
		saving.Lock()
		defer saving.Unlock()
		if err := s.save(p, account); err != nil {
			s.options.Log.Error("the state of a simulated ad platform cannot be stored", slog.Any("error", err))
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accounts[p] = account
}

func (s *Sandbox) save(p measure.Platform, account platform) error {
	var text bytes.Buffer
	if err := account.Save(&text); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if err := datadir.WriteFile(s.file(p), text.Bytes()); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	return nil
}

func (s *Sandbox) file(p measure.Platform) string {
	return filepath.Join(s.options.Dir, string(p)+".json")
}

// domain is the suffix of the simulated host names. The top-level domain is reserved, so no name resolves.
const domain = ".sandbox.invalid"

// Options returns the options of clients, with the endpoints and the transport of the sandbox.
func (s *Sandbox) Options(o ads.Options) connect.Options {
	o.Transport = s
	return connect.Options{Client: o, Endpoints: connect.Endpoints{
		Facebook: endpoint(measure.Facebook), TikTok: endpoint(measure.TikTok),
		Google: endpoint(measure.Google), GoogleToken: endpoint(measure.Google),
	}}
}

func endpoint(p measure.Platform) ads.Endpoint {
	e, err := ads.ParseEndpoint("https://" + string(p) + domain)
	if err != nil {
		panic(err) // the platform's name is not a valid host name
	}
	return e
}

// RoundTrip implements [http.RoundTripper]. The simulator of the request's host serves the request.
func (s *Sandbox) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	for _, p := range Platforms() {
		if r.URL.Host != string(p)+domain {
			continue
		}
		s.mu.RLock()
		account := s.accounts[p]
		s.mu.RUnlock()
		if account == nil {
			break
		}
		if r.Body == nil {
			r.Body = http.NoBody
		}
		reply := reply{header: http.Header{}, status: http.StatusOK}
		account.ServeHTTP(&reply, r)
		return reply.response(r), r.Body.Close()
	}
	return nil, fmt.Errorf("the sandbox has no account of %s", r.URL.Host)
}

// reply collects the reply of a simulator.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *reply) Header() http.Header { return w.header }

func (w *reply) WriteHeader(status int) { w.status = status }

func (w *reply) Write(text []byte) (int, error) { return w.body.Write(text) }

func (w *reply) response(r *http.Request) *http.Response {
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: body{bytes.NewReader(w.body.Bytes())}, ContentLength: int64(w.body.Len()), Request: r,
	}
}

// body is the body of a reply.
type body struct{ *bytes.Reader }

// Close implements [io.Closer].
func (body) Close() error { return nil }
