package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"slices"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/httpapi"
	"assay/internal/ingest/webhook"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

const (
	hookPause = 5 * time.Second // in which messages gather before facts are made of them
	hookBatch = 500             // messages that become facts in one step
	hookRetry = time.Minute     // after a failure that is no message's fault

	maxHookSecret = 256 // characters
	maxHookID     = 100
)

// AddHookSecret keeps what a shop signs its webhooks with, and returns the id by which it is removed.
func (c *Control) AddHookSecret(ctx context.Context, ws measure.WorkspaceID, shop, secret string, by control.By) (string, error) {
	secret, shop = strings.TrimSpace(secret), strings.ToLower(strings.TrimSpace(shop))
	if secret == "" || len(secret) > maxHookSecret {
		return "", fault.Invalid("a webhook secret has 1 to %d characters", maxHookSecret).
			WithHint("it stands in Shopify under Settings, Notifications, Webhooks, or is the client secret of your app")
	}
	if len(shop) > maxHookSecret || strings.ContainsAny(shop, "/ \t\r\n") {
		return "", fault.Invalid("%q is not a shop's domain", shop).WithHint("use one such as acme.myshopify.com, or none")
	}
	id := strings.ToLower(rand.Text()[:10])
	return id, c.Store.AddHookSecret(ctx, control.HookSecret{
		ID: id, Workspace: ws, Shop: shop, Sealed: c.Installation.Seal(ws, secret), CreatedAt: by.At,
	}, by)
}

// receive keeps a message of a shop. It is on the disk when receive returns.
func (a *App) receive(ctx context.Context, m httpapi.ShopMessage) (outcome string, err error) {
	ws := measure.WorkspaceID(m.Workspace)
	if err := a.checkSignature(ctx, ws, m); err != nil {
		return "", err
	}
	kept, err := webhook.Take(webhook.Topic(m.Topic), m.Body, a.control.Installation.HashKey(ws))
	if err != nil {
		return "", err
	}
	if kept == nil {
		return "ignored", nil
	}
	now := a.now()
	d := control.Delivery{Workspace: ws, ID: deliveryID(m), Topic: m.Topic, Sent: m.Sent, At: now, Body: kept}
	if d.Sent.IsZero() || d.Sent.After(now) {
		d.Sent = now
	}
	fresh, err := a.control.Store.Receive(ctx, d, privacyEvents(d)...)
	switch {
	case err != nil:
		return "", err
	case !fresh:
		return "repeated", nil
	}
	select {
	case a.arrived <- struct{}{}:
	default: // somebody said so already
	}
	return "accepted", nil
}

// checkSignature looks for the secret that a message was signed with. Every secret is tried, so the time tells nothing.
func (a *App) checkSignature(ctx context.Context, ws measure.WorkspaceID, m httpapi.ShopMessage) error {
	secrets, err := a.control.Store.HookSecrets(ctx, ws)
	if err != nil {
		return err
	}
	signed := false
	for _, h := range secrets {
		secret, err := a.control.Installation.Unseal(ws, h.Sealed)
		if err != nil {
			return err
		}
		if webhook.Signed(m.Body, secret, m.Signature) && (h.Shop == "" || strings.EqualFold(h.Shop, m.Shop)) {
			signed = true
		}
	}
	if !signed {
		return fault.New(fault.KindUnauthenticated, "no secret of workspace %q signs so", ws)
	}
	return nil
}

// deliveryID names a message. One without an id of its own is named by what it says.
func deliveryID(m httpapi.ShopMessage) string {
	if m.ID != "" && len(m.ID) <= maxHookID {
		return m.ID
	}
	sum := sha256.Sum256([]byte(m.Topic + "\n" + string(m.Body)))
	return hex.EncodeToString(sum[:16])
}

// privacyEvents is what the security log gets of a message: what a shop asks for on behalf of a person is for people to
// do.
func privacyEvents(d control.Delivery) []control.Event {
	if !slices.Contains([]webhook.Topic{webhook.CustomerRedact, webhook.CustomerRequest, webhook.ShopRedact}, webhook.Topic(d.Topic)) {
		return nil
	}
	return []control.Event{{
		Workspace: d.Workspace, Kind: control.PrivacyRequested, Actor: "shopify webhook", At: d.At, Subject: d.Topic, Detail: string(d.Body),
	}}
}

// takeIn makes facts of the messages that come until ctx ends, some seconds after they came. What waits at the end, or
// was kept by a process that was killed, is taken in at the next start.
func (a *App) takeIn(ctx context.Context) error {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.arrived:
			select { // others come with it
			case <-time.After(hookPause):
			case <-ctx.Done():
				return nil
			}
		case <-pause.C:
		}
		next := hookRetry
		more, err := a.takeInWaiting(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			a.log.ErrorContext(ctx, "webhook messages wait", slog.Any("error", err))
		case more:
			next = 0
		}
		pause.Reset(next)
	}
}

// takeInWaiting makes facts of the messages that wait, and reports whether there may be more.
func (a *App) takeInWaiting(ctx context.Context) (more bool, err error) {
	waiting, err := a.control.Store.Waiting(ctx, hookBatch)
	if err != nil {
		return false, err
	}
	byWorkspace := map[measure.WorkspaceID][]control.Delivery{}
	for _, d := range waiting {
		byWorkspace[d.Workspace] = append(byWorkspace[d.Workspace], d)
	}
	settled := 0
	for ws, messages := range byWorkspace {
		n, err := a.takeInOf(ctx, ws, messages)
		if err != nil {
			return false, err
		}
		settled += n
	}
	return settled > 0 && len(waiting) == hookBatch, nil
}

// takeInOf makes facts of a workspace's messages and returns how many are settled.
func (a *App) takeInOf(ctx context.Context, ws measure.WorkspaceID, messages []control.Delivery) (int, error) {
	workspace, err := a.control.Store.Workspace(ctx, ws)
	if err != nil {
		return 0, err
	}
	result, err := webhook.Run(ctx, hookStore{laneStore{a}}, messages, webhook.Options{
		Workspace: workspace, HashKey: a.control.Installation.HashKey(ws), Now: a.now(),
	})
	if err != nil {
		return 0, err
	}
	settled := slices.DeleteFunc(messages, func(d control.Delivery) bool { return result.Later[d.ID] })
	for i := range settled {
		settled[i].Problem = result.Unusable[settled[i].ID]
	}
	a.log.InfoContext(ctx, "webhook messages taken in", slog.String("workspace", string(ws)), slog.Int("messages", len(settled)), slog.Int("unusable", len(result.Unusable)))
	return len(settled), a.control.Store.Settle(ctx, settled, a.now())
}

// hookStore is the store of facts for messages.
type hookStore struct{ laneStore }

// Order implements [webhook.Store].
func (s hookStore) Order(ctx context.Context, ws measure.WorkspaceID, ref warehouse.OrderRef) (warehouse.Order, bool, error) {
	return s.app.facts.Order(ctx, ws, ref)
}
