package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// schema returns the JSON Schema of the parameters, minified, in the order of the fields. The schema must be small,
// because every client reads the schemas of all tools before its first call.
func (o *object) schema() json.RawMessage {
	var b bytes.Buffer
	o.writeSchema(&b, "")
	return b.Bytes()
}

func (o *object) writeSchema(b *bytes.Buffer, doc string) {
	b.WriteString(`{"type":"object"`)
	writeDoc(b, doc)
	b.WriteString(`,"properties":{`)
	var required []string
	for i, p := range o.parameters {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(p.name))
		b.WriteByte(':')
		p.writeSchema(b, p.doc, p.standard)
		if p.required {
			required = append(required, p.name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":`)
		b.Write(encode(required))
	}
	b.WriteString(`,"additionalProperties":false}`)
}

func (s *shape) writeSchema(b *bytes.Buffer, doc string, standard json.RawMessage) {
	if s.kind == objectKind {
		s.object.writeSchema(b, doc)
		return
	}
	b.WriteByte('{')
	if name := s.kind.schemaType(); name != "" {
		b.WriteString(`"type":"` + name + `"`)
	}
	writeDoc(b, doc)
	if s.kind == dateKind {
		b.WriteString(`,"format":"date"`)
	}
	if s.enum != nil {
		b.WriteString(`,"enum":`)
		b.Write(encode(s.enum))
	}
	if standard != nil {
		b.WriteString(`,"default":`)
		b.Write(standard)
	}
	s.writeLimits(b)
	s.writeElement(b)
	b.WriteByte('}')
}

func (s *shape) writeLimits(b *bytes.Buffer) {
	if s.min != nil {
		b.WriteString(`,"minimum":` + decimal(*s.min))
	}
	if s.max != nil {
		b.WriteString(`,"maximum":` + decimal(*s.max))
	}
	switch {
	case s.nonempty && s.kind == stringKind:
		b.WriteString(`,"minLength":1`)
	case s.nonempty:
		b.WriteString(`,"minItems":1`)
	}
}

func (s *shape) writeElement(b *bytes.Buffer) {
	switch {
	case s.kind == arrayKind:
		b.WriteString(`,"items":`)
	case s.kind == mapKind && s.elem.kind != anyKind:
		b.WriteString(`,"additionalProperties":`)
	default:
		return
	}
	s.elem.writeSchema(b, "", nil)
}

func writeDoc(b *bytes.Buffer, doc string) {
	if doc == "" {
		return
	}
	if b.Bytes()[b.Len()-1] != '{' {
		b.WriteByte(',')
	}
	b.WriteString(`"description":`)
	b.Write(encode(doc))
}

// schemaType returns the JSON Schema type of the kind, or "" for a value of any type.
func (k kind) schemaType() string {
	switch k {
	case stringKind, dateKind:
		return "string"
	case booleanKind:
		return "boolean"
	case integerKind:
		return "integer"
	case numberKind:
		return "number"
	case arrayKind:
		return "array"
	case mapKind, objectKind:
		return "object"
	default:
		return ""
	}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// encode writes a value as JSON without escaping <, > and &.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("value that JSON cannot hold: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
