package mcp

import (
	"encoding/json"
	"reflect"
	"strings"

	"assay/internal/civil"
	"assay/internal/fault"
)

// Form describes the parameters of one action of a tool with several actions. One argument of the tool contains these
// parameters. Their type P is a struct with the tags of a [Tool]'s parameters.
type Form[P any] struct{ plan *object }

// FormOf parses the tags of the parameters. It panics on an invalid tag, which is a programming error.
func FormOf[P any]() Form[P] { return Form[P]{planOf(reflect.TypeFor[P]())} }

// Decode validates and decodes the value of the tool's argument. The error is a [RejectedError] that names missing
// required parameters first. Unknown names are rejected with a list of the allowed names.
func (f Form[P]) Decode(argument string, today civil.Date, values map[string]any) (p P, err error) {
	if values == nil {
		values = map[string]any{}
	}
	var d decoder
	f.decode(&d, argument, values, reflect.ValueOf(&p).Elem())
	if len(d.problems) == 0 {
		return p, nil
	}
	corrected := map[string]any{}
	usable := f.plan.usable(today, encode(values))
	for _, known := range f.plan.parameters {
		value := usable[known]
		if value == nil && known.required {
			value = known.fallback()
		}
		var plain any
		if value != nil && json.Unmarshal(value, &plain) == nil {
			corrected[known.name] = plain
		}
	}
	return p, &RejectedError{Fault: fault.Invalid("%s", d.text()), Set: map[string]any{argument: corrected}}
}

func (f Form[P]) decode(d *decoder, argument string, values map[string]any, into reflect.Value) {
	sent := map[*parameter]json.RawMessage{}
	var unknown []string
	for name, value := range members(encode(values)) {
		if known := f.plan.byName[string(name)]; known == nil {
			unknown = append(unknown, string(name))
		} else if !isNull(value) {
			sent[known] = value
		}
	}
	for _, known := range f.plan.parameters {
		if known.required && sent[known] == nil {
			d.missing(known, argument)
		}
	}
	for _, name := range unknown {
		d.report(func() string {
			return argument + " has no member " + quoted(name) + "; the allowed members are " + f.Names()
		})
	}
	for _, known := range f.plan.parameters {
		if value := sent[known]; value != nil {
			d.value(&known.shape, value, into.FieldByIndex(known.index), join(argument, known.name))
		} else if !known.required {
			d.absent(known, into)
		}
	}
}

// Names lists the parameters for a message.
func (f Form[P]) Names() string {
	names := make([]string, len(f.plan.parameters))
	for i, known := range f.plan.parameters {
		names[i] = known.name
	}
	return strings.Join(names, ", ")
}
