package mcp

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// SchemaGiver is a type that defines its own JSON Schema, because its JSON differs from its fields.
type SchemaGiver interface {
	// JSONSchema is called on the zero value of the type.
	JSONSchema() json.RawMessage
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	marshalType = reflect.TypeFor[json.Marshaler]()
	textType    = reflect.TypeFor[encoding.TextMarshaler]()
)

// resultSchema returns the JSON Schema of a type as encoding/json writes it. It allows additional properties, so that
// results can be extended.
func resultSchema(t reflect.Type) json.RawMessage {
	var b bytes.Buffer
	writeResult(&b, t, "", nil)
	return b.Bytes()
}

// writeResult writes the schema of one type. The list of enclosing types ends the recursion of recursive types.
func writeResult(b *bytes.Buffer, t reflect.Type, doc string, above []reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if giver, ok := reflect.TypeAssert[SchemaGiver](reflect.New(t)); ok {
		b.Write(giver.JSONSchema())
		return
	}
	b.WriteByte('{')
	defer b.WriteByte('}')
	switch name := resultType(t); name {
	case "":
		writeDoc(b, doc)
	default:
		b.WriteString(`"type":"` + name + `"`)
		writeDoc(b, doc)
		if !slices.Contains(above, t) {
			writeResultRest(b, t, above)
		}
	}
}

func writeResultRest(b *bytes.Buffer, t reflect.Type, above []reflect.Type) {
	switch {
	case t == dateType:
		b.WriteString(`,"format":"date"`)
	case t == timeType:
		b.WriteString(`,"format":"date-time"`)
	case t.Implements(textType) || isBytes(t):
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		b.WriteString(`,"items":`)
		writeResult(b, t.Elem(), "", above)
	case t.Kind() == reflect.Map:
		b.WriteString(`,"additionalProperties":`)
		writeResult(b, t.Elem(), "", above)
	case t.Kind() == reflect.Struct:
		writeResultFields(b, t, append(above, t))
	}
}

func writeResultFields(b *bytes.Buffer, t reflect.Type, above []reflect.Type) {
	b.WriteString(`,"properties":{`)
	var required []string
	for i, f := range resultFields(t) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(f.name))
		b.WriteByte(':')
		writeResult(b, f.field.Type, f.field.Tag.Get("doc"), above)
		if !f.optional {
			required = append(required, f.name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":`)
		b.Write(encode(required))
	}
}

type resultField struct {
	name     string
	optional bool
	field    reflect.StructField
}

// resultFields lists the members of a struct as encoding/json writes them. A field hides a field of an embedded struct
// with the same name.
func resultFields(t reflect.Type) []resultField {
	var out []resultField
	add := func(f resultField, hide bool) {
		at := slices.IndexFunc(out, func(o resultField) bool { return o.name == f.name })
		switch {
		case at < 0:
			out = append(out, f)
		case hide:
			out[at] = f
		}
	}
	for field := range t.Fields() {
		tag := field.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case tag == "-":
		case field.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			for _, f := range resultFields(inner) {
				f.optional = f.optional || field.Type.Kind() == reflect.Pointer
				add(f, false)
			}
		case field.IsExported():
			if name == "" {
				name = field.Name
			}
			optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
			add(resultField{name, optional, field}, true)
		}
	}
	return out
}

// resultType returns the JSON Schema type of a Go type's encoding, or "" if it cannot be determined.
func resultType(t reflect.Type) string {
	switch {
	case t == rawType:
		return ""
	case t == dateType, t == timeType, isBytes(t):
		return "string"
	case t.Implements(marshalType):
		return ""
	case t.Implements(textType):
		return "string"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	default:
		return ""
	}
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && t != rawType
}
