// Package feed receives webhook messages of shops. It verifies and stores each message on arrival, and imports the
// message as facts a few seconds later.
package feed

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

	"assay/internal/bodybudget"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/httpapi"
	"assay/internal/ingest/webhook"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/panics"
)

const (
	hookPause = 5 * time.Second // time to collect messages before they are imported
	hookBatch = 500             // messages that are imported in one step
	hookBytes = 4 << 20         // total size of the bodies at which a step ends
	hookTurns = 4               // maximum number of workspaces with a running import of messages
	hookRetry = time.Minute     // wait after a failure that no message caused

	maxHookID = 100
)

// Options are the dependencies of [New].
type Options struct {
	Operations *operation.Service
	Bodies     *bodybudget.Budget // memory for the bodies of callers that are not authenticated yet
}

// Feed receives the webhook messages of an installation.
type Feed struct {
	*operation.Service
	bodies  *bodybudget.Budget
	arrived chan struct{} // a message is waiting
}

// New returns a feed. Messages are imported as facts while [Feed.Run] runs.
func New(o Options) *Feed {
	return &Feed{Service: o.Operations, bodies: o.Bodies, arrived: make(chan struct{}, 1)}
}

// Receive stores a message of a shop. The message is on disk when Receive returns.
func (f *Feed) Receive(ctx context.Context, m httpapi.ShopMessage) (outcome string, err error) {
	ws := measure.WorkspaceID(m.Workspace)
	id, kept, err := f.reduced(ctx, ws, m)
	if err != nil {
		return "", err
	}
	if kept == nil {
		return "ignored", nil
	}
	now := f.Now()
	d := control.Delivery{Workspace: ws, ID: id, Topic: m.Topic, Sent: m.Sent, At: now, Body: kept}
	if d.Sent.IsZero() || d.Sent.After(now) {
		d.Sent = now
	}
	fresh, err := f.Store.Receive(ctx, d, privacyEvents(d)...)
	switch {
	case err != nil:
		return "", err
	case !fresh:
		return "repeated", nil
	}
	select {
	case f.arrived <- struct{}{}:
	default: // Run has already been notified
	}
	return "accepted", nil
}

// reduced reads the body of a message, checks its signature and returns the message's ID and the reduced body. The
// reduced body is nil if the message is not needed. Messages are untrusted input. The body is not read if no secret can
// have signed it. The body counts against the memory budget of anonymous callers until it is reduced, because the
// reduction needs more memory than the body itself.
func (f *Feed) reduced(ctx context.Context, ws measure.WorkspaceID, m httpapi.ShopMessage) (id control.DeliveryID, kept []byte, err error) {
	secrets, err := f.hookSecrets(ctx, ws, m.Shop)
	if err != nil {
		return "", nil, err
	}
	unsigned := fault.New(fault.KindUnauthenticated, "the message is not signed with a secret of workspace %q", ws)
	verifier, ok := webhook.NewVerifier(secrets, m.Signature)
	if !ok {
		return "", nil, unsigned
	}
	body, err := f.bodies.Read(m.From, m.Body, verifier)
	defer body.Release()
	if err != nil {
		return "", nil, err
	}
	if !verifier.Signed() {
		return "", nil, unsigned
	}
	text := body.Bytes()
	kept, err = webhook.Take(webhook.Topic(m.Topic), text, f.Installation.HashKey(ws))
	return deliveryID(m, text), kept, err
}

// hookSecrets returns the workspace's secrets for verifying messages of the shop, including secrets without a shop.
func (f *Feed) hookSecrets(ctx context.Context, ws measure.WorkspaceID, shop string) (secrets []string, err error) {
	all, err := f.Store.HookSecrets(ctx, ws)
	if err != nil {
		return nil, err
	}
	for _, h := range all {
		if h.Shop != "" && !strings.EqualFold(h.Shop, shop) {
			continue
		}
		secret, err := f.Installation.Unseal(ws, h.Sealed)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// deliveryID returns the ID of a message, or a hash of its topic and body if the ID is missing or too long.
func deliveryID(m httpapi.ShopMessage, body []byte) control.DeliveryID {
	if m.ID != "" && len(m.ID) <= maxHookID {
		return control.DeliveryID(m.ID)
	}
	sum := sha256.Sum256([]byte(m.Topic + "\n" + string(body)))
	return control.DeliveryID(hex.EncodeToString(sum[:16]))
}

// shopActor is the actor in the audit log for requests of a shop.
const shopActor = "shopify webhook"

// privacyEvents returns the audit event of a shop's privacy request, or nil for any other message. The event describes
// the request and, unless Assay handles the request automatically, the action that the operator must take.
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
		what = fmt.Sprintf("the shop requests deletion of customer %s. The deletion is automatic and is logged when it is complete", asked.ID)
	case webhook.CustomerRequest:
		what = fmt.Sprintf("customer %s of the shop requests their data; within 30 days, export the workspace (assay export DIR --workspace %s) and send the orders of the customers %s",
			asked.ID, d.Workspace, strings.Join(asked.Hashes, ", "))
	case webhook.ShopRedact:
		what = fmt.Sprintf("%s uninstalled the app and requests deletion of its data; within 30 days, unless the workspace has other data to keep: assay workspace delete %s", asked.Shop, d.Workspace)
	default:
		return nil
	}
	return []control.Event{{Workspace: d.Workspace, Kind: control.PrivacyRequested, Actor: shopActor, At: d.At, Subject: d.Topic, Detail: what}}
}

