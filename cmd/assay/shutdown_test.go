package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/internal/app"
	"assay/internal/config"
	"assay/internal/operation"
)

// SIGTERM ends the process even during the import of a file that takes minutes to read. The test allows a minute for
// the shutdown, because the race detector and parallel tests slow the process.
func TestSIGTERMEndsTheProcessDuringAnImport(t *testing.T) {
	t.Parallel()
	data, _ := shop(t)
	path := filepath.Join(t.TempDir(), "orders.csv.gz")
	if err := os.WriteFile(path, hostileCSV(t), 0o600); err != nil {
		t.Fatal(err)
	}
	limit, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := program(t, data, "serve", "--addr", "127.0.0.1:0", "--shutdown-timeout", "2s")
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer context.AfterFunc(limit, func() { _ = cmd.Process.Kill() })()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v\n%s", line, err, log.String())
	}
	began := make(chan struct{})
	imported := make(chan error, 1)
	go func() {
		reading := false
		call := operation.Call{Workspace: "shop", Caller: operation.Operator("test"), Progress: func(int64, int64) {
			if !reading {
				reading = true
				close(began)
			}
		}}
		_, err := app.ImportFiles(t.Context(), config.Config{Data: data}, call, operation.Import{Paths: []string{path}}, nil, time.Now)
		imported <- err
	}()
	select {
	case <-began:
	case err := <-imported:
		t.Fatalf("the import ends before the signal: %v", err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	signaled := time.Now()
	defer time.AfterFunc(time.Minute, cancel).Stop() // reading the whole file takes longer
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process does not end, or ends with an error: %v\n%s", err, log.String())
	}
	t.Logf("the process ended after %s", time.Since(signaled).Round(time.Millisecond))
	if err := <-imported; err == nil {
		t.Error("the command reports success")
	}
}

// hostileCSV returns a compressed orders file. It begins with enough rejected rows for an import to report progress.
// Rows of almost 4 MiB with 1.4 million cells each follow, 20 GiB in total.
func hostileCSV(t *testing.T) []byte {
	t.Helper()
	packed := func(text string) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	row := packed(strings.Repeat(`"",`, 1_390_000) + "\n")
	return append(packed("order_id,created_at,currency,total\n"+strings.Repeat("x\n", 10_000)), bytes.Repeat(row, 5000)...)
}
