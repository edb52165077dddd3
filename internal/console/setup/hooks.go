package setup

import (
	"net/http"

	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/operation"
)

// changeHooks adds or removes a webhook secret.
func (c *dataPages) changeHooks(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace can change its webhooks. Ask an owner or admin.")
		return
	}
	form, call := v.PostForm, v.Calls(p.Workspace.ID)
	var err error
	switch form.Get("action") {
	case "add":
		_, err = operation.AddWebhookSecret.Do(v.Context(), c.Operations, call, operation.WebhookSecret{Shop: form.Get("shop"), Secret: form.Get("secret")})
	case "remove":
		_, err = operation.RemoveWebhookSecret.Do(v.Context(), c.Operations, call, control.HookSecretID(form.Get("id")))
	default:
		err = frame.ErrUnknownAction
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil:
		frame.See(w, dataPath+"?workspace="+string(p.Workspace.ID)+"#webhooks")
	case public && fault.KindOf(err) != fault.KindUnavailable && fault.KindOf(err) != fault.KindForbidden:
		view := dataView{Place: p, Shop: form.Get("shop"), Messages: frame.Messages{Problem: frame.PublicText(err)}}
		c.showData(w, v, http.StatusUnprocessableEntity, view)
	default:
		c.Fail(w, v.Request, err)
	}
}
