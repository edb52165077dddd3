package alert

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/publicnet"
)

// Limits of a webhook.
const (
	hookTimeout = 10 * time.Second
	maxHookURL  = 2048
	maxReply    = 64 << 10
	maxHeader   = 16 << 10
)

// SignatureHeader is the name of the signature header. Its value has the form "t=SECONDS,v1=HEX". HEX is the
// HMAC-SHA256 of SECONDS, a dot and the raw body under the destination's secret.
const SignatureHeader = "Assay-Signature"

// CheckURL returns a fault of kind invalid unless the text is the URL of a webhook: https on port 443, without user and
// fragment.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxHookURL, err != nil, u.Scheme != "https", u.Hostname() == "", u.User != nil, strings.Contains(text, "#"):
	case u.Port() != "" && u.Port() != "443", strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
	default:
		return nil
	}
	return fault.Invalid("the URL is not a webhook URL").WithHint("use a URL such as https://hooks.example.com/assay, on port 443 of a public address")
}

// Hooks sends messages to webhooks. It connects to public addresses only and follows no redirects.
type Hooks struct {
	client *http.Client
	unseal func(ws measure.WorkspaceID, sealed []byte) (string, error)
	now    func() time.Time
}

// NewHooks returns a sender of webhook messages. The function unseal decrypts the secrets of destinations.
func NewHooks(unseal func(ws measure.WorkspaceID, sealed []byte) (string, error), now func() time.Time) *Hooks {
	return &Hooks{client: newClient((&net.Dialer{Timeout: hookTimeout, Control: publicnet.Only}).DialContext), unseal: unseal, now: now}
}

func newClient(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	return &http.Client{
		Timeout: hookTimeout,
		Transport: &http.Transport{
			DialContext: dial, DisableKeepAlives: true, DisableCompression: true,
			TLSHandshakeTimeout: hookTimeout, MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// payload is the body of a webhook.
type payload struct {
	ID        control.AlertMessageID `json:"id"` // equal in every repetition
	Type      string                 `json:"type"`
	Workspace measure.WorkspaceID    `json:"workspace"`
	Store     string                 `json:"store"`
	Currency  string                 `json:"currency"`
	CreatedAt time.Time              `json:"created_at"`
	Text      string                 `json:"text"`
	Events    []payloadEvent         `json:"events"`
}

type payloadEvent struct {
	Rule      control.AlertID        `json:"rule"`
	Name      string                 `json:"name"`
	Metric    control.AlertMetric    `json:"metric"`
	Channel   measure.Channel        `json:"channel,omitempty"`
	Condition control.AlertCondition `json:"condition"`
	Threshold control.AlertValue     `json:"threshold"`
	Day       string                 `json:"day"`
	Value     control.AlertValue     `json:"value"`
	Reference *control.AlertValue    `json:"reference,omitempty"`
	Text      string                 `json:"text"`
}

func payloadOf(m control.AlertMessage) payload {
	p := payload{
		ID: m.ID, Type: "alert", Workspace: m.Workspace.ID, Store: m.Workspace.Name, Currency: string(m.Workspace.Currency),
		CreatedAt: m.Created.UTC(), Events: []payloadEvent{},
	}
	lines := []string{m.Workspace.Name}
	for _, e := range m.Events {
		text := Describe(e, m.Workspace)
		lines = append(lines, text)
		a := e.Alert
		p.Events = append(p.Events, payloadEvent{
			Rule: a.ID, Name: a.Name, Metric: a.Metric, Channel: a.Channel, Condition: a.Condition, Threshold: a.Threshold,
			Day: e.Day.String(), Value: e.Value, Reference: e.Reference, Text: text,
		})
	}
	if len(m.Events) == 0 {
		p.Type, lines = "test", append(lines, "This is a test of alert messages. No alert was raised.")
	}
	p.Text = strings.Join(lines, "\n")
	return p
}

// Send sends a message. A message without events is a test. An error describes the failure without the URL, which may
// be a secret.
func (h *Hooks) Send(ctx context.Context, m control.AlertMessage) error {
	secret, err := h.unseal(m.Workspace.ID, m.Destination.Sealed)
	if err != nil {
		return fmt.Errorf("signing secret: %w", err)
	}
	body, err := json.Marshal(payloadOf(m))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.Destination.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the URL cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Assay")
	request.Header.Set(SignatureHeader, Sign(secret, h.now(), body))
	response, err := h.client.Do(request)
	if err != nil {
		return public(err)
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, maxReply) // the body of the reply is not used
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("the receiver answered with status %d", response.StatusCode)
	}
	return nil
}

// public returns an error of a connection without the URL and without network addresses, which may be internal.
func public(err error) error {
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("the host name cannot be resolved")
	}
	if inner, ok := errors.AsType[*net.OpError](err); ok {
		err = inner.Err
	}
	if inner, ok := errors.AsType[*net.AddrError](err); ok {
		return errors.New(inner.Err)
	}
	return err
}

// Sign returns the signature header of a body.
func Sign(secret string, at time.Time, body []byte) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(seconds + "."))
	mac.Write(body)
	return "t=" + seconds + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
