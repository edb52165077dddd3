package tiktok

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"assay/internal/ads"
	"assay/internal/ads/wire"
)

// envelope is the form of every reply. TikTok answers errors with HTTP 200 and a code.
type envelope struct {
	Code      *wire.Int       `json:"code"`
	Message   string          `json:"message"`
	RequestID string          `json:"request_id"`
	Data      json.RawMessage `json:"data"`
}

// judge returns a function that evaluates replies. The returned function passes the replies of successful calls to the
// function success.
func (c *Client) judge(success func(envelope) error) wire.Judge {
	return func(r wire.Reply) wire.Verdict {
		var e envelope
		err := wire.Decode(r.Body, &e)
		switch {
		case err == nil && e.Code != nil && *e.Code != 0:
			return c.explain(r, e)
		case r.Status == http.StatusNotFound:
			return wire.Verdict{Rejection: c.wire.Said(c.wire.Reject(ads.VersionRetired, ""), "HTTP 404", "", "")}
		case r.Status != http.StatusOK:
			return c.wire.Status(r)
		case err != nil:
			return c.wire.Unreadable(err)
		case e.Code == nil:
			return c.wire.Unreadable(errors.New("the reply has no code"))
		}
		if err := success(e); err != nil {
			return c.wire.Unreadable(err)
		}
		return wire.Verdict{}
	}
}

// explain returns the verdict on a reply with an error code. TikTok's published lists give different meanings to codes
// below 40100, so explain uses the message for these codes.
func (c *Client) explain(r wire.Reply, e envelope) wire.Verdict {
	var v wire.Verdict
	message := strings.ToLower(e.Message)
	says := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(message, w) {
				return true
			}
		}
		return false
	}
	reason := ads.InvalidRequest
	switch code := *e.Code; {
	case code == 40100, says("too many requests", "too frequent", "rate limit"):
		reason, v.Retry = ads.RateLimited, true
	case code == 40700, code >= 50000 && code < 60000, code >= 40200 && code <= 40202, r.Status >= 500:
		reason, v.Retry, v.Unsure = ads.Unavailable, true, true
	case code >= 40101 && code <= 40110:
		reason = ads.TokenExpired
	case code == 40001 && says("permission", "not authorized", "no access"), code == 40003 &&
		!says("not exist", "not found"):
		reason = ads.PermissionMissing
	case code >= 40000 && code <= 40004 && says("not exist", "not found"):
		reason = ads.CampaignNotFound
	case says("smart+", "smart_plus", "smart performance"):
		reason = ads.SmartPlusCampaign
	case says("gmv max", "gmv_max"):
		reason = ads.GMVMaxCampaign
	case says("deleted"):
		reason = ads.CampaignEnded
	case says("budget") && says("minimum", "at least", "less than", "greater than", "must exceed", "lower than",
		"too low"):
		reason = ads.BelowMinimum
	case says("budget") && says("maximum", "at most", "exceed", "too high"):
		reason = ads.AboveMaximum
	case says("policy", "violat", "suspended"):
		reason = ads.PolicyBlocked
	}
	rejection := c.wire.Reject(reason, "")
	rejection.Wait = c.wire.RetryAfter(r.Header)
	v.Rejection = c.wire.Said(rejection, fmt.Sprint(int64(*e.Code)), e.Message, e.RequestID)
	return v
}
