package demostore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"assay/internal/civil"
	"assay/internal/datadir"
	"assay/internal/ingest/demo"
)

// Store describes how a demo store is generated. The data directory contains this description.
type Store struct {
	Seed   uint64     `json:"seed"`
	Days   int        `json:"days"`
	Orders int        `json:"orders"`
	Future int        `json:"future,omitempty"` // days after today in truth.json
	Today  civil.Date `json:"today"`            // zero: the day of generation
	Frozen bool       `json:"frozen"`           // the clock that answers use is fixed at noon of Today
	Whole  bool       `json:"whole"`            // false until the store is complete
}

// Read returns the description of the directory's demo store. The result ok is false if there is none.
func Read(dataDir string) (made Store, ok bool, err error) {
	path := filepath.Join(dataDir, datadir.DemoStore)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Store{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	if err != nil {
		return Store{}, false, fmt.Errorf("%s: %w", path, err)
	}
	return made, true, nil
}

// Clock returns the clock that answers use. For a demo with a frozen day, its time is always noon of that day.
// Otherwise, it is the real clock. Limits, expiries and timeouts use the real clock.
func Clock(dataDir string, real func() time.Time) (func() time.Time, error) {
	made, ok, err := Read(dataDir)
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
