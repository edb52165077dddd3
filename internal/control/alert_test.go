package control_test

import (
	"encoding/json"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/money"
)

func TestAlertValuesAreExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1200": "1200", "0.5": "0.5", "0.000001": "0.000001", "-0.25": "-0.25", "1000000000000": "1000000000000", "7.10": "7.1", ".5": "0.5",
		" 12\n": "12", "0": "0", "10": "10", "-123456789012.5": "-123456789012.5", "1234567890123": "1234567890123", "0.100001": "0.100001", "-0.000001": "-0.000001",
	} {
		v, err := control.ParseAlertValue(text)
		if err != nil || v.String() != want {
			t.Errorf("%q is %s, %v, want %s", text, v, err, want)
		}
		coded, err := json.Marshal(v)
		var back control.AlertValue
		if err != nil || json.Unmarshal(coded, &back) != nil || back != v {
			t.Errorf("%q is not the same after JSON %s: %s, %v", text, coded, back, err)
		}
	}
	for _, text := range []string{"", "-", "1e3", "NaN", "1.0000001", "12345678901234", "1,000", "0x1", "1.-5"} {
		if v, err := control.ParseAlertValue(text); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%q is %s, %v, want a fault", text, v, err)
		}
	}
}

func TestAlertRulesAreChecked(t *testing.T) {
	t.Parallel()
	rule := func(m control.AlertMetric, c control.AlertCondition, threshold control.AlertValue) control.Alert {
		return control.Alert{Metric: m, Condition: c, Threshold: threshold}
	}
	for _, c := range []struct {
		rule     control.Alert
		currency money.Currency
		want     string // "": rejected
	}{
		{rule(control.AlertRevenue, control.Below, 500_250_000), "USD", "revenue below USD 500.25"},
		{rule(control.AlertSpend, control.Above, 0), "USD", "spend above USD 0.00"},
		{rule(control.AlertROAS, control.Below, 1_500_000), "USD", "ROAS below 1.5"},
		{rule(control.AlertOrders, control.ChangeAbove, 30_000_000), "USD", "orders change above 30%"},
		{rule(control.AlertAOV, control.Below, 10_000), "USD", "AOV below USD 0.01"},
		{rule(control.AlertOrders, control.ChangeAbove, 10_000_000_000), "USD", "orders change above 10000%"},
		{rule(control.AlertRevenue, control.ChangeAbove, 1), "JPY", "revenue change above 0.000001%"},
		{rule(control.AlertOrders, control.Above, 1e18), "USD", "orders above 1000000000000"},
		{control.Alert{Metric: control.AlertROAS, Channel: "google", Condition: control.Above, Threshold: 1}, "USD", "ROAS of google above 0.000001"},
		{control.Alert{Name: " Low ", Metric: control.AlertOrders, Condition: control.Below, Threshold: 1_000_000}, "USD", "Low"},
		{rule(control.AlertOrders, control.Above, 1e18+1), "USD", ""},
		{rule(control.AlertSpend, control.Below, 9_999), "USD", ""},
		{rule(control.AlertOrders, control.ChangeAbove, 0), "USD", ""},
		{rule(control.AlertOrders, control.ChangeAbove, 10_000_000_001), "USD", ""},
		{rule(control.AlertRevenue, control.Below, 500_250_000), "JPY", ""},
		{rule(control.AlertRevenue, control.Below, 0), "USD", ""},
		{rule(control.AlertOrders, control.Below, 1_500_000), "USD", ""},
		{rule(control.AlertOrders, control.Above, -1), "USD", ""},
		{rule(control.AlertROAS, control.Above, -1), "USD", ""},
		{rule(control.AlertOrders, control.ChangeAbove, 10_001_000_000), "USD", ""},
		{rule("profit", control.Above, 1_000_000), "USD", ""},
		{rule(control.AlertOrders, "equal", 1_000_000), "USD", ""},
		{control.Alert{Name: "two\nlines", Metric: control.AlertOrders, Condition: control.Above, Threshold: 1_000_000}, "USD", ""},
	} {
		got, err := c.rule.Checked(c.currency)
		if c.want == "" && fault.KindOf(err) != fault.KindInvalid || c.want != "" && (err != nil || got.Name != c.want) {
			t.Errorf("%+v in %s: %q, %v, want %q", c.rule, c.currency, got.Name, err, c.want)
		}
	}
}

// The error of a rule contains the limits of its unit.
func TestAlertRulesStateTheirLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule       control.Alert
		text, hint string
	}{
		{control.Alert{Metric: "profit", Condition: control.Above}, `metric "profit" is unknown`, "use one of revenue, orders, spend, roas, aov"},
		{control.Alert{Metric: control.AlertAOV, Condition: "at"}, `condition "at" is unknown`, "use one of above, below, change_above"},
		{
			control.Alert{Metric: control.AlertAOV, Condition: control.Above, Threshold: -500_000},
			"threshold -0.5 is out of range", "use a number above 0 and up to 1000000000000, in the unit of the metric",
		},
		{control.Alert{Metric: control.AlertAOV, Condition: control.ChangeAbove}, "threshold 0 is out of range", "use a number above 0 and up to 10000, in percent"},
		{control.Alert{Metric: control.AlertOrders, Condition: control.Above, Threshold: 500_000}, "threshold 0.5 is not a number of orders", "use a whole number"},
		{control.Alert{Metric: control.AlertSpend, Condition: control.Above, Threshold: 1000}, "threshold 0.001 has more decimals than USD", "use at most 2 decimals"},
	} {
		_, err := c.rule.Checked("USD")
		if text, hint, _ := fault.Public(err); fault.KindOf(err) != fault.KindInvalid || text != c.text || hint != c.hint {
			t.Errorf("%+v: %q, %q, want %q, %q", c.rule, text, hint, c.text, c.hint)
		}
	}
	if got := control.NewAlertValue(0.0000005); got != 1 {
		t.Errorf("half of a millionth is rounded to %d millionths", got)
	}
	if got := control.NewAlertValue(-2.5).Float(); got != -2.5 {
		t.Errorf("-2.5 is %v", got)
	}
}

func TestThePlaceOfADestination(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]control.Destination{
		"hooks.example.com": {Kind: control.WebhookDestination, URL: "https://hooks.example.com/T0/secret", Email: "ana@example.com"},
		"ana@example.com":   {Kind: control.EmailDestination, Email: "ana@example.com", URL: "https://hooks.example.com/"},
		"":                  {Kind: control.WebhookDestination, URL: "https://[::1"},
		"localhost:8080":    {Kind: control.WebhookDestination, URL: "http://localhost:8080/x"},
	} {
		if got := d.Place(); got != want {
			t.Errorf("place of %+v: %q, want %q", d, got, want)
		}
	}
}

func TestAlertMessagesAreRetriedForHours(t *testing.T) {
	t.Parallel()
	want := []time.Duration{time.Minute, 4 * time.Minute, 16 * time.Minute, 64 * time.Minute, 256 * time.Minute, 6 * time.Hour, 6 * time.Hour}
	for i, delay := range want {
		if got := control.AlertBackoff(i + 1); got != delay {
			t.Errorf("after attempt %d: %s, want %s", i+1, got, delay)
		}
	}
}
