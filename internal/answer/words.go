package answer

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/number"
)

// Amount formats minor units for a sentence, rounded like figures: "USD 118,240" or "USD 12.50".
func (w *Writer) Amount(minor int64) string {
	return w.Spelled(Money(money.Major(minor, w.Figures.Currency)))
}

// Spelled formats an amount for a sentence, without decimals from 1,000 up.
func (w *Writer) Spelled(amount Money) string {
	currency := w.Figures.Currency
	x := rounding{level: AnalystLevel, exponent: currency.Exponent()}.money(float64(amount))
	places := 0
	if math.Abs(x) < 1000 {
		places = min(2, currency.Exponent())
	}
	return money.Text(x, places, currency)
}

// String formats a ratio for a sentence: "2.41".
func (r Ratio) String() string { return number.Grouped(Decimals(float64(r), 2), 2) }

// String formats a percentage for a sentence: "12.5%".
func (p Percent) String() string { return number.Percent(Decimals(float64(p), 1), 1) }

// Whole formats a percentage without decimals: "13%".
func (p Percent) Whole() string { return number.Percent(Decimals(float64(p), 0), 0) }

// String formats a count for a sentence: "1,204" or "12.5".
func (n Count) String() string { return Quantity(float64(n)) }

// Quantity formats a count: "1,204" or "12.5".
func Quantity(x float64) string {
	if x == math.Trunc(x) {
		return number.Grouped(x, 0)
	}
	return strings.TrimRight(strings.TrimRight(number.Grouped(x, 2), "0"), ".")
}

// Against formats a change from the previous window of equal length: "up 4.6% from the previous 31 days".
func Against(change *Percent, days civil.Range) string {
	before := "the previous day"
	if days.Days() > 1 {
		before = fmt.Sprintf("the previous %d days", days.Days())
	}
	if change == nil {
		return "with no comparable value in " + before
	}
	if Decimals(float64(*change), 1) == 0 {
		return "unchanged from " + before
	}
	return Moved(change) + " from " + before
}

// Moved formats a change in percent for a sentence: "up 4.6%", "down 12.0%", "unchanged".
func Moved(change *Percent) string {
	if change == nil {
		return "no comparable value"
	}
	switch p := Decimals(float64(*change), 1); {
	case p > 0:
		return fmt.Sprintf("up %s", Percent(p))
	case p < 0:
		return fmt.Sprintf("down %s", Percent(-p))
	}
	return "unchanged"
}

// plainName matches the channel names that a sentence may contain.
var plainName = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)

// ChannelName returns a channel's name for a sentence. A name that does not match plainName appears in the rows only.
func ChannelName(c measure.Channel) string {
	if plainName.MatchString(string(c)) {
		return string(c)
	}
	return "one channel"
}

// OfChannel returns " of " and the name of a channel, or "" without a channel.
func OfChannel(c measure.Channel) string {
	if c == "" {
		return ""
	}
	return " of " + ChannelName(c)
}

// plainID matches the IDs that a sentence may contain. Campaigns of a file without IDs have their names as IDs.
var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// CampaignName returns a campaign's platform and ID for a sentence. The campaign's name appears in the rows only.
func CampaignName(p measure.Platform, id string) string {
	if plainID.MatchString(id) {
		return ChannelName(measure.Channel(p)) + " campaign " + id
	}
	return "a " + ChannelName(measure.Channel(p)) + " campaign"
}

// Known lists the first n names of a store for an error message. The names are untrusted text, so a name that is not
// one plain word is quoted.
func Known(n int, names []string) string {
	items := make([]string, len(names))
	for i, name := range names {
		if items[i] = name; !plainID.MatchString(name) {
			items[i] = strconv.Quote(Clean(name))
		}
	}
	return ListedUpTo(n, items)
}

// Dates formats a window for a sentence.
func Dates(w civil.Range) string {
	if w.Days() == 1 {
		return "on " + w.First.String()
	}
	return fmt.Sprintf("from %s to %s", w.First, w.Last)
}

// Plural formats a number with its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number.Grouped(float64(n), 0) + " " + many
}

// Sentence capitalizes the first letter of a clause, which must be ASCII, and appends a period.
func Sentence(clause string) string { return strings.ToUpper(clause[:1]) + clause[1:] + "." }

// listedItems is the maximum number of list items in a sentence.
const listedItems = 3

// Listed joins the first few items and appends the number of further items.
func Listed(items []string) string { return ListedUpTo(listedItems, items) }

// ListedUpTo joins the first n items and appends the number of further items.
func ListedUpTo(n int, items []string) string {
	if len(items) <= n {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:n], ", "), len(items)-n)
}
