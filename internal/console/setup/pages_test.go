package setup_test

import (
	"testing"

	"assay/internal/console/consoletest"
	"assay/internal/control"
)

func TestAccessPagesAreGolden(t *testing.T) {
	t.Parallel()
	s := consoletest.NewAds(t).Site
	s.Member(consoletest.Email, control.RoleOwner)
	calls(s, 3, key(s, "weekly report"), func(i int, c *control.Call) {
		c.Status = []control.CallStatus{control.CallOK, control.CallError, control.CallRefused}[i]
	})
	consoletest.Golden(t, s.SignedIn(consoletest.Email), &consoletest.Calls{}, "site.txtar")
}

func TestDataPagesAreGolden(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	d.Stock("a tee")
	consoletest.Golden(t, d.SignedIn(consoletest.Email), &consoletest.Calls{}, "data.txtar")
}
