package toolkit

import (
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/fault"
	"assay/internal/snapshot"
)

// CreatorByID finds the creator that a parameter names.
func CreatorByID(all []snapshot.Creator, parameter, id string) (snapshot.Creator, error) {
	at := slices.IndexFunc(all, func(f snapshot.Creator) bool { return strings.EqualFold(f.ID, id) })
	if at < 0 {
		return snapshot.Creator{}, fault.Invalid("%s %q is not known to this store", parameter, answer.Clean(id)).
			WithHint("influencers with action=list shows the ids.")
	}
	return all[at], nil
}

// NoCreators says that there is nobody to show, and why.
func NoCreators(c *Call, a *answer.Closing, has bool) string {
	c.Suggest(a, "discover", map[string]any{}, "See what the store has.")
	if has {
		a.Warn(answer.WarnNoData, "Nothing in this window matches.")
		return "There is no influencer to show."
	}
	a.Warn(answer.WarnNoData, "No creators, codes of creators or links were imported into this workspace yet.")
	return "There are no creators yet: nothing about them was imported into this workspace."
}

// OfPlatform keeps the creators of a social platform, all when none is named.
func OfPlatform(all []snapshot.Creator, platform string) []snapshot.Creator {
	return slices.DeleteFunc(slices.Clone(all), func(f snapshot.Creator) bool {
		return platform != "" && !strings.EqualFold(f.Platform, platform)
	})
}

// Platforms names the social platforms of creators.
func Platforms(all []snapshot.Creator) []string {
	var out []string
	for _, f := range all {
		if f.Platform != "" && !slices.Contains(out, answer.Clean(f.Platform)) {
			out = append(out, answer.Clean(f.Platform))
		}
	}
	slices.Sort(out)
	return out
}
