package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// mostMemory is the maximum memory of the process in KiB while anonymous callers send bodies.
const mostMemory = 400 << 10

// memoryOf returns a line of the process's status in KiB: VmRSS is the memory in use, and VmHWM is the maximum since
// the start.
func memoryOf(t *testing.T, pid int, line string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("this system does not show the memory of a process: ", err)
	}
	_, rest, _ := strings.Cut(string(status), "\n"+line+":")
	value, _, _ := strings.Cut(rest, " kB")
	kib, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return kib
}

// flood opens connections from another address of this machine. Each connection sends the same incomplete text. flood
// returns once each connection has sent its text or was closed by the service. The function end closes the open
// connections and returns the number of connections by the first line of their answer; "" means no answer.
func flood(t *testing.T, address string, connections int, text []byte) (end func() map[string]int) {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	var open []net.Conn
	for range connections {
		c, err := dialer.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Skip("this system has no second loopback address: ", err)
		}
		t.Cleanup(func() { c.Close() })
		open = append(open, c)
	}
	var sending, receiving sync.WaitGroup
	answers := make([]string, connections)
	for i, c := range open {
		sending.Go(func() { _, _ = c.Write(text) }) // the write fails if the service closes the connection
		receiving.Go(func() { answers[i], _ = bufio.NewReader(c).ReadString('\n') })
	}
	sending.Wait()
	return func() map[string]int {
		for _, c := range open {
			c.Close()
		}
		receiving.Wait()
		count := map[string]int{}
		for _, a := range answers {
			count[strings.TrimSpace(a)]++
		}
		return count
	}
}

// addSecret lets a workspace receive webhooks.
func addSecret(t *testing.T, data, workspace string) {
	t.Helper()
	cmd := program(t, data, "webhooks", "add", "--workspace", workspace)
	cmd.Stdin = strings.NewReader("what the shop signs with")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// post sends a form and returns the status of the response.
func post(t *testing.T, url string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("email=a"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestBodiesOfAnonymousCallersUseLittleMemory(t *testing.T) { //nolint:paralleltest // gigabytes pass through the system's buffers
	if testing.Short() {
		t.Skip("a long series")
	}
	data, key := shop(t)
	addSecret(t, data, "shop")
	signature := "X-Shopify-Hmac-Sha256: " + strings.Repeat("A", 43) + "=\r\n"
	for _, attack := range []struct {
		name, head  string
		connections int
		announced   int
		want        string // an answer that at least one connection gets
	}{
		{"webhooks of an unknown workspace", "POST /api/webhooks/shopify/nobody HTTP/1.1\r\n" + signature, 300, 8 << 20, "HTTP/1.1 401 Unauthorized"},
		{"webhooks with a wrong signature", "POST /api/webhooks/shopify/shop HTTP/1.1\r\n" + signature, 300, 8 << 20, "HTTP/1.1 503 Service Unavailable"},
		{"calls without a credential", "POST /api/mcp/rpc HTTP/1.1\r\n", 1000, 1 << 20, ""},
		{"calls with a wrong key", "POST /api/mcp/rpc HTTP/1.1\r\nAuthorization: Bearer nobody\r\n", 1000, 1 << 20, ""},
	} {
		t.Run(attack.name, func(t *testing.T) { //nolint:paralleltest // one after another
			url, pid := serve(t, data)
			answered := func(when string) {
				t.Helper()
				if out, errs, code := finish(t, data, "call", "diagnose", "--url", url, "--key", key); code != 0 {
					t.Errorf("a call %s the attack: exit code %d %s%s", when, code, out, errs)
				}
				if status := post(t, url+"/sign-in"); status != http.StatusForbidden { // the form has no form token
					t.Errorf("a form from another address %s the attack: HTTP %d, want %d", when, status, http.StatusForbidden)
				}
			}
			before := memoryOf(t, pid, "VmRSS")
			address := strings.TrimPrefix(url, "http://")
			head := attack.head + "Host: " + address + "\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(attack.announced) + "\r\n\r\n"
			end := flood(t, address, attack.connections, append([]byte(head), make([]byte, attack.announced-1024)...))
			answered("during")
			during := memoryOf(t, pid, "VmRSS")
			answers := end()
			answered("after")
			after, most := memoryOf(t, pid, "VmRSS"), memoryOf(t, pid, "VmHWM")
			t.Logf("%d MiB before, %d during, %d after, %d at most; answers %v", before>>10, during>>10, after>>10, most>>10, answers)
			if answers[attack.want] == 0 {
				t.Errorf("answers %v, want some %q", answers, attack.want)
			}
			if most > mostMemory {
				t.Errorf("the process used %d MiB, want less than %d", most>>10, mostMemory>>10)
			}
		})
	}
}

func TestTheMemoryOfAMachineIsReadOfTheFirstLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"MemTotal:       16316412 kB\nMemFree:  1 kB\n": 16316412 << 10, "MemFree: 1 kB\n": 0, "MemTotal: much kB\n": 0, "": 0,
	} {
		if got := totalMemory(text); got != want {
			t.Errorf("%q: %d bytes, want %d", text, got, want)
		}
	}
}
