package measure

import (
	"strings"
	"time"

	"assay/internal/civil"
)

// Restating returns the number of trailing days that an ad platform can still change: its attribution window for
// conversions.
func (p Platform) Restating() int {
	if p == Google {
		return 30
	}
	return 28
}

// FirstProvisional returns the first day that a platform can still change, given today.
func (p Platform) FirstProvisional(today civil.Date) civil.Date {
	return today.AddDays(1 - p.Restating())
}

// TotalsKind distinguishes totals of orders from totals of spend.
type TotalsKind string

// The kinds.
const (
	OrderTotals TotalsKind = "orders" // totals of a sales surface: orders and refunds
	SpendTotals TotalsKind = "spend"  // report of an ad platform; with an empty name, manually entered spend
)

// DayPart identifies the totals of a day of one sales surface or one ad platform.
type DayPart struct {
	Day  civil.Date
	Kind TotalsKind
	Name string // name of the surface or platform; "": manually entered spend
}

// Words returns the display name of the surface or the platform.
func (p DayPart) Words() string {
	name := strings.ReplaceAll(p.Name, "_", " ")
	switch {
	case p.Kind == OrderTotals:
		return "orders, " + name
	case name == "":
		return "manually entered spend"
	}
	return name
}

// DayTotals contains the totals of one DayPart. Amounts are minor units of the workspace's currency.
type DayTotals struct {
	Sums        Sums  // figures of order totals
	Spend       int64 // Spend and the following fields are for spend totals
	Impressions int64
	Clicks      int64
	Claimed     int64 // platform-reported conversions, in millionths
	ClaimedSum  int64 // value of the reported conversions
}

// DayVersion contains a day's totals as of an import.
type DayVersion struct {
	DayPart
	DayTotals
	Gone   bool       // the store no longer has data of the day; its totals are unknown, not 0
	Import string     // ID of the import
	At     time.Time  // time of the import
	Seen   civil.Date // day of the import in the workspace's time zone
	Source string     // source of the import
	File   string     // base name of the imported file
}

// DayChange describes a day with totals that changed after the end of the day, or after the first import.
type DayChange struct {
	First   DayVersion // totals at the end of the day or at the first import
	Now     DayVersion
	Changes int // number of changes since First
}

// Look describes the days of a sales surface or ad platform that an import covered, with or without a change.
type Look struct {
	Kind TotalsKind
	Name string
	Seen civil.Date  // day of the import in the workspace's time zone
	Days civil.Range // covered completely
}

// FigureUnit is the unit of a figure.
type FigureUnit int

// The units.
const (
	Items       FigureUnit = iota // whole items
	InMillionth                   // orders and conversions, in millionths
	MinorUnits                    // money
)

// Figure is one figure of a day's totals.
type Figure struct {
	Name  string // display name
	Value int64
	Unit  FigureUnit
}

// Figures returns the figures of a day's totals, or none for a day without data.
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

// Move is a changed figure. Before or After is nil if the store had no data of the day.
type Move struct {
	Name          string
	Unit          FigureUnit
	Before, After *int64
}

// Moves returns the figures that differ between two versions of a day's totals.
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
