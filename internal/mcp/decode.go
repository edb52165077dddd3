package mcp

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"assay/internal/civil"
	"assay/internal/fault"
)

// maxProblems is the maximum number of mistakes that one error lists.
const maxProblems = 5

// decode decodes a call's arguments into the struct that the parameter into points to, and applies defaults. It reports
// all mistakes in one message with a corrected call. The parameters tool and today are used only for the corrected
// call, in which today resolves words such as yesterday.
func (o *object) decode(tool string, today civil.Date, args json.RawMessage, into any) error {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if !json.Valid(args) || !utf8.Valid(args) {
		return fault.Invalid("the arguments are not JSON")
	}
	args = args[skipBlanks(args, 0):]
	if isNull(args) {
		args = json.RawMessage("{}")
	}
	if kindOf(args) != "object" {
		return fault.Invalid("the arguments must be an object; got %s", shown(args))
	}
	var d decoder
	d.object(o, args, reflect.ValueOf(into).Elem(), "")
	if len(d.problems) > 0 {
		return fault.Invalid("%s", d.text()).WithHint("Corrected call: %s", o.corrected(tool, today, args, nil))
	}
	if v, ok := into.(Validator); ok {
		return o.hinted(tool, today, args, v.Check())
	}
	return nil
}

// decoder collects the mistakes in the arguments of one call.
type decoder struct {
	problems []string
	unnamed  int // mistakes beyond the maximum
}

// report adds a mistake. Beyond the maximum number of mistakes, it does not build the text, because a call may contain
// a million mistakes.
func (d *decoder) report(problem func() string) {
	if len(d.problems) == maxProblems {
		d.unnamed++
		return
	}
	d.problems = append(d.problems, problem())
}

func (d *decoder) text() string {
	all := strings.Join(d.problems, ". ")
	if d.unnamed > 0 {
		all += fmt.Sprintf(". And %d more", d.unnamed)
	}
	return all
}

// mismatch reports the accepted values and the received value.
func (d *decoder) mismatch(path string, s *shape, raw []byte) {
	d.report(func() string { return path + " must be " + s.wanted() + "; got " + shown(raw) })
}

func (d *decoder) object(o *object, raw []byte, into reflect.Value, path string) {
	given := make([]*parameter, 0, len(o.parameters))
	for name, value := range members(raw) {
		p := o.byName[string(name)]
		switch {
		case p == nil:
			d.report(func() string { return o.unknown(string(name), path) })
		case slices.Contains(given, p):
			d.twice(join(path, p.name))
		default:
			given = append(given, p)
			if !isNull(value) {
				d.value(&p.shape, value, into.FieldByIndex(p.index), join(path, p.name))
			} else if p.required {
				d.missing(p, path)
			} else {
				d.absent(p, into)
			}
		}
	}
	for _, p := range o.parameters {
		switch {
		case slices.Contains(given, p):
		case p.required:
			d.missing(p, path)
		default:
			d.absent(p, into)
		}
	}
}

func (d *decoder) missing(p *parameter, path string) {
	d.report(func() string { return join(path, p.name) + " is required; it must be " + p.wanted() })
}

func (d *decoder) twice(path string) {
	d.report(func() string { return path + " is given twice" })
}

// absent applies the default. Defaults are validated when the tags are parsed, so absent never reports a mistake.
func (d *decoder) absent(p *parameter, into reflect.Value) {
	if p.standard != nil {
		d.value(&p.shape, p.standard, into.FieldByIndex(p.index), p.name)
	}
}

// unknown reports an unknown name and the closest known name.
func (o *object) unknown(name, path string) string {
	what := "unknown argument " + quoted(name)
	if path != "" {
		what = path + " has no member " + quoted(name)
	}
	if near := o.nearest(name); near != nil {
		return what + "; the nearest name is " + near.name
	}
	names := make([]string, len(o.parameters))
	for i, p := range o.parameters {
		names[i] = p.name
	}
	return what + "; the known names are " + strings.Join(names, ", ")
}

