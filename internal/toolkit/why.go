package toolkit

import (
	"context"
	"fmt"
	"math"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/change"
	"assay/internal/measure/holiday"
	"assay/internal/snapshot"
)

// Why is the part of an answer that explains a change of revenue.
type Why struct {
	Drivers []Driver      `json:"drivers,omitempty" doc:"Parts of the change of revenue. The parts of each dimension add up to the change. The summary level shows only the largest part."`
	Events  []ChangeEvent `json:"events,omitempty" doc:"Events in the two periods, possible causes first. The summary level shows only the first possible cause."`

	sentence string
}

// Driver is a part of a change.
type Driver struct {
	Dimension snapshot.Dimension `json:"dimension"`
	Part      answer.Foreign     `json:"part"`
	Change    answer.Money       `json:"change"`
	Share     *answer.Percent    `json:"share_pct,omitempty" doc:"Share of the change; negative if the part has the opposite sign."`
	Call      *DriverCall        `json:"call,omitempty" detail:"analyst" doc:"A call that shows this part."`
}

// DriverCall is a call with complete arguments.
type DriverCall struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

// ChangeEvent is an event in one of the two periods.
type ChangeEvent struct {
	Date    civil.Date         `json:"date"`
	EndDate civil.Date         `json:"end_date,omitzero"`
	Kind    snapshot.EventKind `json:"kind"`
	Text    string             `json:"text"`
	Subject answer.Foreign     `json:"subject,omitempty" doc:"Channel, product, holiday or annotation."`
	Effect  *answer.Money      `json:"effect,omitempty" doc:"Estimated part of the change; absent if unknown. Effects overlap and do not add up."`
	Cause   bool               `json:"cause,omitempty" doc:"true if the event may explain at least a fifth of the change."`
}

// Limits of an explanation.
const (
	summaryDrivers = 1
	summaryEvents  = 1
	namedCauses    = 2
	analystEvents  = 10
)

// Why explains a change of revenue.
func (c *Call) Why(ctx context.Context, of snapshot.ChangeOf) (Why, error) {
	brief := c.View.DetailLevel == answer.SummaryLevel
	of.Regions = !brief
	found, err := c.Change(ctx, of)
	if err != nil || found.Total == 0 {
		return Why{}, err
	}
	w := Why{sentence: c.largestDriver(found) + c.possibleCauses(found)}
	splits, events := found.Splits, found.Events[:min(len(found.Events), analystEvents)]
	if brief {
		splits, events = leadingParts(found), causesAndTracking(found)
	}
	for _, s := range splits {
		for _, p := range s.Parts {
			w.Drivers = append(w.Drivers, c.driver(of, s.Dimension, p, found.Total))
		}
	}
	causes := len(found.Causes())
	for i, e := range events {
		w.Events = append(w.Events, c.changeEvent(e, i < causes))
	}
	return w, nil
}

// Sentence states the largest driver of the change and its possible causes, without untrusted text. It returns "" if
// there is no change.
func (w Why) Sentence() string { return w.sentence }

// SentenceOnly returns the explanation without its parts and events.
func (w Why) SentenceOnly() Why { return Why{sentence: w.sentence} }

// leadingParts returns the largest parts in the direction of the change. These are the larger part of the split by
// orders and AOV, the largest channel, and the largest part of any other split. leadingParts excludes the split by
// spend and ROAS, because these two parts offset each other.
func leadingParts(found snapshot.Change) (leading []snapshot.Split) {
	var other snapshot.Split
	for _, s := range found.Splits {
		along := change.Along(s.Parts, found.Total)
		switch {
		case len(along) == 0 || along[0].Name == snapshot.PartOther || s.Dimension == snapshot.ByReturn:
		case s.Dimension == snapshot.ByOrderValue || s.Dimension == snapshot.ByChannel:
			leading = append(leading, snapshot.Split{Dimension: s.Dimension, Parts: along[:1]})
		case len(other.Parts) == 0 || abs(along[0].Change) > abs(other.Parts[0].Change):
			other = snapshot.Split{Dimension: s.Dimension, Parts: along[:1]}
		}
	}
	if len(other.Parts) > 0 {
		leading = append(leading, other)
	}
	return leading[:min(len(leading), summaryDrivers)]
}

// causesAndTracking returns the first possible causes and any loss of tracking, which makes channels incomparable.
func causesAndTracking(found snapshot.Change) []snapshot.Event {
	causes := found.Causes()
	causes = causes[:min(len(causes), summaryEvents)]
	if e, ok := lostTracking(found); ok && e.Effect == nil {
		causes = append(causes, e)
	}
	return causes
}

func lostTracking(found snapshot.Change) (snapshot.Event, bool) {
	for _, e := range found.Events {
		if e.Kind == snapshot.LostTracking {
			return e, true
		}
	}
	return snapshot.Event{}, false
}

func (c *Call) driver(of snapshot.ChangeOf, by snapshot.Dimension, p change.Part, total int64) Driver {
	d := Driver{Dimension: by, Part: answer.Foreign(p.Name), Change: c.Figures.Money(p.Change)}
	d.Share = new(answer.Percent(100 * float64(p.Change) / float64(total)))
	tool, arguments := callOfPart(by, p.Name, of)
	if tool != "" && c.Principal.Has(control.ScopeRead) && c.Principal.MayCall(tool) && c.Available(tool) {
		d.Call = &DriverCall{Tool: tool, Arguments: arguments}
	}
	return d
}

