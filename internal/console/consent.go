package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"assay/internal/console/lookalike"
	"assay/internal/control"
	"assay/internal/oauth"
)

// consentView is the view of the consent page.
type consentView struct {
	oauth.Consent
	FormToken string
	Secret    string // of the authorization request
	Offered   []control.Scope
	Approve   control.Scope   // shown separately; "" if not requested or not allowed
	Withheld  []control.Scope // requested, but not allowed by the visitor's role
	Imitates  bool            // the name may imitate another
}

// consent shows the page on which the visitor authorizes an OAuth client.
func (c *accountPages) consent(w http.ResponseWriter, r *http.Request, asked oauth.Consent) {
	v := consentView{
		Consent: asked, FormToken: asked.Visitor.Secret.FormToken(oauth.ConsentForm), Secret: string(asked.Request), Imitates: lookalike.Imitates(asked.Client),
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

// formTarget returns the source expression of a redirect address for the form-action policy. Browsers apply this policy
// also to redirects of forms. A policy cannot contain a host in brackets, so for such an address it is the scheme
// alone.
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
