package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// While a step of a statement runs on one thread, the calling thread has no work, and the driver polls without a pause.
// In an import, polling takes 20% of the processor time, which the file's reader needs. The calling thread therefore
// sleeps, first for shortestPause, then for doubling times up to longestPause.
const (
	shortestPause = 20 * time.Microsecond
	longestPause  = time.Millisecond
)

// execute runs statements without parameters and sleeps while the calling thread has no work. It interrupts the running
// statement when ctx ends.
func execute(ctx context.Context, conn *sql.Conn, text string) error {
	return extracted(conn, text, func(handle mapping.Connection, statements mapping.ExtractedStatements, count mapping.IdxT) error {
		for i := range count {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := executeOne(ctx, handle, statements, i); err != nil {
				return errors.Join(ctx.Err(), err)
			}
		}
		return nil
	})
}

// extracted calls the function do with the connection's handle and the statements of an SQL text.
func extracted(conn *sql.Conn, text string, do func(mapping.Connection, mapping.ExtractedStatements, mapping.IdxT) error) error {
	return conn.Raw(func(driver any) error {
		// The driver does not export its connection handle.
		inside := reflect.ValueOf(driver.(*duckdb.Conn)).Elem()
		handle := mapping.Connection{Ptr: inside.FieldByName("conn").FieldByName("Ptr").UnsafePointer()}
		var statements mapping.ExtractedStatements
		count := mapping.ExtractStatements(handle, text, &statements)
		defer mapping.DestroyExtracted(&statements)
		if count == 0 {
			return failure(mapping.ExtractStatementsError(statements))
		}
		return do(handle, statements, count)
	})
}

func executeOne(ctx context.Context, conn mapping.Connection, statements mapping.ExtractedStatements, i mapping.IdxT) error {
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	return executeInto(ctx, conn, statements, i, &result)
}

// executeInto runs one statement and stores its result, which the caller destroys.
func executeInto(
	ctx context.Context, conn mapping.Connection, statements mapping.ExtractedStatements, i mapping.IdxT, result *mapping.Result,
) error {
	var prepared mapping.PreparedStatement
	defer mapping.DestroyPrepare(&prepared)
	if mapping.PrepareExtractedStatement(conn, statements, i, &prepared) == mapping.StateError {
		return failure(mapping.PrepareError(prepared))
	}
	var pending mapping.PendingResult
	defer mapping.DestroyPending(&pending)
	if mapping.PendingPrepared(prepared, &pending) == mapping.StateError {
		return failure(mapping.PendingError(pending))
	}
	if err := workOff(ctx, conn, pending); err != nil {
		return err
	}
	if mapping.ExecutePending(pending, result) == mapping.StateError {
		return failure(mapping.ResultError(result))
	}
	return nil
}

// workOff executes tasks of a statement until its result is ready.
func workOff(ctx context.Context, conn mapping.Connection, pending mapping.PendingResult) error {
	pause := shortestPause
	for {
		if ctx.Err() != nil {
			mapping.Interrupt(conn)
		}
		switch mapping.PendingExecuteTask(pending) {
		case mapping.PendingStateResultReady:
			return nil
		case mapping.PendingStateError:
			return failure(mapping.PendingError(pending))
		case mapping.PendingStateNoTasksAvailable:
			time.Sleep(pause)
			pause = min(2*pause, longestPause)
		default:
			pause = shortestPause
		}
	}
}

// failure returns an error of the driver's type.
func failure(message string) error {
	kind := duckdb.ErrorTypeInvalid
	if strings.HasPrefix(message, "FATAL Error: ") {
		kind = duckdb.ErrorTypeFatal // the type that isFatal checks
	}
	return &duckdb.Error{Type: kind, Msg: message}
}
