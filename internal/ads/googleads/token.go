package googleads

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/wire"
)

// early is the time between the renewal of an access token and its expiry.
const early = time.Minute

// scope is the OAuth scope for campaigns.
const scope = "https://www.googleapis.com/auth/adwords"

// maxScope bounds the text of the granted scopes.
const maxScope = 2000

// token is an access token.
type token struct {
	text    ads.Secret
	expires time.Time
	refresh time.Time // expiry of the refresh token; zero if it does not expire
	scopes  []string
}

// lock waits for access to the token. Only one renewal runs at a time, and other calls use its result.
func (c *Client) lock(ctx context.Context) error {
	select {
	case c.renewing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return c.wire.Reject(ads.NoReply, "The request to Google Ads was canceled.").Because(ctx.Err())
	}
}

func (c *Client) unlock() { <-c.renewing }

// usableToken returns the cached access token, or a new token.
func (c *Client) usableToken(ctx context.Context) (token, error) {
	if err := c.lock(ctx); err != nil {
		return token{}, err
	}
	defer c.unlock()
	if c.token.text.Set() && c.wire.Now().Before(c.token.expires) {
		return c.token, nil
	}
	renewed, err := c.renew(ctx)
	if err == nil {
		c.token = renewed
	}
	return renewed, err
}

// forget drops a token that Google rejected, unless it has been replaced since.
func (c *Client) forget(ctx context.Context, refused token) {
	if c.lock(ctx) != nil {
		return // no further request follows
	}
	defer c.unlock()
	if c.token.text == refused.text {
		c.token = token{}
	}
}

// renew requests an access token with the refresh token. The request changes nothing at Google, so it may be repeated.
func (c *Client) renew(ctx context.Context) (token, error) {
	form := url.Values{
		"grant_type": {"refresh_token"}, "client_id": {c.credentials.ClientID},
		"client_secret": {c.credentials.ClientSecret.Reveal()}, "refresh_token": {c.credentials.RefreshToken.Reveal()},
	}
	var reply tokenReply
	err := c.tokens.Read(ctx, wire.Call{
		Method: http.MethodPost, Path: "/token", ContentType: "application/x-www-form-urlencoded",
		Body: []byte(form.Encode()),
	}, func(r wire.Reply) wire.Verdict { return c.judgeToken(r, &reply) })
	if err != nil {
		return token{}, err
	}
	now := c.wire.Now()
	t := token{text: ads.NewSecret(reply.Token), scopes: strings.Fields(c.tokens.Text(reply.Scope, maxScope))}
	t.expires = now.Add(wire.Bounded(time.Duration(min(reply.Expires, 1<<20))*time.Second) - early)
	if reply.RefreshExpires > 0 {
		t.refresh = now.Add(time.Duration(min(reply.RefreshExpires, 1<<30)) * time.Second)
	}
	if len(t.scopes) > 0 && !slices.Contains(t.scopes, scope) {
		return token{}, c.wire.Reject(ads.PermissionMissing, "The refresh token lacks the scope %s.", scope)
	}
	return t, nil
}

// tokenReply is a response of the token endpoint.
type tokenReply struct {
	Token          string   `json:"access_token"`
	Expires        wire.Int `json:"expires_in"`
	RefreshExpires wire.Int `json:"refresh_token_expires_in"`
	Scope          string   `json:"scope"`
	Error          string   `json:"error"`
	Description    string   `json:"error_description"`
}

func (c *Client) judgeToken(r wire.Reply, into *tokenReply) wire.Verdict {
	var reply tokenReply
	err := wire.Decode(r.Body, &reply)
	rejected := func(reason ads.Reason, text string) wire.Verdict {
		return wire.Verdict{Rejection: c.tokens.Said(c.wire.Reject(reason, "%s", text), reply.Error, reply.Description, "")}
	}
	switch {
	case err == nil && reply.Error == "invalid_grant":
		return rejected(ads.TokenExpired, "The refresh token has expired or was revoked. "+
			"Tokens of an OAuth app in testing expire after 7 days.")
	case err == nil && (reply.Error == "invalid_client" || reply.Error == "unauthorized_client"):
		return rejected(ads.CredentialsRejected, "Google rejects the OAuth client: client_id or client_secret is wrong.")
	case err == nil && reply.Error != "" && r.Status < 500 && r.Status != http.StatusTooManyRequests:
		return rejected(ads.CredentialsRejected, "")
	case r.Status != http.StatusOK:
		return c.tokens.Status(r)
	case err != nil:
		return c.tokens.Unreadable(err)
	case reply.Token == "" || strings.ContainsFunc(reply.Token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return c.tokens.Unreadable(errors.New("the reply has no usable access_token"))
	}
	*into = reply
	return wire.Verdict{}
}
