// Package webhook processes Shopify webhooks: orders, changes of orders, refunds and customers.
//
// [Take] checks a message and reduces it to the required members. The caller stores the message and responds. [Run]
// later converts several stored messages to facts at once. Messages may arrive twice, late or out of sequence. Run uses
// the latest version of an order and deduplicates refunds by ID.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"hash"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/document"
	"assay/internal/ingest/shopify"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Topic is Shopify's topic of a message.
type Topic string

// Supported topics. Other topics are accepted and ignored.
const (
	OrderCreated   Topic = "orders/create"
	OrderUpdated   Topic = "orders/updated"
	OrderPaid      Topic = "orders/paid"
	OrderCancelled Topic = "orders/cancelled"
	OrderDeleted   Topic = "orders/delete"
	RefundCreated  Topic = "refunds/create"

	CustomerCreated  Topic = "customers/create"
	CustomerUpdated  Topic = "customers/update"
	CustomerEnabled  Topic = "customers/enable"
	CustomerDisabled Topic = "customers/disable"

	CustomerRedact  Topic = "customers/redact"
	CustomerRequest Topic = "customers/data_request"
	ShopRedact      Topic = "shop/redact"
)

// Verifier checks the signature of a body while the body is read. It computes the HMAC-SHA256 for each secret of a
// workspace.
type Verifier struct {
	given []byte
	macs  []hash.Hash
}

// NewVerifier returns a verifier for a signature in Base64. It returns false if no body can have this signature,
// because there is no secret or the signature is not an HMAC-SHA256.
func NewVerifier(secrets []string, signature string) (*Verifier, bool) {
	given, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || len(given) != sha256.Size || len(secrets) == 0 {
		return nil, false
	}
	v := &Verifier{given: given}
	for _, secret := range secrets {
		v.macs = append(v.macs, hmac.New(sha256.New, []byte(secret)))
	}
	return v, true
}

// Write implements [io.Writer]. It processes the next bytes of the received body.
func (v *Verifier) Write(part []byte) (int, error) {
	for _, mac := range v.macs {
		mac.Write(part)
	}
	return len(part), nil
}

// Signed reports whether one of the secrets signed the bytes written so far. It compares with every secret, so the time
// does not reveal which secret matches.
func (v *Verifier) Signed() bool {
	signed := false
	for _, mac := range v.macs {
		signed = hmac.Equal(mac.Sum(nil), v.given) || signed
	}
	return signed
}

// Take checks a message and returns the part to store, without personal data. It returns nil for ignored topics. The
// signature does not cover the topic, so Take checks that the body has the form of the topic. If the body has another
// form, Take returns a fault of kind invalid.
func Take(topic Topic, body []byte, hashKey []byte) ([]byte, error) {
	var o document.Object
	if !json.Valid(body) {
		return nil, fault.Invalid("the body is not JSON")
	}
	o.Read(document.Value(bytes.TrimSpace(body)))
	has := func(names ...string) bool {
		for _, name := range names {
			if o.Get(name).Missing() {
				return false
			}
		}
		return true
	}
	switch topic {
	case OrderCreated, OrderUpdated, OrderPaid, OrderCancelled:
		if !has("id", "total_price", "created_at") {
			return nil, fault.Invalid("the body is not an order")
		}
		return shopify.ReducedOrder(body, source.NewCustomers(hashKey))
	case RefundCreated:
		if !has("id", "order_id") {
			return nil, fault.Invalid("the body is not a refund")
		}
		return shopify.ReducedRefund(body)
	case OrderDeleted:
		if !has("id") || has("total_price") || has("order_id") || has("shop_domain") {
			return nil, fault.Invalid("the body does not name a deleted order")
		}
		return json.Marshal(map[string]json.RawMessage{"id": json.RawMessage(o.Get("id"))})
	case CustomerCreated, CustomerUpdated, CustomerEnabled, CustomerDisabled:
		if !has("id", "created_at", "verified_email") || has("total_price") || has("order_id") || has("shop_domain") {
			return nil, fault.Invalid("the body is not a customer")
		}
		return shopify.ReducedCustomer(body, source.NewCustomers(hashKey))
	case CustomerRedact, CustomerRequest:
		if !has("shop_domain", "customer") {
			return nil, fault.Invalid("the body names no customer")
		}
		if topic == CustomerRedact && (has("data_request") || has("orders_requested")) {
			return nil, fault.Invalid("the body requests a customer's data, not the deletion of the customer")
		}
		return customerOf(o.Get("customer"), hashKey)
	case ShopRedact:
		if !has("shop_id", "shop_domain") || has("customer") {
			return nil, fault.Invalid("the body names no shop")
		}
		return json.Marshal(map[string]string{"shop_domain": source.Shown(o.Get("shop_domain").Text())})
	}
	return nil, nil
}

// Person contains the stored part of a message about a person's data.
type Person struct {
	ID     string   `json:"id"`     // customer ID in the shop
	Hashes []string `json:"hashes"` // keyed hashes of all data that may identify the customer: email address, phone number, ID
}

func customerOf(v document.Value, hashKey []byte) ([]byte, error) {
	people := source.NewCustomers(hashKey)
	person := Person{ID: source.Shown(v.Path("id").Text())}
	for _, name := range []string{"email", "phone", "id"} {
		person.Hashes = append(person.Hashes, people.Hashes(v.Path(name).Text())...)
	}
	return json.Marshal(person)
}

