package operation

import (
	"context"

	"assay/internal/measure"
)

// ListChannels returns the channels of the workspace's store that orders can be attributed to.
var ListChannels = Operation[None, []measure.Channel]{
	Spec{Name: "channel.list", Needs: Read, Facts: true},
	func(r *Run, ctx context.Context, _ None) ([]measure.Channel, error) {
		return r.Known.Channels(ctx, r.Workspace)
	},
}

// ListRegions returns the regions of the workspace's store with orders in the last year, sorted.
var ListRegions = Operation[None, []string]{
	Spec{Name: "region.list", Needs: Read, Facts: true},
	func(r *Run, ctx context.Context, _ None) ([]string, error) { return r.Known.Regions(ctx, r.Workspace) },
}
