package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"assay/internal/civil"
	"assay/internal/ingest/demo"
)

// DemoStore describes how a demo store is generated. The data directory stores it.
type DemoStore struct {
	Seed   uint64     `json:"seed"`
	Days   int        `json:"days"`
	Orders int        `json:"orders"`
	Today  civil.Date `json:"today"`  // zero: the day of generation
	Frozen bool       `json:"frozen"` // the clock of answers stays at noon of Today
	Whole  bool       `json:"whole"`  // false until it is complete
}

const demoStoreFile = "demo-store.json"

// readDemoStore returns the description of the directory's demo store; ok is false if there is none.
func readDemoStore(dataDir string) (made DemoStore, ok bool, err error) {
	path := filepath.Join(dataDir, demoStoreFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return DemoStore{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	if err != nil {
		return DemoStore{}, false, fmt.Errorf("%s: %w", path, err)
	}
	return made, true, nil
}

// answerClock returns the clock of answers: the real one, or noon of the demo's frozen day. Limits, expiries and timeouts use
// the real clock.
func answerClock(dataDir string, real func() time.Time) (func() time.Time, error) {
	made, ok, err := readDemoStore(dataDir)
	if err != nil || !ok || !made.Frozen || !made.Whole {
		return real, err
	}
	noon := noonOf(made.Today)
	return func() time.Time { return noon }, nil
}

// noonOf returns noon of the day in the demo store's zone.
func noonOf(day civil.Date) time.Time {
	return demo.Options{Today: day, Zone: demoZone()}.Now()
}

func demoZone() *time.Location {
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// writeFile replaces a file in one step, so that a reader sees the old or the new one and never a part.
func writeFile(path string, text []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
