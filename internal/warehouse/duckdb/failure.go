package duckdb

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"assay/internal/fault"
	"assay/internal/warehouse"
)

// holder extracts the process ID from DuckDB's message about a file locked by another process.
var holder = regexp.MustCompile(`\(PID (\d+)\)`)

// explained adds a fault kind to a database failure with a known cause.
func (e *Engine) explained(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if _, known := errors.AsType[*fault.Error](err); known {
		return err
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "Could not set lock on file"):
		who := "another process"
		if match := holder.FindStringSubmatch(text); match != nil {
			who = "process " + match[1]
		}
		return fault.Unavailable("the fact store's file is in use by %s", who).
			WithHint("only one process can open a fact store: stop %s", who).Wrap(err)
	case isDiskFull(text):
		outcome := "; nothing was changed"
		if errors.Is(err, warehouse.ErrUnknownOutcome) {
			outcome = ""
		}
		return fault.Unavailable("no disk space left for the fact store in %s%s", e.options.Dir, outcome).
			WithHint("free space on that disk, then try again").Wrap(err)
	case isFatal(err):
		return fault.Unavailable("the fact store is restarting after a failure").
			WithHint("try again in a second").Wrap(err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.Unavailable("the query exceeded its time limit").
			WithHint("request a shorter period").Wrap(err)
	}
	return err
}

// isDiskFull recognizes a full disk, a file-size limit and a full spill directory.
func isDiskFull(text string) bool {
	for _, sign := range []string{
		"No space left on device", "File too large", "Disk quota exceeded", "max_temp_directory_size",
	} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// isFatal reports whether the error made the instance unusable.
func isFatal(err error) bool {
	if failure, ok := errors.AsType[*duckdb.Error](err); ok && failure.Type == duckdb.ErrorTypeFatal {
		return true
	}
	return strings.Contains(err.Error(), "database has been invalidated")
}

func unusable(path string, err error) error {
	return fault.New(fault.KindMisconfigured, "the data directory %s is not writable", path).
		WithHint("make the directory writable for the user that runs assay").Wrap(err)
}

func tooManyRows(name string, limit int) error {
	return fault.Invalid("the result has more than %d rows", limit).
		WithHint("request a shorter period or fewer channels").Wrap(fmt.Errorf("question %s", name))
}
