package health

import (
	"strings"
	"testing"
	"time"

	"assay/internal/toolkit"
)

func TestDiagnoseReportsScheduledBackups(t *testing.T) {
	t.Parallel()
	last := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		state toolkit.BackupState
		want  Severity
		text  string
	}{
		"as planned": {toolkit.BackupState{Scheduled: true, Last: last}, SeverityOK, "2026-11-20 12:00 UTC"},
		"the first":  {toolkit.BackupState{Scheduled: true}, SeverityInfo, "not complete yet"},
		"a problem":  {toolkit.BackupState{Scheduled: true, Problem: "The last backup failed.", Fix: "X."}, SeverityError, "failed"},
	} {
		got := checkBackups(&toolkit.Call{Backups: func() toolkit.BackupState { return c.state }})
		if len(got) != 1 || got[0].Severity != c.want || !strings.Contains(got[0].Finding, c.text) {
			t.Errorf("%s: %+v, want %s with %q", name, got, c.want, c.text)
		}
	}
	for name, call := range map[string]*toolkit.Call{
		"no backups": {}, "no schedule": {Backups: func() toolkit.BackupState { return toolkit.BackupState{} }},
	} {
		if got := checkBackups(call); got != nil {
			t.Errorf("%s: %+v, want nothing", name, got)
		}
	}
}
