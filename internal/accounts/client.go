package accounts

import (
	"context"
	"slices"

	"assay/internal/ads"
	"assay/internal/control"
)

// client is the platform client of an ad account. The account's connection gets the status error when the platform
// rejects the credentials.
type client struct {
	ads.Platform
	registry   *Registry
	connection control.Connection
}

// Read implements [ads.Platform].
func (c *client) Read(ctx context.Context, id ads.CampaignID) (ads.State, error) {
	state, err := c.Platform.Read(ctx, id)
	c.watch(ctx, err)
	return state, err
}

// Campaigns implements [ads.Platform].
func (c *client) Campaigns(ctx context.Context, most int) ([]ads.Campaign, bool, error) {
	list, more, err := c.Platform.Campaigns(ctx, most)
	c.watch(ctx, err)
	return list, more, err
}

// Validate implements [ads.Platform].
func (c *client) Validate(ctx context.Context, s ads.State, change ads.Change) (bool, error) {
	dryRun, err := c.Platform.Validate(ctx, s, change)
	c.watch(ctx, err)
	return dryRun, err
}

// Apply implements [ads.Platform].
func (c *client) Apply(ctx context.Context, s ads.State, change ads.Change) ads.Outcome {
	outcome := c.Platform.Apply(ctx, s, change)
	if outcome.Rejection != nil {
		c.watch(ctx, outcome.Rejection)
	}
	return outcome
}

// broken lists the reasons for which every further call fails until a person corrects the connection.
var broken = []ads.Reason{ads.TokenExpired, ads.CredentialsRejected, ads.PermissionMissing, ads.VersionRetired}

// watch records the errors of a broken connection.
func (c *client) watch(ctx context.Context, err error) {
	if slices.Contains(broken, ads.ReasonOf(err)) {
		c.registry.note(ctx, c.connection, err)
	}
}
