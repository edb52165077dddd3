// Command wire compares the CPU time that servers use for one cached tools/call. The servers are Assay, a bare net/http
// handler, and the servers of the official Go and TypeScript SDKs. The command records an answer of Assay, which the
// peers return too. It sends the same call to all servers in turn over persistent connections and prints the server's
// CPU time per call.
//
//	wire run --assay bin/assay [--ts DIR --node NODE] [--calls 20000] [--rounds 5]
//	wire serve bare|gosdk PAYLOAD      (started by run)
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "wire:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 3 && args[0] == "serve":
		return serve(ctx, args[1], args[2])
	case len(args) > 0 && args[0] == "run":
		return compare(ctx, options(args[1:]))
	}
	return errors.New("usage: wire run --assay FILE [...] | wire serve bare|gosdk PAYLOAD")
}

// settings configure the comparison.
type settings struct {
	assay         string // the program
	ts, node      string // folder of the TypeScript server and its runtime; "": without this peer
	calls, rounds int
}

func options(args []string) settings {
	var s settings
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	flags.StringVar(&s.assay, "assay", "bin/assay", "the program")
	flags.StringVar(&s.ts, "ts", "", "folder with server.mjs and the TypeScript SDK")
	flags.StringVar(&s.node, "node", "node", "what runs the TypeScript server")
	flags.IntVar(&s.calls, "calls", 20000, "calls per server and round")
	flags.IntVar(&s.rounds, "rounds", 5, "rounds, after one that warms up")
	_ = flags.Parse(args) // the flag set exits on an error
	return s
}

// serve runs a server that Assay is compared with. It prints its port and answers until it is stopped.
func serve(ctx context.Context, kind, payload string) error {
	body, err := os.ReadFile(payload) //nolint:gosec // the file is named by the process that started this one
	if err != nil {
		return err
	}
	var handler http.Handler
	switch kind {
	case "bare":
		handler = bare(body)
	case "gosdk":
		handler, err = goSDK(body)
	default:
		err = fmt.Errorf("there is no server %q", kind)
	}
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, listener.Addr()); err != nil {
		return err
	}
	return (&http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}).Serve(listener)
}
