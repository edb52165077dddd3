package frame

import (
	"cmp"
	"slices"
	"strings"

	"assay/internal/measure"
	"assay/internal/operation"
)

// ChannelList is the choice of a channel in a form, for the template channel-options.
type ChannelList struct {
	Used   []Option // channels of the store
	Unused []Option // ad platforms that the store does not use yet
}

// ChannelListOf returns the channels of the store and the other ad platforms by name. The parameter selected is the
// submitted value.
func (c *Frame) ChannelListOf(v Visit, p Place, selected string) (list ChannelList, err error) {
	used, err := c.ChannelsOf(v, p)
	if err != nil {
		return list, err
	}
	option := func(channel measure.Channel) Option {
		return Option{Name: ChannelName(channel), Address: string(channel), Here: selected != "" && channel == measure.ParseChannel(selected)}
	}
	for _, channel := range used {
		list.Used = append(list.Used, option(channel))
	}
	for _, platform := range measure.Platforms() {
		if channel := measure.Channel(platform); !slices.Contains(used, channel) {
			list.Unused = append(list.Unused, option(channel))
		}
	}
	for _, all := range [][]Option{list.Used, list.Unused} {
		slices.SortFunc(all, func(a, b Option) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	}
	return list, nil
}

// ChannelsOf returns the channels of the store.
func (c *Frame) ChannelsOf(v Visit, p Place) ([]measure.Channel, error) {
	return operation.ListChannels.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), operation.None{})
}

// Choice is a check box.
type Choice struct {
	Name string
	On   bool
}

// Choices are the check boxes of one field, for the template choices.
type Choices struct {
	Field, Legend string
	Hint          string
	All           []Choice
}

// ChoicesOf returns a check box for each name. The chosen names that are not in the list come first, so that the user
// can remove them.
func ChoicesOf(field, legend, hint string, names, chosen []string) Choices {
	c := Choices{Field: field, Legend: legend, Hint: hint}
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			c.All = append(c.All, Choice{Name: name, On: true})
		}
	}
	for _, name := range names {
		c.All = append(c.All, Choice{Name: name, On: slices.Contains(chosen, name)})
	}
	return c
}

// Chosen returns the number of selected names.
func (c Choices) Chosen() (n int) {
	for _, one := range c.All {
		if one.On {
			n++
		}
	}
	return n
}

// Codes reports whether all names are short, such as the codes of states.
func (c Choices) Codes() bool {
	return !slices.ContainsFunc(c.All, func(one Choice) bool { return len([]rune(one.Name)) > 4 })
}

// Values returns the distinct values of a field with several values, trimmed and without empty values.
func Values(all []string) (values []string) {
	for _, one := range all {
		if one = strings.TrimSpace(one); one != "" && !slices.Contains(values, one) {
			values = append(values, one)
		}
	}
	return values
}
