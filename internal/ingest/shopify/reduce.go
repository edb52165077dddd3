package shopify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"assay/internal/fault"
	"assay/internal/ingest/document"
	"assay/internal/ingest/source"
)

// reducedCustomer is the name of a member of a reduced document. In an order, the member contains the keyed hash of the
// order's email address. In a customer, it contains the customer key.
const reducedCustomer = "customer_hash"

// reduction lists the members of a document that remain, with the reductions of nested members. A nil reduction keeps
// the value unchanged.
type reduction map[string]reduction

// Members of the REST API's documents that [Documents] reads. They exclude names of people, streets, phone numbers, IP
// addresses and notes. The email address becomes a hash. Only the UTM parameters of the landing page remain.
var (
	reducedAddress = reduction{"country_code": nil, "country": nil, "province_code": nil, "province": nil}
	reducedRefund  = reduction{
		"id": nil, "order_id": nil, "created_at": nil, "processed_at": nil, "refund_line_items": {"id": nil},
		"transactions": {"kind": nil, "status": nil, "currency": nil, "amount": nil},
	}
	reducedOrder = reduction{
		"id": nil, "name": nil, "currency": nil, "created_at": nil, "updated_at": nil, "cancelled_at": nil, "financial_status": nil,
		"total_price": nil, "subtotal_price": nil, "total_tax": nil, "total_discounts": nil, "test": nil, "tags": nil, "source_name": nil,
		"payment_gateway_names": nil, "shipping_address": reducedAddress, "billing_address": reducedAddress,
		"total_shipping_price_set": {"shop_money": {"amount": nil, "currency_code": nil}},
		"total_price_set": {
			"shop_money": {"amount": nil, "currency_code": nil}, "presentment_money": {"amount": nil, "currency_code": nil},
		},
		"shipping_lines": {"price": nil, "discounted_price": nil},
		"discount_codes": {"code": nil, "amount": nil},
		"line_items": {
			"quantity": nil, "sku": nil, "title": nil, "name": nil, "price": nil, "total_discount": nil, "discount_allocations": {"amount": nil},
		},
		"refunds": reducedRefund,
	}
)

// ReducedOrder returns an order of the REST API with only the members that [Documents] reads. Email addresses, the
// customer's ID and the phone number are keyed hashes. A text that is not a JSON object results in a fault of kind
// invalid.
func ReducedOrder(body []byte, people *source.Customers) ([]byte, error) {
	kept, err := reduced(body, reducedOrder)
	if err != nil {
		return nil, err
	}
	var o document.Object
	o.Read(document.Value(body))
	customer := o.First("customer")
	keep(kept, map[string]string{
		reducedCustomer: people.Hash(o.First("email", "contact_email").Text()),
		reducedMail:     people.Hash(customer.Path("email").Text()),
		reducedID:       people.Hash(customer.Path("id").Text()),
		reducedPhone:    people.HashPhone(cmp.Or(o.First("phone").Text(), customer.Path("phone").Text())),
	})
	if landing := campaignOf(o.First("landing_site").Text()); landing != "" {
		kept["landing_site"] = landing
	}
	return json.Marshal(kept)
}

// ReducedRefund returns a refund of the REST API with only the members that [Documents] reads.
func ReducedRefund(body []byte) ([]byte, error) {
	kept, err := reduced(body, reducedRefund)
	if err != nil {
		return nil, err
	}
	return json.Marshal(kept)
}

// mostElements is the maximum number of elements in the lists of a document. In memory, an element needs up to 30 times
// its size in the document.
const mostElements = 50_000

func reduced(body []byte, to reduction) (map[string]any, error) {
	if !json.Valid(body) {
		return nil, fault.Invalid("the body is not JSON")
	}
	left := mostElements
	kept, ok := to.of(document.Value(bytes.TrimSpace(body)), &left).(map[string]any)
	if left < 0 {
		return nil, fault.Invalid("the lists of the body have more than %d elements", mostElements)
	}
	if !ok {
		return nil, fault.Invalid("the body is not a JSON object")
	}
	return kept, nil
}

// of reduces a value, or each element of a list. If the reduction lists members, of returns nil for a value that is not
// an object or a list. Each element of a list decreases the counter left by one. When the counter is negative, no
// element is added.
func (r reduction) of(v document.Value, left *int) any {
	switch {
	case r == nil:
		return json.RawMessage(v)
	case v.Missing():
		return nil
	case v[0] == '[':
		list := []any{}
		for e := range v.Elements() {
			if *left--; *left < 0 {
				break
			}
			list = append(list, r.of(e, left))
		}
		return list
	case v[0] != '{':
		return nil
	}
	var o document.Object
	o.Read(v)
	kept := map[string]any{}
	for name := range o.Names() {
		if below, known := r[name]; known {
			kept[name] = below.of(o.Get(name), left)
		}
	}
	return kept
}

// campaignOf returns a landing page's URL with only its UTM parameters, or "" if it has none.
func campaignOf(landing string) string {
	if !strings.Contains(landing, "utm_") {
		return ""
	}
	at, err := url.Parse(landing)
	if err != nil {
		return ""
	}
	q := at.Query()
	for name := range q {
		if !slices.Contains([]string{"utm_source", "utm_medium", "utm_campaign"}, name) {
			q.Del(name)
		}
	}
	return "/?" + q.Encode()
}
