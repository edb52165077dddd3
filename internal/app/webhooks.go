package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/httpapi"
	"assay/internal/ingest/webhook"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/panics"
)

const (
	hookPause = 5 * time.Second // in which messages gather before facts are made of them
	hookBatch = 500             // messages that become facts in one step
	hookTurns = 4               // workspaces of which facts are made at a time
	hookRetry = time.Minute     // after a failure that is no message's fault

	maxHookID = 100
)

// receive stores a message of a shop. It is on the disk when receive returns.
func (a *App) receive(ctx context.Context, m httpapi.ShopMessage) (outcome string, err error) {
	ws := measure.WorkspaceID(m.Workspace)
	body, err := a.signedBody(ctx, ws, m)
	if err != nil {
		return "", err
	}
	kept, err := webhook.Take(webhook.Topic(m.Topic), body, a.control.Installation.HashKey(ws))
	if err != nil {
		return "", err
	}
	if kept == nil {
		return "ignored", nil
	}
	now := a.now()
	d := control.Delivery{Workspace: ws, ID: deliveryID(m, body), Topic: m.Topic, Sent: m.Sent, At: now, Body: kept}
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

// signedBody reads the body of a message and checks its signature. Anybody can send a message, so nothing is read where no
// secret can have signed it, and the body counts against the budget of anonymous callers until it is verified.
func (a *App) signedBody(ctx context.Context, ws measure.WorkspaceID, m httpapi.ShopMessage) ([]byte, error) {
	secrets, err := a.hookSecrets(ctx, ws, m.Shop)
	if err != nil {
		return nil, err
	}
	unsigned := fault.New(fault.KindUnauthenticated, "no secret of workspace %q signed the message", ws)
	verifier, ok := webhook.NewVerifier(secrets, m.Signature)
	if !ok {
		return nil, unsigned
	}
	body, err := a.bodies.Read(m.Body, verifier)
	defer body.Release()
	if err != nil {
		return nil, err
	}
	if !verifier.Signed() {
		return nil, unsigned
	}
	return body.Bytes(), nil
}

// hookSecrets returns the secrets of a workspace that may sign messages of the shop.
func (a *App) hookSecrets(ctx context.Context, ws measure.WorkspaceID, shop string) (secrets []string, err error) {
	all, err := a.control.Store.HookSecrets(ctx, ws)
	if err != nil {
		return nil, err
	}
	for _, h := range all {
		if h.Shop != "" && !strings.EqualFold(h.Shop, shop) {
			continue
		}
		secret, err := a.control.Installation.Unseal(ws, h.Sealed)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// deliveryID names a message. One without an id of its own is named by what it says.
func deliveryID(m httpapi.ShopMessage, body []byte) string {
	if m.ID != "" && len(m.ID) <= maxHookID {
		return m.ID
	}
	sum := sha256.Sum256([]byte(m.Topic + "\n" + string(body)))
	return hex.EncodeToString(sum[:16])
}

// shopActor is who the security log says did what a shop asked for.
const shopActor = "shopify webhook"

// privacyEvents is what the security log gets of a message: what a shop asks for on behalf of a person, and what there is
// to do about it.
func privacyEvents(d control.Delivery) []control.Event {
	var asked struct {
		webhook.Person
		Shop string `json:"shop_domain"`
	}
	if json.Unmarshal(d.Body, &asked) != nil {
		return nil
	}
	var what string
	switch webhook.Topic(d.Topic) {
	case webhook.CustomerRedact:
		what = fmt.Sprintf("customer %s of the shop is to be forgotten; this is done by itself, and a line of its own says so", asked.ID)
	case webhook.CustomerRequest:
		what = fmt.Sprintf("customer %s of the shop asks for their data; within 30 days, export the workspace (assay export DIR --workspace %s) and hand out the orders with one of the customers %s",
			asked.ID, d.Workspace, strings.Join(asked.Hashes, ", "))
	case webhook.ShopRedact:
		what = fmt.Sprintf("%s has taken the app away and its data are to be deleted; within 30 days, unless the workspace has other data that are to stay: assay workspace delete %s", asked.Shop, d.Workspace)
	default:
		return nil
	}
	return []control.Event{{Workspace: d.Workspace, Kind: control.PrivacyRequested, Actor: shopActor, At: d.At, Subject: d.Topic, Detail: what}}
}

// takeIn makes facts of the messages that come until ctx ends, some seconds after they came. What waits at the end, or
// was kept by a process that was killed, is taken in at the next start. Some workspaces have their turn at the same time, and
// one that is being imported into comes later, so that neither it nor one that cannot be written holds up others.
func (a *App) takeIn(ctx context.Context) error {
	var working panics.Group
	defer working.Wait()
	turns := make(chan struct{}, hookTurns)
	var busy sync.Map // of workspaces
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
		pause.Reset(hookRetry)
		awaiting, err := a.control.Store.Awaiting(ctx)
		if err != nil && ctx.Err() == nil {
			a.log.ErrorContext(ctx, "webhook messages wait", slog.Any("error", err))
		}
		for _, ws := range awaiting {
			if a.operations.Busy(ws) {
				continue
			}
			if _, is := busy.LoadOrStore(ws, true); is {
				continue
			}
			select {
			case turns <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			working.Go(func() {
				defer func() { <-turns }()
				defer busy.Delete(ws)
				err := panics.Caught(func() error { return a.takeInAll(ctx, ws) })
				if err != nil && ctx.Err() == nil {
					a.log.ErrorContext(ctx, "webhook messages wait", slog.String("workspace", string(ws)), slog.Any("error", err))
				}
			})
		}
	}
}

// takeInAll makes facts of all messages of a workspace that wait, until it is imported into.
func (a *App) takeInAll(ctx context.Context, ws measure.WorkspaceID) error {
	for !a.operations.Busy(ws) {
		messages, err := a.control.Store.Waiting(ctx, ws, hookBatch)
		if err != nil || len(messages) == 0 {
			return err
		}
		if settled, err := a.takeInOf(ctx, ws, messages); err != nil || settled == 0 {
			return err
		}
	}
	return nil
}

// redact forgets the customers that messages ask to be forgotten. It comes before facts are made, so that orders in the
// same messages leave them out too.
func (a *App) redact(ctx context.Context, workspace control.Workspace, messages []control.Delivery) error {
	for i := range messages {
		if webhook.Topic(messages[i].Topic) != webhook.CustomerRedact {
			continue
		}
		person, err := webhook.PersonOf(messages[i].Body, a.control.Installation.HashKey(workspace.ID))
		if err != nil || len(person.Hashes) == 0 {
			continue // nobody is named: the message is told to be unusable
		}
		call := operation.Call{Workspace: workspace.ID, Caller: operation.System(shopActor)}
		if _, err := operation.ForgetCustomer.Do(ctx, a.operations, call, operation.Customer{Hashes: person.Hashes}); err != nil {
			return err
		}
	}
	return nil
}

// takeInOf makes facts of a workspace's messages and returns how many are settled.
func (a *App) takeInOf(ctx context.Context, ws measure.WorkspaceID, messages []control.Delivery) (int, error) {
	workspace, err := a.control.Store.Workspace(ctx, ws)
	if err != nil {
		return 0, err
	}
	if err := a.redact(ctx, workspace, messages); err != nil {
		return 0, err
	}
	call := operation.Call{Workspace: ws, Caller: operation.System(shopActor)}
	result, err := operation.ApplyMessages.Do(ctx, a.operations, call, messages)
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
