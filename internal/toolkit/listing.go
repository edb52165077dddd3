package toolkit

import (
	"bytes"
	"encoding/json"
	"fmt"

	"assay/internal/answer"
)

// listedTool is one entry of tools/list.
type listedTool struct {
	name    string
	encoded json.RawMessage
	viewed  json.RawMessage // the entry with the address of its view, for clients that show views
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
	entry := struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations hints           `json:"annotations"`
		Meta        json.RawMessage `json:"_meta,omitempty"`
	}{t.Name, t.Title, t.Description, t.Schema, hints{!t.Writes, t.Destructive, t.Repeatable, t.OpenWorld}, nil}
	encoded, err := answer.Encode(entry)
	if err != nil || t.App == nil {
		return listedTool{t.Name, encoded, encoded}, err
	}
	entry.Meta = json.RawMessage(fmt.Sprintf(`{"ui":{"resourceUri":%q}}`, t.App.URI))
	viewed, err := answer.Encode(entry)
	return listedTool{t.Name, encoded, viewed}, err
}

// ListTools returns the encoded list of the tools that the caller may call.
func (s *Session) ListTools() json.RawMessage {
	if len(s.principal.Tools) == 0 && !s.client.Apps {
		return s.service.list
	}
	return listOf(s.service.listed, s.client.Apps, s.principal.MayCall)
}

func listOf(lines []listedTool, apps bool, shown func(tool string) bool) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"tools":[`)
	separator := ""
	for _, line := range lines {
		if shown(line.name) {
			b.WriteString(separator)
			if apps {
				b.Write(line.viewed)
			} else {
				b.Write(line.encoded)
			}
			separator = ","
		}
	}
	b.WriteString(`]}`)
	return b.Bytes()
}
