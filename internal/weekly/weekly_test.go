package weekly

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"assay/internal/alert"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

var shop = control.Workspace{ID: "shop", Name: "Shop\x1b[31m", Currency: "USD", Zone: "America/New_York"}

// monday is a Monday at 8:05 in the store's time zone.
var monday = time.Date(2026, time.November, 23, 13, 5, 0, 0, time.UTC)

// recorded answers each tool with the structured content of a call.
func recorded(answers map[string]string) func(context.Context, auth.Principal, string, json.RawMessage) (json.RawMessage, error) {
	return func(_ context.Context, p auth.Principal, tool string, with json.RawMessage) (json.RawMessage, error) {
		if len(p.Scopes) != 1 || p.Scopes[0] != control.ScopeRead {
			return nil, errors.New("a scope other than reading")
		}
		if tool == "performance" && !strings.Contains(string(with), `"start_date":"2026-11-16"`) {
			return nil, errors.New("another week: " + string(with))
		}
		text, ok := answers[tool]
		if !ok {
			return nil, fault.NotReady("there is no target")
		}
		return json.RawMessage(`{"content":[],"structuredContent":` + text + `}`), nil
	}
}

const sales = `{"summary":"s","model":"last_touch","basis":"attributed","metrics":{"revenue":{"value":12345.6,"previous":12000,"change_pct":2.88},
	"orders":{"value":1200,"previous":1300,"change_pct":-7.69},"aov":{"value":10.29,"previous":null,"change_pct":null},
	"spend":{"value":null,"previous":null,"change_pct":null},"roas":{"value":null,"previous":null,"change_pct":null}},
	"rows":[],"truncated":null,"warnings":[{"code":"stale_data","text":"Data are old."}],"next":[]}`

var complete = map[string]string{
	"performance": sales,
	"compare":     `{"summary":"Revenue rose because of orders.","period1":{"start":"2026-11-09","end":"2026-11-15"},"period2":{"start":"2026-11-16","end":"2026-11-22"},"timezone":"UTC","metrics":{},"rows":[],"warnings":[],"next":[]}`,
	"insights":    `{"summary":"s","metrics":{},"rows":[{"insight_id":"i1","priority":"high","kind":"past_optimum","finding":"Spend is past its optimum.","action":"Reduce it.","monthly_value":{"value":1234.5,"low":200,"high":2000}}],"warnings":[],"next":[]}`,
}

func sender(store Store, post Post, now time.Time, answers map[string]string) *Sender {
	clock := func() time.Time { return now }
	return New(Options{Store: store, Post: post, Ask: recorded(answers), Now: clock, Clock: clock, URL: "https://assay.example", Log: slog.New(slog.DiscardHandler)})
}

func TestTheSummaryHasFiguresReasonsAndSteps(t *testing.T) {
	t.Parallel()
	letter, err := sender(nil, nil, monday, complete).Write(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Revenue: USD 12,346 (+2.9%)\n", "Orders: 1,200 (-7.7%)\n", "Average order value: USD 10.29\n", "Ad spend: unknown\n",
		"Revenue rose because of orders.\n", "Not available: there is no target.\n",
		"1. Spend is past its optimum. Reduce it. Expected gain per month: USD 1,235 (90% interval USD 200 to USD 2,000).\n",
		"Data are old.\n", "Console: https://assay.example\n",
	} {
		if !strings.Contains(letter.Text, want) {
			t.Errorf("the text lacks %q:\n%s", want, letter.Text)
		}
	}
	if want := "Shop[31m, week from 2026-11-16 to 2026-11-22"; letter.Subject != want || strings.Contains(letter.Text, "\x1b") {
		t.Errorf("subject %q, want %q", letter.Subject, want)
	}
}

// queue is the control data of one workspace.
type queue struct {
	Store
	due     []control.WeeklyReader
	settled map[control.UserID]string
	weeks   []civil.Date
}

func (q *queue) Workspaces(context.Context) ([]control.Workspace, error) {
	return []control.Workspace{shop}, nil
}

func (q *queue) ClaimWeeklyReader(_ context.Context, _ measure.WorkspaceID, week civil.Date, _ time.Time) (*control.WeeklyReader, error) {
	q.weeks = append(q.weeks, week)
	if len(q.due) == 0 {
		return nil, nil //nolint:nilnil // no member is due
	}
	first := q.due[0]
	q.due = q.due[1:]
	return &first, nil
}

func (q *queue) SettleWeeklyReader(_ context.Context, r control.WeeklyReader, _ civil.Date, problem string) error {
	q.settled[r.Member] = problem
	return nil
}

// post stores letters, and rejects letters to one address.
type post struct{ letters []alert.Letter }

func (p *post) Post(_ context.Context, l alert.Letter) error {
	if l.To == "refused@example.com" {
		return errors.New("the SMTP server answered with code 550")
	}
	p.letters = append(p.letters, l)
	return nil
}

func TestEachMemberIsSentTheSummaryFromMondayMorning(t *testing.T) {
	t.Parallel()
	readers := []control.WeeklyReader{{Member: "anna", Email: "anna@example.com"}, {Member: "ben", Email: "refused@example.com"}, {Member: "eve", Email: "eve@example.com"}}
	early, mail := &queue{due: readers}, &post{}
	sender(early, mail, monday.Add(-6*time.Minute), complete).Send(t.Context())
	if len(early.weeks) > 0 {
		t.Errorf("before 8 o'clock, week %v was due", early.weeks)
	}
	q := &queue{due: readers, settled: map[control.UserID]string{}}
	sender(q, mail, monday, complete).Send(t.Context())
	if len(mail.letters) != 2 || mail.letters[0].To != "anna@example.com" || mail.letters[1].To != "eve@example.com" || mail.letters[0].ID == mail.letters[1].ID {
		t.Errorf("letters: %+v", mail.letters)
	}
	if q.weeks[0] != civil.New(2026, time.November, 16) || q.settled["anna"] != "" || !strings.Contains(q.settled["ben"], "550") || len(q.settled) != 3 {
		t.Errorf("weeks %v, settled %v", q.weeks, q.settled)
	}
}

func TestASummaryThatCannotBeWrittenIsTriedAgain(t *testing.T) {
	t.Parallel()
	q, mail := &queue{due: []control.WeeklyReader{{Member: "anna", Email: "anna@example.com"}}, settled: map[control.UserID]string{}}, &post{}
	sender(q, mail, monday, nil).Send(t.Context())
	if len(mail.letters) > 0 || q.settled["anna"] == "" {
		t.Errorf("letters %+v, settled %v", mail.letters, q.settled)
	}
}
