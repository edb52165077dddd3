package config

import (
	"slices"
	"strings"
)

// testPrefix is the prefix of variables that only tests read.
const testPrefix = envPrefix + "TEST_"

// UnknownVariables lists the ASSAY_ variables of the environment that are neither settings nor in the parameter others.
// Each entry also states the closest known name. Such a variable has no effect, so it is probably a typo.
func UnknownVariables(environ []string, others ...string) []string {
	known := others
	for _, f := range Fields() {
		known = append(known, f.Env)
	}
	var unknown []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, envPrefix) && !strings.HasPrefix(name, testPrefix) && !slices.Contains(known, name) {
			unknown = append(unknown, name+" is not a setting and has no effect"+nearest(name, known))
		}
	}
	slices.Sort(unknown)
	return unknown
}
