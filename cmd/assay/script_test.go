package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// asProgram makes the test binary run as the program, for tests that need a separate process.
const asProgram = "ASSAY_TEST_RUN"

func TestMain(m *testing.M) {
	syscall.Umask(0o022) // the default of most shells; the program has to set its own
	program := func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := run(ctx, os.Args[1:], &console{out: os.Stdout, errs: os.Stderr, now: time.Now})
		stop()
		os.Exit(code)
	}
	if os.Getenv(asProgram) != "" {
		program()
	}
	testscript.Main(m, map[string]func(){"assay": program})
}

// TestScripts runs the program like a user. Each file in testdata begins with a sentence that states its purpose.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("ASSAY_DATA", env.WorkDir+"/data")
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
