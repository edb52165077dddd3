package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestATableNeverCutsANumber(t *testing.T) {
	t.Parallel()
	rows := []json.RawMessage{
		json.RawMessage(`{"name":"Prospecting | Broad | a name that goes on for longer than any column","spend":123456789,"revenue":987654321.55,"roas":8}`),
		json.RawMessage(`{"name":"x","spend":null,"revenue":1,"roas":0.5}`),
	}
	for room := 20; room < 120; room += 5 {
		shown, left := fitting(columnsOf(rows), room)
		if len(shown)+len(left) != 4 {
			t.Errorf("room %d: %d shown and %d left out of 4", room, len(shown), len(left))
		}
		for _, c := range shown {
			if c.number && c.width < len("123456789") && c.name == "spend" {
				t.Errorf("room %d: spend is %d wide", room, c.width)
			}
		}
	}
}

func TestAnAnswerIsPrintedForPeople(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := printAnswer(&out, `{"summary":"Two channels.","period":{"start":"2026-10-01","end":"2026-10-31","days":31,"timezone":"UTC","partial":false},
		"currency":"USD","metrics":{"revenue":{"value":1234,"previous":null,"change_pct":null}},
		"rows":[{"channel":"email","revenue":1000},{"channel":"direct","revenue":234}],
		"truncated":{"rows_returned":2,"rows_total":5,"reason":"summary level","how":"detail_level=analyst"},
		"warnings":[{"code":"partial_day","text":"The day is not over."}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Two channels.", "31 days, UTC", "amounts in USD", "1234", "email", "2 of 5 rows; for more: detail_level=analyst", "The day is not over."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
}

func TestEstimatesArePrintedWithTheirIntervals(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`{"value":26.3,"low":24.4,"high":28.2}`: "26.3 (24.4 to 28.2)", `{"value":3.5,"partial":true}`: "3.5 so far", `{"value":0}`: "0",
		`null`: "", `"text"`: "text", `{"other":1}`: `{"other":1}`, `[1]`: "[1]", `12.50`: "12.50",
	} {
		if got := cell(json.RawMessage(value)); got != want {
			t.Errorf("%s is printed as %q, want %q", value, got, want)
		}
	}
}
