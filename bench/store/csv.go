package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"assay/internal/civil"
)

// orderColumns are the columns of the generated orders file, as in a plain export of a shop.
const orderColumns = "order_id,created_at,customer_id,currency,total,tax,shipping,discount,country,channel"

// firstOrder is the ID of the first order. All IDs have the same length, as in shop systems.
const firstOrder = 5_000_000_000

const storeDays = 730

var channels = []string{"facebook", "google", "tiktok", "snapchat", "amazon", "email", "sms", "organic_search", "direct", "referral", "affiliate", "influencer"}

// writeOrders writes n orders over the two years before end, oldest first or newest first. The same arguments produce
// the same bytes.
func writeOrders(path string, n int, end time.Time, newestFirst bool) error {
	return writeLines(path, orderColumns, func(out *bufio.Writer) error {
		random := rand.New(rand.NewPCG(7, 11))
		const span = storeDays * 24 * time.Hour
		first := end.Add(-span)
		line := make([]byte, 0, 128)
		for row := range n {
			i := row
			if newestFirst {
				i = n - 1 - row
			}
			at := first.Add(time.Duration(float64(i) / float64(n) * float64(span)))
			cents := 1500 + int(random.ExpFloat64()*7000)
			tax, shipping := cents/12, 499*(random.IntN(3)/2)
			line = fmt.Appendf(line[:0], "%d,", firstOrder+i)
			line = at.AppendFormat(line, "2006-01-02T15:04:05Z")
			line = fmt.Appendf(line, ",c%d,USD,%d.%02d,%d.%02d,%d.%02d,0.00,US,%s\n", random.IntN(n/3+1),
				cents/100, cents%100, tax/100, tax%100, shipping/100, shipping%100, channels[random.IntN(len(channels))])
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeSpend writes the daily spend of the paid channels over two years.
func writeSpend(path string, last civil.Date) error {
	return writeLines(path, "date,channel,spend,currency", func(out *bufio.Writer) error {
		for day := last.AddDays(1 - storeDays); !day.After(last); day = day.AddDays(1) {
			for i, channel := range channels[:5] {
				if _, err := fmt.Fprintf(out, "%s,%s,%d.%02d,USD\n", day, channel, 300+100*i+int(day.Weekday()), 10*i); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func writeLines(path, header string, rows func(*bufio.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closing := file.Close(); err == nil {
			err = closing
		}
	}()
	out := bufio.NewWriterSize(file, 1<<20)
	if _, err := fmt.Fprintln(out, header); err != nil {
		return err
	}
	if err := rows(out); err != nil {
		return err
	}
	return out.Flush()
}
