package control

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

// AlertID identifies an alert rule.
type AlertID string

// Alert is a rule about a daily metric. The rule raises an [AlertEvent] for each day that meets its condition.
type Alert struct {
	ID        AlertID
	Workspace measure.WorkspaceID
	Name      string
	Metric    AlertMetric
	Channel   measure.Channel // "" for the whole store
	Condition AlertCondition
	Threshold AlertValue // in percent for change_above, otherwise in the unit of the metric
	By        string     // the actor that created the rule
	At        time.Time
}

// AlertMetric is a metric that alert rules check.
type AlertMetric string

// The metrics. Revenue, spend and AOV are money in the workspace's currency.
const (
	AlertRevenue AlertMetric = "revenue"
	AlertOrders  AlertMetric = "orders"
	AlertSpend   AlertMetric = "spend"
	AlertROAS    AlertMetric = "roas"
	AlertAOV     AlertMetric = "aov"
)

// AlertMetrics lists the metrics.
func AlertMetrics() []AlertMetric {
	return []AlertMetric{AlertRevenue, AlertOrders, AlertSpend, AlertROAS, AlertAOV}
}

// IsMoney reports whether the metric is an amount.
func (m AlertMetric) IsMoney() bool { return m == AlertRevenue || m == AlertSpend || m == AlertAOV }

// AlertCondition is the comparison of a rule's metric with its threshold.
type AlertCondition string

// The conditions. ChangeAbove uses the absolute value of the change in percent, so it includes increases and decreases.
const (
	Above       AlertCondition = "above"
	Below       AlertCondition = "below"
	ChangeAbove AlertCondition = "change_above"
)

// AlertConditions lists the conditions.
func AlertConditions() []AlertCondition { return []AlertCondition{Above, Below, ChangeAbove} }

// AlertValue is an exact number in millionths.
type AlertValue int64

// These are the maximum thresholds. The threshold of a change is in percent and has its own maximum.
const (
	maxThreshold     = 1e12
	maxChangePercent = 10_000
)

// NewAlertValue returns x rounded to millionths.
func NewAlertValue(x float64) AlertValue { return AlertValue(math.Round(x * measure.Millionths)) }

// ParseAlertValue parses a number such as 1200 or 0.5. More than six decimals are a fault of kind invalid.
func ParseAlertValue(text string) (AlertValue, error) {
	text = strings.TrimSpace(text)
	whole, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimPrefix(whole, "-") + fraction
	if digits == "" || len(fraction) > 6 || strings.Trim(digits, "0123456789") != "" || len(whole) > 13 {
		return 0, fault.Invalid("%q is not a number", text).WithHint("write digits and at most six decimals, such as 1200 or 0.5")
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 6-len(fraction)), 10, 64)
	if err != nil {
		return 0, fault.Invalid("%q is not a number", text).WithHint("write digits and at most six decimals, such as 1200 or 0.5")
	}
	return AlertValue(n), nil
}

// Float returns the number for statistics and display.
func (v AlertValue) Float() float64 { return float64(v) / measure.Millionths }

