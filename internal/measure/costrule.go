package measure

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/money"
)

// CostKind is a kind of cost that a member enters for a store.
type CostKind string

// The kinds of costs.
const (
	// GrossMargin is the share of merchandise revenue that remains after the cost of goods. It applies to products
	// without a known unit cost.
	GrossMargin CostKind = "gross_margin"
	PaymentFee  CostKind = "payment_fee" // a share of the amount charged, and an amount per order
	Shipping    CostKind = "shipping"    // an amount per order, and a share of the shipping charged
	Returns     CostKind = "returns"     // handling of returns: a share of the refunded amount
)

// CostKinds lists all kinds.
func CostKinds() []CostKind { return []CostKind{GrossMargin, PaymentFee, Shipping, Returns} }

// CostRule is a cost of the store, of a sales surface or of a channel. It applies from its first day until the next
// rule of the same kind for the same sales. A surface's rule replaces the store's rule on this surface.
type CostRule struct {
	Kind    CostKind     `json:"kind"`
	Surface Surface      `json:"surface,omitempty"` // "": all surfaces
	Channel Channel      `json:"channel,omitempty"` // only for gross margins; "": all channels
	From    civil.Date   `json:"from,omitzero"`     // zero: from the beginning
	Share   Millionth    `json:"share,omitzero"`
	Fixed   money.Amount `json:"fixed,omitzero"` // per order
}

// Millionth is a share in millionths: 29,000 is 2.9%.
type Millionth int64

const (
	whole      Millionth = 1_000_000
	onePercent Millionth = 10_000
)

// ParsePercent parses a percentage from 0 to 100 with up to four decimals, such as "2.9%" or "2.9".
func ParsePercent(text string) (Millionth, error) {
	number, decimals, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), "%"), ".")
	shift := len(strconv.Itoa(int(onePercent))) - 1
	if len(decimals) <= shift {
		n, err := strconv.ParseUint(number+decimals+strings.Repeat("0", shift-len(decimals)), 10, 32)
		if err == nil && number != "" && Millionth(n) <= whole {
			return Millionth(n), nil
		}
	}
	return 0, fault.Invalid("%q is not a percentage from 0 to 100 with up to four decimals", text).WithHint("use a number such as 2.9")
}

// Percent returns the share in percent.
func (m Millionth) Percent() float64 { return float64(m) / float64(onePercent) }

// String formats the share as a percentage: "2.9%".
func (m Millionth) String() string { return strconv.FormatFloat(m.Percent(), 'f', -1, 64) + "%" }

// of returns the share of an amount, rounded half away from zero.
func (m Millionth) of(amount int64) int64 { return portion(amount, int64(m), int64(whole)) }

// Check returns a fault of kind invalid for a rule with missing, unexpected or impossible values.
func (r CostRule) Check() error {
	switch {
	case !slices.Contains(CostKinds(), r.Kind):
		return fault.Invalid("%q is not a kind of cost", r.Kind).WithHint("use one of %q", CostKinds())
	case r.Share < 0 || r.Share > whole:
		return fault.Invalid("the share of %s is outside 0 to 100%%", r.Kind)
	case r.Fixed.Minor < 0 || r.Fixed.Minor > 0 && r.Fixed.Currency == "":
		return fault.Invalid("the amount per order of %s is not a positive amount", r.Kind)
	case r.Surface != "" && !slices.Contains(Surfaces(), r.Surface):
		return fault.Invalid("%q is not a sales surface", r.Surface).WithHint("use one of %q", Surfaces())
	case r.Surface != "" && r.Channel != "":
		return fault.Invalid("a cost is for a sales surface or for a channel, not for both").WithHint("omit one of them")
	case r.Channel != "" && r.Kind != GrossMargin:
		return fault.Invalid("only a gross_margin can be for one channel; %s applies to the store or to a sales surface", r.Kind).
			WithHint("omit the channel")
	case r.Fixed.Minor > 0 && (r.Kind == GrossMargin || r.Kind == Returns):
		return fault.Invalid("%s is a percentage; it has no amount per order", r.Kind).WithHint("give only a percentage")
	}
	return nil
}

// Same reports whether two rules apply to the same costs from the same day.
func (r CostRule) Same(other CostRule) bool {
	return r.Kind == other.Kind && r.Surface == other.Surface && r.Channel == other.Channel && r.From == other.From
}

// String describes the rule: "payment_fee from 2026-01-01: 2.9% and USD 0.30 per order".
func (r CostRule) String() string {
	text := string(r.Kind)
	if of := cmp.Or(string(r.Surface), string(r.Channel)); of != "" {
		text += " of " + of
	}
	if !r.From.IsZero() {
		text += " from " + r.From.String()
	}
	return text + ": " + r.Value()
}

// Value describes what the rule subtracts: "2.9% and USD 0.30 per order".
func (r CostRule) Value() string {
	switch {
	case r.Fixed.Minor == 0:
		return r.Share.String()
	case r.Share == 0:
		return fmt.Sprintf("%s per order", r.Fixed)
	}
	return fmt.Sprintf("%s and %s per order", r.Share, r.Fixed)
}

// CostRules are the costs of a store, sorted by kind, surface, channel and day.
type CostRules []CostRule

// Find returns the rule that is for the same costs and starts on the same day as r.
func (all CostRules) Find(r CostRule) (CostRule, bool) {
	at := slices.IndexFunc(all, r.Same)
	if at < 0 {
		return CostRule{}, false
	}
	return all[at], true
}

// With returns the rules with a rule added. The new rule replaces a rule for the same costs from the same day.
func (all CostRules) With(r CostRule) CostRules {
	out := append(all.Without(r), r)
	slices.SortFunc(out, func(a, b CostRule) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Surface, b.Surface), cmp.Compare(a.Channel, b.Channel), a.From.Compare(b.From))
	})
	return out
}

// Without returns the rules without the rule for the same costs from the same day.
func (all CostRules) Without(r CostRule) CostRules {
	return slices.DeleteFunc(slices.Clone(all), r.Same)
}

// On returns the rule that applies to a surface on a day: the surface's rule, else the store's rule. The rule with the
// latest first day up to the given day applies. For an empty surface, On returns the store's rule.
func (all CostRules) On(kind CostKind, surface Surface, day civil.Date) (CostRule, bool) {
	if surface != "" {
		if r, ok := all.latest(CostRule{Kind: kind, Surface: surface}, day); ok {
			return r, true
		}
	}
	return all.latest(CostRule{Kind: kind}, day)
}

// Has reports whether a rule of a kind applies to the store or to a surface on a day.
func (all CostRules) Has(kind CostKind, day civil.Date) bool {
	return slices.ContainsFunc(all, func(r CostRule) bool { return r.Kind == kind && !r.From.After(day) })
}

// ChannelMargin returns the gross margin of a channel on a day.
func (all CostRules) ChannelMargin(channel Channel, day civil.Date) (CostRule, bool) {
	return all.latest(CostRule{Kind: GrossMargin, Channel: channel}, day)
}

// latest returns the rule that applies on a day and has the kind, surface and channel of the rule like.
func (all CostRules) latest(like CostRule, day civil.Date) (found CostRule, ok bool) {
	for _, r := range all {
		like.From = r.From
		if r.Same(like) && !r.From.After(day) && (!ok || r.From.After(found.From)) {
			found, ok = r, true
		}
	}
	return found, ok
}
