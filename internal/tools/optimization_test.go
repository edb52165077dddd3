package tools

import (
	"testing"

	"assay/internal/control"
)

func TestAChangeOfRevenueIsAGainALossOrNeither(t *testing.T) {
	t.Parallel()
	w := control.NewWorkspace("W")
	w.Currency = "USD"
	c := &Call{Workspace: w}
	for _, test := range []struct {
		change Estimate[Money]
		want   string
	}{
		{Estimate[Money]{Value: 5007, Low: 1000, High: 9000}, "is expected to bring 5,007 USD more revenue than today (90 % interval 1,000 USD to 9,000 USD more)"},
		{Estimate[Money]{Value: -5007, Low: -9000, High: -1000}, "is expected to bring 5,007 USD less revenue than today (90 % interval 1,000 USD to 9,000 USD less)"},
		{Estimate[Money]{Value: -5007, Low: -9000, High: 1000}, "makes no clear difference: 5,007 USD less revenue than today is expected, with a 90 % interval from 9,000 USD less to 1,000 USD more"},
		{Estimate[Money]{Value: 20, Low: -1000, High: 1040}, "makes no clear difference: 20.00 USD more revenue than today is expected, with a 90 % interval from 1,000 USD less to 1,040 USD more"},
		{Estimate[Money]{}, "changes no revenue"},
	} {
		if got := c.gain(test.change, " than today"); got != test.want {
			t.Errorf("%+v:\n got %s\nwant %s", test.change, got, test.want)
		}
	}
}
