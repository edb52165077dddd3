package operation_test

import (
	"net/url"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/operation"
)

func TestOnlyPeopleWhoManageAWorkspaceShareItsPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.other()
	owner, role := s.member(control.RoleAdmin)
	page := operation.NewShare{Page: "/channels", Query: url.Values{"range": {"7d"}}, Days: 7}
	made, err := operation.CreateShare.Do(t.Context(), s.Service, s.by(operation.Member(owner.ID)), page)
	if err != nil || len(made.Secret.Hash()) != 32 || len(string(made.Secret)) < 43 || made.Share.ExpiresAt.Sub(made.Share.CreatedAt) != 7*24*time.Hour {
		t.Fatalf("%+v, %v", made.Share, err)
	}
	if again, err := operation.CreateShare.Do(t.Context(), s.Service, s.by(operation.Member(owner.ID)), page); err != nil || again.Secret == made.Secret {
		t.Errorf("two links have the same secret, %v", err)
	}
	for _, days := range []int{0, -1, 91} {
		page.Days = days
		_, err := operation.CreateShare.Do(t.Context(), s.Service, s.by(operation.Member(owner.ID)), page)
		kind(t, "an expiry out of range", err, fault.KindInvalid)
	}
	page.Days = 1
	key, err := operation.CreateKey.Do(t.Context(), s.Service, s.by(operator), auth.NewKey{Name: "all", Scopes: control.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Store.Workspace(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	client := operation.Client(auth.Principal{Workspace: w, Actor: "key:" + string(key.Key.ID), Kind: auth.ByKey, Key: key.Key.ID, Scopes: control.Scopes()})
	for what, call := range map[string]operation.Call{"an API key": s.by(client), "the operator, who is no member": s.by(operator), "a member elsewhere": {Workspace: "other", Caller: operation.Member(owner.ID)}} {
		_, err := operation.CreateShare.Do(t.Context(), s.Service, call, page)
		kind(t, what, err, fault.KindForbidden)
	}
	_, err = operation.RevokeShare.Do(t.Context(), s.Service, operation.Call{Workspace: "other", Caller: operator}, made.Share.ID)
	kind(t, "a link of another workspace is revoked", err, fault.KindNotFound)
	role(control.RoleAnalyst)
	_, err = operation.CreateShare.Do(t.Context(), s.Service, s.by(operation.Member(owner.ID)), page)
	kind(t, "an analyst", err, fault.KindForbidden)
	_, err = operation.ListShares.Do(t.Context(), s.Service, s.by(operation.Member(owner.ID)), operation.None{})
	kind(t, "an analyst lists", err, fault.KindForbidden)
	_, err = operation.RevokeShare.Do(t.Context(), s.Service, s.by(operator), made.Share.ID)
	kind(t, "the operator revokes", err, "")
}
