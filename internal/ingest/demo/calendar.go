package demo

import (
	"math"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Indexes of surfaces, in the order of [measure.Surfaces].
const (
	online = iota
	marketplace
	shortVideo
	retail
	wholesale
	surfaceCount
)

// growthPerYear is the factor by which a surface's demand grows per year.
var growthPerYear = [surfaceCount]float64{online: 1.20, marketplace: 1.26, shortVideo: 1.60, retail: 1.06, wholesale: 1.10}

// weekdays contains relative demand by day of the week, Sunday first.
var weekdays = [surfaceCount][7]float64{
	online:      {1.09, 1.03, 0.98, 0.97, 0.99, 0.95, 0.99},
	marketplace: {1.05, 1.04, 1.01, 1.00, 0.98, 0.95, 0.97},
	shortVideo:  {1.12, 0.94, 0.94, 0.96, 0.99, 1.00, 1.05},
	retail:      {1.20, 0.72, 0.74, 0.80, 0.92, 1.17, 1.45},
	wholesale:   {0.05, 1.48, 1.52, 1.46, 1.36, 1.08, 0.05},
}

// noonHour is the hour at which the data of the last day end.
const noonHour = 12

// hours contains relative demand by hour of the day in the store's time zone.
var hours = []float64{
	0.9, 0.5, 0.3, 0.25, 0.3, 0.6, 1.3, 2.2, 3.2, 4.2, 5.0, 5.4,
	5.6, 5.4, 5.2, 5.1, 5.0, 5.1, 5.4, 6.2, 6.8, 6.6, 4.8, 2.4,
}

// noonShare returns the share of a day's orders before noon. The last day has only these orders.
func noonShare() float64 {
	before, all := 0.0, 0.0
	for h, w := range hours {
		all += w
		if h < noonHour {
			before += w
		}
	}
	return before / all
}

// dayShare returns the share of a day that has data.
func (f *frame) dayShare(t int) float64 {
	if t == f.opt.Days-1 && !f.whole {
		return noonShare()
	}
	return 1
}

// demandShapes returns each surface's unscaled demand by day without media.
func (f *frame) demandShapes() [][]float64 {
	shapes := make([][]float64, surfaceCount)
	for s := range shapes {
		shapes[s] = make([]float64, f.opt.Days)
		for t := range shapes[s] {
			shapes[s][t] = f.demandOn(s, f.day(t))
		}
	}
	return shapes
}

// demandOn returns a surface's demand on any day, also after the store's last day: trend x season x weekday x occasion
// x sale.
func (f *frame) demandOn(surface int, d civil.Date) float64 {
	trend := math.Pow(growthPerYear[surface], float64(f.index(d))/365.25)
	return trend * season(d) * weekdays[surface][d.Weekday()] * occasion(surface, d) * saleLift(surface, d)
}

// season returns the smooth seasonal factor of a day. The factor is highest in late November and has a smaller peak in
// spring.
func season(d civil.Date) float64 {
	angle := 2 * math.Pi * float64(d.YearDay()) / 365.25
	return 1 + 0.07*math.Cos(angle-2*math.Pi*330/365.25) + 0.03*math.Cos(2*angle-4*math.Pi*130/365.25)
}

// nth returns the date of the nth weekday w in a month.
func nth(n int, w time.Weekday, year int, month time.Month) civil.Date {
	first := civil.New(year, month, 1)
	return first.AddDays((int(w-first.Weekday())+7)%7 + 7*(n-1))
}

func thanksgiving(year int) civil.Date { return nth(4, time.Thursday, year, time.November) }

// aroundThanksgiving contains the factors of demand from the Monday before Thanksgiving to the Tuesday after Cyber
// Monday.
var aroundThanksgiving = [surfaceCount][]float64{
	online:      {1.30, 1.30, 1.50, 2.20, 4.80, 2.90, 2.60, 4.40, 1.70},
	marketplace: {1.20, 1.20, 1.30, 1.60, 2.70, 1.90, 1.80, 2.80, 1.40},
	shortVideo:  {1.20, 1.20, 1.30, 1.80, 3.40, 2.30, 2.10, 3.00, 1.40},
	retail:      {1.10, 1.15, 1.20, 0.02, 2.10, 1.70, 1.30, 1.00, 1.00},
	wholesale:   {0.90, 0.80, 0.60, 0.05, 0.20, 0.30, 0.30, 0.90, 1.00},
}

// occasion returns the demand factor of a day. It differs from 1 around Thanksgiving (see [aroundThanksgiving]), from
// November 28 to January 31, in the week before Valentine's Day and on July 4. The marketplace's sales also have a
// factor. Wholesale has its own special days.
func occasion(surface int, d civil.Date) float64 {
	if k := d.Sub(thanksgiving(d.Year())) + 3; k >= 0 && k < len(aroundThanksgiving[surface]) {
		return aroundThanksgiving[surface][k]
	}
	if surface == wholesale {
		return wholesaleOccasion(d)
	}
	switch md := int(d.Month())*100 + d.Day(); {
	case surface == marketplace && isMarketplaceSale(d):
		return 2.2
	case md >= 1128 && md <= 1215:
		return 1.45
	case md >= 1216 && md <= 1219:
		return 1.25
	case md >= 1220 && md <= 1223:
		return pickSurface(surface, 0.85, 1.60)
	case md == 1224:
		return pickSurface(surface, 0.45, 1.10)
	case md == 1225:
		return pickSurface(surface, 0.30, 0.02)
	case md >= 1226 || md == 101:
		return 0.85
	case md <= 131:
		return 0.90
	case md >= 207 && md <= 213:
		return 1.20
	case md == 704:
		return 0.80
	}
	return 1
}

// pickSurface returns the value shops for retail, and the value others for every other surface.
func pickSurface(surface int, others, shops float64) float64 {
	if surface == retail {
		return shops
	}
	return others
}

func wholesaleOccasion(d civil.Date) float64 {
	switch md := int(d.Month())*100 + d.Day(); {
	case md >= 1001 && md <= 1115: // shops stock up for the holidays
		return 1.35
	case md >= 1220 || md <= 102:
		return 0.25
	}
	return 1
}

func isMarketplaceSale(d civil.Date) bool {
	for _, month := range []time.Month{time.July, time.October} {
		if k := d.Sub(nth(2, time.Tuesday, d.Year(), month)); k == 0 || k == 1 {
			return true
		}
	}
	return false
}

// sale is a promotion of the online store with a public code.
type sale struct {
	code    string
	first   civil.Date
	days    int
	percent int64   // discount with the code, in percent
	lift    float64 // factor of the online store's own demand
}

// salesOf lists the year's sales. The lift of the Thanksgiving sale is in [aroundThanksgiving].
func salesOf(year int) []sale {
	return []sale{
		{"PRES15", nth(3, time.Monday, year, time.February).AddDays(-3), 4, 15, 1.25},
		{"SPRING15", civil.New(year, time.April, 9), 5, 15, 1.28},
		{"MOM20", nth(2, time.Sunday, year, time.May).AddDays(-9), 6, 20, 1.45},
		{"MEMORIAL20", nth(1, time.Monday, year, time.June).AddDays(-10), 4, 20, 1.35},
		{"SUMMER15", civil.New(year, time.July, 2), 4, 15, 1.30},
		{"LABOR20", nth(1, time.Monday, year, time.September).AddDays(-3), 4, 20, 1.35},
		{"AUTUMN15", civil.New(year, time.October, 7), 5, 15, 1.25},
		{"BFCM25", thanksgiving(year), 5, 25, 1},
		{"GIFT15", civil.New(year, time.December, 8), 5, 15, 1.15},
	}
}

// saleOn returns the sale of a day.
func saleOn(d civil.Date) (sale, bool) {
	for _, s := range salesOf(d.Year()) {
		if k := d.Sub(s.first); k >= 0 && k < s.days {
			return s, true
		}
	}
	return sale{}, false
}

func saleLift(surface int, d civil.Date) float64 {
	s, on := saleOn(d)
	switch {
	case !on:
		return 1
	case surface == online:
		return s.lift
	case surface == retail || surface == shortVideo:
		return 1 + (s.lift-1)/2
	}
	return 1
}

// ordinary reports whether no sale or special occasion affects the online store on the day.
func ordinary(d civil.Date) bool {
	_, onSale := saleOn(d)
	return !onSale && occasion(online, d) == 1 && !isMarketplaceSale(d)
}

// surfaceNames lists the surfaces in the order of the constants above.
var surfaceNames = measure.Surfaces()
