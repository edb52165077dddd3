package config

import (
	"slices"
	"strings"
)

// testPrefix begins the names of variables that only tests read.
const testPrefix = envPrefix + "TEST_"

// Strangers says of each variable of the environment that is named like a setting and is none, nor one of the others that are
// known, what it may have been meant to be. Such a variable changes nothing, and whoever set it thinks that it does.
func Strangers(environ []string, others ...string) []string {
	known := others
	for _, f := range Fields() {
		known = append(known, f.Env)
	}
	var strange []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, envPrefix) && !strings.HasPrefix(name, testPrefix) && !slices.Contains(known, name) {
			strange = append(strange, name+" is no setting and changes nothing"+nearest(name, known))
		}
	}
	slices.Sort(strange)
	return strange
}