// Run imports each message as facts a few seconds after its arrival, until ctx ends. Messages that are pending when ctx
// ends, or that a killed process stored, are imported after the next start. Run imports messages of several workspaces
// at the same time. It skips a workspace with another running import and tries again later, so the workspace does not
// block others.
func (f *Feed) Run(ctx context.Context) error {
	var working panics.Group
	defer working.Wait()
	turns := make(chan struct{}, hookTurns)
	var busy sync.Map // workspaces with a running import of messages
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.arrived:
			select { // collect more messages
			case <-time.After(hookPause):
			case <-ctx.Done():
				return nil
			}
		case <-pause.C:
		}
		pause.Reset(hookRetry)
		awaiting, err := f.Store.Awaiting(ctx)
		if err != nil && ctx.Err() == nil {
			f.Log.ErrorContext(ctx, "webhook messages not processed", slog.Any("error", err))
		}
		for _, ws := range awaiting {
			if f.Busy(ws) {
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
				err := panics.Caught(func() error { return f.all(ctx, ws) })
				if err != nil && ctx.Err() == nil {
					f.Log.ErrorContext(ctx, "webhook messages not processed", slog.String("workspace", string(ws)), slog.Any("error", err))
				}
			})
		}
	}
}

// all imports the waiting messages of a workspace. It stops when another import into the workspace starts.
func (f *Feed) all(ctx context.Context, ws measure.WorkspaceID) error {
	for !f.Busy(ws) {
		messages, err := f.Store.Waiting(ctx, ws, hookBatch, hookBytes)
		if err != nil || len(messages) == 0 {
			return err
		}
		if settled, err := f.batch(ctx, ws, messages); err != nil || settled == 0 {
			return err
		}
	}
	return nil
}

// redact removes all customers that are named in deletion requests. It runs before messages are imported, so orders in
// the same batch become anonymous too. All customers are removed in one operation, because each removal can rewrite all
// facts.
func (f *Feed) redact(ctx context.Context, workspace control.Workspace, messages []control.Delivery) error {
	var hashes []string
	for i := range messages {
		if webhook.Topic(messages[i].Topic) != webhook.CustomerRedact {
			continue
		}
		person, err := webhook.PersonOf(messages[i].Body, f.Installation.HashKey(workspace.ID))
		if err == nil { // otherwise, the message is reported as unusable
			hashes = append(hashes, person.Hashes...)
		}
	}
	if len(hashes) == 0 {
		return nil
	}
	call := operation.Call{Workspace: workspace.ID, Caller: operation.System(shopActor)}
	_, err := operation.ForgetCustomer.Do(ctx, f.Service, call, operation.Customer{Hashes: hashes})
	return err
}

// batch imports messages of a workspace and returns the number of finished messages.
func (f *Feed) batch(ctx context.Context, ws measure.WorkspaceID, messages []control.Delivery) (int, error) {
	workspace, err := f.Store.Workspace(ctx, ws)
	if err != nil {
		return 0, err
	}
	if err := f.redact(ctx, workspace, messages); err != nil {
		return 0, err
	}
	call := operation.Call{Workspace: ws, Caller: operation.System(shopActor)}
	result, err := operation.ApplyMessages.Do(ctx, f.Service, call, messages)
	if err != nil {
		return 0, err
	}
	settled := slices.DeleteFunc(messages, func(d control.Delivery) bool { return result.Later[d.ID] })
	for i := range settled {
		settled[i].Problem = result.Unusable[settled[i].ID]
	}
	f.Log.InfoContext(ctx, "webhook messages processed", slog.String("workspace", string(ws)), slog.Int("messages", len(settled)), slog.Int("unusable", len(result.Unusable)))
	return len(settled), f.Store.Settle(ctx, settled, f.Now())
}
