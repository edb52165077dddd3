package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/fault"
)

func TestArgumentsAreDecodedWithDefaults(t *testing.T) {
	t.Parallel()
	yes, low := true, 5.0
	standard := sampleParams{Metric: "orders", Limit: 25, Score: 2, sampleShared: sampleShared{Level: "summary"}}
	with := func(change func(*sampleParams)) sampleParams {
		p := standard
		change(&p)
		return p
	}
	tests := []struct {
		name, args string
		want       sampleParams
	}{
		{"only what is required", `{"metric":"orders"}`, standard},
		{"null is absent", `{"metric":"orders","limit":null,"start_date":null,"compact":null,"names":null}`, standard},
		{"blanks around everything", " {\n\"metric\" :\t\"orders\" } ", standard},
		{"an escaped name and value", `{"m\u0065tric":"ord\u0065rs"}`, standard},
		{"days", `{"metric":"orders","start_date":"2026-10-01","end_date":"2024-02-29"}`, with(func(p *sampleParams) {
			p.Start, p.End = civil.MustParse("2026-10-01"), civil.MustParse("2024-02-29")
		})},
		{"an alias becomes its value", `{"metric":"orders","channel":"meta"}`, with(func(p *sampleParams) { p.Channel = "facebook" })},
		{"a whole number written as a fraction", `{"metric":"orders","limit":100.0}`, with(func(p *sampleParams) { p.Limit = 100 })},
		{"a whole number with an exponent", `{"metric":"orders","limit":1e1}`, with(func(p *sampleParams) { p.Limit = 10 })},
		{"a pointer tells false from absent", `{"metric":"orders","compact":true}`, with(func(p *sampleParams) { p.Compact = &yes })},
		{"arrays", `{"metric":"orders","names":["a","b,]}"],"sorts":["desc"]}`, with(func(p *sampleParams) {
			p.Names, p.Sorts = []string{"a", "b,]}"}, []string{"desc"}
		})},
		{"objects", `{"metric":"orders","bounds":{"tik tok":{"min":5}},"ids":{"customerId":"7"},"weights":{"a":-0.5},"params":{"a":[1,{}]}}`, with(func(p *sampleParams) {
			p.Bounds = map[string]bounds{"tik tok": {Min: &low}}
			p.IDs.Customer = "7"
			p.Weights = map[string]float64{"a": -0.5}
			p.Params = map[string]any{"a": []any{1.0, map[string]any{}}}
		})},
		{"embedded parameters", `{"metric":"orders","detail_level":"debug"}`, with(func(p *sampleParams) { p.Level = "debug" })},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got sampleParams
			if _, err := sampleTool().Call(t.Context(), &got, json.RawMessage(test.args)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(sampleParams{}), cmp.Comparer(func(a, b civil.Date) bool { return a == b })); diff != "" {
				t.Errorf("arguments %s (-want +got):\n%s", test.args, diff)
			}
		})
	}
}

