package console

import (
	"context"
	"net/http"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// AddHookSecret keeps what a shop signs its webhooks with. A secret or shop that cannot be meant is a fault of kind
// invalid.
type AddHookSecret func(ctx context.Context, ws measure.WorkspaceID, shop, secret string, by control.By) (id string, err error)

// changeHooks keeps a secret of webhooks, or removes one.
func (c *Console) changeHooks(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace change its webhooks.")
		return
	}
	form, by := v.PostForm, control.By{Actor: v.actor(), At: c.now()}
	var err error
	switch form.Get("action") {
	case "add":
		_, err = c.addSecret(v.Context(), p.Workspace.ID, form.Get("shop"), form.Get("secret"), by)
	case "remove":
		err = c.store.RemoveHookSecret(v.Context(), p.Workspace.ID, form.Get("id"), by)
	default:
		err = fault.Invalid("this form asks for nothing that is known")
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil:
		see(w, dataPath+"?workspace="+string(p.Workspace.ID)+"#webhooks")
	case public && fault.KindOf(err) != fault.KindUnavailable && fault.KindOf(err) != fault.KindForbidden:
		view := dataView{place: p, Shop: form.Get("shop"), Problem: told(err)}
		c.showData(w, v, http.StatusUnprocessableEntity, view)
	default:
		c.fail(w, v.Request, err)
	}
}
