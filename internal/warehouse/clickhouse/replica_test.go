package clickhouse

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/fault"
)

// With fewer replicas than the quorum, queries are answered, and rejected imports store nothing. When the replicas are
// back, imports continue. The test stops servers of the cluster, so it is not parallel.
func TestAKilledReplicaLosesNothing(t *testing.T) { //nolint:paralleltest // it stops servers of other tests
	dir := os.Getenv("ASSAY_TEST_CLUSTER_DIR")
	if _, err := os.Stat(filepath.Join(dir, "pid.s1r2")); dir == "" || err != nil {
		t.Skip("needs the cluster: run the test under test/cluster/up")
	}
	store := newStore()
	a := node(t, store, clock)
	mustLoad(t, a, someOrders("a", 40, 1000))
	replicas := []string{"s1r2", "s2r2"}
	for _, name := range replicas {
		pid, err := os.ReadFile(filepath.Join(dir, "pid."+name))
		if err != nil {
			t.Fatal(err)
		}
		if err := exec.CommandContext(t.Context(), "kill", "-9", strings.TrimSpace(string(pid))).Run(); err != nil {
			t.Fatal(err)
		}
	}
	wantOrders(t, a, 40)
	wantOrders(t, node(t, store, clock), 40) // reads everything from the replicas that are left
	if _, err := load(t, a, someOrders("b", 5, 1000)); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("an import without a quorum ended with %v; want a fault of kind unavailable", err)
	}
	wantOrders(t, a, 40)
	for _, name := range replicas {
		if err := exec.CommandContext(t.Context(), filepath.Join(dir, "start."+name)).Run(); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	for range 60 {
		if _, err = load(t, a, someOrders("b", 5, 1000)); err == nil {
			break
		}
		time.Sleep(time.Second)
	}
	if err != nil {
		t.Fatalf("an import after the replicas were started again: %v", err)
	}
	wantOrders(t, a, 45)
	wantSame(t, "after the replicas were started again", a, node(t, store, clock))
}
