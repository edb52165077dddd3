package datadir

import (
	"errors"
	"os"
	"runtime"
)

// Sync syncs a directory to disk, so that a new name remains after a power failure.
func Sync(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows cannot sync directories
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
