package answer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A result of one channel keeps its drivers. Rows after the third are removed first, then the drivers, then further
// rows.
func TestShortenedResultsKeepWhatExplainsThem(t *testing.T) {
	t.Parallel()
	rows := make([]string, 8)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"channel":"c%d","note":"%s"}`, i, strings.Repeat("x", 60))
	}
	result := json.RawMessage(`{"summary":"` + strings.Repeat("s", 300) + `","period":{"start":"2026-01-01"},"currency":"USD","metrics":{"revenue":1},"drivers":[` +
		strings.Repeat(`{"part":"orders"},`, 9) + `{"part":"aov"}],"events":["holiday"],"rows":[` + strings.Join(rows, ",") + `],"next":[]}`)
	for _, c := range []struct {
		most    int
		want    string
		omitted int
	}{
		{5000, "summary period currency metrics drivers events rows", 0},
		{1200, "summary period currency metrics drivers events rows rows_omitted", 2},
		{640, "period currency metrics drivers rows rows_omitted", 4},
		{420, "period currency metrics events rows rows_omitted", 5},
		{200, "period currency metrics rows rows_omitted", 7},
		{50, "currency metrics", 0},
		{10, "", 0},
	} {
		text, err := Shortened(result, c.most)
		if err != nil || len(text) > c.most {
			t.Fatalf("%d bytes: %d, %v", c.most, len(text), err)
		}
		if text == nil {
			if c.want != "" {
				t.Errorf("%d bytes: nothing, want %s", c.most, c.want)
			}
			continue
		}
		members, err := MembersOf(text)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range members {
			names = append(names, m.Name)
		}
		var got struct {
			Omitted int `json:"rows_omitted"`
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d: %s, %d omitted, %d bytes", c.most, strings.Join(names, " "), got.Omitted, len(text))
		if !strings.HasPrefix(strings.Join(names, " "), c.want) || got.Omitted != c.omitted {
			t.Errorf("%d bytes: %v with %d rows omitted, want %s with %d", c.most, names, got.Omitted, c.want, c.omitted)
		}
	}
	text, err := Shortened(result, 640, "summary")
	if err != nil || len(text) > 640 || !strings.HasPrefix(string(text), `{"summary":`) {
		t.Errorf("a kept summary: %s, %v", text, err)
	}
	if text, err = Shortened(result, 50, "summary"); err != nil || text == nil {
		t.Errorf("a summary that does not fit removes the metrics: %s, %v", text, err)
	}
}
