package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/measure"
)

const secret = "EAAB-secret"

// client returns a client of a handler and a counter of its requests.
func client(t *testing.T, jitter float64, handle http.HandlerFunc) (*Client, *adstest.Clock, *int) {
	t.Helper()
	clock, requests := adstest.NewClock(adstest.Noon), 0
	options, _ := adstest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		handle(w, r)
	}), clock)
	options.Jitter = func() float64 { return jitter }
	return New(measure.Facebook, options.Endpoint, options, ads.NewSecret(secret)), clock, &requests
}

// byStatus judges a reply by its HTTP status alone.
func byStatus(c *Client) Judge {
	return func(r Reply) Verdict {
		if r.Status == http.StatusOK {
			return Verdict{}
		}
		return c.Status(r)
	}
}

func TestStatusDecidesWithoutAnEnvelope(t *testing.T) {
	t.Parallel()
	c, _, _ := client(t, 0, func(http.ResponseWriter, *http.Request) {})
	for _, x := range []struct {
		status        int
		want          ads.Reason
		retry, unsure bool
		result        ads.Result
	}{
		{204, ads.UnexpectedReply, false, true, ads.Unknown},
		{301, ads.UnexpectedReply, false, true, ads.Unknown},
		{399, ads.UnexpectedReply, false, true, ads.Unknown},
		{400, ads.UnexpectedReply, false, false, ads.Refused},
		{407, ads.UnexpectedReply, false, false, ads.Refused},
		{408, ads.NoReply, true, true, ads.Unknown},
		{413, ads.UnexpectedReply, false, false, ads.Refused},
		{429, ads.RateLimited, true, false, ads.Refused},
		{499, ads.UnexpectedReply, false, false, ads.Refused},
		{500, ads.Unavailable, true, true, ads.Unknown},
		{503, ads.Unavailable, true, true, ads.Unknown},
	} {
		v := c.Status(Reply{Status: x.status, Header: http.Header{"Retry-After": {"9"}}})
		if v.Rejection.Reason != x.want || v.Retry != x.retry || v.Unsure != x.unsure || v.Outcome().Result != x.result {
			t.Errorf("HTTP %d: %+v is %s, want %s, retry %v, unsure %v", x.status, v, v.Outcome().Result, x.want, x.retry,
				x.unsure)
		}
		if waits := x.status == 429 || x.status >= 500; (v.Rejection.Wait == 9*time.Second) != waits {
			t.Errorf("HTTP %d: the wait is %s", x.status, v.Rejection.Wait)
		}
	}
	if got := (Verdict{}).Outcome(); got.Result != ads.Applied || got.Rejection != nil {
		t.Errorf("success is %+v", got)
	}
}

func TestWaitsGrowAndAreSpread(t *testing.T) {
	t.Parallel()
	for jitter, want := range map[float64][]time.Duration{
		0:   {250 * time.Millisecond, 500 * time.Millisecond},
		0.5: {500 * time.Millisecond, time.Second},
	} {
		c, clock, requests := client(t, jitter, func(w http.ResponseWriter,
			_ *http.Request,
		) {
			w.WriteHeader(http.StatusBadGateway)
		})
		err := c.Read(t.Context(), Call{Method: http.MethodGet, Path: "/"}, byStatus(c))
		if ads.ReasonOf(err) != ads.Unavailable || *requests != attempts {
			t.Errorf("Read = %v after %d requests, want %s after %d", err, *requests, ads.Unavailable, attempts)
		}
		if slept := clock.Slept(); len(slept) != 2 || slept[0] != want[0] || slept[1] != want[1] {
			t.Errorf("jitter %v: slept %v, want %v", jitter, slept, want)
		}
	}
}

func TestRefusedReadIsNotRepeated(t *testing.T) {
	t.Parallel()
	c, _, requests := client(t, 0, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	if err := c.Read(t.Context(), Call{Method: http.MethodGet, Path: "/"}, byStatus(c)); err == nil || *requests != 1 {
		t.Errorf("Read = %v after %d requests, want an error after 1", err, *requests)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, clock, requests := client(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.WriteHeader(http.StatusBadGateway)
	})
	err := c.Read(ctx, Call{Method: http.MethodGet, Path: "/"}, byStatus(c))
	if err == nil || *requests != 1 || len(clock.Slept()) != 0 {
		t.Errorf("Read = %v after %d requests, want an error after 1", err, *requests)
	}
}

func TestRequestIsSentAsGiven(t *testing.T) {
	t.Parallel()
	var got *http.Request
	body := make([]byte, 64)
	n := 0
	c, _, _ := client(t, 0, func(_ http.ResponseWriter, r *http.Request) {
		got = r
		n, _ = r.Body.Read(body)
	})
	call := Call{
		Method: http.MethodPost, Path: "/v1/x", Query: map[string][]string{"a": {"b&c"}},
		Header:      http.Header{"Access-Token": {"t"}},
		ContentType: "application/json", Body: []byte("{}"),
	}
	if v := c.Once(t.Context(), call, byStatus(c)); v.Rejection != nil {
		t.Fatal(v.Rejection)
	}
	if got.Method != http.MethodPost || got.URL.String() != "/v1/x?a=b%26c" || string(body[:n]) != "{}" ||
		got.Header.Get("Access-Token") != "t" ||
		got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Accept") != "application/json" ||
		got.Header.Get("User-Agent") != "assay" {
		t.Errorf("%s %s %q %v", got.Method, got.URL, body[:n], got.Header)
	}
}

func TestRepliesAreBounded(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]ads.Reason{maxBody: "", maxBody + 1: ads.UnexpectedReply} {
		c, _, requests := client(t, 0, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(strings.Repeat("x", size)))
		})
		v := c.Once(t.Context(), Call{Method: http.MethodGet, Path: "/"}, func(r Reply) Verdict {
			if len(r.Body) != size {
				t.Errorf("%d bytes, want %d", len(r.Body), size)
			}
			return Verdict{}
		})
		if v.Rejection == nil && want != "" || v.Rejection != nil && (v.Rejection.Reason != want || v.Retry || !v.Unsure) ||
			*requests != 1 {
			t.Errorf("%d bytes: %+v, want %q", size, v, want)
		}
	}
}

