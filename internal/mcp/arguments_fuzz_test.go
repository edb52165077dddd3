package mcp

import (
	"bytes"
	"encoding/json"
	"testing"

	"assay/internal/civil"
	"assay/internal/fault"
)

var argumentSeeds = []string{
	``, `{}`, `null`, `{"metric":"orders"}`, `{"metric":"orders","limit":25.0,"threshold":2.5e0,"confirm":true}`,
	`{"metric":"orders","start_date":"2026-10-01","channel":"meta"}`, `{"metric":"orders","compact":null}`,
	`{"metric":"orders","names":["a"],"sorts":["asc","desc"]}`, `{"metric":"orders","bounds":{"a":{"min":1,"max":2}}}`,
	`{"metric":"orders","ids":{},"params":{"x":[{}]},"weights":{"":0}}`, `{"metric":"orders","limit":1e2}`,
	`{"metrci":"zzz","LIMIT":7,"start":"x"}`, `{"metric":"orders","metric":"orders"}`, `{"ids":{"nope":1}}`,
	`{"metric":"orders","query":"\ud800"}`, `{"metric":"orders","limit":99999999999999999999}`,
}

// FuzzArguments checks that no arguments crash the decoder, that accepted arguments match the schema, and that the
// corrected call of a rejection is accepted.
func FuzzArguments(f *testing.F) {
	for _, seed := range argumentSeeds {
		f.Add([]byte(seed))
	}
	o := planOf(typeOf[sampleParams]())
	oracle := validator(f, o.schema())
	f.Fuzz(func(t *testing.T, args []byte) {
		var p sampleParams
		err := o.decode("sample", civil.Date{}, args, &p)
		if err == nil {
			checkAgainstOracle(t, oracle, args)
			return
		}
		if fault.KindOf(err) != fault.KindInvalid {
			t.Fatalf("arguments %q: %v is not of kind invalid", args, err)
		}
		_, hint, _ := fault.Public(err)
		if hint == "" {
			return
		}
		var call struct {
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := json.Unmarshal(bytes.TrimPrefix([]byte(hint), []byte("Corrected call: ")), &call); err != nil {
			t.Fatalf("arguments %q: corrected call %s: %v", args, hint, err)
		}
		if err := o.decode("sample", civil.Date{}, call.Arguments, &p); err != nil {
			t.Fatalf("arguments %q: the corrected call %s is rejected: %v", args, call.Arguments, err)
		}
	})
}
