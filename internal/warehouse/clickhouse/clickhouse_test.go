package clickhouse

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
	"assay/internal/warehouse/warehousetest"
)

// address is the URL of the test servers: the value of ASSAY_TEST_CLICKHOUSE, or the server that TestMain starts.
var address, whyNot string

// TestMain runs the tests on a server, if one is installed. If the role variable is set, it runs a test's child process
// instead.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := childImport(context.Background(), role); err != nil {
			fmt.Println("child:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if testing.Short() {
		whyNot = "-short: no server is started"
		os.Exit(m.Run())
	}
	if address = os.Getenv("ASSAY_TEST_CLICKHOUSE"); address != "" {
		os.Exit(m.Run())
	}
	code, crashed := runOnServer(m)
	if code != 0 && crashed {
		fmt.Println("the server crashed: the tests run once more, on a new server")
		code, _ = runOnServer(m)
	}
	os.Exit(code)
}

// runOnServer runs the tests on a server that it starts with the script of the cluster. It also reports whether the
// server crashed, which Debian's release of ClickHouse sometimes does. The script then prints the server's log.
func runOnServer(m *testing.M) (code int, crashed bool) {
	cmd := exec.Command("../../../test/cluster/up", "--single")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		whyNot = err.Error()
		return m.Run(), false
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	var found bool
	if address, found = strings.CutPrefix(strings.TrimSpace(line), "ready: "); !found {
		whyNot = "test/cluster/up --single starts no server: install clickhouse-server, or set ASSAY_TEST_CLICKHOUSE"
	}
	code = m.Run()
	if server, err := url.Parse(address); found && err == nil {
		c, err := net.DialTimeout("tcp", server.Host, 10*time.Second)
		if crashed = err != nil; !crashed {
			c.Close()
		}
	}
	if !crashed { // otherwise the script ends too
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}
	_ = cmd.Wait()
	return code, crashed
}

func clock() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// stores is the number of stores in this run. All stores share the servers' tables; their workspace names differ.
var stores atomic.Int64

func newStore() string { return fmt.Sprintf("t%d-%d-", os.Getpid(), stores.Add(1)) }

// node opens an engine on a store, with its own local copies, like a separate node.
func node(tb testing.TB, store string, clock func() time.Time) *Engine {
	tb.Helper()
	return nodeIn(tb, tb.TempDir(), store, clock)
}

// nodeIn is [node] with a given folder for the local copies.
func nodeIn(tb testing.TB, dir, store string, clock func() time.Time) *Engine {
	tb.Helper()
	if address == "" {
		tb.Skip(whyNot)
	}
	e, err := Open(tb.Context(), Options{
		URL: address, Fresh: -1, Local: duckdb.Options{Dir: dir, Clock: clock, Threads: 2},
	})
	if err != nil {
		tb.Fatal(err)
	}
	e.store.prefix = store
	tb.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return e
}

func TestEnginePassesTheWarehouseSuite(t *testing.T) {
	t.Parallel()
	warehousetest.Run(t, func(t *testing.T, clock func() time.Time) *warehouse.Warehouse {
		t.Helper()
		return warehouse.New(node(t, newStore(), clock))
	})
}