// callOfPart returns the tool call that shows a part of a change in the recent window. The tool is "" if no tool shows
// the part.
func callOfPart(by snapshot.Dimension, name string, of snapshot.ChangeOf) (tool string, arguments map[string]any) {
	if name == snapshot.PartOther {
		return "", nil
	}
	arguments = Dated(of.Windows.Recent)
	filter := func() {
		if of.Channel != "" {
			arguments["channel"] = string(of.Channel)
		}
	}
	switch by {
	case snapshot.ByOrderValue, snapshot.ByReturn:
		if name == snapshot.PartDays || name == snapshot.PartAOV {
			return "", nil
		}
		filter()
		return "trends", With(arguments, "metric", name)
	case snapshot.ByCustomer:
		return "customers", arguments
	case snapshot.ByChannel:
		return "performance", With(arguments, "channel", name)
	case snapshot.BySurface:
		return "omnichannel", arguments
	case snapshot.ByPrice:
		if name == snapshot.PartDiscounts {
			return "products", With(arguments, "view", "coupons")
		}
		return "products", arguments
	case snapshot.ByProduct:
		return "products", arguments
	case snapshot.ByRegion:
	}
	return "", nil
}

func (c *Call) changeEvent(e snapshot.Event, cause bool) ChangeEvent {
	out := ChangeEvent{Date: e.Days.First, Kind: e.Kind, Subject: answer.Foreign(e.Subject), Cause: cause}
	if e.Days.Days() > 1 {
		out.EndDate = e.Days.Last
	}
	if e.Effect != nil {
		out.Effect = new(c.Figures.Money(*e.Effect))
	}
	out.Text = answer.Sentence(eventText(e))
	return out
}

// partNames contains the names of the parts of a change by orders and AOV, for use in a sentence.
var partNames = map[string]string{
	snapshot.PartDays: "the difference in period length", snapshot.PartOrders: "the number of orders", snapshot.PartAOV: "the average order value",
}

// largestDriver names the largest driver among orders and AOV in the direction of the change.
func (c *Call) largestDriver(found snapshot.Change) string {
	for _, s := range found.Splits {
		along := change.Along(s.Parts, found.Total)
		if s.Dimension == snapshot.ByOrderValue && len(along) > 0 {
			effect := "raised"
			if along[0].Change < 0 {
				effect = "lowered"
			}
			return fmt.Sprintf(" The largest driver is %s, which %s revenue by %s.", partNames[along[0].Name], effect,
				c.Amount(max(along[0].Change, -along[0].Change)))
		}
	}
	return ""
}

func direction(change int64) string {
	if change < 0 {
		return "down"
	}
	return "up"
}

// possibleCauses returns sentences on the first two possible causes and, if present, on lost tracking.
func (c *Call) possibleCauses(found snapshot.Change) string {
	causes := found.Causes()
	var named []string
	for _, e := range causes[:min(len(causes), namedCauses)] {
		named = append(named, fmt.Sprintf("%s (effect on revenue: %s about %s)", eventText(e), direction(*e.Effect), c.Amount(max(*e.Effect, -*e.Effect))))
	}
	var text string
	switch len(named) {
	case 0:
	case 1:
		text = " A possible cause: " + named[0] + "."
	default:
		text = " Possible causes: " + strings.Join(named, "; ") + "."
	}
	if e, ok := lostTracking(found); ok && e.Effect == nil {
		text += fmt.Sprintf(" Changes by channel are unreliable: %s.", eventText(e))
	}
	return text
}

// eventText describes an event as a part of a sentence, without untrusted text.
func eventText(e snapshot.Event) string {
	on := answer.Dates(e.Days)
	if e.Earlier {
		on += " in the earlier period"
	}
	switch e.Kind {
	case snapshot.NoOrders:
		return "there were no orders " + on + ", possibly because of an outage or a missing import"
	case snapshot.HighRevenue:
		return "revenue was unusually high " + on
	case snapshot.LowRevenue:
		return "revenue was unusually low " + on
	case snapshot.HolidayEvent:
		return holiday.Phrase(e.Subject) + " was " + on
	case snapshot.LostTracking:
		return fmt.Sprintf("the share of orders without a channel was %s percentage points higher %s", answer.Quantity(answer.Decimals(e.Pct, 0)), on)
	case snapshot.OutOfStock:
		return "one product had no sales " + on + " and may have been out of stock"
	case snapshot.SpendChange:
		return fmt.Sprintf("daily spend on %s was %s, with the largest change %s", answer.ChannelName(measure.Channel(e.Subject)), answer.Moved(new(answer.Percent(e.Pct))), on)
	case snapshot.PriceChange:
		return "list prices of the same products were " + answer.Moved(new(answer.Percent(e.Pct)))
	case snapshot.MoreDiscount:
		way := "higher"
		if e.Pct < 0 {
			way = "lower"
		}
		return fmt.Sprintf("discounts as a share of list prices were %s percentage points %s", answer.Quantity(answer.Decimals(math.Abs(e.Pct), 1)), way)
	}
	return fmt.Sprintf("there is an annotation of the type %s %s", e.Kind, on)
}