// String returns the number without trailing zeros.
func (v AlertValue) String() string {
	sign, n := "", uint64(v)
	if v < 0 {
		sign, n = "-", -n
	}
	text := fmt.Sprintf("%s%d.%06d", sign, n/measure.Millionths, n%measure.Millionths)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// MarshalJSON returns the number.
func (v AlertValue) MarshalJSON() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalJSON reads a number without an exponent.
func (v *AlertValue) UnmarshalJSON(text []byte) (err error) {
	*v, err = ParseAlertValue(string(text))
	return err
}

// decimals returns the number of decimals of the value.
func (v AlertValue) decimals() int {
	_, fraction, _ := strings.Cut(v.String(), ".")
	return len(fraction)
}

// Checked returns the rule with its name, or a fault of kind invalid. Without a name, the rule is named after its
// condition.
func (a Alert) Checked(c money.Currency) (Alert, error) {
	if !slices.Contains(AlertMetrics(), a.Metric) {
		return a, fault.Invalid("metric %q is unknown", a.Metric).WithHint("use one of %s", listed(AlertMetrics()))
	}
	if !slices.Contains(AlertConditions(), a.Condition) {
		return a, fault.Invalid("condition %q is unknown", a.Condition).WithHint("use one of %s", listed(AlertConditions()))
	}
	if err := a.checkThreshold(c); err != nil {
		return a, err
	}
	if a.Name = strings.TrimSpace(a.Name); a.Name == "" {
		a.Name = a.Rule(c)
	}
	name, err := CheckedName(a.Name)
	a.Name = name
	return a, err
}

func (a Alert) checkThreshold(c money.Currency) error {
	most, unit := AlertValue(maxThreshold*measure.Millionths), "the unit of the metric"
	if a.Condition == ChangeAbove {
		most, unit = maxChangePercent*measure.Millionths, "percent"
	}
	switch {
	case a.Threshold < 0 || a.Threshold > most || a.Threshold == 0 && a.Condition != Above:
		return fault.Invalid("threshold %s is out of range", a.Threshold).WithHint("use a number above 0 and up to %s, in %s", most, unit)
	case a.Condition == ChangeAbove:
	case a.Metric == AlertOrders && a.Threshold.decimals() > 0:
		return fault.Invalid("threshold %s is not a number of orders", a.Threshold).WithHint("use a whole number")
	case a.Metric.IsMoney() && a.Threshold.decimals() > c.Exponent():
		return fault.Invalid("threshold %s has more decimals than %s", a.Threshold, c).WithHint("use at most %d decimals", c.Exponent())
	}
	return nil
}

// Rule describes the rule, such as "revenue of google below USD 500".
func (a Alert) Rule(c money.Currency) string {
	text := string(a.Metric)
	if a.Metric == AlertROAS || a.Metric == AlertAOV {
		text = strings.ToUpper(text)
	}
	if a.Channel != "" {
		text += " of " + string(a.Channel)
	}
	if a.Condition == ChangeAbove {
		return text + " change above " + a.Threshold.String() + "%"
	}
	return text + " " + string(a.Condition) + " " + a.Text(a.Threshold, c)
}

// Text returns a value of the rule's metric with its unit.
func (a Alert) Text(v AlertValue, c money.Currency) string {
	if a.Metric.IsMoney() {
		return money.Text(v.Float(), c.Exponent(), c)
	}
	return v.String()
}

func listed[T ~string](all []T) string {
	parts := make([]string, len(all))
	for i, each := range all {
		parts[i] = string(each)
	}
	return strings.Join(parts, ", ")
}

// AlertEvent is a day that met the condition of a rule. It contains a copy of the rule, so a later change or removal of
// the rule does not affect the event.
type AlertEvent struct {
	Alert      Alert
	Day        civil.Date // in the workspace's time zone
	Value      AlertValue
	Reference  *AlertValue // for change_above: the mean of the same weekday in the previous four weeks
	LastOrder  civil.Date  // day of the last order, if the orders of Day may be incomplete; otherwise zero
	Raised     time.Time
	Deliveries []AlertDelivery // set by the store
}

// AlertDelivery is the delivery state of an event's message to one destination.
type AlertDelivery struct {
	Destination DestinationID `json:"destination"`
	State       DeliveryState `json:"state"`
	Attempts    int           `json:"attempts"`
	Problem     string        `json:"problem,omitempty"` // problem of the last attempt
}

// DeliveryState is the state of an alert message.
type DeliveryState string

// The states of an alert message. A message is given up after its last failed attempt.
const (
	DeliveryWaiting DeliveryState = "waiting"
	DeliverySent    DeliveryState = "sent"
	DeliveryGivenUp DeliveryState = "given_up"
)

// DestinationID identifies a destination of alert messages.
type DestinationID string

// DestinationKind is the way in which messages reach a destination.
type DestinationKind string

// The kinds.
const (
	WebhookDestination DestinationKind = "webhook"
	EmailDestination   DestinationKind = "email"
)

// Destination receives the alert messages of a workspace. An email destination is a member who chose to receive the
// messages. The destination is removed when the membership ends.
type Destination struct {
	ID        DestinationID
	Workspace measure.WorkspaceID
	Kind      DestinationKind
	URL       string // URL of a webhook
	Sealed    []byte // signing secret of a webhook, encrypted with the installation's secret
	Member    UserID // member who receives the emails
	Email     string // email address of the member, set by the store
	At        time.Time
}

// Place returns the target of the messages: the email address of the member, or the host of a webhook. Place omits the
// path of a URL, because the path may be a secret.
func (d Destination) Place() string {
	if d.Kind == EmailDestination {
		return d.Email
	}
	if u, err := url.Parse(d.URL); err == nil {
		return u.Host
	}
	return ""
}

// AlertMessageID identifies an alert message. Receivers use it to detect repeated messages.
type AlertMessageID string

// AlertMessage informs one destination about the events of one evaluation.
type AlertMessage struct {
	ID          AlertMessageID
	Workspace   Workspace
	Destination Destination
	Events      []AlertEvent
	Attempts    int // including the current one
	Created     time.Time
}

// AlertState summarizes the alert messages of a workspace.
type AlertState struct {
	Rules        int
	Destinations int
	Waiting      int
	GivenUp      int    // number of messages that were given up in the retention period
	Problem      string // problem of the latest message that has not been sent
}

// MaxAlertAttempts is the maximum number of attempts to send a message.
const MaxAlertAttempts = 7

// The bounds of the delay between two delivery attempts.
const (
	firstAlertDelay = time.Minute
	maxAlertDelay   = 6 * time.Hour
)

// AlertBackoff returns the delay after an attempt: 1, 4, 16, 64 and 256 minutes, then 6 hours.
func AlertBackoff(attempt int) time.Duration {
	delay := firstAlertDelay
	for range attempt - 1 {
		if delay *= 4; delay >= maxAlertDelay {
			return maxAlertDelay
		}
	}
	return delay
}

// KeepAlertMessages is the retention period of messages that were sent or given up.
const KeepAlertMessages = 30 * 24 * time.Hour

// The kinds of audit events about alerts. The subject is the ID of the rule or the destination.
const (
	AlertCreated       EventKind = "alert_created"
	AlertRemoved       EventKind = "alert_removed"
	DestinationAdded   EventKind = "alert_destination_added"
	DestinationRemoved EventKind = "alert_destination_removed"
)
