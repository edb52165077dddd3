package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/internal/civil"
	"assay/internal/fault"
)

const (
	maxShown = 60  // maximum characters of a caller's value in a message
	maxKept  = 200 // maximum bytes of a caller's value in a corrected call
)

// wanted describes the accepted values.
func (s *shape) wanted() string {
	switch s.kind {
	case stringKind:
		if s.enum != nil {
			return "one of " + strings.Join(s.enum, ", ")
		}
		if s.nonempty {
			return "a string that is not empty"
		}
		return "a string"
	case booleanKind:
		return "true or false"
	case integerKind:
		return "a whole number" + s.limits()
	case numberKind:
		return "a number" + s.limits()
	case dateKind:
		return "a calendar date in the form YYYY-MM-DD"
	case arrayKind:
		if s.nonempty {
			return "an array with at least one item, each " + s.elem.wanted()
		}
		return "an array, each item " + s.elem.wanted()
	case mapKind, objectKind:
		return "an object"
	default:
		return "a value"
	}
}

func (s *shape) limits() string {
	switch {
	case s.min != nil && s.max != nil:
		return " from " + decimal(*s.min) + " to " + decimal(*s.max)
	case s.min != nil:
		return " of at least " + decimal(*s.min)
	case s.max != nil:
		return " of at most " + decimal(*s.max)
	}
	return ""
}

// shown shortens a caller's value for a message: one line, without control characters.
func shown(raw []byte) string {
	if len(raw) > 4*maxShown {
		raw = raw[:4*maxShown+utf8.UTFMax]
	}
	return shownText(string(raw))
}

func shownText(s string) string {
	visible := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s[:min(len(s), 8*maxShown)])
	if utf8.RuneCountInString(visible) <= maxShown {
		return visible
	}
	return string([]rune(visible)[:maxShown]) + "…"
}

func quoted(s string) string { return strconv.Quote(shownText(s)) }

// RejectedError is a fault of arguments that are valid individually, but not together or not in this store. It contains
// the change that repairs the call. The corrected call contains all other arguments as they were sent.
type RejectedError struct {
	Fault *fault.Error
	Set   map[string]any // arguments with repaired values
	Drop  []string       // arguments to remove
	// Main is the argument that the dropped arguments conflict with, such as a view. If the caller sent the argument
	// Main, its value stays. Otherwise Main is set to Value and nothing is dropped.
	Main  string
	Value any
}

// Error returns the text of the fault.
func (r *RejectedError) Error() string { return r.Fault.Error() }

// Unwrap returns the fault.
func (r *RejectedError) Unwrap() error { return r.Fault }

// hinted adds the corrected call to the hint of a rejection. Other errors are returned unchanged.
func (o *object) hinted(tool string, today civil.Date, args []byte, err error) error {
	r, ok := errors.AsType[*RejectedError](err)
	if !ok {
		return err
	}
	hint := r.Fault.Hint
	if hint != "" {
		hint += " "
	}
	return r.Fault.WithHint("%sCorrected call: %s", hint, o.corrected(tool, today, args, r))
}

// maxRepairs is the maximum number of conflicts that a corrected call resolves.
const maxRepairs = 5

// corrected returns an acceptable call that is close to the rejected call. Valid values stay. Misspelled names and
// values beyond a limit are corrected. Other invalid values are replaced using the schema. Then the repairs of the
// rejection and of [Validator] are applied.
func (o *object) corrected(tool string, today civil.Date, args []byte, r *RejectedError) json.RawMessage {
	usable := o.usable(today, args)
	for range maxRepairs {
		if r != nil {
			o.repair(usable, r)
		}
		if r = o.conflict(usable); r == nil {
			break
		}
	}
	var b bytes.Buffer
	b.WriteString(`{"name":`)
	b.Write(encode(tool))
	b.WriteString(`,"arguments":`)
	o.writeExample(&b, usable)
	b.WriteByte('}')
	return b.Bytes()
}

// usable returns the arguments that are acceptable or can be corrected.
func (o *object) usable(today civil.Date, args []byte) map[*parameter]json.RawMessage {
	usable := map[*parameter]json.RawMessage{}
	guesses := 0
	for name, value := range members(args) {
		p := o.byName[string(name)]
		if p == nil && guesses < maxProblems {
			guesses++
			p = o.nearest(string(name))
		}
		if p == nil || isNull(value) || usable[p] != nil {
			continue
		}
		if mended := p.mend(today, value); mended != nil {
			usable[p] = mended
		}
	}
	return usable
}

