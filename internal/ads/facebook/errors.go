package facebook

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/wire"
)

// failure is Meta's error envelope. It can have any HTTP status, including 200.
type failure struct {
	Message     string    `json:"message"`
	Code        wire.Int  `json:"code"`
	Subcode     wire.Int  `json:"error_subcode"`
	Transient   bool      `json:"is_transient"`
	UserMessage string    `json:"error_user_msg"`
	Trace       wire.Text `json:"fbtrace_id"`
}

// judge returns a function that evaluates replies. The returned function passes the replies of successful calls to the
// function success.
func (c *Client) judge(success func(body []byte) error) wire.Judge {
	return func(r wire.Reply) wire.Verdict {
		var envelope struct {
			Error *failure `json:"error"`
		}
		readable := wire.Decode(r.Body, &envelope) == nil
		switch {
		case readable && envelope.Error != nil:
			return c.explain(r, envelope.Error)
		case r.Status != http.StatusOK:
			return c.wire.Status(r)
		}
		if err := success(r.Body); err != nil {
			return c.wire.Unreadable(err)
		}
		return wire.Verdict{}
	}
}

// tokenTexts explains why Meta no longer accepts an access token, by error subcode.
var tokenTexts = map[wire.Int]string{
	458: "The user removed the app, so the access token is no longer valid.",
	459: "Meta requires the user of the access token to sign in and confirm the account.",
	460: "The user changed the password, so the access token is no longer valid.",
	463: "The access token has expired.",
	467: "The access token is no longer valid.",
}

func (c *Client) explain(r wire.Reply, f *failure) wire.Verdict {
	var v wire.Verdict
	switch code, sub := f.Code, f.Subcode; {
	case code == 190, code == 102:
		v.Rejection = c.wire.Reject(ads.TokenExpired, "%s", tokenTexts[sub])
	case code == 2635:
		v.Rejection = c.wire.Reject(ads.VersionRetired, "")
	case code == 368, code == 31 && sub == 3858385:
		v.Rejection = c.wire.Reject(ads.PolicyBlocked, "")
	case limits(code):
		v.Rejection, v.Retry = c.wire.Reject(ads.RateLimited, ""), true
		v.Rejection.Wait = c.wait(r, sub)
	case code == 3, code == 10, code == 270, code >= 200 && code <= 299:
		v.Rejection = c.wire.Reject(ads.PermissionMissing, "")
	case code == 100 && sub == 33, code == 803:
		v.Rejection = c.wire.Reject(ads.CampaignNotFound, "")
	case code == 100 && sub == 1885272:
		v.Rejection = c.wire.Reject(ads.BelowMinimum, "")
	case code == 1, code == 2, f.Transient, r.Status >= 500:
		v.Rejection, v.Retry, v.Unsure = c.wire.Reject(ads.Unavailable, ""), true, true
	default:
		v.Rejection = c.wire.Reject(ads.InvalidRequest, "")
	}
	code := fmt.Sprint(int64(f.Code))
	if f.Subcode != 0 {
		code += fmt.Sprintf("/%d", int64(f.Subcode))
	}
	message := f.UserMessage
	if message == "" {
		message = f.Message
	}
	v.Rejection = c.wire.Said(v.Rejection, code, message, string(f.Trace))
	return v
}

// limits reports whether the code means a rate limit of the app, the user, the account or the business use case.
func limits(code wire.Int) bool {
	switch code {
	case 4, 17, 32, 341, 613:
		return true
	}
	return code >= 80000 && code <= 80014
}

// wait returns the time until a rate limit ends, or 0 if Meta does not disclose it.
func (c *Client) wait(r wire.Reply, subcode wire.Int) time.Duration {
	if subcode == 1487632 { // budget changed too often
		return time.Hour
	}
	longest := c.wire.RetryAfter(r.Header)
	var uses map[string][]struct {
		Minutes wire.Int `json:"estimated_time_to_regain_access"`
	}
	if json.Unmarshal([]byte(r.Header.Get("X-Business-Use-Case-Usage")), &uses) == nil {
		for _, list := range uses {
			for _, use := range list {
				longest = max(longest, wire.Bounded(time.Duration(min(use.Minutes, 1<<20))*time.Minute))
			}
		}
	}
	var account struct {
		Seconds wire.Int `json:"reset_time_duration"`
	}
	if json.Unmarshal([]byte(r.Header.Get("X-Ad-Account-Usage")), &account) == nil {
		longest = max(longest, wire.Bounded(time.Duration(min(account.Seconds, 1<<20))*time.Second))
	}
	return longest
}
