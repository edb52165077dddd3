package mapper

import (
	"cmp"
	"errors"
	"strings"

	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

var errNoConsent = errors.New("the cell is neither yes nor no")

// The fields of customers.
const (
	customerEmail = iota
	customerPhone
	customerID
	customerSince
	customerAcceptsEmail
	customerAcceptsSMS
	customerCountry
	customerRegion
	customerOrders
	customerUpdated
)

var customerForm = form{title: "customers", columns: []source.Column{
	customerEmail:        {Field: "email", Names: []string{"email", "customer email", "e-mail", "email address"}},
	customerPhone:        {Field: "phone", Names: []string{"phone", "phone number", "telephone"}},
	customerID:           {Field: "customer", Names: []string{"customer id", "customer"}},
	customerSince:        {Field: "since", Names: []string{"customer since", "first seen", "registered", "signed up"}},
	customerAcceptsEmail: {Field: "accepts_email", Names: []string{"accepts email", "accepts marketing", "accepts email marketing", "email consent"}},
	customerAcceptsSMS:   {Field: "accepts_sms", Names: []string{"accepts sms", "accepts sms marketing", "sms consent"}},
	customerCountry:      {Field: "country", Names: []string{"country", "country code"}},
	customerRegion:       {Field: "region", Names: []string{"region", "region code", "state", "province"}},
	customerOrders:       {Field: "orders", Names: []string{"orders", "orders count", "total orders"}},
	customerUpdated:      {Field: "updated_at", Names: []string{"updated at"}},
}, required: []string{"email", "accepts_email"}, open: opening(newCustomerRows)}

// newCustomerRows reads customers. It replaces email addresses, phone numbers and IDs with keyed hashes. If a customer
// occurs several times in the file, the reader returns all versions, and the store merges them.
func newCustomerRows(b *binding) *factRows {
	people, countries := source.NewCustomers(b.options.HashKey), source.NewCountries()
	known := map[string]warehouse.Profile{}
	return newFactRows(b, func(r *row, into *warehouse.Batch) {
		p := warehouse.Profile{
			Source: b.origin(), Phone: people.HashPhone(r.text(customerPhone)), OrdersKnown: r.text(customerOrders) != "",
			Orders: r.counted(customerOrders), Email: r.consent(customerAcceptsEmail), SMS: r.consent(customerAcceptsSMS),
		}
		mail, id := people.Hash(r.text(customerEmail)), people.Hash(strings.TrimPrefix(r.text(customerID), "'")) // without the apostrophe that marks the ID as text for spreadsheets
		p.Customer = cmp.Or(mail, id, p.Phone)
		if r.text(customerSince) != "" {
			p.Since = r.date(customerSince)
		}
		if r.text(customerUpdated) != "" {
			p.UpdatedAt = r.time(customerUpdated)
		}
		country, ok := countries.Code(r.text(customerCountry))
		if !ok {
			b.options.Notes.Add("country_unknown", "%q is not a known country: its customers have no country", source.Shown(r.text(customerCountry)))
		}
		p.Country, p.Region = country, source.Region(r.text(customerRegion), country)
		if r.fault != nil {
			return
		}
		if p.Customer == "" {
			b.options.Notes.Add("customers_unnamed", "rows without an email address, phone number or ID are skipped")
			return
		}
		if before, twice := known[p.Customer]; twice && before != p {
			b.options.Notes.Add("customers_twice", "the customer of line %d occurs twice in the file: the most recently updated row is used, or the last row if there are no update times", r.line)
		}
		known[p.Customer] = p
		into.Profiles = append(into.Profiles, p)
		if b.known && id != "" && mail != "" {
			into.Ties = append(into.Ties, warehouse.CustomerTie{Source: p.Source, KnownAs: id, Customer: mail})
		}
	}, nil)
}

// consent reads a consent. It rejects the row if the text is neither yes nor no. The report does not show the text,
// which may be personal data.
func (r *row) consent(field int) warehouse.Consent {
	consent, ok := source.ConsentOf(r.text(field))
	if !ok {
		e := r.unreadable(r.line, field, "", errNoConsent)
		e.Value = ""
		r.fail(e)
	}
	return consent
}
