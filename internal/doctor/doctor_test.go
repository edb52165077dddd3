package doctor_test

import (
	"slices"
	"testing"
	"time"

	"assay/internal/config"
	"assay/internal/doctor"
)

func TestPlainHTTPOnANetworkIsAWarning(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{"192.168.1.10:8080": true, "127.0.0.1:8080": false} {
		c := config.Config{Addr: addr, Data: t.TempDir()}.WithDefaults()
		findings := doctor.Diagnose(t.Context(), c, time.Now)
		got := slices.ContainsFunc(findings, func(f doctor.Finding) bool {
			return f.Check == "address" && f.State == doctor.Careful && f.Fix != ""
		})
		if got != want {
			t.Errorf("%s: warned %v, want %v: %+v", addr, got, want, findings)
		}
	}
}
