// Package wire sends the requests of the ad platform clients. It bounds the time, size and nesting of replies. It
// retries reads and never retries writes. It follows no redirects, and its errors contain no secrets.
package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/internal/ads"
	"assay/internal/measure"
)

const (
	maxBody    = 4 << 20  // bytes of a reply
	maxHeader  = 64 << 10 // bytes of the headers of a reply
	attempts   = 3        // maximum number of attempts of a read
	firstWait  = 500 * time.Millisecond
	longestNap = 30 * time.Second // a longer wait is left to the caller
	longestAsk = 24 * time.Hour   // upper limit for a wait that a platform specifies
)

// Client sends requests to one endpoint.
type Client struct {
	platform measure.Platform
	endpoint ads.Endpoint
	options  ads.Options
	secrets  []ads.Secret
	http     *http.Client
}

// New returns a client. The client removes the secrets from every text of the platform.
func New(p measure.Platform, e ads.Endpoint, o ads.Options, secrets ...ads.Secret) *Client {
	transport := o.Transport
	if transport == nil {
		transport = shared()
	}
	return &Client{platform: p, endpoint: e, options: o, secrets: secrets, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// shared returns the transport that all clients of the process share.
var shared = sync.OnceValue(func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxResponseHeaderBytes = maxHeader
	return t
})

// Call is a request.
type Call struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	ContentType  string
	Body         []byte
}

// Reply is a complete reply.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Verdict is the meaning of a reply. The zero value is success.
type Verdict struct {
	Rejection *ads.Rejection
	Retry     bool // a read may be repeated
	Unsure    bool // a write may have been executed
}

// Judge classifies a reply of the platform.
type Judge func(Reply) Verdict

// Now returns the time of the client's clock.
func (c *Client) Now() time.Time { return c.options.Clock.Now() }

// Read sends a request that changes nothing. It repeats the request after temporary failures. Before each repetition,
// it waits for at least the time that the platform specifies. If the wait exceeds longestNap, Read returns the
// rejection.
func (c *Client) Read(ctx context.Context, call Call, judge Judge) error {
	for n := 1; ; n++ {
		v := c.Once(ctx, call, judge)
		if v.Rejection == nil {
			return nil
		}
		wait := max(c.backoff(n), v.Rejection.Wait)
		if !v.Retry || n == attempts || wait > longestNap || ctx.Err() != nil {
			return v.Rejection
		}
		if err := c.options.Clock.Sleep(ctx, wait); err != nil {
			return v.Rejection
		}
	}
}

func (c *Client) backoff(n int) time.Duration {
	base := firstWait << (n - 1)
	return base/2 + time.Duration(c.options.Jitter()*float64(base))
}

// Deadline returns the deadline of a request that is sent now.
func (c *Client) Deadline() time.Time { return c.Now().Add(c.options.Timeout) }

// Outcome returns the outcome of a write with this verdict.
func (v Verdict) Outcome() ads.Outcome {
	switch {
	case v.Rejection == nil:
		return ads.Outcome{Result: ads.Applied}
	case v.Unsure:
		return ads.Outcome{Result: ads.Unknown, Rejection: v.Rejection, RequestID: v.Rejection.RequestID}
	}
	return ads.Outcome{Result: ads.Refused, Rejection: v.Rejection, RequestID: v.Rejection.RequestID}
}

// Once sends the request once and evaluates the reply.
func (c *Client) Once(ctx context.Context, call Call, judge Judge) Verdict {
	reply, sent, err := c.send(ctx, call)
	if err != nil {
		return c.failed(ctx, sent, err)
	}
	return judge(reply)
}

// send returns the reply. The result sent is false when no connection existed, so the platform cannot have received the
// request.
func (c *Client) send(ctx context.Context, call Call) (reply Reply, sent bool, err error) {
	ctx, cancel := c.options.Clock.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			err = fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
		}
	}()
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	to := c.endpoint.String() + call.Path
	if len(call.Query) > 0 {
		to += "?" + call.Query.Encode()
	}
	request, err := http.NewRequestWithContext(traced, call.Method, to, bytes.NewReader(call.Body))
	if err != nil {
		return Reply{}, false, err
	}
	request.GetBody = nil // the transport cannot repeat a request after it has read the body
	maps.Copy(request.Header, call.Header)
	if call.ContentType != "" {
		request.Header.Set("Content-Type", call.ContentType)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "assay")
	response, err := c.http.Do(request)
	if err != nil {
		return Reply{}, connected.Load(), err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errTooLarge
	}
	return Reply{Status: response.StatusCode, Header: response.Header, Body: body}, true, err
}