// failing is a transport with a secret and a URL in its errors.
type failing struct{}

func (failing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("proxy says " + secret)
}

func TestErrorsHaveNoURLAndNoSecret(t *testing.T) {
	t.Parallel()
	endpoint, err := ads.ParseEndpoint("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	c := New(measure.Facebook, endpoint, ads.Options{
		Clock: adstest.NewClock(adstest.Noon), Timeout: time.Second,
		Transport: failing{},
	}, ads.NewSecret(secret))
	v := c.Once(t.Context(), Call{Method: http.MethodGet, Path: "/", Query: map[string][]string{"proof": {"p-r-o-o-f"}}},
		byStatus(c))
	var texts []string
	for err := error(v.Rejection); err != nil; err = errors.Unwrap(err) {
		texts = append(texts, err.Error())
	}
	all := strings.Join(texts, "\n")
	if strings.Contains(all, secret) || strings.Contains(all, "p-r-o-o-f") ||
		!strings.Contains(all, "proxy says [secret]") {
		t.Errorf("errors: %q", all)
	}
	if v.Rejection.Reason != ads.Unavailable || v.Unsure || !v.Retry {
		t.Errorf("%+v, want a request that was not sent", v)
	}
}

func TestInvalidCallIsNotSent(t *testing.T) {
	t.Parallel()
	c, _, requests := client(t, 0, func(http.ResponseWriter, *http.Request) {})
	if v := c.Once(t.Context(), Call{Method: "B A D", Path: "/"}, byStatus(c)); v.Rejection == nil || v.Unsure ||
		*requests != 0 {
		t.Errorf("%+v after %d requests, want a refusal after none", v, *requests)
	}
}

func TestSaidIsCleanAndBounded(t *testing.T) {
	t.Parallel()
	c, _, _ := client(t, 0, func(http.ResponseWriter, *http.Request) {})
	r := c.Reject(ads.InvalidRequest, "")
	got := c.Said(r, "1\n2", "bad "+secret+"\x1b"+strings.Repeat("é", 1000), "id\u202e")
	if got.Code != "1 2" || got.RequestID != "id" || !strings.HasPrefix(got.Said, "bad [secret]é") ||
		len([]rune(got.Said)) != ads.MaxMessage+1 {
		t.Errorf("Said = %+v", got)
	}
	if r.Said != "" {
		t.Error("the original is changed")
	}
}

func TestDeadlineIsOneTimeoutFromNow(t *testing.T) {
	t.Parallel()
	c, clock, _ := client(t, 0, func(http.ResponseWriter, *http.Request) {})
	clock.Advance(time.Minute)
	if got, want := c.Deadline(), adstest.Noon.Add(time.Minute+adstest.Timeout); !got.Equal(want) {
		t.Errorf("Deadline = %s, want %s", got, want)
	}
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	var into any
	if err := Decode(nested(maxDepth), &into); err != nil {
		t.Errorf("depth %d: %v", maxDepth, err)
	}
	if err := Decode(nested(maxDepth+1), &into); err == nil {
		t.Errorf("depth %d has no error", maxDepth+1)
	}
	for _, text := range []string{
		`{"a":"` + strings.Repeat(`[{\"`, 100) + `"}`,
		"[" + strings.Repeat("[{}],", 100) + "1]",
	} {
		if err := Decode([]byte(text), &into); err != nil {
			t.Errorf("Decode(%s) = %v", text, err)
		}
	}
	for _, text := range []string{"", "{", `{"a":1} {}`, "[1,]", "\x00"} {
		if err := Decode([]byte(text), &into); err == nil {
			t.Errorf("Decode(%q) has no error", text)
		}
	}
}

func TestNumbersAndTextsAreReadInBothForms(t *testing.T) {
	t.Parallel()
	var got struct {
		A, B, C, D, E, F Int
		G, H, I          Text
	}
	err := Decode([]byte(`{"A":5,"B":"6000","C":null,"D":"","E":5e3,"F":-7,"G":"x","H":12345678901234567890,"I":null}`),
		&got)
	if err != nil || got.A != 5 || got.B != 6000 || got.C != 0 || got.D != 0 || got.E != 5000 || got.F != -7 ||
		got.G != "x" || got.H != "12345678901234567890" || got.I != "" {
		t.Errorf("Decode = %+v, %v", got, err)
	}
	for _, text := range []string{
		`"x"`, `1.5`, `"1.5"`, `true`, `{}`, `"99999999999999999999"`, `1e300`, `[]`, `"NaN"`,
		`"Inf"`,
	} {
		var n Int
		if err := json.Unmarshal([]byte(text), &n); err == nil {
			t.Errorf("%s = %d, want an error", text, n)
		}
	}
	for _, text := range []string{`true`, `{}`, `[]`} {
		var s Text
		if err := json.Unmarshal([]byte(text), &s); err == nil {
			t.Errorf("%s = %q, want an error", text, s)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"A":"5","B":[1,{"C":"\\\""}]}`))
	f.Add([]byte(strings.Repeat(`{"A":`, 50)))
	f.Fuzz(func(t *testing.T, body []byte) {
		var into struct {
			A Int
			B Text
		}
		err := Decode(body, &into)
		if err == nil && !json.Valid(body) {
			t.Errorf("%q is decoded and is not JSON", body)
		}
	})
}