// repair applies the change of a rejection.
func (o *object) repair(usable map[*parameter]json.RawMessage, r *RejectedError) {
	set := func(name string, value any) {
		if p := o.byName[name]; p != nil {
			if encoded := encode(value); p.accepts(encoded) {
				usable[p] = encoded
			}
		}
	}
	if main := o.byName[r.Main]; main != nil && usable[main] == nil {
		set(r.Main, r.Value)
		return
	}
	for _, name := range r.Drop {
		delete(usable, o.byName[name])
	}
	for name, value := range r.Set {
		set(name, value)
	}
}

// conflict returns the rejection of arguments by the parameters' [Validator], or nil if it accepts them.
func (o *object) conflict(usable map[*parameter]json.RawMessage) *RejectedError {
	into := reflect.New(o.goType)
	v, ok := reflect.TypeAssert[Validator](into)
	if !ok {
		return nil
	}
	var args bytes.Buffer
	o.writeExample(&args, usable)
	var d decoder
	d.object(o, args.Bytes(), into.Elem(), "")
	r, _ := errors.AsType[*RejectedError](v.Check())
	return r
}

func (o *object) writeExample(b *bytes.Buffer, usable map[*parameter]json.RawMessage) {
	b.WriteByte('{')
	first := true
	for _, p := range o.parameters {
		value := usable[p]
		if value == nil && p.required {
			value = p.fallback()
		}
		if value == nil {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.Write(encode(p.name))
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
}

// mend returns the value if it is acceptable. Otherwise it returns an acceptable value, such as the closest value or
// the default, or nil if there is none.
func (p *parameter) mend(today civil.Date, raw []byte) json.RawMessage {
	if len(raw) > maxKept {
		return nil
	}
	if p.accepts(raw) {
		var compacted bytes.Buffer
		if err := json.Compact(&compacted, raw); err != nil {
			return nil
		}
		return compacted.Bytes()
	}
	switch {
	case p.enum != nil && p.kind == stringKind && kindOf(raw) == "string":
		if near := Nearest(text(raw), p.enum); near != "" {
			return encode(near)
		}
		return p.fallback()
	case (p.kind == integerKind || p.kind == numberKind) && kindOf(raw) == "number":
		return p.clamped(raw)
	case p.kind == dateKind && kindOf(raw) == "string":
		if day, ok := meantDay(text(raw), today); ok {
			return encode(day)
		}
		return p.standard
	case p.standard != nil || p.enum != nil:
		return p.fallback()
	}
	return nil
}

// clamped returns the limit that the number violates. Otherwise it returns the default, or nil if there is none.
func (p *parameter) clamped(raw []byte) json.RawMessage {
	value, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil:
	case p.min != nil && value < *p.min:
		return json.RawMessage(decimal(*p.min))
	case p.max != nil && value > *p.max:
		return json.RawMessage(decimal(*p.max))
	}
	return p.standard
}

// fallback returns a value that the parameter accepts: its default, its example or a placeholder.
func (p *parameter) fallback() json.RawMessage {
	switch {
	case p.standard != nil:
		return p.standard
	case p.example != nil:
		return p.example
	}
	return p.placeholder()
}

func (s *shape) placeholder() json.RawMessage {
	switch s.kind {
	case stringKind:
		if s.enum != nil {
			return encode(s.enum[0])
		}
		return json.RawMessage(`"..."`)
	case booleanKind:
		return json.RawMessage("false")
	case integerKind, numberKind:
		if s.min != nil {
			return json.RawMessage(decimal(*s.min))
		}
		if s.max != nil {
			return json.RawMessage(decimal(*s.max))
		}
		return json.RawMessage("1")
	case dateKind:
		return json.RawMessage(`"2026-01-31"`)
	case arrayKind:
		return json.RawMessage("[" + string(s.elem.placeholder()) + "]")
	case objectKind:
		var b bytes.Buffer
		s.object.writeExample(&b, nil)
		return b.Bytes()
	default:
		return json.RawMessage("{}")
	}
}