var errTooLarge = fmt.Errorf("the reply has more than %d bytes", maxBody)

// failed returns the verdict of a request without a usable reply.
func (c *Client) failed(ctx context.Context, sent bool, err error) Verdict {
	cause := c.safe(err)
	switch {
	case ctx.Err() != nil:
		return Verdict{
			Rejection: c.Reject(ads.NoReply, "The request to %s was canceled.", c.name()).Because(cause),
			Unsure:    sent,
		}
	case !sent:
		return Verdict{Rejection: c.Reject(ads.Unavailable, "%s cannot be reached.", c.name()).Because(cause), Retry: true}
	case errors.Is(err, context.DeadlineExceeded):
		text := "%s did not answer within %s."
		return Verdict{
			Rejection: c.Reject(ads.NoReply, text, c.name(), c.options.Timeout).Because(cause), Retry: true,
			Unsure: true,
		}
	case errors.Is(err, errTooLarge):
		return Verdict{
			Rejection: c.Reject(ads.UnexpectedReply, "The reply of %s is too large.", c.name()).Because(cause),
			Unsure:    true,
		}
	}
	return Verdict{
		Rejection: c.Reject(ads.NoReply, "The connection to %s was lost.", c.name()).Because(cause), Retry: true,
		Unsure: true,
	}
}

// safe returns the error without secrets and without its URL, which can contain an appsecret_proof.
func (c *Client) safe(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return errors.New(ads.Redact(err.Error(), c.secrets...))
}

func (c *Client) name() string { return ads.DisplayName(c.platform) }

// Reject returns a rejection by the platform.
func (c *Client) Reject(r ads.Reason, format string, args ...any) *ads.Rejection {
	return ads.Reject(c.platform, r, format, args...)
}

// Text returns a text of the platform for display, without secrets.
func (c *Client) Text(text string, most int) string {
	return ads.Clean(ads.Redact(text, c.secrets...), most)
}

// Said returns the rejection with the platform's code, message and request ID.
func (c *Client) Said(r *ads.Rejection, code, message, requestID string) *ads.Rejection {
	with := *r
	with.Code, with.Said, with.RequestID = c.Text(code, ads.MaxName), c.Text(message, ads.MaxMessage),
		c.Text(requestID, ads.MaxName)
	return &with
}

// Status returns the verdict on a reply from its HTTP status only. It is for replies without the platform's envelope.
func (c *Client) Status(r Reply) Verdict {
	code := "HTTP " + strconv.Itoa(r.Status)
	said := func(reason ads.Reason) *ads.Rejection { return c.Said(c.Reject(reason, ""), code, "", "") }
	switch {
	case r.Status == http.StatusTooManyRequests:
		limited := said(ads.RateLimited)
		limited.Wait = c.RetryAfter(r.Header)
		return Verdict{Rejection: limited, Retry: true}
	case r.Status >= 500:
		down := said(ads.Unavailable)
		down.Wait = c.RetryAfter(r.Header)
		return Verdict{Rejection: down, Retry: true, Unsure: true}
	case r.Status == http.StatusRequestTimeout:
		return Verdict{Rejection: said(ads.NoReply), Retry: true, Unsure: true}
	case r.Status >= 400:
		return Verdict{Rejection: said(ads.UnexpectedReply)}
	}
	return Verdict{Rejection: said(ads.UnexpectedReply), Unsure: true} // a redirect, or success in an unknown form
}

// Unreadable returns the verdict for a reply that reports success in an undocumented form.
func (c *Client) Unreadable(err error) Verdict {
	return Verdict{Rejection: c.Reject(ads.UnexpectedReply, "").Because(c.safe(err)), Unsure: true}
}

// RetryAfter returns the wait that the Retry-After header specifies, at most a day.
func (c *Client) RetryAfter(h http.Header) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return Bounded(time.Duration(seconds) * time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return Bounded(at.Sub(c.Now()))
	}
	return 0
}

// Bounded limits a wait to the range from 0 to one day.
func Bounded(wait time.Duration) time.Duration { return min(max(wait, 0), longestAsk) }
