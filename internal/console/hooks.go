package console

import (
	"context"
	"net/http"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
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
	form, call := v.PostForm, v.calls(p.Workspace.ID)
	var err error
	switch form.Get("action") {
	case "add":
		_, err = operation.AddWebhookSecret.Do(v.Context(), c.operations, call, operation.WebhookSecret{Shop: form.Get("shop"), Secret: form.Get("secret")})
	case "remove":
		_, err = operation.RemoveWebhookSecret.Do(v.Context(), c.operations, call, form.Get("id"))
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
