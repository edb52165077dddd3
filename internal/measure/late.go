package measure

import (
	"strings"
	"time"

	"assay/internal/civil"
)

// Restating returns how many trailing days of its reports an ad platform may still change: as long as conversions may
// come in after the click that they are dated by.
func (p Platform) Restating() int {
	if p == Google {
		return 30
	}
	return 28
}

// FirstProvisional returns the first of the days that a platform may still change, seen from today, which is one of them.
func (p Platform) FirstProvisional(today civil.Date) civil.Date {
	return today.AddDays(1 - p.Restating())
}

// TotalsKind says what a day's totals are of.
type TotalsKind string

// The kinds.
const (
	OrderTotals TotalsKind = "orders" // of a sales surface: what it sold and gave back
	SpendTotals TotalsKind = "spend"  // of an ad platform: what it reports; of spend entered by hand where it has no name
)

// DayPart names what is added up: a day of one sales surface or of one ad platform.
type DayPart struct {
	Day  civil.Date
	Kind TotalsKind
	Name string // of the surface or the platform; "" is spend entered by hand
}

// Words names the surface or the platform for people.
func (p DayPart) Words() string {
	name := strings.ReplaceAll(p.Name, "_", " ")
	switch {
	case p.Kind == OrderTotals:
		return "orders, " + name
	case name == "":
		return "spend entered by hand"
	}
	return name
}

// DayTotals is what a day's part adds up to. Amounts are minor units of the workspace's currency.
type DayTotals struct {
	Sums        Sums  // of order totals
	Spend       int64 // and what follows: of spend totals
	Impressions int64
	Clicks      int64
	Claimed     int64 // conversions that the platform claims, in millionths
	ClaimedSum  int64 // their value
}

// DayVersion is a day's totals as they stood from an import on.
type DayVersion struct {
	DayPart
	DayTotals
	Gone   bool       // the store has nothing of it any more; what was 0 and what is not known differ
	Import string     // id of the import that brought it
	At     time.Time  // of the import
	Seen   civil.Date // the day of the import, in the workspace's zone
	Source string     // of the import
	File   string     // of the import, base name
}

// DayChange is a day whose totals changed after they were first shown: after the day was over, or had come at all.
type DayChange struct {
	First   DayVersion // as the day stood when it was over, else as it came first
	Now     DayVersion
	Changes int // since First
}

// Look is what an import told again of a part's days, changed or not.
type Look struct {
	Kind TotalsKind
	Name string
	Seen civil.Date  // the day of the import, in the workspace's zone
	Days civil.Range // that it told all of
}

// FigureUnit says what a figure of a day counts.
type FigureUnit int

// The units.
const (
	Items       FigureUnit = iota // whole things
	InMillionth                   // orders and conversions, in millionths
	MinorUnits                    // money
)

// Figure is one figure of a day's totals.
type Figure struct {
	Name  string // for people
	Value int64
	Unit  FigureUnit
}

// Figures lists what a part's totals are made of; nothing of a day that is gone.
func (v DayVersion) Figures() []Figure {
	if v.Gone {
		return nil
	}
	if v.Kind == SpendTotals {
		return []Figure{
			{"spend", v.Spend, MinorUnits},
			{"impressions", v.Impressions, Items},
			{"clicks", v.Clicks, Items},
			{"claimed conversions", v.Claimed, InMillionth},
			{"claimed revenue", v.ClaimedSum, MinorUnits},
		}
	}
	s := v.Sums
	return []Figure{
		{"orders", s.Orders, InMillionth},
		{"charged", s.Charged, MinorUnits},
		{"tax", s.Tax, MinorUnits},
		{"shipping", s.Shipping, MinorUnits},
		{"discounts", s.Discounts, MinorUnits},
		{"refunds", s.Refunds, MinorUnits},
		{"refunds without a date", s.Undated, MinorUnits},
		{"orders of new customers", s.NewOrders, InMillionth},
		{"items", s.Units, Items},
	}
}

// Move is a figure that is another one than before. Before or After is nil where the store had nothing of the day.
type Move struct {
	Name          string
	Unit          FigureUnit
	Before, After *int64
}

// Moves lists the figures in which two versions of a day's part differ.
func Moves(before, after DayVersion) []Move {
	old, now := before.Figures(), after.Figures()
	var moves []Move
	for i := range max(len(old), len(now)) {
		switch {
		case i >= len(old):
			moves = append(moves, Move{Name: now[i].Name, Unit: now[i].Unit, After: &now[i].Value})
		case i >= len(now):
			moves = append(moves, Move{Name: old[i].Name, Unit: old[i].Unit, Before: &old[i].Value})
		case old[i].Value != now[i].Value:
			moves = append(moves, Move{Name: now[i].Name, Unit: now[i].Unit, Before: &old[i].Value, After: &now[i].Value})
		}
	}
	return moves
}
