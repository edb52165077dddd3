package main

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// The Go heap may use 1/goShare of the machine's memory. Above this limit, Go collects garbage more often and returns
	// freed memory to the system. The fact store may use the other four fifths.
	goShare = 5

	leastGoMemory = 256 << 20 // bytes
)

// setMemory lets the Go heap grow to five times its live size before a garbage collection. The live size is a few
// megabytes, because the fact store has its own memory. With Go's default settings, garbage collection takes a tenth of
// a call's time. The memory limit bounds the growth when the live size is temporarily large. GOGC and GOMEMLIMIT in the
// environment take precedence.
func setMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(max(leastGoMemory, machineMemory()/goShare))
	}
}

// machineMemory returns the bytes of memory that this process may use. It is the memory of the machine or, if smaller,
// the memory limit of the container. The result is 0 on systems without /proc/meminfo.
func machineMemory() int64 {
	var bytes int64
	if info, err := os.ReadFile("/proc/meminfo"); err == nil {
		bytes = totalMemory(string(info))
	}
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(limit)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n < bytes { // else there is no limit
			bytes = n
		}
	}
	return bytes
}

// totalMemory reads the first line of /proc/meminfo, such as "MemTotal:  16316412 kB".
func totalMemory(info string) int64 {
	line, _, _ := strings.Cut(info, "\n")
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[0] != "MemTotal:" {
		return 0
	}
	kib, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}
