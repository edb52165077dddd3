package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"

	"assay/internal/civil"
	"assay/internal/mcp"
)

// figures are the totals of a channel, in minor units and millionths of an order.
type figures struct{ orders, revenue, refunds, spend int64 }

// sameFigures checks that the `performance` tool and the statement return the same totals for a window, to the cent.
func sameFigures(ctx context.Context, session mcp.Session, query queryer, window civil.Range) error {
	text, err := call(ctx, session, window, "debug")
	if err != nil {
		return err
	}
	said, before, err := readAnswer(text)
	if err != nil {
		return fmt.Errorf("answer for %s: %w", window, err)
	}
	found, err := ask(ctx, query, window)
	if err != nil {
		return err
	}
	queried, total := map[string]figures{}, int64(0)
	for _, f := range found {
		if f.recent {
			q := queried[f.channel]
			queried[f.channel] = figures{q.orders + f.orders, q.revenue + f.charged, q.refunds + f.refunds, q.spend + f.spend}
		} else {
			total += f.charged
		}
	}
	if !maps.Equal(said, queried) || before != total {
		return fmt.Errorf("the figures of %s differ: the tool says %v and %d before, SQL %v and %d", window, said, before, queried, total)
	}
	return nil
}

// readAnswer parses an answer: the totals of each channel, and the revenue of the previous window.
func readAnswer(text []byte) (of map[string]figures, before int64, err error) {
	var answer struct {
		StructuredContent struct {
			Metrics struct {
				Revenue struct{ Previous float64 }
			}
			Rows []struct {
				Channel                         string
				Revenue, Orders, Refunds, Spend float64
			}
			Truncated json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, 0, err
	}
	if answer.StructuredContent.Truncated != nil {
		return nil, 0, errors.New("rows were left out")
	}
	of = map[string]figures{}
	for _, r := range answer.StructuredContent.Rows {
		of[r.Channel] = figures{
			orders: int64(math.Round(r.Orders * 1e6)), revenue: cents(r.Revenue), refunds: cents(r.Refunds), spend: cents(r.Spend),
		}
	}
	return of, cents(answer.StructuredContent.Metrics.Revenue.Previous), nil
}

func cents(amount float64) int64 { return int64(math.Round(amount * 100)) }
