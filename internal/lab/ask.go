package lab

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"assay/internal/ask"
	"assay/internal/civil"
	"assay/internal/fault"
)

// Ask translates the questions of a file to tool calls, without a store.
type Ask struct {
	Translator *ask.Translator
}

// askedLine is a line of the input. The output line has the same ID.
type askedLine struct {
	ID       json.RawMessage `json:"id"`
	Question *string         `json:"question"`
	Today    civil.Date      `json:"today"`
}

// translatedLine is a line of the output.
type translatedLine struct {
	ID          json.RawMessage  `json:"id"`
	Tools       []string         `json:"tools"`
	Args        []map[string]any `json:"args"`
	Assumptions []string         `json:"assumptions"`
}

const (
	usualDecimals = 2       // decimals of budgets in minor units
	maxLine       = 1 << 20 // maximum length of a line in bytes
)

// Run writes one line for each non-empty line of the input. Lines do not depend on each other. Unknown members of a
// line are ignored.
func (a Ask) Run(name string, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	buffered := bufio.NewWriter(out)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		translated, err := a.translate(lines.Bytes())
		if err != nil {
			return errors.Join(fault.Invalid("%s:%d: %v", name, n, err), buffered.Flush())
		}
		if _, err := buffered.Write(translated); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fault.Invalid("%s:%d: %v", name, n+1, err)
	}
	return buffered.Flush()
}

func (a Ask) translate(line []byte) ([]byte, error) {
	var q askedLine
	if err := json.Unmarshal(line, &q); err != nil {
		return nil, err
	}
	switch {
	case q.ID == nil:
		return nil, errors.New(`"id" is missing`)
	case q.Question == nil:
		return nil, errors.New(`"question" is missing`)
	case q.Today.IsZero():
		return nil, errors.New(`"today" is missing; use YYYY-MM-DD`)
	}
	plan := a.Translator.Translate(ask.Question{Text: *q.Question, Today: q.Today, Decimals: usualDecimals})
	out := translatedLine{ID: q.ID, Tools: []string{}, Args: []map[string]any{}, Assumptions: append([]string{}, plan.Assumptions...)}
	for _, c := range plan.Calls {
		out.Tools, out.Args = append(out.Tools, c.Tool), append(out.Args, c.Arguments)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return nil, fmt.Errorf("translation: %w", err)
	}
	return b.Bytes(), nil
}
