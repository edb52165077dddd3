package operation_test

import (
	"strings"
	"testing"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/jobs"
	"assay/internal/operation"
)

// orders imports a file with one order, which has the given number. It calls the function during at each progress
// report.
func (s *site) orders(c operation.Caller, number string, during func()) error {
	s.Helper()
	text := "order_id,created_at,currency,total,channel\n" + strings.Repeat(number+",2026-03-02T15:00:00Z,USD,10.00,facebook\n", 5000)
	file, remove, err := ingest.Spool(s.T.TempDir(), "orders.csv", strings.NewReader(text))
	if err != nil {
		s.Fatal(err)
	}
	defer remove()
	call := s.by(c)
	call.Progress = func(int64, int64) { during() }
	_, err = operation.ImportFiles.Do(s.Context(), s.Service, call, operation.Import{Files: []ingest.File{file}})
	return err
}

func (s *site) listed(c operation.Caller) []jobs.Job {
	s.Helper()
	all, err := operation.ListJobs.Do(s.Context(), s.Service, s.by(c), operation.None{})
	if err != nil {
		s.Error(err)
	}
	return all
}

func (s *site) cancel(c operation.Caller, id jobs.ID) error {
	_, err := operation.CancelJob.Do(s.Context(), s.Service, s.by(c), id)
	return err
}

func TestACancelledImportStoresNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	operator := operation.Operator("assay import")
	err := s.orders(operator, "1", func() {
		for _, j := range s.listed(operator) {
			if j.What != "Importing orders.csv" || j.By != "assay import" || j.State != jobs.Running {
				t.Errorf("listed: %+v", j)
			}
			if err := s.cancel(operator, j.ID); err != nil && fault.KindOf(err) != fault.KindNotFound {
				t.Error(err)
			}
		}
	})
	if fault.KindOf(err) != fault.KindConflict || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("the import ends with %v, want an error that states the cancellation", err)
	}
	if c, err := s.Warehouse.Coverage(t.Context(), "w"); err != nil || c.Orders != 0 {
		t.Errorf("%d orders are stored, %v; want none", c.Orders, err)
	}
	if left := s.listed(operator); len(left) > 0 {
		t.Errorf("still listed: %+v", left)
	}
	if err := s.orders(operator, "1", func() {}); err != nil {
		t.Errorf("the same file again: %v", err)
	}
	if c, err := s.Warehouse.Coverage(t.Context(), "w"); err != nil || c.Orders != 1 {
		t.Errorf("%d orders are stored, %v; want the order of the file", c.Orders, err)
	}
}

// Members with write permission can see and cancel all jobs of their workspace. Other members can see and cancel only
// the jobs that they started.
func TestJobsOfOthersNeedPermission(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, err := operation.CreateWorkspace.Do(t.Context(), s.Service, operation.Call{Caller: operation.Operator("test")}, control.NewWorkspace("Other"))
	if err != nil {
		t.Fatal(err)
	}
	who, role := s.member(control.RoleAnalyst)
	member, operator := operation.Member(who.ID), operation.Operator("assay import")
	checked := false
	err = s.orders(operator, "1", func() {
		if checked {
			return
		}
		checked = true
		job := s.listed(member)
		if len(job) != 1 {
			t.Errorf("an analyst sees %+v", job)
			return
		}
		elsewhere := operation.Call{Workspace: "other", Caller: operator}
		if all, err := operation.ListJobs.Do(t.Context(), s.Service, elsewhere, operation.None{}); err != nil || len(all) > 0 {
			t.Errorf("another workspace lists %+v, %v", all, err)
		}
		if _, err := operation.CancelJob.Do(t.Context(), s.Service, elsewhere, job[0].ID); fault.KindOf(err) != fault.KindNotFound {
			t.Errorf("canceled from another workspace: %v", err)
		}
		role(control.RoleViewer)
		if all := s.listed(member); len(all) > 0 {
			t.Errorf("a viewer sees %+v", all)
		}
		if err := s.cancel(member, job[0].ID); fault.KindOf(err) != fault.KindNotFound {
			t.Errorf("a viewer cancels: %v", err)
		}
		if err := s.cancel(operation.Member("unknown"), job[0].ID); fault.KindOf(err) != fault.KindForbidden {
			t.Errorf("an unknown person cancels: %v", err)
		}
	})
	if err != nil || !checked {
		t.Errorf("the import: %v, checked %v", err, checked)
	}
	role(control.RoleAnalyst)
	err = s.orders(member, "2", func() {
		role(control.RoleViewer)
		for _, j := range s.listed(member) {
			if err := s.cancel(member, j.ID); err != nil && fault.KindOf(err) != fault.KindNotFound {
				t.Errorf("the starter cancels: %v", err)
			}
		}
	})
	if fault.KindOf(err) != fault.KindConflict {
		t.Errorf("the starter's import ends with %v, want it to be canceled", err)
	}
}

// A job that waits for another import of the workspace is listed as waiting and can be canceled.
func TestAWaitingImportCanBeCancelled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	operator := operation.Operator("assay import")
	unlock := s.lock()
	ended := make(chan error, 1)
	go func() { ended <- s.orders(operator, "1", func() {}) }()
	for {
		all := s.listed(operator)
		if len(all) == 1 && all[0].State == jobs.Waiting && !all[0].Began.IsZero() {
			if err := s.cancel(operator, all[0].ID); err != nil {
				t.Error(err)
			}
			break
		}
	}
	if err := <-ended; fault.KindOf(err) != fault.KindConflict {
		t.Errorf("the import ends with %v", err)
	}
	unlock()
}
