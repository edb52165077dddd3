package shopify

import (
	"cmp"
	"encoding/json"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest/document"
	"assay/internal/ingest/source"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Customer reads a customer of Shopify's REST or GraphQL API and returns the same profile as the reader of the
// customers export. The customer key is the keyed hash of the email address, otherwise of the customer's ID in the
// shop, otherwise of the phone number. Ties connect IDs with email addresses. The error is a [*source.RowError] that
// names the field and does not show the value.
func (d *Documents) Customer(doc *document.Object) (p warehouse.Profile, ties []warehouse.CustomerTie, err error) {
	d.object = doc
	p.Source = System
	p.Phone = cmp.Or(d.text(reducedPhone), d.people.HashPhone(d.text("phone")))
	email := cmp.Or(d.text("email"), d.first("defaultEmailAddress").Path("emailAddress").Text())
	mail := cmp.Or(d.text(reducedMail), d.people.Hash(email))
	id := cmp.Or(d.text(reducedID), d.people.Hash(d.id("legacyResourceId", "id")))
	p.Customer = cmp.Or(d.text(reducedCustomer), mail, id, p.Phone)
	if p.Customer == "" {
		return p, nil, missing("id")
	}
	since, err := d.moment("createdAt", "created_at")
	if err != nil {
		return p, nil, err
	}
	if !since.IsZero() {
		p.Since = civil.DayOf(since, d.options.Zone)
	}
	if p.UpdatedAt, err = d.moment("updatedAt", "updated_at"); err != nil {
		return p, nil, err
	}
	p.Email = d.consent(cmp.Or(d.consentState("emailMarketingConsent", "email_marketing_consent"), d.text("accepts_marketing")))
	p.SMS = d.consent(d.consentState("smsMarketingConsent", "sms_marketing_consent"))
	p.Country, p.Region = d.place(d.first("defaultAddress", "default_address"), "customers")
	if cell := d.text("numberOfOrders", "orders_count"); cell != "" {
		p.OrdersKnown = true
		if p.Orders, err = source.Count(cell, money.Point); err != nil || p.Orders < 0 {
			return p, nil, unreadable("orders_count")
		}
	}
	return p, tied(nil, id, mail), nil
}

// moment reads an optional time.
func (d *Documents) moment(names ...string) (time.Time, error) {
	cell := d.text(names...)
	if cell == "" {
		return time.Time{}, nil
	}
	at, err := source.ParseInstant(cell, source.UnknownOrder, d.options.Zone)
	if err != nil {
		return at, unreadable(names[len(names)-1])
	}
	return at, nil
}

func (d *Documents) consentState(names ...string) string {
	consent := d.first(names...)
	return cmp.Or(consent.Path("marketingState").Text(), consent.Path("state").Text())
}

// consent reads a consent. If the word is unknown, consent adds a note and returns an unknown consent.
func (d *Documents) consent(word string) warehouse.Consent {
	consent, ok := source.ConsentOf(word)
	if !ok {
		d.options.Notes.Add("consent_unknown", "the consent of some customers is neither yes nor no: it is treated as unknown")
	}
	return consent
}

// place reads the country and region from an address of orders or customers.
func (d *Documents) place(address document.Value, of string) (country, region string) {
	if address.Missing() {
		return "", ""
	}
	a := &d.detail
	a.Read(address)
	name := cmp.Or(a.Get("countryCodeV2").Text(), a.Get("country_code").Text(), a.Get("country").Text())
	country, ok := d.countries.Code(name)
	if !ok {
		d.options.Notes.Add("country_unknown", "%q is not a known country: its "+of+" have no country", source.Shown(name))
	}
	region = cmp.Or(a.Get("provinceCode").Text(), a.Get("province_code").Text(), a.Get("province").Text())
	return country, d.words.Of(source.Region(region, country))
}

// unreadable returns the error for a personal field. The error does not show the value.
func unreadable(field string) error {
	return &source.RowError{Column: field, Reason: "cannot be read"}
}

// Members of a reduced document with keyed hashes of the customer's phone number, own email address and ID.
const (
	reducedPhone = "phone_hash"
	reducedMail  = "customer_mail_hash"
	reducedID    = "customer_id_hash"
)

var reducedPerson = reduction{
	"created_at": nil, "updated_at": nil, "orders_count": nil, "accepts_marketing": nil, "default_address": reducedAddress,
	"email_marketing_consent": {"state": nil}, "sms_marketing_consent": {"state": nil},
}

// ReducedCustomer returns a customer of the REST API with only the members that [Documents] reads. Email address, ID
// and phone number are keyed hashes. A text that is not a JSON object, or that contains none of the three, results in a
// fault of kind invalid.
func ReducedCustomer(body []byte, people *source.Customers) ([]byte, error) {
	kept, err := reduced(body, reducedPerson)
	if err != nil {
		return nil, err
	}
	var o document.Object
	o.Read(document.Value(body))
	phone, mail, id := people.HashPhone(o.First("phone").Text()), people.Hash(o.First("email").Text()), people.Hash(tail(o.First("id").Text()))
	keep(kept, map[string]string{reducedPhone: phone, reducedMail: mail, reducedID: id})
	who := cmp.Or(mail, id, phone)
	if who == "" {
		return nil, fault.Invalid("the body names no customer")
	}
	kept[reducedCustomer] = who
	return json.Marshal(kept)
}

// keep adds the non-empty hashes to a reduced document.
func keep(kept map[string]any, hashes map[string]string) {
	for name, hash := range hashes {
		if hash != "" {
			kept[name] = hash
		}
	}
}
