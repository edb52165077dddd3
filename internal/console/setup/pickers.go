package setup

import (
	"slices"

	"assay/internal/console/frame"
	"assay/internal/measure"
)

// suggestedChannels returns the channels of the store and other well-known channels. Import forms accept every channel
// name.
func (c *dataPages) suggestedChannels(v frame.Visit, p frame.Place) ([]measure.Channel, error) {
	used, err := c.ChannelsOf(v, p)
	all := slices.Concat(used, frame.Channels())
	slices.Sort(all)
	return slices.Compact(all), err
}

// zones returns suggested time zones, by offset from UTC. Forms accept every IANA name.
func zones() []string {
	return []string{
		"Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Denver", "America/Phoenix", "America/Chicago", "America/Mexico_City",
		"America/New_York", "America/Toronto", "America/Bogota", "America/Sao_Paulo", "America/Argentina/Buenos_Aires", "UTC", "Europe/London",
		"Europe/Lisbon", "Europe/Paris", "Europe/Madrid", "Europe/Berlin", "Europe/Amsterdam", "Europe/Rome", "Europe/Zurich", "Europe/Vienna",
		"Europe/Stockholm", "Europe/Warsaw", "Africa/Lagos", "Africa/Johannesburg", "Africa/Cairo", "Europe/Athens", "Europe/Istanbul", "Asia/Dubai",
		"Asia/Karachi", "Asia/Kolkata", "Asia/Bangkok", "Asia/Jakarta", "Asia/Singapore", "Asia/Shanghai", "Asia/Manila", "Asia/Seoul", "Asia/Tokyo",
		"Australia/Perth", "Australia/Brisbane", "Australia/Sydney", "Pacific/Auckland",
	}
}

// currencies returns suggested currencies. Forms accept every ISO code.
func currencies() []string {
	return []string{
		"USD", "EUR", "GBP", "AUD", "CAD", "CHF", "JPY", "SEK", "NOK", "DKK", "PLN", "CZK", "NZD", "SGD", "HKD", "INR", "BRL", "MXN", "ZAR", "AED", "TRY", "KRW", "CNY",
	}
}
