package facts_test

import (
	"reflect"
	"testing"

	"assay/internal/warehouse/facts"
)

func TestABatchCountsRowsOfEveryKind(t *testing.T) {
	t.Parallel()
	var b facts.Batch
	kinds := reflect.ValueOf(&b).Elem()
	for i := range kinds.NumField() {
		kinds.Field(i).Set(reflect.MakeSlice(kinds.Field(i).Type(), 1, 1))
		if b.Len() != i+1 {
			t.Fatalf("%s are not counted", kinds.Type().Field(i).Name)
		}
	}
}
