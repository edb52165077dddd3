package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/backup"
	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/operation"
)

func TestTheHomePageReportsBackupsToOwners(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/missing/backups"
	schedule := &backup.Schedule{
		Maker: backup.NewMaker(backup.Source{}), Clock: clockwork.NewFakeClock(), Plan: backup.Plan{Dir: dir, Every: time.Hour},
	}
	s := consoletest.NewWith(t, func(s *consoletest.Site, o *console.Options) {
		o.Operations = s.NewOperations(operation.Facts{Known: consoletest.AnyName{}, Backups: schedule})
	})
	s.Member(consoletest.Email, control.RoleOwner)
	s.Member("viewer@acme.example", control.RoleViewer)
	const want = "The first scheduled backup is not complete yet."
	if page := s.SignedIn(consoletest.Email).Get("/"); !strings.Contains(page.Body, want) {
		t.Errorf("the owner's home page does not report backups:\n%s", page.Body)
	}
	if page := s.SignedIn("viewer@acme.example").Get("/"); strings.Contains(page.Body, want) {
		t.Error("the viewer's home page reports backups")
	}
}
