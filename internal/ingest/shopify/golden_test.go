package shopify_test

import (
	"testing"

	"assay/internal/ingest/ingesttest"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	ingesttest.Golden(t)
}
