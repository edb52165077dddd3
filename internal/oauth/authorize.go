package oauth

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/oauth/people"
)

const maxState = 2 << 10

// challengeForm matches a PKCE code challenge: a SHA-256 hash in base64url without padding.
var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// pageError is an error in a request with an untrusted client or redirect URI. The person sees the error on a page, and
// the client gets no response.
type pageError struct {
	status int
	text   string
}

// Error implements error.
func (e *pageError) Error() string { return e.text }

func badRequest(text string) *pageError { return &pageError{status: http.StatusBadRequest, text: text} }

// asked is an authorization request of a known client with a registered redirect URI.
type asked struct {
	client    control.Client
	redirect  string
	state     string
	hasState  bool
	challenge string
	scopes    []control.Scope
}

// dialogue is the part of the server that shows pages.
type dialogue struct {
	*Server
	pages Pages
}

// authorize shows the consent page and accepts the decision.
func (s *dialogue) authorize(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	if !s.hosts.Know(r.Host) {
		s.pages.Refuse(w, r, http.StatusMisdirectedRequest, "The service is not configured for this host name. Ask the operator for the base URL of the service.")
		return
	}
	values, no := s.authorizeParams(w, r)
	switch {
	case no != nil:
		s.pages.Refuse(w, r, no.status, "The request cannot be read. Start again in the app.")
	case s.keys == nil:
		s.pages.Refuse(w, r, http.StatusInternalServerError,
			"This service has no signing secret, so apps cannot connect. Ask the operator to configure one.")
	case r.Method == http.MethodPost && values.Has("decision"):
		s.decide(w, r, values)
	default:
		s.ask(w, r, values)
	}
}

func (s *dialogue) authorizeParams(w http.ResponseWriter, r *http.Request) (url.Values, *refusal) {
	if r.Method == http.MethodPost {
		return form(w, r)
	}
	return parseParams(r.URL.RawQuery)
}

// ask validates the request and shows it to the signed-in person.
func (s *dialogue) ask(w http.ResponseWriter, r *http.Request, values url.Values) {
	a, err := s.askedBy(r, values)
	if err == nil {
		err = a.check(s.Server, values)
	}
	if err != nil {
		s.answerFailure(w, r, a, err)
		return
	}
	visitor, err := s.pages.Visitor(r)
	signedOut := fault.KindOf(err) == fault.KindUnauthenticated
	switch {
	case err != nil && !signedOut:
		s.answerFailure(w, r, a, err)
	case values.Get("prompt") == "none" && signedOut:
		s.answerFailure(w, r, a, refuse(loginRequired, "sign-in is required"))
	case values.Get("prompt") == "none":
		s.answerFailure(w, r, a, refuse(consentRequired, "the user's consent is required"))
	case signedOut:
		s.pages.SignIn(w, r, authorizePath+"?"+values.Encode())
	default:
		s.show(w, r, a, visitor)
	}
}

// askedBy returns the client and its redirect URI. Until both are verified, the server must not send a response to the
// client.
func (s *dialogue) askedBy(r *http.Request, values url.Values) (asked, error) {
	for name, all := range values {
		if len(all) > 1 && name != "resource" {
			return asked{}, badRequest("The request contains a parameter twice. Start again in the app.")
		}
	}
	id, redirect := values.Get("client_id"), values.Get("redirect_uri")
	if id == "" || redirect == "" {
		return asked{}, badRequest("The request has no client_id or no redirect_uri. Start again in the app.")
	}
	client, err := s.client(r, id)
	if err != nil {
		return asked{}, err
	}
	if !matches(client.Redirects, redirect) {
		return asked{}, badRequest("The redirect URI is not registered for this app. Start again in the app, or register the app again.")
	}
	state := values.Get("state")
	if len(state) > maxState {
		return asked{}, badRequest("The parameter state is larger than 2 KiB. Ask the developer of the app to shorten it.")
	}
	if !utf8.ValidString(state) || strings.ContainsRune(state, 0) {
		return asked{}, badRequest("The parameter state is not valid UTF-8 or contains a NUL character. " +
			"Ask the developer of the app to encode it.")
	}
	return asked{client: client, redirect: redirect, state: state, hasState: values.Has("state")}, nil
}

