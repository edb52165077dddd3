package singer

import (
	"assay/internal/ingest/document"
	"assay/internal/ingest/shopify"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

// facts collects facts until they are stored.
type facts struct {
	orders   *shopify.Collector
	ads      *ads
	messages *messages
	entities *entities
}

// load contains one step of an import: rows that are stored together.
type load struct {
	source  string // name in the import ledger: the name of the file reader of the same source
	what    string
	file    string // file name in the import ledger; "": named after what
	batch   warehouse.Batch
	windows []warehouse.AdWindow
}

// rejected is the reason why a record was rejected.
type rejected struct {
	stream string
	err    error
}

func newFacts(o source.Options) *facts {
	return &facts{orders: shopify.NewCollector(o), ads: newAds(o), messages: newMessages(o), entities: newEntities()}
}

// add reads the record of a message. Its error is a [*source.RowError].
func (f *facts) add(s *stream, message, record *document.Object, line int) error {
	switch s.shape {
	case orderRecords:
		return f.orders.Order(s.name, record, line)
	case refundRecords:
		return f.orders.Refund(s.name, record, line)
	case customerRecords:
		return f.orders.Customer(record)
	case metaRecords, googleRecords, tiktokRecords:
		return f.ads.add(s, record, line)
	case metaEntities, googleEntities, tiktokEntities:
		return f.entities.add(s, record, message.First("time_extracted").Text(), line)
	case statisticRecords:
		return f.messages.add(record)
	case campaignRecords, flowRecords:
		f.messages.name(record)
	case unknownRecords:
	}
	return nil
}

// waits reports whether some facts must wait for the end of the run.
func (f *facts) waits() bool { return f.orders.Waits() || f.messages.waits() }

// loads returns the facts to store and the rejected records.
func (f *facts) loads(rates source.Rates, end bool) ([]load, []rejected) {
	var all []load
	var bad []rejected
	steps, unusable := f.orders.Steps(rates, end)
	for _, step := range steps {
		all = append(all, load{source: step.Source, what: step.What, batch: step.Batch})
	}
	for _, r := range unusable {
		bad = append(bad, rejected{r.Stream, r.Err})
	}
	more, worse := f.ads.loads(rates)
	return append(append(append(all, more...), f.entities.take()...), f.messages.loads(end)...), append(bad, worse...)
}
