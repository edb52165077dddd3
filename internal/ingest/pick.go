package ingest

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/fault"
	"assay/internal/ingest/mapper"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
)

// headerRows is the number of rows to search for the header. sampleRows is the number of sample rows below the header.
const (
	headerRows = 20
	sampleRows = 400
)

// choice is the reader of a file, with its delimiter and header.
type choice struct {
	reader    source.Reader
	delimiter byte
	line      int // line of the header
	table     source.Table
	fit       source.Fit
}

// readersFor returns the readers that may read the files.
func readersFor(name string, mapping *mapper.Mapping) ([]source.Reader, error) {
	if mapping != nil {
		return []source.Reader{mapper.New(*mapping)}, nil
	}
	readers := Readers()
	if name == "" || name == Auto {
		return readers, nil
	}
	i := slices.IndexFunc(readers, func(r source.Reader) bool { return r.Name() == name })
	if i < 0 {
		return nil, fault.Invalid("there is no source %q; the sources are %s, %s", name, Auto, strings.Join(readerNames(readers), ", "))
	}
	return readers[i : i+1], nil
}

func readerNames(readers []source.Reader) []string {
	names := make([]string, 0, len(readers))
	for _, r := range readers {
		names = append(names, r.Name())
	}
	return names
}

// pick finds the header and its reader. It skips rows above the header. From the readers without a missing column, it
// chooses the reader that supports the most columns. It rejects the file if two readers fit equally well.
func pick(file string, samples []tabular.Sample, readers []source.Reader) (choice, error) {
	var best, nearest choice
	var rival source.Reader
	for _, s := range samples {
		for i, record := range s.Records[:min(len(s.Records), headerRows)] {
			header := source.NewHeader(record.Fields)
			for _, reader := range readers {
				c := choice{reader: reader, delimiter: s.Delimiter, line: record.Line, table: source.Table{Header: header}, fit: reader.Fit(header)}
				switch {
				case !c.fit.OK():
					nearest = nearer(nearest, c)
				case best.reader == nil || c.fit.Better(best.fit):
					best, rival = c, nil
					best.table.Sample = below(s.Records[i+1:])
				case !best.fit.Better(c.fit) && reader.Name() != best.reader.Name():
					rival = reader
				}
			}
		}
	}
	switch {
	case best.reader == nil:
		return choice{}, unknown(file, samples, readers, nearest)
	case rival != nil:
		return choice{}, fault.Invalid("file %q could be %s or %s", file, described(best.reader), described(rival)).
			WithHint("name one with --source")
	}
	return best, best.unambiguous(file)
}

// unambiguous rejects a header that repeats a column, unless the reader does not need the column. A column is not
// needed if, without the column, the reader still fits and supports the same number of columns.
func (c choice) unambiguous(file string) error {
	names := c.table.Header.Names()
	for i, name := range names {
		same := func(other string) bool { return strings.EqualFold(strings.TrimSpace(other), strings.TrimSpace(name)) }
		first := slices.IndexFunc(names, same)
		if first == i || strings.TrimSpace(name) == "" {
			continue
		}
		others := slices.Clone(names)
		for j := range others {
			if same(others[j]) {
				others[j] = ""
			}
		}
		if fit := c.reader.Fit(source.NewHeader(others)); fit.OK() && fit.Known == c.fit.Known {
			continue
		}
		return fault.Invalid("file %q has the column %q twice: as columns %d and %d", file, source.Shown(names[first]), first+1, i+1).
			WithHint("remove or rename one of them; nothing was changed")
	}
	return nil
}

func described(r source.Reader) string { return fmt.Sprintf("%s (%s)", r.Name(), r.Title()) }

func below(records []tabular.Record) [][]string {
	rows := make([][]string, 0, min(len(records), sampleRows))
	for _, r := range records {
		rows = append(rows, r.Fields)
	}
	return rows
}

// nearer returns the choice with fewer missing columns. With equal numbers, it returns the choice with more known
// columns.
func nearer(a, b choice) choice {
	switch {
	case b.fit.Known == 0:
		return a
	case a.reader == nil, len(b.fit.Missing) < len(a.fit.Missing):
		return b
	case len(b.fit.Missing) == len(a.fit.Missing) && b.fit.Known > a.fit.Known:
		return b
	}
	return a
}

// unknown returns the error for a file that no reader fits. The error states the columns, the nearest source and a
// remedy.
func unknown(file string, samples []tabular.Sample, readers []source.Reader, nearest choice) error {
	seen := widest(samples)
	if len(seen) == 0 {
		return fault.Invalid("file %q has no rows of text", file)
	}
	near := "no source has these columns"
	if nearest.reader != nil {
		near = fmt.Sprintf("the nearest source is %s; missing columns: %s", described(nearest.reader), strings.Join(nearest.fit.Missing, ", "))
	}
	if len(readers) == 1 {
		if nearest.reader == nil {
			nearest.fit = readers[0].Fit(source.NewHeader(seen))
		}
		near = fmt.Sprintf("missing columns of %s: %s", described(readers[0]), strings.Join(nearest.fit.Missing, ", "))
	}
	return fault.Invalid("file %q is not recognized: its columns are %s; %s", file, listed(seen), near).
		WithHint("export the file with these columns, name the source with --source (assay import --help lists them), or describe the columns with --mapping FILE")
}

// widest returns the first row with the most cells. This row is most likely the header.
func widest(samples []tabular.Sample) []string {
	var row []string
	for _, s := range samples {
		for _, r := range s.Records[:min(len(s.Records), headerRows)] {
			if len(r.Fields) > len(row) {
				row = r.Fields
			}
		}
	}
	return row
}

func listed(columns []string) string {
	const most = 30
	shown := make([]string, 0, most)
	for _, c := range columns[:min(len(columns), most)] {
		shown = append(shown, fmt.Sprintf("%q", source.Shown(c)))
	}
	if len(columns) > most {
		shown = append(shown, fmt.Sprintf("and %d more", len(columns)-most))
	}
	return strings.Join(shown, ", ")
}
