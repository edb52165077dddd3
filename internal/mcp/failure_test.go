package mcp

import (
	"reflect"
	"strings"
	"testing"

	"assay/internal/fault"
)

func TestFailuresHaveTheStatusOfHTTP(t *testing.T) {
	t.Parallel()
	for failure, want := range map[Failure]int{
		WrongPath: 400, MethodNotAllowed: 405, HostRefused: 421, OriginRefused: 403, BodyTooLarge: 413, WrongMediaType: 415,
		Unauthenticated: 401, Misconfigured: 500, RateLimited: 429, NotJSON: 400, InvalidRequest: 400, MethodNotFound: 200,
		InvalidParams: 400, InsufficientScope: 403, Internal: 500, Unavailable: 503,
	} {
		if got := failure.Status(); got != want {
			t.Errorf("%s has status %d, want %d", failure.Class(), got, want)
		}
	}
}

func TestACorrectedCallUsesTheFirstValueOfAParameter(t *testing.T) {
	t.Parallel()
	_, hint, _ := fault.Public(refused(t, `{"metric":"spend","metrci":"orders"}`))
	if want := `"arguments":{"metric":"spend"}}`; !strings.HasSuffix(hint, want) {
		t.Errorf("got %s, want it to end with %s", hint, want)
	}
}

func TestFieldsOfAnEmbeddedPointerAreOptional(t *testing.T) {
	t.Parallel()
	type inner struct {
		A int `json:"a"`
	}
	for of, want := range map[reflect.Type]bool{
		reflect.TypeFor[struct{ inner }]():  false,
		reflect.TypeFor[struct{ *inner }](): true,
	} {
		if fields := resultFields(of); len(fields) != 1 || fields[0].optional != want {
			t.Errorf("%s: got %+v, want one field with optional %v", of, fields, want)
		}
	}
}
