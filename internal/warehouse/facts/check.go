package facts

import "assay/internal/fault"

// Check rejects rows without a key or a day, because later imports and queries could not find such rows.
func (b *Batch) Check() error {
	for i := range b.Orders {
		if o := &b.Orders[i]; o.Key == "" || o.At.IsZero() || o.Day.IsZero() {
			return fault.Invalid("order %q has no key, no time or no day", o.Key)
		}
	}
	for i := range b.Profiles {
		if b.Profiles[i].Customer == "" {
			return fault.Invalid("a customer of %q has no key", b.Profiles[i].Source)
		}
	}
	for i := range b.Refunds {
		if r := &b.Refunds[i]; r.Day.IsZero() && !r.DateUnknown {
			return fault.Invalid("refund %q of order %q has no day", r.Refund, r.Key)
		}
	}
	for i := range b.AdDays {
		if a := &b.AdDays[i]; a.Day.IsZero() {
			return fault.Invalid("a row of campaign %q has no day", a.CampaignName)
		}
	}
	for i := range b.ChannelSpend {
		if s := &b.ChannelSpend[i]; s.Day.IsZero() {
			return fault.Invalid("spend of channel %q has no day", s.Channel)
		}
	}
	return nil
}
