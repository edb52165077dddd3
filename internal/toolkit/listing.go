package toolkit

import (
	"bytes"
	"encoding/json"

	"assay/internal/answer"
)

// listedTool is one entry of tools/list.
type listedTool struct {
	name    string
	encoded json.RawMessage
}

// listing encodes a tool's entry in tools/list. All four hints are set, because clients assume the worst case for a
// missing hint.
func listing(t Tool) (listedTool, error) {
	type hints struct {
		ReadOnly    bool `json:"readOnlyHint"`
		Destructive bool `json:"destructiveHint"`
		Idempotent  bool `json:"idempotentHint"`
		OpenWorld   bool `json:"openWorldHint"`
	}
	encoded, err := answer.Encode(struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations hints           `json:"annotations"`
	}{t.Name, t.Title, t.Description, t.Schema, hints{!t.Writes, t.Destructive, t.Repeatable, t.OpenWorld}})
	return listedTool{t.Name, encoded}, err
}

// ListTools returns the encoded list of the tools that the caller may call.
func (s *Session) ListTools() json.RawMessage {
	if len(s.principal.Tools) == 0 {
		return s.service.list
	}
	return listOf(s.service.listed, s.principal.MayCall)
}

func listOf(lines []listedTool, shown func(tool string) bool) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"tools":[`)
	separator := ""
	for _, line := range lines {
		if shown(line.name) {
			b.WriteString(separator)
			b.Write(line.encoded)
			separator = ","
		}
	}
	b.WriteString(`]}`)
	return b.Bytes()
}
