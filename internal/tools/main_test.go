package tools

import (
	"fmt"
	"os"
	"testing"
)

// fixtureDir is the folder of the fixed store while the tests run.
var fixtureDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "assay-tools-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fixtureDir = dir
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}
