package operation

import (
	"context"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
)

// maxWebhookSecret is the maximum length of a secret and of a shop domain in bytes.
const maxWebhookSecret = 256

// WebhookSecret is the secret with which a shop signs its webhook messages.
type WebhookSecret struct {
	Shop   string // domain, such as acme.myshopify.com; "" for any shop that has the secret
	Secret string
}

// AddWebhookSecret encrypts and stores a secret, and returns the ID, which is necessary to remove the secret.
var AddWebhookSecret = Operation[WebhookSecret, control.HookSecretID]{
	Spec{Name: "webhook.add", Needs: Manage, Undo: "Remove the secret."},
	(*Run).addWebhookSecret,
}

func (r *Run) addWebhookSecret(ctx context.Context, in WebhookSecret) (control.HookSecretID, error) {
	secret, shop := strings.TrimSpace(in.Secret), strings.ToLower(strings.TrimSpace(in.Shop))
	if secret == "" || len(secret) > maxWebhookSecret {
		return "", fault.Invalid("a webhook secret must have 1 to %d characters", maxWebhookSecret).
			WithHint("Shopify shows the secret under Settings, Notifications, Webhooks. The secret of an app is its client secret")
	}
	if len(shop) > maxWebhookSecret || strings.ContainsAny(shop, "/ \t\r\n") {
		return "", fault.Invalid("%q is not a shop's domain", shop).WithHint("use a domain such as acme.myshopify.com, or leave the shop empty")
	}
	id, by := control.HookSecretID(newID()), r.By()
	return id, r.Store.AddHookSecret(ctx, control.HookSecret{
		ID: id, Workspace: r.Workspace.ID, Shop: shop, Sealed: r.Installation.Seal(r.Workspace.ID, secret), CreatedAt: by.At,
	}, by)
}

// RemoveWebhookSecret removes a secret by ID. Messages signed with it are rejected from then on.
var RemoveWebhookSecret = Operation[control.HookSecretID, None]{
	Spec{Name: "webhook.remove", Needs: Manage, Undo: "Add the secret again."},
	func(r *Run, ctx context.Context, id control.HookSecretID) (None, error) {
		return None{}, r.Store.RemoveHookSecret(ctx, r.Workspace.ID, id, r.By())
	},
}
