package toolkit

import (
	"context"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/snapshot"
)

// Testable returns the canonical key of a channel of the store, or of a platform that the store does not use yet.
func Testable(s *snapshot.Snapshot, name string) (measure.Channel, error) {
	key, err := KnownChannel(s, name)
	if err == nil && key == measure.Unattributed {
		return "", fault.Invalid("channel %q cannot be tested: it contains the revenue that is not attributed to a channel", name)
	}
	if named := measure.ParseChannel(name); err != nil && slices.Contains(measure.Platforms(), measure.Platform(named)) {
		return named, nil
	}
	return key, err
}

// Creditable returns the canonical key of a channel that orders can be attributed to. It is a channel of the store, or
// a platform that the store does not use yet.
func Creditable(s *snapshot.Snapshot, name string) (measure.Channel, error) {
	if measure.ParseChannel(name) == measure.Unattributed {
		return "", fault.Invalid("%q is not a channel: it contains the revenue that is not attributed to a channel", answer.Clean(name))
	}
	return Testable(s, name)
}

// Channel returns the canonical key of a channel of the workspace's store, or of a platform that the store does not use
// yet. An unknown channel results in a fault of kind invalid that lists the known channels.
func (s *Service) Channel(ctx context.Context, w control.Workspace, name string) (measure.Channel, error) {
	snap, err := s.reader.Take(ctx, w, snapshot.Wants{})
	if err != nil {
		return "", err
	}
	return Creditable(snap, name)
}

// Channels returns the channels of the workspace's store that orders can be attributed to.
func (s *Service) Channels(ctx context.Context, w control.Workspace) ([]measure.Channel, error) {
	snap, err := s.reader.Take(ctx, w, snapshot.Wants{})
	if err != nil {
		return nil, err
	}
	var all []measure.Channel
	for _, v := range snap.Store.Channels {
		if v.Channel != measure.Unattributed {
			all = append(all, v.Channel)
		}
	}
	return all, nil
}

// Regions returns the regions of the workspace's store with orders in the last year, sorted.
func (s *Service) Regions(ctx context.Context, w control.Workspace) ([]string, error) {
	snap, err := s.reader.Take(ctx, w, snapshot.Wants{})
	if err != nil {
		return nil, err
	}
	return snapshot.Shared(ctx, snap, "regions", func(ctx context.Context, own *snapshot.Snapshot) ([]string, error) {
		known, err := own.Regions(ctx, civil.Range{})
		names := make([]string, len(known))
		for i, r := range known {
			names[i] = string(r)
		}
		return names, err
	})
}

// Planned returns an experiment with its channel and regions spelled as in the workspace's store, such as CA for
// "us-ca". An unknown channel or region results in a fault of kind invalid that lists the known names.
func (s *Service) Planned(ctx context.Context, w control.Workspace, e control.Experiment) (control.Experiment, error) {
	snap, err := s.reader.Take(ctx, w, snapshot.Wants{})
	if err != nil {
		return e, err
	}
	return Planned(ctx, snap, e)
}

// Planned is [Service.Planned] for a snapshot.
func Planned(ctx context.Context, snap *snapshot.Snapshot, e control.Experiment) (control.Experiment, error) {
	if e.Channel != "" {
		var err error
		if e.Channel, err = Testable(snap, string(e.Channel)); err != nil {
			text, _, _ := fault.Public(err)
			return e, fault.New(fault.KindOf(err), "%s", text).WithHint("Use a channel of the store, or a channel of another platform, such as %s.", measure.Platforms()[0])
		}
	}
	if len(e.Treated)+len(e.HeldOut) == 0 {
		return e, nil
	}
	known, err := snap.Regions(ctx, e.Days)
	if err != nil {
		return e, err
	}
	for _, part := range []struct {
		what  string
		names *[]string
	}{{"treated regions", &e.Treated}, {"held-out regions", &e.HeldOut}} {
		if *part.names, err = regionsNamed(part.what, known, *part.names); err != nil {
			return e, err
		}
	}
	return e, nil
}

// regionsNamed returns the regions of an experiment, spelled as in orders.
func regionsNamed(what string, known []geo.Region, names []string) ([]string, error) {
	var regions []string
	for _, name := range names {
		region, ok := snapshot.RegionNamed(known, name)
		switch {
		case ok:
			regions = append(regions, string(region))
		case len(known) == 0:
			return nil, fault.Invalid("%s: no order has a region, so %q cannot be measured", what, answer.Clean(name)).
				WithHint("Import orders with regions first, or save the experiment without regions.")
		default:
			return nil, fault.Invalid("%s: %q has no orders; regions with orders: %s", what, answer.Clean(name), answer.Known(NamedRegionsShown, SpelledRegions(known)))
		}
	}
	return regions, nil
}

// NamedRegionsShown is the maximum number of regions in a message, enough for the states of a country.
const NamedRegionsShown = 60

// SpelledRegions lists regions for a message.
func SpelledRegions(known []geo.Region) []string {
	names := make([]string, len(known))
	for i, r := range known {
		names[i] = answer.Clean(string(r))
	}
	return names
}

// NamedRegions returns the regions, spelled as in the panel: "ca" and "US-CA" are CA.
func NamedRegions(panel *geo.Panel, names []string) ([]geo.Region, error) {
	if panel == nil {
		return nil, nil
	}
	var treated []geo.Region
	for _, name := range names {
		region, ok := snapshot.RegionNamed(panel.Regions, name)
		if !ok {
			return nil, fault.Invalid("treatmentRegions: %q has no orders; regions with orders: %s", answer.Clean(name), answer.Known(NamedRegionsShown, SpelledRegions(panel.Regions))).
				WithHint("Omit treatmentRegions to search for a set of regions.")
		}
		if !slices.Contains(treated, region) {
			treated = append(treated, region)
		}
	}
	return treated, nil
}
