package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"assay/bench/process"
	"assay/bench/report"
)

// These are the names of the servers in the table of results. Assay runs twice: with default settings, which log a line
// per call, and without log lines. The peers do not log calls.
const (
	assay    = "assay"
	quiet    = "assay, log_level warn"
	barePeer = "net/http, nothing else"
	goPeer   = "go-sdk, typed tool"
	tsPeer   = "ts-sdk, server per request"
)

func compare(ctx context.Context, o settings) (err error) {
	dir, err := os.MkdirTemp("", "assay-wire-*")
	if err != nil {
		return err
	}
	var servers []*server
	defer func() {
		for _, s := range servers {
			err = errors.Join(err, s.process.Stop())
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	if servers, err = startAssay(ctx, o.assay, dir); err != nil {
		return err
	}
	recorded, err := servers[0].post(ctx, http.DefaultTransport)
	if err != nil {
		return err
	}
	payload := filepath.Join(dir, "payload.json")
	if err := os.WriteFile(payload, recorded, 0o600); err != nil {
		return err
	}
	peers, err := startPeers(ctx, o, payload)
	servers = append(servers, peers...)
	if err != nil {
		return err
	}
	for _, s := range servers {
		if err := s.sameAnswer(ctx, recorded); err != nil {
			return err
		}
	}
	cpu, err := measure(ctx, o, servers)
	if err != nil {
		return err
	}
	title := fmt.Sprintf("Server CPU per cached tools/call: %d bytes, %d connections, %d calls a round, %d rounds, %s, go-sdk %s",
		len(recorded), connections, o.calls, o.rounds, runtime.Version(), version("github.com/modelcontextprotocol/go-sdk"))
	return report.Print(os.Stdout, title, table(servers, cpu))
}

// startAssay serves two identical demo stores, one with default settings and one that does not log calls.
func startAssay(ctx context.Context, program, dir string) (servers []*server, err error) {
	for _, s := range []struct{ name, level string }{{assay, "info"}, {quiet, "warn"}} {
		data := filepath.Join(dir, s.level)
		key, err := makeDemo(ctx, program, data)
		if err != nil {
			return servers, err
		}
		p, url, err := process.Start(ctx, "ready: ", program, "serve", "--addr", "127.0.0.1:0", "--data", data,
			"--rate-limit", "1000000", "--log-level", s.level)
		if err != nil {
			return servers, err
		}
		servers = append(servers, &server{name: s.name, url: url + "/api/mcp/rpc", key: key, process: p})
	}
	return servers, nil
}

// makeDemo makes a demo store and returns an API key for it.
func makeDemo(ctx context.Context, program, data string) (key string, err error) {
	made, _, err := process.Start(ctx, "ready: ", program, "demo", "--addr", "127.0.0.1:0", "--data", data, "--days", "400",
		"--orders", "8000", "--today", "2026-01-15")
	if err != nil {
		return "", err
	}
	if err := made.Stop(); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(data, "demo.json"))
	if err != nil {
		return "", err
	}
	var access struct {
		Key string `json:"read_key"`
	}
	err = json.Unmarshal(text, &access)
	return access.Key, err
}

func startPeers(ctx context.Context, o settings, payload string) ([]*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	type peer struct {
		name, host string
		args       []string
		slow       bool
	}
	peers := []peer{
		{name: barePeer, host: "http://", args: []string{self, "serve", "bare", payload}},
		{name: goPeer, host: "http://", args: []string{self, "serve", "gosdk", payload}, slow: true},
	}
	if o.ts != "" {
		peers = append(peers, peer{name: tsPeer, host: "http://127.0.0.1:", args: []string{o.node, filepath.Join(o.ts, "server.mjs"), payload}, slow: true})
	}
	var servers []*server
	for _, p := range peers {
		started, address, err := process.Start(ctx, "", p.args...)
		if err != nil {
			return servers, err
		}
		servers = append(servers, &server{name: p.name, url: p.host + address + "/api/mcp/rpc", slow: p.slow, process: started})
	}
	return servers, nil
}

// measure returns the CPU time per call of every server, round by round. The first round is a warmup and is not
// counted.
func measure(ctx context.Context, o settings, servers []*server) (map[string]report.Sample, error) {
	cpu := map[string]report.Sample{}
	for round := range o.rounds + 1 {
		for _, s := range servers {
			micros, err := s.cpuPerCall(ctx, o.calls)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				cpu[s.name] = append(cpu[s.name], micros)
			}
		}
	}
	return cpu, nil
}

func table(servers []*server, cpu map[string]report.Sample) []report.Row {
	var rows []report.Row
	for _, s := range servers {
		rows = append(rows, report.Row{What: s.name, Of: cpu[s.name], Unit: "us"})
	}
	bare := report.Times(cpu[assay], cpu[barePeer])
	rows = append(rows, report.Row{What: "assay / net/http", Of: bare, Unit: "times", Verdict: bare.AtMost(2)})
	silent := report.Times(cpu[quiet], cpu[barePeer])
	rows = append(rows, report.Row{What: "assay, log_level warn / net/http", Of: silent, Unit: "times", Verdict: silent.AtMost(2)})
	sdk := report.Times(cpu[assay], cpu[goPeer])
	rows = append(rows, report.Row{What: "assay / go-sdk", Of: sdk, Unit: "times", Verdict: sdk.AtMost(0.2)})
	if cpu[tsPeer] != nil {
		ts := report.Times(cpu[assay], cpu[tsPeer])
		rows = append(rows, report.Row{What: "assay / ts-sdk", Of: ts, Unit: "times", Verdict: ts.AtMost(0.2)})
	}
	return rows
}

// version returns the version of a module that this program was built with.
func version(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == module {
				return m.Version
			}
		}
	}
	return "of an unknown version"
}
