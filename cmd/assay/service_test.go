package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const orders = `Name,Email,Financial Status,Currency,Subtotal,Shipping,Taxes,Total,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Id
#1001,a@example.com,paid,USD,20.00,5.00,1.60,26.60,2026-03-01 23:30:00 -0500,2,Candle,10.00,C-1,9001
#1002,b@example.com,refunded,USD,40.00,0.00,3.20,43.20,2026-03-02 00:10:00 -0500,1,Lamp,40.00,L-1,9002
`

// program returns a command that runs the program in a separate process.
func program(t *testing.T, data string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "ASSAY_DATA="+data)
	return cmd
}

// finish runs the program to completion and returns its output.
func finish(t *testing.T, data string, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := program(t, data, args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

func must(t *testing.T, data string, args ...string) string {
	t.Helper()
	out, errs, code := finish(t, data, args...)
	if code != 0 {
		t.Fatalf("assay %s: exit code %d\n%s", strings.Join(args, " "), code, errs)
	}
	return out
}

// serve starts the service and returns its base URL once it accepts calls. The service stops when the test ends, and
// must exit without an error.
func serve(t *testing.T, data string) (baseURL string, pid int) {
	t.Helper()
	return serveAt(t, data, "127.0.0.1:0")
}

func serveAt(t *testing.T, data, addr string) (baseURL string, pid int) {
	t.Helper()
	baseURL, process, stop := serving(t, data, "serve", "--addr", addr)
	t.Cleanup(stop)
	return baseURL, process.Pid
}

// serving runs a command that starts a service, and returns a function that stops the service. The command must end
// without an error.
func serving(t *testing.T, data string, args ...string) (baseURL string, process *os.Process, stop func()) {
	t.Helper()
	cmd := program(t, data, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the service ends with an error: %v", err)
		}
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url, ok := strings.CutPrefix(lines.Text(), "ready: "); ok {
			return url, cmd.Process, stop
		}
	}
	stop()
	t.Fatal("the service ended before it was ready")
	return "", nil, nil
}

// shop creates a data directory with a workspace and a key.
func shop(t *testing.T, options ...string) (data, key string) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	must(t, data, append([]string{"workspace", "create", "shop"}, options...)...)
	return data, strings.TrimSpace(must(t, data, "keys", "create", "--workspace", "shop"))
}

func TestASecondProcessOnTheSameDataIsRefused(t *testing.T) {
	t.Parallel()
	data, _ := shop(t)
	serve(t, data)
	_, errs, code := finish(t, data, "serve", "--addr", "127.0.0.1:0")
	if code != exitFailed || !strings.Contains(errs, "is in use by process ") || !strings.Contains(errs, "hint: stop that process") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestCommandsWorkWithARunningService(t *testing.T) {
	t.Parallel()
	data, key := shop(t, "--timezone", "America/New_York")
	file := filepath.Join(t.TempDir(), "orders_export.csv")
	if err := os.WriteFile(file, []byte(orders), 0o600); err != nil {
		t.Fatal(err)
	}
	url, _ := serve(t, data)
	call := func() (revenue, orders float64) {
		t.Helper()
		answer := must(t, data, "call", "performance", "--url", url, "--key", key, "--arg", "start_date=2026-03-01", "--arg", "end_date=2026-03-01", "--arg", "detail_level=debug")
		var got struct {
			Metrics struct{ Revenue, Orders struct{ Value float64 } }
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			t.Fatal(err)
		}
		return got.Metrics.Revenue.Value, got.Metrics.Orders.Value
	}
	if revenue, _ := call(); revenue != 0 {
		t.Errorf("revenue of an empty store is %v", revenue)
	}
	report := must(t, data, "import", file, "--workspace", "shop")
	if !strings.Contains(report, "69.80") {
		t.Errorf("the report does not show the total of 69.80 to compare:\n%s", report)
	}
	if revenue, n := call(); revenue != 26.60 || n != 1 {
		t.Errorf("on the first of March: %v in %v orders, want 26.60 in 1: the second order is after the store's midnight", revenue, n)
	}
	again := must(t, data, "import", file, "--workspace", "shop")
	if !strings.Contains(again, "already imported") {
		t.Errorf("a second import prints:\n%s", again)
	}
	must(t, data, "workspace", "delete", "shop", "--yes")
	if _, err := os.Stat(filepath.Join(data, "facts", "shop.duckdb")); !os.IsNotExist(err) {
		t.Errorf("the facts of a deleted workspace still exist: %v", err)
	}
}

func TestABrokenFileNamesItsLineAndChangesNothing(t *testing.T) {
	t.Parallel()
	data, _ := shop(t)
	file := filepath.Join(t.TempDir(), "orders_export.csv")
	broken := strings.Replace(orders, "43.20", "4x.20", 1)
	if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := finish(t, data, "import", file, "--workspace", "shop")
	if code != exitUsage || !strings.Contains(out+errs, "4x.20") || !strings.Contains(errs, "line 3") {
		t.Errorf("exit code %d\n%s\n%s", code, out, errs)
	}
	if found := must(t, data, "doctor"); !strings.Contains(found, "no orders") {
		t.Errorf("after a rejected file doctor prints:\n%s", found)
	}
}

func TestABusyServiceIsAFailureAndNotAMistake(t *testing.T) {
	t.Parallel()
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"Service unavailable"},"id":1}`)
	}))
	defer busy.Close()
	_, errs, code := finish(t, t.TempDir(), "call", "performance", "--url", busy.URL, "--key", "k")
	if code != exitFailed || !strings.Contains(errs, "try again in 5 seconds") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
