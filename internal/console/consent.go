package console

import (
	"net/http"
	"slices"

	"assay/internal/console/frame"
	"assay/internal/console/lookalike"
	"assay/internal/control"
	"assay/internal/oauth"
)

// consentView contains the data of the consent page.
type consentView struct {
	oauth.Consent
	FormToken string
	Secret    string // secret of the authorization request
	Offered   []control.Scope
	Approve   control.Scope   // shown separately; "" if not requested or not allowed
	Withheld  []control.Scope // requested, but not allowed by the visitor's role
	Imitates  bool            // the name may imitate another name
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
	c.Render(w, r, http.StatusOK, frame.Page{
		Name: "consent", Title: "Connect " + asked.Client, View: v, Visitor: &asked.Visitor, FormAction: frame.FormTarget(asked.Redirect),
	})
}
