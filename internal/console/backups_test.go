package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/backup"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/operation"
)

func TestTheHomePageReportsBackupsToOwners(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/missing/backups"
	schedule := &backup.Schedule{
		Maker: backup.NewMaker(backup.Source{}), Clock: clockwork.NewFakeClock(), Plan: backup.Plan{Dir: dir, Every: time.Hour},
	}
	s := newSiteWith(t, func(s *site, o *console.Options) {
		o.Operations = s.operations(operation.Facts{Known: anyName{}, Backups: schedule})
	})
	s.member(email, control.RoleOwner)
	s.member("viewer@acme.example", control.RoleViewer)
	const want = "The first scheduled backup is not complete yet."
	if page := s.signedIn(email).get("/"); !strings.Contains(page.body, want) {
		t.Errorf("the owner's home page does not report backups:\n%s", page.body)
	}
	if page := s.signedIn("viewer@acme.example").get("/"); strings.Contains(page.body, want) {
		t.Error("the viewer's home page reports backups")
	}
}