// client returns the registered client, or the client described by a client ID metadata document.
func (s *dialogue) client(r *http.Request, id string) (control.Client, error) {
	unknown := badRequest("This app is not registered. Register it again.")
	if !strings.Contains(id, ":") { // IDs of registered clients contain only letters and digits
		c, err := s.store.Client(r.Context(), control.ClientID(id))
		if isUnknown(err) {
			return c, unknown
		}
		return c, err
	}
	if !isDocumentID(id) {
		return control.Client{}, unknown
	}
	doc, remembered := s.documents.remembered(id)
	if !remembered {
		if wait := s.documentFetches.Take(r.Context(), s.addresses.Of(r).String(), s.now()); wait > 0 {
			return control.Client{}, &pageError{status: http.StatusTooManyRequests, text: "Too many unknown apps from this address. Try again later."}
		}
		doc.client, doc.err = s.documents.fetch(r.Context(), id)
	}
	if doc.err != nil {
		s.log.InfoContext(r.Context(), "client metadata document rejected", slog.String("client", id), slog.Any("error", doc.err))
		return control.Client{}, badRequest("The app's client metadata document cannot be used.")
	}
	return doc.client, nil
}

// check validates the parameters that askedBy does not validate. Its errors are sent to the client.
func (a *asked) check(s *Server, values url.Values) error {
	switch {
	case values.Has("request") || values.Has("request_uri"):
		return refuse(requestNotSupported, "request objects are not supported")
	case !values.Has("response_type"):
		return refuse(invalidRequest, "response_type is missing")
	case values.Get("response_type") != "code":
		return refuse(unsupportedResponse, "response_type must be code")
	case values.Has("response_mode") && values.Get("response_mode") != "query":
		return refuse(invalidRequest, "only the response mode query is supported")
	case values.Get("code_challenge_method") != "S256":
		return refuse(invalidRequest, "code_challenge_method must be S256")
	case !challengeForm.MatchString(values.Get("code_challenge")):
		return refuse(invalidRequest, "code_challenge must be 43 characters of base64url")
	}
	for _, resource := range values["resource"] {
		if !s.isResource(resource) {
			return refuse(invalidTarget, "the resource does not belong to this server")
		}
	}
	scopes, ok := parseScopes(values.Get("scope"))
	if !ok {
		return refuse(invalidScope, "unknown scope")
	}
	a.challenge, a.scopes = values.Get("code_challenge"), scopes
	return nil
}

// show stores the request and shows the consent page.
func (s *dialogue) show(w http.ResponseWriter, r *http.Request, a asked, visitor people.Visitor) {
	memberships, err := s.store.Memberships(r.Context(), visitor.User.ID)
	if err != nil {
		s.answerFailure(w, r, a, err)
		return
	}
	if len(memberships) == 0 {
		s.answerFailure(w, r, a, &pageError{status: http.StatusForbidden, text: "Your account has no workspace, so there is nothing to authorize."})
		return
	}
	secret := people.NewSecret()
	err = s.store.KeepRequest(r.Context(), control.AuthRequest{
		Hash: secret.Hash(), Session: visitor.Session, User: visitor.User.ID,
		Client: a.client.ID, ClientName: a.client.Name, Redirect: a.redirect, Scopes: a.scopes,
		State: a.state, HasState: a.hasState, Challenge: a.challenge, ExpiresAt: s.instant().Add(requestLifetime),
	})
	if err != nil {
		s.answerFailure(w, r, a, err)
		return
	}
	origin := ""
	if isDocumentID(string(a.client.ID)) {
		origin = hostOf(string(a.client.ID))
	}
	s.pages.Consent(w, r, Consent{
		Visitor: visitor, Request: secret, Client: a.client.Name, Origin: origin, Redirect: a.redirect, Host: hostOf(a.redirect),
		OnlyLocal: onlyLocal(a.client.Redirects), Scopes: a.scopes, Memberships: memberships,
	})
}

// answerFailure shows an error page or redirects the browser to the client with an error, depending on the failure.
func (s *dialogue) answerFailure(w http.ResponseWriter, r *http.Request, a asked, err error) {
	if page, ok := errors.AsType[*pageError](err); ok {
		s.pages.Refuse(w, r, page.status, page.text)
	} else if no, ok := errors.AsType[*refusal](err); ok {
		s.sendBack(w, a.redirect, a.state, a.hasState, url.Values{"error": {no.code}, "error_description": {no.text}})
	} else if no := s.broken(r, err); no.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
		s.pages.Refuse(w, r, no.status, "The service cannot reach its data. Try again in a few seconds.")
	} else {
		s.pages.Refuse(w, r, no.status, "The request failed because of an internal error. Try again in a moment.")
	}
}

// sendBack redirects the browser to the client. Status 303 makes the browser drop the posted form. Every response names
// the issuer (RFC 9207).
func (s *dialogue) sendBack(w http.ResponseWriter, redirect, state string, hasState bool, answer url.Values) {
	if hasState {
		answer.Set("state", state)
	}
	answer.Set("iss", s.issuer)
	w.Header().Set("Location", withQuery(redirect, answer))
	w.WriteHeader(http.StatusSeeOther)
}

// expired reports whether the time for a decision about the request has passed.
func expired(r control.AuthRequest, now time.Time) bool {
	return !r.DecidedAt.IsZero() || !now.Before(r.ExpiresAt)
}
