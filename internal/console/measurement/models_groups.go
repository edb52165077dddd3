package measurement

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
)

// mostGroups is the maximum number of groups in the form of the budget optimizer.
const mostGroups = 8

// planGroup is a group of channels with limits on their combined spend. Amounts are per month.
type planGroup struct {
	Field          string // prefix of the names of its fields: group1
	N              int    // number of the group, from 1
	Name, Min, Max string
	Members        []planMember
}

type planMember struct {
	Channel string
	In      bool
}

// groupsOf reads the groups of the form. It omits empty groups and the group to remove, and appends an empty group if
// the form requests it.
func groupsOf(query url.Values, channels []planField) []planGroup {
	var out []planGroup
	for n := 1; n <= mostGroups; n++ {
		field := "group" + strconv.Itoa(n)
		g := planGroup{Name: strings.TrimSpace(query.Get(field)), Min: strings.TrimSpace(query.Get(field + "_min")), Max: strings.TrimSpace(query.Get(field + "_max"))}
		empty := g.Name+g.Min+g.Max == ""
		for _, c := range channels {
			in := slices.Contains(query[field+"_of"], c.Channel)
			g.Members = append(g.Members, planMember{c.Channel, in})
			empty = empty && !in
		}
		if !empty && query.Get("drop") != strconv.Itoa(n) {
			out = append(out, g)
		}
	}
	if query.Has("add") && len(out) < mostGroups {
		g := planGroup{}
		for _, c := range channels {
			g.Members = append(g.Members, planMember{Channel: c.Channel})
		}
		out = append(out, g)
	}
	for i := range out {
		out[i].N, out[i].Field = i+1, "group"+strconv.Itoa(i+1)
	}
	return out
}

// title returns the name of the group, or its number if it has no name.
func (g planGroup) title() string { return cmp.Or(g.Name, fmt.Sprintf("group %d", g.N)) }

// ask adds the fields of the group to a query.
func (g planGroup) ask(query url.Values) {
	for _, field := range []struct{ name, text string }{{g.Field, g.Name}, {g.Field + "_min", g.Min}, {g.Field + "_max", g.Max}} {
		if field.text != "" {
			query.Set(field.name, field.text)
		}
	}
	for _, c := range g.members() {
		query.Add(g.Field+"_of", string(c))
	}
}

func (g planGroup) members() (channels []measure.Channel) {
	for _, m := range g.Members {
		if m.In {
			channels = append(channels, measure.Channel(m.Channel))
		}
	}
	return channels
}

// groups returns the channel groups of the form, with their spend limits for the given number of months.
func (p planView) groups(months float64) ([]decide.Group, error) {
	var out []decide.Group
	for _, g := range p.Groups {
		least, err := entered("the minimum of "+g.title(), g.Min)
		if err != nil {
			return nil, err
		}
		most, err := entered("the maximum of "+g.title(), g.Max)
		if err != nil {
			return nil, err
		}
		made := decide.Group{Name: g.title(), Channels: g.members(), Max: math.Inf(1)}
		switch {
		case len(made.Channels) == 0:
			return nil, fault.Invalid("%s has no channels", g.title()).WithHint("select the channels of the group, or remove the group")
		case least == nil && most == nil:
			return nil, fault.Invalid("%s has neither a minimum nor a maximum", g.title()).WithHint("enter a limit for the combined spend, or remove the group")
		case least != nil && most != nil && *least > *most:
			return nil, fault.Invalid("the minimum of %s exceeds its maximum", g.title()).WithHint("lower the minimum or raise the maximum")
		}
		if least != nil {
			made.Min = *least * months
		}
		if most != nil {
			made.Max = *most * months
		}
		out = append(out, made)
	}
	return out, nil
}
