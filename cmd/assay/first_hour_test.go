package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// A service on an empty directory prints commands. These commands work as printed.
func TestServeOnAnEmptyDirectoryPrintsTheNextCommands(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	cmd := program(t, data, "serve", "--addr", "127.0.0.1:0")
	errs, err := os.Create(filepath.Join(t.TempDir(), "errs"))
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	text, unread := os.ReadFile(errs.Name())
	if err != nil || unread != nil || !strings.HasPrefix(line, "ready: ") {
		t.Fatalf("%q, %v, %v\n%s", line, err, unread, text)
	}
	printed := regexp.MustCompile(`(?m)^  (\S+ (workspace|user|keys) .*)$`).FindAllStringSubmatch(string(text), -1)
	if len(printed) != 3 {
		t.Errorf("%d commands are printed, want 3:\n%s", len(printed), text)
	}
	for _, command := range printed {
		shell := exec.Command("sh", "-c", command[1])
		shell.Env = append(os.Environ(), asProgram+"=1")
		if out, err := shell.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command[1], err, out)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	again := program(t, data, "serve", "--addr", "999.0.0.1:0")
	if out, _ := again.CombinedOutput(); strings.Contains(string(out), "no workspace yet") {
		t.Errorf("with a workspace: %s", out)
	}
}

func TestDemoChecksItsPortBeforeItMakesData(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	data := filepath.Join(t.TempDir(), "data")
	_, errs, code := finish(t, data, "demo", "--addr", taken.Addr().String())
	if code != exitFailed || !strings.Contains(errs, "cannot listen on address") || !strings.Contains(errs, "hint: ") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("the data directory exists: %v", err)
	}
}

// The script accepts the version in go.mod. It rejects older versions and states what to install.
func TestTheToolchainCheckComparesVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"go1.19.8": "go.dev/dl", "go1.25.3": "1.26", "go1.26.0": "", "go1.27rc1": "",
	} {
		fake := filepath.Join(t.TempDir(), "go")
		if err := os.WriteFile(fake, []byte("#!/bin/sh\necho "+version+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("../../tools/toolchain.sh")
		cmd.Env = append(os.Environ(), "GO="+fake)
		out, err := cmd.CombinedOutput()
		if (err != nil) != (want != "") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s; want a message with %q", version, err, out, want)
		}
	}
	cmd := exec.Command("../../tools/toolchain.sh")
	cmd.Env = append(os.Environ(), "GO=no-such-go")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "is missing") {
		t.Errorf("without Go: %v, %s", err, out)
	}
}
