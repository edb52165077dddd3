package toolkit

import (
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/fault"
	"assay/internal/snapshot"
)

// CreatorByID returns the creator with the given ID. An error names the parameter that contains the ID.
func CreatorByID(all []snapshot.Creator, parameter, id string) (snapshot.Creator, error) {
	at := slices.IndexFunc(all, func(f snapshot.Creator) bool { return strings.EqualFold(f.ID, id) })
	if at < 0 {
		return snapshot.Creator{}, fault.Invalid("%s %q does not exist in this store", parameter, answer.Clean(id)).
			WithHint("The `influencers` tool with `action=list` shows the IDs.")
	}
	return all[at], nil
}

// NoCreators returns the summary of an answer without creators and adds a warning with the reason.
func NoCreators(c *Call, a *answer.Closing, has bool) string {
	c.Suggest(a, "discover", map[string]any{}, "List the store's data.")
	if has {
		a.Warn(answer.WarnNoData, "No data in this period match the request.")
		return "No influencer matches the filters."
	}
	a.Warn(answer.WarnNoData, "No creators, creator codes or links have been imported into this workspace.")
	return "No creators have been imported into this workspace."
}

// OfPlatform filters creators by social platform. An empty platform matches all.
func OfPlatform(all []snapshot.Creator, platform string) []snapshot.Creator {
	return slices.DeleteFunc(slices.Clone(all), func(f snapshot.Creator) bool {
		return platform != "" && !strings.EqualFold(f.Platform, platform)
	})
}

// Platforms lists the social platforms of creators.
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
