package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/bench/process"
	"assay/bench/report"
)

// mixed lists the tool calls of the workload. Most of these calls are typical of a dashboard or an assistant.
var mixed = []struct{ tool, arguments string }{
	{"performance", `{}`},
	{"performance", `{"model":"linear"}`},
	{"trends", `{}`},
	{"campaigns", `{}`},
	{"customers", `{}`},
	{"customers", `{"view":"retention"}`},
	{"products", `{}`},
	{"compare", `{}`},
	{"discover", `{}`},
	{"forecasting", `{"aspect":"targets"}`},
	{"chart", `{"metric":"revenue"}`},
}

// idle is the wait before memory is read. It is long enough for the service's work after startup.
const idle = 10 * time.Second

// service is a running Assay with all stores.
type service struct {
	*process.Process
	url    string
	client *http.Client
}

func serve(ctx context.Context, o settings) (*service, error) {
	p, url, err := process.Start(ctx, "ready: ", o.assay, "serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(o.folder, "data"),
		"--rate-limit", "1000000", "--log-level", "warn")
	if err != nil {
		return nil, err
	}
	return &service{Process: p, url: url + "/api/mcp/rpc", client: &http.Client{Timeout: time.Minute}}, nil
}

// call makes a call and returns its duration.
func (s *service) call(ctx context.Context, key, tool, arguments string) (time.Duration, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	watch := process.Begin()
	reply, err := s.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	took, _ := watch.Took()
	if err != nil {
		return 0, err
	}
	var result struct {
		Result struct {
			IsError bool `json:"isError"`
		} `json:"result"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(text, &result); err != nil || result.Error != nil || result.Result.IsError {
		return 0, fmt.Errorf("%s %s answers %.300s", tool, arguments, bytes.TrimSpace(text))
	}
	return took, nil
}

// mix makes calls to random workspaces until the count or the time is reached, and returns their durations in
// milliseconds.
func (s *service) mix(ctx context.Context, stores []store, random *rand.Rand, more func(done int) bool) (took report.Sample, err error) {
	for done := 0; more(done); done++ {
		c := mixed[random.IntN(len(mixed))]
		d, err := s.call(ctx, stores[random.IntN(len(stores))].Key, c.tool, c.arguments)
		if err != nil {
			return took, err
		}
		took = append(took, d.Seconds()*1000)
	}
	return took, nil
}

func measured(ctx context.Context, o settings, stores []store) error {
	disk, err := process.Size(filepath.Join(o.folder, "data", "facts"))
	if err != nil {
		return err
	}
	s, err := serve(ctx, o)
	if err != nil {
		return err
	}
	defer func() { _ = s.Stop() }()
	time.Sleep(idle)
	started, err := s.Memory()
	if err != nil {
		return err
	}
	var cold report.Sample // after the service starts, most stores are not open
	random := rand.New(rand.NewPCG(1, 2))
	for _, at := range random.Perm(len(stores)) {
		d, err := s.call(ctx, stores[at].Key, "performance", `{}`)
		if err != nil {
			return err
		}
		cold = append(cold, d.Seconds()*1000)
	}
	mixedCalls, err := s.mix(ctx, stores, random, func(done int) bool { return done < o.calls })
	if err != nil {
		return err
	}
	used, err := s.Memory()
	if err != nil {
		return err
	}
	const mib = 1 << 20
	one := func(v float64) report.Sample { return report.Sample{v} }
	err = report.Print(os.Stdout, fmt.Sprintf("%d workspaces of %d orders", len(stores), o.orders), []report.Row{
		{What: "disk per workspace", Of: one(float64(disk) / mib / float64(len(stores))), Unit: "MiB", Verdict: one(float64(disk) / mib / float64(len(stores))).AtMost(2)},
		{What: "memory after the start", Of: one(float64(started) / mib), Unit: "MiB"},
		{What: "memory after mixed calls", Of: one(float64(used) / mib), Unit: "MiB", Verdict: one(float64(used) / mib).AtMost(1500)},
		{What: "first answer of a workspace", Of: cold, Unit: "ms", Verdict: cold.AtMost(50)},
		{What: "first answer, 99th percentile", Of: one(cold.Quantile(0.99)), Unit: "ms"},
		{What: "mixed calls", Of: mixedCalls, Unit: "ms"},
		{What: "mixed calls, 99th percentile", Of: one(mixedCalls.Quantile(0.99)), Unit: "ms"},
	})
	if err != nil || o.soak == 0 {
		return err
	}
	return soak(ctx, o, s, stores, random)
}

// soak makes mixed calls, with a small import every 30 seconds, and prints the memory every minute.
func soak(ctx context.Context, o settings, s *service, stores []store, random *rand.Rand) error {
	fmt.Fprintf(os.Stdout, "\nSoak of %s: minute, calls so far, memory in MiB\n", o.soak)
	watch, calls := process.Begin(), 0
	elapsed := func() time.Duration {
		wall, _ := watch.Took()
		return wall
	}
	for minute := 1; elapsed() < o.soak; minute++ {
		for half := range 2 {
			until := time.Duration(2*minute-1+half) * 30 * time.Second
			took, err := s.mix(ctx, stores, random, func(int) bool { return elapsed() < until })
			if err != nil {
				return err
			}
			calls += len(took)
			if err := importOrders(ctx, o, stores[random.IntN(len(stores))], 2*minute+half); err != nil {
				return err
			}
		}
		memory, err := s.Memory()
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stdout, "%d %d %d\n", minute, calls, memory>>20)
	}
	return nil
}

// importOrders imports a few new orders through the running service.
func importOrders(ctx context.Context, o settings, s store, serial int) error {
	path := filepath.Join(o.folder, "orders.csv")
	text := []byte("order_id,created_at,customer_id,currency,total,channel\n")
	for i := range 20 {
		text = fmt.Appendf(text, "%d,%s,c%d,USD,%d.00,google\n", 9_000_000+serial*100+i, now().UTC().Format("2006-01-02T15:04:05Z"), i, 20+i)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	_, err := process.Run(ctx, o.assay, "import", path, "--workspace", string(s.ID), "--data", filepath.Join(o.folder, "data"))
	return err
}
