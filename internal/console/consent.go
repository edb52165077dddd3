package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"assay/internal/control"
	"assay/internal/oauth"
)

// consentView is what the consent page shows.
type consentView struct {
	oauth.Consent
	FormToken string
	Secret    string // the request's
	Offered   []control.Scope
	Approve   control.Scope   // offered in a place of its own; "" when it is not
	Withheld  []control.Scope // asked for, and not the visitor's to give
	Imitates  bool            // the name may be written to look like another
}

// Consent asks the visitor whether a program may act for them.
func (c *Console) Consent(w http.ResponseWriter, r *http.Request, asked oauth.Consent) {
	v := consentView{
		Consent: asked, FormToken: asked.Visitor.Secret.FormToken(oauth.ConsentForm), Secret: string(asked.Request), Imitates: imitates(asked.Client),
	}
	for _, scope := range asked.Scopes {
		allowed := slices.ContainsFunc(asked.Memberships, func(m control.Membership) bool {
			return slices.Contains(m.Role.Scopes(), scope)
		})
		switch {
		case !allowed:
			v.Withheld = append(v.Withheld, scope)
		case scope == control.ScopeApprove:
			v.Approve = scope
		default:
			v.Offered = append(v.Offered, scope)
		}
	}
	c.render(w, r, http.StatusOK, page{
		name: "consent", title: "Connect " + asked.Client, view: v, visitor: &asked.Visitor, formAction: formTarget(asked.Redirect),
	})
}

// formTarget is what a browser must know of the address that the answer goes to: it holds a form's redirect to the
// page's policy. A host in brackets cannot be written in a policy; then its scheme is named.
func formTarget(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return ""
	}
	plain := u.Scheme == "http" || u.Scheme == "https"
	if !plain || strings.Trim(u.Host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:") != "" {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}