func (d *decoder) value(s *shape, raw []byte, into reflect.Value, path string) {
	if s.pointer {
		into.Set(reflect.New(s.goType))
		into = into.Elem()
	}
	if !s.kind.written(raw) {
		d.mismatch(path, s, raw)
		return
	}
	ok := true
	switch s.kind {
	case stringKind:
		ok = s.setString(raw, into)
	case booleanKind:
		into.SetBool(raw[0] == 't')
	case integerKind:
		ok = s.setInteger(raw, into)
	case numberKind:
		ok = s.setNumber(raw, into)
	case dateKind:
		ok = setDate(raw, into)
	case arrayKind:
		ok = d.array(s, raw, into, path)
	case mapKind:
		d.mapping(s, raw, into, path)
	case objectKind:
		d.object(s.object, raw, into, path)
	case anyKind:
		ok = json.Unmarshal(raw, into.Addr().Interface()) == nil
	}
	if !ok {
		d.mismatch(path, s, raw)
	}
}

// written reports whether the JSON type of the value matches the kind.
func (k kind) written(raw []byte) bool {
	want := k.schemaType()
	if want == "integer" {
		want = "number"
	}
	return want == "" || want == kindOf(raw)
}

func (s *shape) setString(raw []byte, into reflect.Value) bool {
	value := text(raw)
	if s.enum != nil && !slices.Contains(s.enum, value) {
		meant, ok := s.also[value]
		if !ok {
			return false
		}
		value = meant
	}
	into.SetString(value)
	return value != "" || !s.nonempty
}

func (s *shape) setInteger(raw []byte, into reflect.Value) bool {
	value, ok := wholeNumber(string(raw))
	if !ok || into.OverflowInt(value) || !s.inRange(float64(value)) {
		return false
	}
	into.SetInt(value)
	return true
}

// wholeNumber parses 25 and also 25.0 and 2.5e1, which some encoders write.
func wholeNumber(raw string) (int64, bool) {
	if value, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return value, true
	}
	const exact = 1 << 53 // larger floats do not represent every whole number
	value, err := strconv.ParseFloat(raw, 64)
	if err != nil || value != math.Trunc(value) || math.Abs(value) > exact {
		return 0, false
	}
	return int64(value), true
}

func (s *shape) setNumber(raw []byte, into reflect.Value) bool {
	value, err := strconv.ParseFloat(string(raw), into.Type().Bits())
	if err != nil || !s.inRange(value) {
		return false
	}
	into.SetFloat(value)
	return true
}

func (s *shape) inRange(value float64) bool {
	return (s.min == nil || value >= *s.min) && (s.max == nil || value <= *s.max)
}

func setDate(raw []byte, into reflect.Value) bool {
	day, err := civil.Parse(text(raw))
	if err != nil {
		return false
	}
	into.Set(reflect.ValueOf(day))
	return true
}

func (d *decoder) array(s *shape, raw []byte, into reflect.Value, path string) bool {
	list := reflect.MakeSlice(s.goType, 0, 0)
	for i, element := range elements(raw) {
		item := reflect.New(s.goType.Elem()).Elem()
		d.value(s.elem, element, item, fmt.Sprintf("%s[%d]", path, i))
		list = reflect.Append(list, item)
	}
	into.Set(list)
	return list.Len() > 0 || !s.nonempty
}

func (d *decoder) mapping(s *shape, raw []byte, into reflect.Value, path string) {
	table := reflect.MakeMap(s.goType)
	for name, value := range members(raw) {
		key := reflect.ValueOf(string(name)).Convert(s.goType.Key())
		at := join(path, shownText(string(name)))
		if table.MapIndex(key).IsValid() {
			d.twice(at)
			continue
		}
		item := reflect.New(s.goType.Elem()).Elem()
		d.value(s.elem, value, item, at)
		table.SetMapIndex(key, item)
	}
	into.Set(table)
}

// accepts reports whether the value is valid without changes.
func (s *shape) accepts(raw []byte) bool {
	var d decoder
	bare := *s
	bare.pointer = false
	d.value(&bare, raw, reflect.New(s.goType).Elem(), "")
	return len(d.problems) == 0
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