// PersonOf reads a message about a person's data that [Take] reduced. Messages that older versions stored contain only
// the hash of the email address. For these messages, PersonOf adds the hashes of the customer's ID.
func PersonOf(kept, hashKey []byte) (Person, error) {
	var read struct {
		Person
		Hash string `json:"hash"`
	}
	if err := json.Unmarshal(kept, &read); err != nil {
		return Person{}, err
	}
	if len(read.Hashes) > 0 {
		return read.Person, nil
	}
	if read.Hash != "" {
		read.Hashes = []string{read.Hash}
	}
	read.Hashes = append(read.Hashes, source.NewCustomers(hashKey).Hashes(read.ID)...)
	return read.Person, nil
}

// Store receives the facts. The warehouse implements it.
type Store interface {
	Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error)
	FXRates(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.FXRate, error)
	Order(ctx context.Context, ws measure.WorkspaceID, ref warehouse.OrderRef) (warehouse.Order, bool, error)
}

// Options describes the workspace of the messages.
type Options struct {
	Workspace control.Workspace
	HashKey   []byte
	Now       time.Time
}

// Result contains the outcome of messages by ID. Messages in neither map became facts.
type Result struct {
	Unusable map[control.DeliveryID]string // reason why a message cannot become facts
	Later    map[control.DeliveryID]bool   // to retry: the order to delete has not arrived yet
}

// patience is the time during which Run retries the deletion of an unknown order. A deletion may arrive a few seconds
// before its order.
const patience = time.Hour

// Run converts messages to facts. An error applies to all messages. The caller can safely retry them.
func Run(ctx context.Context, store Store, messages []control.Delivery, o Options) (Result, error) {
	known, err := store.FXRates(ctx, o.Workspace.ID)
	if err != nil {
		return Result{}, err
	}
	rates, err := ingest.RatesOf(known)
	if err != nil {
		return Result{}, err
	}
	r := run{
		Options: o, store: store, Result: Result{Unusable: map[control.DeliveryID]string{}, Later: map[control.DeliveryID]bool{}},
		collected: shopify.NewCollector(source.Options{
			Base: o.Workspace.Currency, Zone: o.Workspace.Location(), HashKey: o.HashKey, Notes: &source.Notes{}, Rates: rates,
		}),
	}
	r.collected.Expect()
	for i := range messages {
		if err := r.take(&messages[i], i); err != nil {
			return Result{}, err
		}
	}
	steps, rejected := r.collected.Steps(rates, true)
	for _, each := range rejected {
		if err := r.reject(control.DeliveryID(each.Stream), each.Err); err != nil {
			return Result{}, err
		}
	}
	for i := range steps {
		if err := r.keep(ctx, steps[i].Source, &steps[i].Batch); err != nil {
			return Result{}, err
		}
	}
	return r.Result, r.delete(ctx)
}

type run struct {
	Options
	Result
	store     Store
	collected *shopify.Collector
	gone      []*control.Delivery // deletions of orders
}

// take reads a message. It uses the message's ID as the stream name, so that an error identifies the message.
func (r *run) take(m *control.Delivery, line int) (err error) {
	var doc document.Object
	doc.Read(document.Value(m.Body))
	switch Topic(m.Topic) {
	case OrderCreated, OrderUpdated, OrderPaid, OrderCancelled:
		err = r.collected.Order(string(m.ID), &doc, line+1)
	case RefundCreated:
		err = r.collected.Refund(string(m.ID), &doc, line+1)
	case CustomerCreated, CustomerUpdated, CustomerEnabled, CustomerDisabled:
		err = r.collected.Customer(&doc)
	case OrderDeleted:
		r.gone = append(r.gone, m)
	case CustomerRedact: // the operator executes the request if it names a person
		if person, err := PersonOf(m.Body, r.HashKey); err != nil || len(person.Hashes) == 0 {
			r.Unusable[m.ID] = "the request to delete a customer contains no email address, phone number or ID: find the customer in the shop"
		}
	case CustomerRequest, ShopRedact: // the operator decides about the request
	}
	if err != nil {
		return r.reject(m.ID, err)
	}
	return nil
}

func (r *run) reject(id control.DeliveryID, err error) error {
	row, ok := errors.AsType[*source.RowError](err)
	if !ok {
		return err
	}
	r.Unusable[id] = row.Reason
	if row.Column != "" {
		r.Unusable[id] = "field " + row.Column + ": " + row.Reason
	}
	return nil
}

func (r *run) keep(ctx context.Context, origin string, b *warehouse.Batch) error {
	into, err := r.store.Begin(ctx, warehouse.ImportSpec{
		Workspace: r.Workspace.ID, Source: origin, File: warehouse.WebhooksFile, Base: r.Workspace.Currency, Zone: r.Workspace.Location(), Feed: true,
	})
	if err != nil {
		return err
	}
	defer into.Abort()
	if err := into.Add(ctx, b); err != nil {
		return err
	}
	_, err = into.Commit(ctx)
	return err
}

// delete marks deleted orders as canceled, so that all figures exclude them. The facts remain, because a message alone
// is not a sufficient reason for a permanent deletion.
func (r *run) delete(ctx context.Context) error {
	var b warehouse.Batch
	for _, m := range r.gone {
		key := document.Value(m.Body).Path("id").Text()
		order, known, err := r.store.Order(ctx, r.Workspace.ID, warehouse.OrderRef{Source: shopify.System, Key: key})
		switch {
		case err != nil:
			return err
		case !known && r.Now.Sub(m.At) < patience:
			r.Later[m.ID] = true
			continue
		case !known || order.Cancelled && order.Status == deleted:
			continue
		}
		order.Cancelled, order.Status = true, deleted
		if m.Sent.After(order.UpdatedAt) {
			order.UpdatedAt = m.Sent
		}
		b.Orders = append(b.Orders, order)
	}
	if len(b.Orders) == 0 {
		return nil
	}
	return r.keep(ctx, shopify.OrdersSource, &b)
}

// deleted is the status of an order that was deleted in the shop.
const deleted = "deleted"
