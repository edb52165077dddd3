package main

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"assay/internal/servertest"
)

func TestControlDataMoveToPostgreSQL(t *testing.T) {
	t.Parallel()
	address := servertest.StartPostgres(t).NewDatabase(t)
	data, key := shop(t)
	with := func(args ...string) (out, errs string, code int) {
		t.Helper()
		cmd := program(t, data, args...)
		cmd.Env = append(cmd.Env, "ASSAY_CONTROL_URL="+address)
		var o, e strings.Builder
		cmd.Stdout, cmd.Stderr = &o, &e
		if err := cmd.Run(); err != nil {
			if _, exited := errors.AsType[*exec.ExitError](err); !exited {
				t.Fatal(err)
			}
		}
		if strings.Contains(o.String()+e.String(), servertest.Password) {
			t.Errorf("assay %s prints the password:\n%s%s", strings.Join(args, " "), o.String(), e.String())
		}
		return o.String(), e.String(), cmd.ProcessState.ExitCode()
	}
	out, errs, code := with("control", "move", "--json")
	var moved []struct {
		Table string
		Rows  int
	}
	if err := json.Unmarshal([]byte(out), &moved); err != nil || code != exitOK || len(moved) == 0 || moved[0].Table != "workspaces" || moved[0].Rows != 1 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	if _, errs, code := with("control", "move"); code == exitOK || !strings.Contains(errs, "rows already: nothing was copied") {
		t.Errorf("a second move: exit code %d: %s", code, errs)
	}
	if out, errs, code := with("keys", "list", "--workspace", "shop"); code != exitOK || !strings.Contains(out, "key") {
		t.Errorf("keys: exit code %d: %s%s", code, out, errs)
	}
	if out, errs, code := with("doctor"); code != exitOK || !strings.Contains(out, "keys of shop") {
		t.Errorf("doctor: exit code %d: %s%s", code, out, errs)
	}
	if _, errs, code := with("keys", "create", "--workspace", "shop"); code != exitOK {
		t.Errorf("a new key: exit code %d: %s", code, errs)
	}
	// The new key is not in SQLite, and the old key is valid with PostgreSQL.
	before := must(t, data, "keys", "list", "--workspace", "shop", "--json")
	after, _, _ := with("keys", "list", "--workspace", "shop", "--json")
	if strings.Count(before, `"id"`) != 1 || strings.Count(after, `"id"`) != 2 {
		t.Errorf("keys in SQLite:\n%s\nin PostgreSQL:\n%s", before, after)
	}
	if !strings.HasPrefix(key, "asy_") {
		t.Errorf("the key is %q", key)
	}
	cmd := program(t, data, "keys", "list", "--workspace", "shop")
	cmd.Env = append(cmd.Env, "ASSAY_CONTROL_URL="+strings.Replace(address, "/assay1", "/none", 1))
	if text, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(text), servertest.Password) || !strings.Contains(string(text), "hint:") {
		t.Errorf("a database that does not exist: %v: %s", err, text)
	}
}
