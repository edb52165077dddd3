package duckdb

import (
	"context"
	"strconv"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// importJourneys imports n orders with three touchpoints on average, and answers for a quarter of the orders.
func importJourneys(b *testing.B, w *warehouse.Warehouse, n int) {
	b.Helper()
	channels := []measure.Channel{"google", "facebook", "email", "direct", "tiktok", "amazon", "podcast", "affiliate"}
	in, err := w.Begin(b.Context(), warehouse.ImportSpec{Workspace: "shop"})
	if err != nil {
		b.Fatal(err)
	}
	defer in.Abort()
	rows := make([]warehouse.Order, 5000)
	for from := 0; from < n; from += len(rows) {
		batch := warehouse.Batch{Orders: benchBatch(rows[:min(len(rows), n-from)], from, n)}
		for i, o := range batch.Orders {
			mixed := uint64(from+i) * 0xD1B54A32D192ED03 >> 16
			touches := 1 + int(mixed%5)
			for k := range touches {
				batch.Touches = append(batch.Touches, warehouse.Touch{
					OrderRef: o.OrderRef, Seq: k + 1, At: o.At.Add(-time.Duration(touches-k) * 20 * time.Hour), Channel: channels[mixed>>(3*k+7)%8],
				})
			}
			if mixed%4 == 0 {
				batch.Surveys = append(batch.Surveys, warehouse.SurveyResponse{
					Source: "survey", Key: strconv.Itoa(from + i), OrderRef: o.OrderRef, At: o.At, Day: o.Day, Question: "discovery_channel",
					Answer: "answer " + strconv.Itoa(int(mixed>>9%40)), Channel: channels[mixed>>5%8],
				})
			}
		}
		if err := in.Add(b.Context(), &batch); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := in.Commit(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPeople measures the queries of customers, journeys and answers over the tools' default periods.
func BenchmarkPeople(b *testing.B) {
	w := warehouse.New(open(b, Options{Deadline: time.Minute}))
	start := time.Now()
	importJourneys(b, w, benchOrders(b))
	b.Logf("import took %s", time.Since(start).Round(time.Second))
	quarter := civil.Range{First: benchDays.Last.AddDays(-90), Last: benchDays.Last}
	month := civil.Range{First: benchDays.Last.AddDays(-30), Last: benchDays.Last}
	both := func(days civil.Range) warehouse.Windows {
		return warehouse.Windows{Recent: days, Earlier: days.Previous()}
	}
	for _, question := range []struct {
		name string
		ask  func(context.Context) error
	}{
		{"segments", func(ctx context.Context) error {
			_, err := w.SegmentTotals(ctx, "shop", "", both(quarter))
			return err
		}},
		{"segments_by_channel_all", func(ctx context.Context) error {
			_, err := w.SegmentChannels(ctx, "shop", benchDays)
			return err
		}},
		{"cohorts_all", func(ctx context.Context) error {
			_, err := w.Cohorts(ctx, "shop", "", benchDays)
			return err
		}},
		{"panel", func(ctx context.Context) error {
			_, err := w.Panel(ctx, "shop")
			return err
		}},
		{"paths_month", func(ctx context.Context) error {
			_, err := w.Paths(ctx, "shop", "", both(month))
			return err
		}},
		{"paths_quarter", func(ctx context.Context) error {
			_, err := w.Paths(ctx, "shop", "", both(quarter))
			return err
		}},
		{"journeys", func(ctx context.Context) error {
			_, err := w.Journeys(ctx, "shop", "", quarter)
			return err
		}},
		{"answers", func(ctx context.Context) error {
			_, err := w.Answers(ctx, "shop", warehouse.AnswersOf{Windows: both(quarter)})
			return err
		}},
		{"answer_rows", func(ctx context.Context) error {
			_, err := w.AnswerRows(ctx, "shop", warehouse.AnswersOf{Windows: both(quarter), Contains: "3", Limit: 25})
			return err
		}},
	} {
		b.Run(question.name, func(b *testing.B) {
			for b.Loop() {
				if err := question.ask(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
