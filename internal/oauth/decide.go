package oauth

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/oauth/people"
)

// decisionFields are the fields of the consent form. The request is stored on the server, so the browser cannot change
// it before the decision.
var decisionFields = []string{"request", "csrf", "scope", "workspace", "decision"}

// decide handles the visitor's decision about a request shown to the same session.
func (s *dialogue) decide(w http.ResponseWriter, r *http.Request, values url.Values) {
	visitor, request, err := s.decidable(r, values)
	if err != nil {
		s.answerFailure(w, r, asked{}, err)
		return
	}
	a := asked{redirect: request.Redirect, state: request.State, hasState: request.HasState}
	by := control.By{Actor: control.ActorOf(visitor.User.ID), At: s.instant()}
	var code people.Secret
	switch values.Get("decision") {
	case "approve":
		code, err = s.approve(r, values, request, by)
	case "deny":
		err = s.refused(r, request, by)
	default:
		err = badRequest("The form has no valid decision. Allow or deny the request.")
	}
	if fault.KindOf(err) == fault.KindConflict {
		err = badRequest("This request was already decided or has expired. Start again in the app.")
	}
	if fault.KindOf(err) == fault.KindForbidden {
		err = &pageError{status: http.StatusForbidden, text: "Your role in the workspace has changed. Start again in the app."}
	}
	if err != nil {
		s.answerFailure(w, r, a, err)
		return
	}
	s.sendBack(w, request.Redirect, request.State, request.HasState, url.Values{"code": {string(code)}})
}

// decidable returns the request of the form, if the form was shown to this session.
func (s *dialogue) decidable(r *http.Request, values url.Values) (people.Visitor, control.AuthRequest, error) {
	foreign := &pageError{status: http.StatusForbidden, text: "This form belongs to another session. Start again in the app."}
	if s.crossOrigin.Check(r) != nil {
		return people.Visitor{}, control.AuthRequest{}, foreign
	}
	visitor, err := s.pages.Visitor(r)
	if fault.KindOf(err) == fault.KindUnauthenticated {
		return visitor, control.AuthRequest{}, foreign
	}
	if err != nil {
		return visitor, control.AuthRequest{}, err
	}
	if len(values["csrf"]) != 1 || !visitor.Secret.AcceptsForm(ConsentForm, values.Get("csrf")) {
		return visitor, control.AuthRequest{}, foreign
	}
	for name, all := range values {
		if !slices.Contains(decisionFields, name) || len(all) > 1 && name != "scope" {
			return visitor, control.AuthRequest{}, badRequest("The form has an unknown field. Start again in the app.")
		}
	}
	request, err := s.store.Request(r.Context(), people.Secret(values.Get("request")).Hash())
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		return visitor, request, badRequest("This request does not exist. Start again in the app.")
	case err != nil:
		return visitor, request, err
	case !bytes.Equal(request.Session, visitor.Session):
		return visitor, request, foreign
	case expired(request, s.instant()):
		return visitor, request, badRequest("This request was already decided or has expired. Start again in the app.")
	}
	return visitor, request, nil
}

// approve grants the selected scopes that the visitor's role in the workspace allows. If no scope is selected, it
// denies the request.
func (s *dialogue) approve(r *http.Request, values url.Values, request control.AuthRequest, by control.By) (people.Secret, error) {
	ws := measure.WorkspaceID(values.Get("workspace"))
	role, err := s.roleIn(r, request.User, ws)
	if err != nil {
		return "", err
	}
	if !values.Has("scope") {
		return "", s.refused(r, request, by)
	}
	ticked, ok := parseScopes(strings.Join(values["scope"], " "))
	if !ok || len(control.CommonScopes(ticked, request.Scopes)) < len(ticked) {
		return "", badRequest("The form has a scope that the app did not request. Start again in the app.")
	}
	if err := s.noteRefusedScopes(r, request, role, ws, by); err != nil {
		return "", err
	}
	granted := role.Within(ticked)
	if len(granted) == 0 {
		return "", s.refused(r, request, by)
	}
	g := control.Grant{
		ID: control.GrantID(strings.ToLower(rand.Text())), User: request.User, Workspace: ws, Client: request.Client, ClientName: request.ClientName,
		Redirect: request.Redirect, Scopes: granted, CreatedAt: by.At, EndsAt: by.At.Add(grantLifetime),
	}
	secret := people.NewSecret()
	c := control.Code{Hash: secret.Hash(), Grant: g.ID, Redirect: request.Redirect, Challenge: request.Challenge, ExpiresAt: by.At.Add(codeLifetime)}
	return secret, s.store.ApproveRequest(r.Context(), request.Hash, g, c, by)
}

// refused denies the request and returns the error for the client.
func (s *dialogue) refused(r *http.Request, request control.AuthRequest, by control.By) error {
	if err := s.store.RefuseRequest(r.Context(), request.Hash, by); err != nil {
		return err
	}
	return refuse(accessDenied, "the user denied the request")
}

// roleIn returns the visitor's current role in the workspace. The role may have changed since the page was shown.
func (s *dialogue) roleIn(r *http.Request, user control.UserID, ws measure.WorkspaceID) (control.Role, error) {
	memberships, err := s.store.Memberships(r.Context(), user)
	if err != nil {
		return "", err
	}
	for _, m := range memberships {
		if m.Workspace.ID == ws {
			return m.Role, nil
		}
	}
	return "", &pageError{status: http.StatusForbidden, text: "You are not a member of this workspace."}
}

// noteRefusedScopes logs the requested scopes that the member's role does not allow.
func (s *dialogue) noteRefusedScopes(r *http.Request, request control.AuthRequest, role control.Role, ws measure.WorkspaceID, by control.By) error {
	allowed := role.Within(request.Scopes)
	beyond := slices.DeleteFunc(slices.Clone(request.Scopes), func(scope control.Scope) bool { return slices.Contains(allowed, scope) })
	if len(beyond) == 0 {
		return nil
	}
	return s.store.AppendEvent(r.Context(), control.Event{
		At: by.At, Workspace: ws, Kind: control.ScopeRefused, Actor: by.Actor, Subject: string(request.Client),
		Detail: scopeText(beyond) + " as " + string(role),
	})
}
