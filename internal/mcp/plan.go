package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"assay/internal/civil"
)

// kind is the JSON and Go representation of a parameter's value.
type kind int

const (
	stringKind kind = iota
	booleanKind
	integerKind
	numberKind
	dateKind
	arrayKind
	mapKind    // an object with arbitrary names
	objectKind // an object with known names
	anyKind
)

// shape is the type of a value with its restrictions.
type shape struct {
	kind     kind
	goType   reflect.Type // without pointers
	pointer  bool         // the Go value is a pointer to goType
	enum     []string
	also     map[string]string // accepted aliases of enum values
	min, max *float64
	nonempty bool
	elem     *shape  // shape of the elements of an array or map
	object   *object // members of an object
}

// parameter is one named value of an object.
type parameter struct {
	shape
	name     string
	doc      string
	required bool
	standard json.RawMessage // the default; nil when there is none
	example  json.RawMessage // shown in a corrected call if the caller's own value cannot be used
	index    []int           // index of the struct field, including embedded structs
}

// object describes a struct for the schema and the decoder. It is parsed from the tags once.
type object struct {
	goType     reflect.Type
	parameters []*parameter
	byName     map[string]*parameter
}

var (
	dateType      = reflect.TypeFor[civil.Date]()
	rawType       = reflect.TypeFor[json.RawMessage]()
	validatorType = reflect.TypeFor[Validator]()
)

// Validator checks rules that tags cannot express, such as the order of two dates. Check runs after all other checks
// have passed. Its error is of kind invalid. If the call can be repaired, the error is a [RejectedError].
type Validator interface {
	Check() error
}

// planOf parses the tags of a struct type. It panics on an invalid tag.
func planOf(t reflect.Type) *object {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("parameters of type %s: want a struct", t))
	}
	o := &object{goType: t, byName: map[string]*parameter{}}
	o.add(t, nil)
	return o
}

func (o *object) add(t reflect.Type, index []int) {
	for i := range t.NumField() {
		field := t.Field(i)
		at := append(slices.Clone(index), i)
		if field.Anonymous && field.Type.Kind() == reflect.Struct {
			o.add(field.Type, at)
			continue
		}
		if !field.IsExported() {
			continue
		}
		p := parameterOf(t, field, at)
		if o.byName[p.name] != nil {
			panic(fmt.Sprintf("%s has the parameter %q twice", t, p.name))
		}
		o.parameters = append(o.parameters, p)
		o.byName[p.name] = p
	}
}

// tags contains the tags of a field, and the field's name for the message of a panic.
type tags struct {
	reflect.StructTag
	where string
}

func (g tags) fail(format string, args ...any) {
	panic(g.where + ": " + fmt.Sprintf(format, args...))
}

func parameterOf(t reflect.Type, field reflect.StructField, index []int) *parameter {
	g := tags{field.Tag, fmt.Sprintf("parameter %s.%s", t, field.Name)}
	name, _, _ := strings.Cut(g.Get("json"), ",")
	if name == "" || name == "-" {
		g.fail("needs a json name")
	}
	p := &parameter{name: name, doc: g.Get("doc"), required: g.flag("required"), index: index, shape: shapeOf(g, field.Type)}
	if p.doc == "" {
		g.fail("needs a doc")
	}
	p.limit(g)
	if value, ok := g.Lookup("default"); ok {
		p.standard = g.value(&p.shape, value)
	}
	if value, ok := g.Lookup("example"); ok {
		p.example = g.value(&p.shape, value)
	}
	if p.required && p.standard != nil {
		g.fail("is required and has a default")
	}
	return p
}

func shapeOf(g tags, t reflect.Type) shape {
	s := shape{goType: t}
	if t.Kind() == reflect.Pointer {
		s.pointer, s.goType = true, t.Elem()
	}
	switch s.goType {
	case dateType:
		s.kind = dateKind
		return s
	case rawType:
		s.kind = anyKind
		return s
	}
	switch s.goType.Kind() {
	case reflect.String:
		s.kind = stringKind
	case reflect.Bool:
		s.kind = booleanKind
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.kind = integerKind
	case reflect.Float32, reflect.Float64:
		s.kind = numberKind
	case reflect.Slice:
		s.kind, s.elem = arrayKind, inner(g, s.goType.Elem())
	case reflect.Map:
		if s.goType.Key().Kind() != reflect.String {
			g.fail("has a map whose keys are not strings")
		}
		s.kind, s.elem = mapKind, inner(g, s.goType.Elem())
	case reflect.Struct:
		s.kind, s.object = objectKind, planOf(s.goType)
	case reflect.Interface:
		s.kind = anyKind
	default:
		g.fail("cannot be of type %s", t)
	}
	return s
}

func inner(g tags, t reflect.Type) *shape {
	s := shapeOf(g, t)
	return &s
}

// limit parses the restrictions. An enum on an array restricts its items.
func (s *shape) limit(g tags) {
	limited := s
	if s.kind == arrayKind {
		limited = s.elem
	}
	if enum := g.Get("enum"); enum != "" {
		if limited.kind != stringKind {
			g.fail("has an enum and is not a string")
		}
		limited.enum = strings.Split(enum, "|")
	}
	limited.also = g.aliases(limited.enum)
	s.min, s.max = g.number("min"), g.number("max")
	if (s.min != nil || s.max != nil) && s.kind != integerKind && s.kind != numberKind {
		g.fail("has a min or max and is not a number")
	}
	s.nonempty = g.flag("nonempty")
	if s.nonempty && s.kind != stringKind && s.kind != arrayKind {
		g.fail("is nonempty and neither a string nor an array")
	}
}

// aliases parses also:"meta=facebook|google_ads=google".
func (g tags) aliases(enum []string) map[string]string {
	tag := g.Get("also")
	if tag == "" {
		return nil
	}
	also := map[string]string{}
	for pair := range strings.SplitSeq(tag, "|") {
		alias, value, ok := strings.Cut(pair, "=")
		if !ok || !slices.Contains(enum, value) {
			g.fail("has the alias %q of no enum value", pair)
		}
		also[alias] = value
	}
	return also
}

func (g tags) flag(name string) bool {
	switch value, ok := g.Lookup(name); {
	case !ok || value == "false":
		return false
	case value == "true":
		return true
	default:
		g.fail("has %s:%q, want true or false", name, value)
		return false
	}
}

func (g tags) number(name string) *float64 {
	tag, ok := g.Lookup(name)
	if !ok {
		return nil
	}
	value, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		g.fail("has %s:%q, want a number", name, tag)
	}
	return &value
}

// value encodes a tag's text as a value of the shape and checks it against the shape.
func (g tags) value(s *shape, tag string) json.RawMessage {
	encoded := json.RawMessage(tag)
	if s.kind == stringKind || s.kind == dateKind {
		encoded = encode(tag)
	}
	if !json.Valid(encoded) || !s.accepts(encoded) {
		g.fail("would not accept %q", tag)
	}
	return encoded
}
