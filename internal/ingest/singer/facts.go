package singer

import (
	"assay/internal/ingest/document"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

// facts collects what records say until it is kept.
type facts struct {
	orders   *orders
	ads      *ads
	messages *messages
}

// load is one step of an import: rows that are kept together.
type load struct {
	source  string // of the ledger: the name that the reader of the same source's files has
	what    string
	batch   warehouse.Batch
	windows []warehouse.AdWindow
}

// rejected is why a record that was read cannot be kept.
type rejected struct {
	stream string
	err    error
}

func newFacts(o source.Options) *facts {
	return &facts{orders: newOrders(o), ads: newAds(o), messages: newMessages(o)}
}

// add reads a record. Its error is a [*source.RowError].
func (f *facts) add(s *stream, doc document.Value, record *document.Object, line int) error {
	switch s.shape {
	case orderRecords:
		return f.orders.add(s.name, doc, line)
	case refundRecords:
		return f.orders.addRefund(s.name, doc, line)
	case metaRecords, googleRecords, tiktokRecords:
		return f.ads.add(s, record, line)
	case statisticRecords:
		return f.messages.add(record)
	case campaignRecords, flowRecords:
		f.messages.name(doc)
	case unknownRecords:
	}
	return nil
}

// waits reports whether something that came can be kept only at the end.
func (f *facts) waits() bool { return len(f.orders.held) > 0 || f.messages.waits() }

// loads returns what is to be kept, and what turned out not to be usable.
func (f *facts) loads(rates source.Rates, end bool) ([]load, []rejected) {
	all, bad := f.orders.loads(rates, end)
	more, worse := f.ads.loads(rates)
	return append(append(all, more...), f.messages.loads(end)...), append(bad, worse...)
}
