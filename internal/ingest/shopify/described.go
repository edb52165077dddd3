package shopify

import "assay/internal/ingest/source"

// Columns implements [source.Described].
func (reader) Columns() []source.Column { return columns }

// Needs implements [source.Described].
func (reader) Needs() []string { return required }
