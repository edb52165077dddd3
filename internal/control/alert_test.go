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
		{rule(control.AlertRevenue, control.Below, 500_250_000), "JPY", ""},
		{rule(control.AlertRevenue, control.Below, 0), "USD", ""},
		{rule(control.AlertOrders, control.Below, 1_500_000), "USD", ""},
		{rule(control.AlertOrders, control.Above, -1), "USD", ""},
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

func TestAlertMessagesAreRetriedForHours(t *testing.T) {
	t.Parallel()
	want := []time.Duration{time.Minute, 4 * time.Minute, 16 * time.Minute, 64 * time.Minute, 256 * time.Minute, 6 * time.Hour, 6 * time.Hour}
	for i, delay := range want {
		if got := control.AlertBackoff(i + 1); got != delay {
			t.Errorf("after attempt %d: %s, want %s", i+1, got, delay)
		}
	}
}
