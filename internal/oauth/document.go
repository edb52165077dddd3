package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"assay/internal/control"
	"assay/internal/publicnet"
)

// The ID of a client may be the URL of a JSON document that describes the client (OAuth Client ID Metadata Document). A
// client with this kind of ID needs no registration. Anonymous callers can make this server fetch any URL. The server
// therefore connects to public addresses only, follows no redirects, and limits the size, time and number of fetches.
const (
	maxDocument     = 5 << 10
	documentTimeout = 5 * time.Second
	maxDocumentID   = 2048
	maxDocuments    = 1000 // maximum number of cached documents
	maxFetches      = 8    // concurrent

	shortestMemory = 5 * time.Minute
	longestMemory  = 24 * time.Hour
	failureMemory  = time.Minute
)

// isDocumentID reports whether the client ID is the URL of a document. Such a URL has the scheme https, the default
// port and a path, but no user, fragment or dot segments.
func isDocumentID(id string) bool {
	if !strings.HasPrefix(id, "https://") || len(id) > maxDocumentID || strings.ContainsAny(id, "#\\") {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] >= 0x7f {
			return false
		}
	}
	u, err := url.Parse(id)
	if err != nil || u.User != nil || u.Hostname() == "" || u.Path == "" || u.Path == "/" {
		return false
	}
	if port := u.Port(); port != "" && port != "443" || strings.HasSuffix(u.Host, ":") {
		return false
	}
	for segment := range strings.SplitSeq(u.Path, "/") { // decoded, so that %2e is a dot
		if segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// documents fetches client metadata documents and caches them.
type documents struct {
	client  *http.Client
	now     func() time.Time
	fetches chan struct{}

	mu   sync.Mutex // guards seen
	seen map[string]document
}

// document is the result of a fetch: a client, or the reason why there is none.
type document struct {
	client control.Client
	err    error
	until  time.Time
}

func newDocuments(now func() time.Time) *documents {
	dialer := &net.Dialer{Timeout: documentTimeout, Control: publicnet.Only}
	return &documents{
		client: &http.Client{
			Timeout: documentTimeout,
			Transport: &http.Transport{
				DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true,
				TLSHandshakeTimeout: documentTimeout, MaxResponseHeaderBytes: 16 << 10,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		now: now, fetches: make(chan struct{}, maxFetches), seen: make(map[string]document),
	}
}

// remembered returns the cached result for a document, if there is one.
func (d *documents) remembered(id string) (document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc, ok := d.seen[id]
	return doc, ok && d.now().Before(doc.until)
}

// fetch reads the document and caches the result. It does not cache the result of a canceled fetch, because a
// cancellation must not mark the client as unavailable.
func (d *documents) fetch(ctx context.Context, id string) (control.Client, error) {
	select {
	case d.fetches <- struct{}{}:
	case <-ctx.Done():
		return control.Client{}, ctx.Err()
	}
	defer func() { <-d.fetches }()
	limited, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	c, memory, err := d.read(limited, id)
	if err != nil {
		if ctx.Err() != nil {
			return c, err
		}
		memory = failureMemory
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.seen) >= maxDocuments {
		clear(d.seen)
	}
	d.seen[id] = document{client: c, err: err, until: d.now().Add(memory)}
	return c, err
}

func (d *documents) read(ctx context.Context, id string) (c control.Client, memory time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return c, 0, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := d.client.Do(request)
	if err != nil {
		return c, 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return c, 0, fmt.Errorf("status %d", response.StatusCode)
	}
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") || response.Header.Get("Content-Encoding") != "" {
		return c, 0, errors.New("not JSON")
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	if err != nil {
		return c, 0, err
	}
	if len(text) > maxDocument {
		return c, 0, errors.New("above 5 KiB")
	}
	c, err = parseDocument(id, text)
	return c, memoryOf(response.Header.Get("Cache-Control")), err
}

// parseDocument returns the client that the document describes. The client_id in the document must be the document's
// URL. The client has no secret, because the document is public.
func parseDocument(id string, text []byte) (control.Client, error) {
	var said struct {
		ID         string   `json:"client_id"`
		Name       string   `json:"client_name"`
		Redirects  []string `json:"redirect_uris"`
		AuthMethod string   `json:"token_endpoint_auth_method"`
		Secret     any      `json:"client_secret"`
	}
	switch {
	case !decodeObject(text, &said):
		return control.Client{}, errors.New("not a JSON object with fields of the right types")
	case said.ID != id:
		return control.Client{}, errors.New("client_id differs from the document's URL")
	case strings.TrimSpace(said.Name) == "" || !isClientName(said.Name):
		return control.Client{}, errors.New("client_name is missing, not printable or longer than 100 characters")
	case said.Secret != nil || strings.HasPrefix(said.AuthMethod, "client_secret"):
		return control.Client{}, errors.New("a client with a metadata document must not have a secret")
	}
	if problem := checkRedirects(said.Redirects); problem != "" {
		return control.Client{}, errors.New(problem)
	}
	return control.Client{ID: control.ClientID(id), Name: strings.TrimSpace(said.Name), Redirects: said.Redirects}, nil
}

// memoryOf returns how long to cache a document. The server of the document specifies the time, and memoryOf applies
// limits.
func memoryOf(cacheControl string) time.Duration {
	for directive := range strings.SplitSeq(cacheControl, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		if seconds, err := strconv.Atoi(value); err == nil && strings.EqualFold(name, "max-age") {
			age := time.Duration(min(max(seconds, 0), int(longestMemory.Seconds()))) * time.Second
			return max(age, shortestMemory)
		}
	}
	return shortestMemory
}
