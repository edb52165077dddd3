package lab

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
	"assay/internal/sheet"
)

// curvePoints is the number of points of a response curve. curveReach is the largest spend of a curve, as a multiple of
// the current spend.
const (
	curvePoints = 41
	curveReach  = 2
)

// Save writes the fitted model to a directory and creates it if necessary. The files are draws.csv, contributions.csv,
// curves.csv and model.json. Save writes nothing if the report is not reportable.
func (r *MMMReport) Save(dir string) error {
	if r.posterior == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("directory of the model: %w", err)
	}
	for name, write := range map[string]func(*csv.Writer) error{
		"draws.csv": r.writeDraws, "contributions.csv": r.writeContributions, "curves.csv": r.writeCurves,
	} {
		if err := create(filepath.Join(dir, name), func(w io.Writer) error {
			table := csv.NewWriter(w)
			if err := write(table); err != nil {
				return err
			}
			table.Flush()
			return table.Error()
		}); err != nil {
			return err
		}
	}
	return create(filepath.Join(dir, "model.json"),
		func(w io.Writer) error { return json.NewEncoder(w).Encode(r.posterior.Save()) })
}

// create creates and writes a file. It also returns errors of closing the file.
func create(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("file of the model: %w", err)
	}
	err = write(file)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("file %s of the model: %w", path, err)
	}
	return nil
}

func (r *MMMReport) writeDraws(w *csv.Writer) error {
	if err := w.Write(append([]string{"chain", "draw"}, r.posterior.Parameters()...)); err != nil {
		return err
	}
	for chain, draws := range r.posterior.Draws() {
		for i, draw := range draws {
			row := []string{strconv.Itoa(chain + 1), strconv.Itoa(i + 1)}
			for _, v := range draw {
				row = append(row, format(v))
			}
			if err := w.Write(row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *MMMReport) writeContributions(w *csv.Writer) error {
	geos := r.posterior.Geos()
	header := []string{"date", "channel", "mean", "q05", "q95"}
	if geos != nil {
		header = slices.Insert(header, 1, "geo")
	}
	if err := w.Write(header); err != nil {
		return err
	}
	type part struct {
		channel measure.Channel
		geo     int // -1: no geos
		name    []string
	}
	var parts []part
	for _, channel := range r.posterior.Channels() {
		if geos == nil {
			parts = append(parts, part{channel, -1, nil})
		}
		for g, geo := range geos {
			parts = append(parts, part{channel, g, []string{sheet.Text(geo.Name)}})
		}
	}
	lines := make([][][]string, len(parts))
	onAllCores(len(parts), func(i int) {
		p := parts[i]
		if p.geo < 0 {
			lines[i] = r.periods(p.name, p.channel, r.posterior.Contributions(p.channel))
			return
		}
		lines[i] = r.periods(p.name, p.channel, r.posterior.GeoContributions(p.channel, p.geo))
	})
	return writeAll(w, lines)
}

// periods returns one line per period with statistics of the incremental outcome over the draws.
func (r *MMMReport) periods(geo []string, channel measure.Channel, contributions [][]float64) [][]string {
	draws, lines := make([]float64, len(contributions)), make([][]string, len(r.labels))
	for t, label := range r.labels {
		for i := range contributions {
			draws[i] = contributions[i][t]
		}
		s := stats.Summarize(draws)
		lines[t] = append(append([]string{label}, geo...), sheet.Text(string(channel)), format(s.Mean), format(s.Q05),
			format(s.Q95))
	}
	return lines
}

func (r *MMMReport) writeCurves(w *csv.Writer) error {
	if err := w.Write([]string{"channel", "spend", "mean", "q05", "q95"}); err != nil {
		return err
	}
	channels := r.posterior.Channels()
	lines := make([][][]string, len(channels))
	onAllCores(len(channels), func(i int) {
		for _, point := range r.posterior.ResponseCurve(channels[i], curveReach, curvePoints).Points {
			lines[i] = append(lines[i], []string{
				sheet.Text(string(channels[i])), format(point.Spend), format(point.Mean), format(point.Q05), format(point.Q95),
			})
		}
	})
	return writeAll(w, lines)
}

func writeAll(w *csv.Writer, parts [][][]string) error {
	for _, lines := range parts {
		if err := w.WriteAll(lines); err != nil {
			return err
		}
	}
	return nil
}

// format writes a number with all its digits.
func format(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// openModel reads the files of [MMMReport.Save].
func openModel(dir string) (*mmm.Posterior, error) {
	var saved mmm.Saved
	if err := readJSON(filepath.Join(dir, "model.json"), &saved); err != nil {
		return nil, err
	}
	return mmm.Restore(saved)
}

// namesOf returns the keys in order.
func namesOf[V any](byName map[string]V) []string {
	out := make([]string, 0, len(byName))
	for name := range byName {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
