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

// How far into a file the header is looked for, and how many rows below it are shown to the reader.
const (
	headerRows = 20
	sampleRows = 400
)

// choice is a file understood: which reader reads it, cut how and from where.
type choice struct {
	reader    source.Reader
	delimiter byte
	line      int // of the header
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
		return nil, fault.Invalid("there is no source %q; known are %s, %s", name, Auto, strings.Join(readerNames(readers), ", "))
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

// pick finds the header and its reader: the one that knows the most columns of those that miss none. Whatever
// stands above the header is a preamble and passed over.
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
			WithHint("say which with --source")
	}
	return best, nil
}

func described(r source.Reader) string { return fmt.Sprintf("%s (%s)", r.Name(), r.Title()) }

func below(records []tabular.Record) [][]string {
	rows := make([][]string, 0, min(len(records), sampleRows))
	for _, r := range records {
		rows = append(rows, r.Fields)
	}
	return rows
}

// nearer returns the choice that misses less, and of equals the one that knows more.
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

// unknown says what was seen, what would fit nearly, and how to go on.
func unknown(file string, samples []tabular.Sample, readers []source.Reader, nearest choice) error {
	seen := widest(samples)
	if len(seen) == 0 {
		return fault.Invalid("file %q holds no rows of text", file)
	}
	near := "no known source has such columns"
	if nearest.reader != nil {
		near = fmt.Sprintf("nearest is %s, for which these columns are missing: %s", described(nearest.reader), strings.Join(nearest.fit.Missing, ", "))
	}
	if len(readers) == 1 {
		if nearest.reader == nil {
			nearest.fit = readers[0].Fit(source.NewHeader(seen))
		}
		near = fmt.Sprintf("for %s these columns are missing: %s", described(readers[0]), strings.Join(nearest.fit.Missing, ", "))
	}
	return fault.Invalid("file %q is not recognised: its columns are %s; %s", file, listed(seen), near).
		WithHint("export the file with these columns, name the source with --source (assay import --help lists them), or say what the columns mean with --mapping FILE")
}

// widest returns the first row with the most cells: what a person would take for the header.
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