func TestInvalidArgumentIsNamedWithTheAllowedValues(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, args, text, corrected string }{
		{"missing", `{}`, `metric is required; it must be one of revenue, orders, spend`, `{"metric":"revenue"}`},
		{"null for what is required", `{"metric":null}`, `metric is required; it must be one of revenue, orders, spend`, `{"metric":"revenue"}`},
		{"no arguments at all", ``, `metric is required; it must be one of revenue, orders, spend`, `{"metric":"revenue"}`},
		{"not in the enum", `{"metric":"zzz"}`, `metric must be one of revenue, orders, spend; got "zzz"`, `{"metric":"revenue"}`},
		{"enum in another case", `{"metric":"Orders"}`, `metric must be one of revenue, orders, spend; got "Orders"`, `{"metric":"orders"}`},
		{"wrong type", `{"metric":7}`, `metric must be one of revenue, orders, spend; got 7`, `{"metric":"revenue"}`},
		{"above the limit", `{"metric":"spend","limit":101}`, `limit must be a whole number from 1 to 100; got 101`, `{"metric":"spend","limit":100}`},
		{"below the limit", `{"metric":"spend","limit":-1}`, `limit must be a whole number from 1 to 100; got -1`, `{"metric":"spend","limit":1}`},
		{"not whole", `{"metric":"spend","limit":2.5}`, `limit must be a whole number from 1 to 100; got 2.5`, `{"metric":"spend","limit":25}`},
		{"a number as text", `{"metric":"spend","limit":"ten"}`, `limit must be a whole number from 1 to 100; got "ten"`, `{"metric":"spend","limit":25}`},
		{"a number too large to hold", `{"metric":"spend","threshold":1e999}`, `threshold must be a number of at least 0; got 1e999`, `{"metric":"spend","threshold":2.0}`},
		{"truth as text", `{"metric":"spend","confirm":"true"}`, `confirm must be true or false; got "true"`, `{"metric":"spend","confirm":false}`},
		{"a day that does not exist", `{"metric":"spend","start_date":"2026-02-30"}`, `start_date must be a calendar date in the form YYYY-MM-DD; got "2026-02-30"`, `{"metric":"spend","start_date":"2026-02-28"}`},
		{"a day with a time", `{"metric":"spend","start_date":"2026-10-01T00:00:00Z"}`, `start_date must be a calendar date in the form YYYY-MM-DD; got "2026-10-01T00:00:00Z"`, `{"metric":"spend","start_date":"2026-10-01"}`},
		{"an empty day", `{"metric":"spend","start_date":""}`, `start_date must be a calendar date in the form YYYY-MM-DD; got ""`, `{"metric":"spend"}`},
		{"text for an array", `{"metric":"spend","names":"a,b"}`, `names must be an array with at least one item, each a string; got "a,b"`, `{"metric":"spend"}`},
		{"an empty array", `{"metric":"spend","names":[]}`, `names must be an array with at least one item, each a string; got []`, `{"metric":"spend"}`},
		{"an item of another type", `{"metric":"spend","names":["a",1]}`, `names[1] must be a string; got 1`, `{"metric":"spend"}`},
		{"an item outside its enum", `{"metric":"spend","sorts":["up"]}`, `sorts[0] must be one of asc, desc; got "up"`, `{"metric":"spend"}`},
		{"an object with a bad member", `{"metric":"spend","bounds":{"tv":{"min":-1}}}`, `bounds.tv.min must be a number of at least 0; got -1`, `{"metric":"spend"}`},
		{"an object with an unknown member", `{"metric":"spend","ids":{"customer_id":"1"}}`, `ids has no member "customer_id"; the nearest name is customerId`, `{"metric":"spend"}`},
		{"an object given twice a name", `{"metric":"spend","weights":{"a":1,"\u0061":2}}`, `weights.a is given twice`, `{"metric":"spend"}`},
		{"text for an object", `{"metric":"spend","params":"x"}`, `params must be an object; got "x"`, `{"metric":"spend"}`},
		{"an empty string that is required", `{"metric":"spend","query":""}`, `query must be a string that is not empty; got ""`, `{"metric":"spend"}`},
		{"a misspelt name", `{"metrci":"spend"}`, `unknown argument "metrci"; the nearest name is metric. metric is required; it must be one of revenue, orders, spend`, `{"metric":"spend"}`},
		{"a name in another case", `{"metric":"spend","START_DATE":"2026-10-01"}`, `unknown argument "START_DATE"; the nearest name is start_date`, `{"metric":"spend","start_date":"2026-10-01"}`},
		{"half a name", `{"metric":"spend","start":"2026-10-01"}`, `unknown argument "start"; the nearest name is start_date`, `{"metric":"spend","start_date":"2026-10-01"}`},
		{"an unknown name", `{"metric":"spend","workspace_id":"demo"}`, `unknown argument "workspace_id"; the known names are metric, start_date, end_date, channel, limit, threshold, confirm, compact, names, sorts, bounds, ids, params, query, weights, detail_level`, `{"metric":"spend"}`},
		{"the same name twice", `{"metric":"spend","metric":"spend"}`, `metric is given twice`, `{"metric":"spend"}`},
		{"several at once", `{"metric":"x","limit":0}`, `metric must be one of revenue, orders, spend; got "x". limit must be a whole number from 1 to 100; got 0`, `{"metric":"revenue","limit":1}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := refused(t, test.args)
			text, hint, _ := fault.Public(err)
			if text != test.text {
				t.Errorf("arguments %s\n got %s\nwant %s", test.args, text, test.text)
			}
			if want := `Corrected call: {"name":"sample","arguments":` + test.corrected + `}`; hint != want {
				t.Errorf("arguments %s\n got %s\nwant %s", test.args, hint, want)
			}
		})
	}
}

func TestArgumentsOtherThanObjectsAreRejected(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`[]`, `"x"`, `7`, `true`, `{`, "{\"metric\":\"\xff\"}"} {
		if err := refused(t, args); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("arguments %s: got %v", args, err)
		}
	}
}

func TestReceivedTextIsShortenedWithoutControlCharacters(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1000)
	tests := []struct{ args, want string }{
		{`{"metric":"` + long + `"}`, `got "` + strings.Repeat("é", 59) + "…"},
		{"{\"metric\":\"a\u202eb\u0085\u2028c\"}", `got "abc"`},
		{`{"` + long + `":1}`, `unknown argument "` + strings.Repeat("é", 60) + `…"`},
		{`{"metric":[1,` + "\n\n" + `2]}`, `got [1,2]`},
	}
	for _, test := range tests {
		if text := refused(t, test.args).Error(); !strings.Contains(text, test.want) {
			t.Errorf("got %s\nwant it to contain %s", text, test.want)
		}
	}
}

func TestOneAnswerNamesFiveMistakesAndCountsTheRest(t *testing.T) {
	t.Parallel()
	text := refused(t, `{"metric":"spend","names":[1,2,3,4,5,6,7]}`).Error()
	if got := strings.Count(text, "must be a string"); got != 5 || !strings.HasSuffix(text, ". And 2 more") {
		t.Errorf("got %s", text)
	}
}

func refused(t *testing.T, args string) error {
	t.Helper()
	_, err := sampleTool().Call(t.Context(), &sampleParams{}, json.RawMessage(args))
	if err == nil {
		t.Fatalf("arguments %s were accepted", args)
	}
	return err
}

type ordered struct {
	From civil.Date `json:"from" doc:"First day."`
	To   civil.Date `json:"to" doc:"Last day."`
}

func (o *ordered) Check() error {
	if o.To.Before(o.From) {
		return fault.Invalid("from lies behind to")
	}
	return nil
}

func TestParametersAreValidatedAfterDecoding(t *testing.T) {
	t.Parallel()
	o := planOf(typeOf[ordered]())
	var p ordered
	if err := o.decode("x", civil.Date{}, json.RawMessage(`{"from":"2026-01-02","to":"2026-01-01"}`), &p); err == nil || err.Error() != "from lies behind to" {
		t.Errorf("got %v", err)
	}
	if err := o.decode("x", civil.Date{}, json.RawMessage(`{"from":"2026-01-01","to":"2026-01-01"}`), &p); err != nil {
		t.Error(err)
	}
	if err := o.decode("x", civil.Date{}, json.RawMessage(`{"from":"2026","to":"2025"}`), &p); err == nil || strings.Contains(err.Error(), "lies behind") {
		t.Errorf("values that could not be read were checked: %v", err)
	}
}

// booked contains the arguments of a tool. Some of them apply to one view only.
type booked struct {
	View string     `json:"view" enum:"list|one" default:"list" doc:"View."`
	ID   string     `json:"id" doc:"With view=one."`
	Note string     `json:"note" doc:"Note."`
	From civil.Date `json:"from" doc:"First day."`
	To   civil.Date `json:"to" doc:"Last day."`
}

func (b *booked) Check() error {
	if b.ID != "" && b.View != "one" {
		return &RejectedError{Fault: fault.Invalid("id requires view=one"), Drop: []string{"id"}, Main: "view", Value: "one"}
	}
	if !b.To.IsZero() && b.To.Before(b.From) {
		return &RejectedError{Fault: fault.Invalid("from is after to").WithHint("Exchange them."), Set: map[string]any{"from": b.To, "to": b.From}}
	}
	return nil
}

func TestACorrectedCallKeepsWhatWasAsked(t *testing.T) {
	t.Parallel()
	o := planOf(typeOf[booked]())
	today := civil.MustParse("2026-03-10")
	for args, want := range map[string]string{
		`{"view":"list","id":"7","note":"n"}`:                         `{"view":"list","note":"n"}`,
		`{"id":"7","note":"n"}`:                                       `{"view":"one","id":"7","note":"n"}`,
		`{"from":"yesterday","note":"n"}`:                             `{"note":"n","from":"2026-03-09"}`,
		`{"from":"today","to":"2 weeks ago"}`:                         `{"from":"2026-02-24","to":"2026-03-10"}`,
		`{"from":"2026-02-03","to":"2026-02-01"}`:                     `{"from":"2026-02-01","to":"2026-02-03"}`,
		`{"from":"2026-02-03","to":"2026/02/01","id":"7"}`:            `{"view":"one","id":"7","from":"2026-02-01","to":"2026-02-03"}`,
		`{"from":"last spring","to":"2026-02-01"}`:                    `{"to":"2026-02-01"}`,
		`{"view":"lst","id":"7","from":"2026-02-03"}`:                 `{"view":"list","from":"2026-02-03"}`,
		`{"from":"20260203","to":"2026-2-31"}`:                        `{"from":"2026-02-03","to":"2026-02-28"}`,
		`{"from":"31.01.2026","to":"02/14/2026","note":"01/02/2026"}`: `{"note":"01/02/2026","from":"2026-01-31","to":"2026-02-14"}`,
	} {
		var p booked
		err := o.decode("x", today, json.RawMessage(args), &p)
		_, hint, _ := fault.Public(err)
		if !strings.HasSuffix(hint, `Corrected call: {"name":"x","arguments":`+want+`}`) {
			t.Errorf("arguments %s\n got %s\nwant %s", args, hint, want)
		}
	}
	for _, unclear := range []string{"01/02/2026", "2026-13-01", "0001-01-01", "1850-01-01", "soon", "999 weeks"} {
		if day, ok := meantDay(unclear, today); ok {
			t.Errorf("%q: got %s, want no guess", unclear, day)
		}
	}
	if day, ok := meantDay("yesterday", civil.Date{}); ok {
		t.Errorf("yesterday without a current day: got %s", day)
	}
}

func TestAHandlersRejectionHasACorrectedCall(t *testing.T) {
	t.Parallel()
	tool := NewTool(Spec{Name: "x", Title: "X", Description: "X."}, func(context.Context, clock, booked) (struct{}, error) {
		return struct{}{}, &RejectedError{Fault: fault.Invalid("the store has no such day"), Drop: []string{"from"}}
	})
	_, err := tool.Call(t.Context(), clock{}, json.RawMessage(`{"from":"2026-02-01","note":"n"}`))
	text, hint, _ := fault.Public(err)
	if want := `Corrected call: {"name":"x","arguments":{"note":"n"}}`; text != "the store has no such day" || hint != want {
		t.Errorf("got %q, hint %q; want hint %q", text, hint, want)
	}
	_, err = tool.Call(t.Context(), clock{}, json.RawMessage(`{"from":"yesterday"}`))
	if _, hint, _ := fault.Public(err); !strings.HasSuffix(hint, `{"from":"2026-03-09"}}`) {
		t.Errorf("got hint %q, want the day before the clock's", hint)
	}
}

// clock contains a handler's only dependency, the current day.
type clock struct{}

func (clock) CurrentDay() civil.Date { return civil.MustParse("2026-03-10") }
