package holiday

import (
	"slices"
	"strings"
	"time"

	"assay/internal/civil"
)

// known lists the countries in the calendar.
var known = strings.Fields("AT AU BE CA CH DE DK ES FI FR GB IE IT NL NO NZ PL PT SE US")

// zones lists the time zones of the countries. Australian zones share a prefix.
var zones = zonesOf(map[string]string{
	"US": "America/New_York America/Chicago America/Denver America/Los_Angeles America/Phoenix America/Anchorage America/Boise " +
		"America/Detroit America/Indiana/Indianapolis Pacific/Honolulu US/Eastern US/Central US/Mountain US/Pacific",
	"CA": "America/Toronto America/Vancouver America/Edmonton America/Winnipeg America/Halifax America/Montreal America/Regina " +
		"America/St_Johns",
	"GB": "Europe/London Europe/Belfast GB", "IE": "Europe/Dublin", "DE": "Europe/Berlin", "AT": "Europe/Vienna",
	"CH": "Europe/Zurich", "FR": "Europe/Paris", "BE": "Europe/Brussels", "NL": "Europe/Amsterdam",
	"ES": "Europe/Madrid Atlantic/Canary", "PT": "Europe/Lisbon Atlantic/Madeira Atlantic/Azores", "IT": "Europe/Rome",
	"PL": "Europe/Warsaw", "DK": "Europe/Copenhagen", "SE": "Europe/Stockholm", "NO": "Europe/Oslo", "FI": "Europe/Helsinki",
	"NZ": "Pacific/Auckland NZ",
})

func zonesOf(byCountry map[string]string) map[string]string {
	all := map[string]string{}
	for country, names := range byCountry {
		for zone := range strings.FieldsSeq(names) {
			all[zone] = country
		}
	}
	return all
}

// calendar contains all holidays. Days off are nationwide by law as of 2025; docs/methods/mmm.md lists the sources.
var calendar = slices.Concat(shopping, everywhere, byChurch, national)

var shopping = []Holiday{
	{Name: "valentines", Kind: Shopping, days: weekBefore(on(time.February, 14))},
	in("US CA AU NZ DE AT CH BE NL IT DK FI", Holiday{
		Name: "mothers_day", Kind: Shopping, days: weekBefore(nth(2, time.Sunday, time.May)),
	}),
	in("GB IE", Holiday{Name: "mothering_sunday", Kind: Shopping, days: weekBefore(easter(-21))}),
	in("FR", Holiday{Name: "mothers_day_fr", Kind: Shopping, days: weekBefore(mothersDayFR)}),
	in("ES PT", Holiday{Name: "mothers_day_es_pt", Kind: Shopping, days: weekBefore(nth(1, time.Sunday, time.May))}),
	in("PL", Holiday{Name: "mothers_day_pl", Kind: Shopping, days: weekBefore(on(time.May, 26))}),
	in("SE", Holiday{Name: "mothers_day_se", Kind: Shopping, days: weekBefore(last(time.Sunday, time.May))}),
	in("NO", Holiday{Name: "mothers_day_no", Kind: Shopping, days: weekBefore(nth(2, time.Sunday, time.February))}),
	in("US CA GB IE FR NL", Holiday{
		Name: "fathers_day", Kind: Shopping, days: weekBefore(nth(3, time.Sunday, time.June)),
	}),
	in("AT BE", Holiday{Name: "fathers_day_at_be", Kind: Shopping, days: weekBefore(nth(2, time.Sunday, time.June))}),
	in("CH", Holiday{Name: "fathers_day_ch", Kind: Shopping, days: weekBefore(nth(1, time.Sunday, time.June))}),
	in("DE", Holiday{Name: "fathers_day_de", Kind: Shopping, days: weekBefore(easter(39))}),
	in("AU NZ", Holiday{Name: "fathers_day_au_nz", Kind: Shopping, days: weekBefore(nth(1, time.Sunday, time.September))}),
	in("ES IT PT", Holiday{Name: "fathers_day_es_it_pt", Kind: Shopping, days: weekBefore(on(time.March, 19))}),
	in("SE NO FI", Holiday{
		Name: "fathers_day_se_no_fi", Kind: Shopping, days: weekBefore(nth(2, time.Sunday, time.November)),
	}),
	in("PL", Holiday{Name: "fathers_day_pl", Kind: Shopping, days: weekBefore(on(time.June, 23))}),
	in("DK", Holiday{Name: "fathers_day_dk", Kind: Shopping, days: weekBefore(on(time.June, 5))}),
	in("US CA GB IE", Holiday{Name: "halloween", Kind: Shopping, days: weekBefore(on(time.October, 31))}),
	// cyber_weekend is Black Friday to Cyber Monday. Only daily data can separate its days.
	{Name: "cyber_weekend", Kind: Shopping, days: around(Thanksgiving, 1, 4)},
	{Name: "black_friday", Kind: Shopping, days: around(Thanksgiving, 1, 1), daily: true},
	{Name: "cyber_monday", Kind: Shopping, days: around(Thanksgiving, 4, 4), daily: true},
	in("NL BE", Holiday{Name: "sinterklaas", Kind: Shopping, days: around(on(time.December, 5), -14, 0)}),
	christmas,
	{Name: "after_christmas", Kind: Shopping, days: around(on(time.December, 27), 0, 3)},
}

// christmas contains the weeks of gift shopping: from the day after Cyber Monday to the carriers' last shipping days,
// one week before Christmas.
var christmas = Holiday{Name: "christmas", Kind: Shopping, days: func(year int) civil.Range {
	return civil.Range{First: Thanksgiving(year).AddDays(5), Last: civil.New(year, time.December, 18)}
}}

var everywhere = []Holiday{
	{Name: "new_year", Kind: Off, days: around(on(time.January, 1), -1, 0)},
	{Name: "easter", Kind: Off, days: around(Easter, -2, 1)},
	{Name: "christmas_days", Kind: Off, days: around(on(time.December, 25), -1, 1)},
}

var byChurch = []Holiday{
	in("AT ES FI IT PL SE", off("epiphany", on(time.January, 6))),
	in("AT BE CH DE DK FI FR NL NO SE", off("ascension", easter(39))),
	in("AT BE DE DK FR NL NO", off("whit_monday", easter(50))),
	in("AT PL PT", off("corpus_christi", easter(60))),
	in("AT BE ES FR IT PL PT", off("assumption", on(time.August, 15))),
	in("AT BE ES FR IT PL PT", off("all_saints", on(time.November, 1))),
	in("AT ES IT PT", off("immaculate_conception", on(time.December, 8))),
}

var national = []Holiday{
	in("US", off("martin_luther_king", nth(3, time.Monday, time.January))),
	in("AU", off("australia_day", on(time.January, 26))),
	in("NZ", off("waitangi", on(time.February, 6))),
	in("US", off("washington", nth(3, time.Monday, time.February))),
	in("IE", off("st_patrick", on(time.March, 17))),
	in("AU NZ", off("anzac", on(time.April, 25))),
	in("IT PT", off("liberation_it_pt", on(time.April, 25))),
	in("NL", off("kings_day_nl", kingsDayNL)),
	in("AT BE DE ES FI FR IT NO PL PT SE", off("may_day", on(time.May, 1))),
	in("GB IE", off("early_may", nth(1, time.Monday, time.May))),
	in("PL", off("constitution_pl", on(time.May, 3))),
	in("FR", off("victory_fr", on(time.May, 8))),
	in("NO", off("constitution_no", on(time.May, 17))),
	in("CA", off("victoria", victoria)),
	in("US GB", off("memorial", last(time.Monday, time.May))), // the United Kingdom's spring bank holiday is the same day
	in("IE NZ", off("june_monday", nth(1, time.Monday, time.June))),
	in("IT", off("republic_it", on(time.June, 2))),
	in("SE", off("national_se", on(time.June, 6))),
	in("PT", off("portugal", on(time.June, 10))),
	in("FI SE", Holiday{Name: "midsummer", Kind: Off, days: around(midsummer, -1, 0)}),
	in("US", Holiday{Name: "juneteenth", Kind: Off, days: around(on(time.June, 19), 0, 0), since: 2021}),
	in("CA", off("canada", on(time.July, 1))),
	in("US", off("independence_us", on(time.July, 4))),
	in("FR", off("bastille", on(time.July, 14))),
	in("BE", off("national_be", on(time.July, 21))),
	in("CH", off("national_ch", on(time.August, 1))),
	in("IE", off("august_ie", nth(1, time.Monday, time.August))),
	in("GB", off("summer_gb", last(time.Monday, time.August))),
	in("US CA", off("labor_day", nth(1, time.Monday, time.September))),
	in("DE", off("unity", on(time.October, 3))),
	in("PT", off("republic_pt", on(time.October, 5))),
	in("US CA", off("october_monday", nth(2, time.Monday, time.October))), // Columbus Day; Canada's Thanksgiving
	in("ES", off("national_es", on(time.October, 12))),
	in("NZ", off("labour_nz", nth(4, time.Monday, time.October))),
	in("AT", off("national_at", on(time.October, 26))),
	in("IE", off("october_ie", last(time.Monday, time.October))),
	in("US FR BE PL", off("november_11", on(time.November, 11))),
	// Thanksgiving is in the same week as the holiday cyber_weekend. Only daily data can separate the two holidays.
	in("US", Holiday{Name: "thanksgiving", Kind: Off, days: around(Thanksgiving, 0, 0), daily: true}),
	in("PT", off("restoration_pt", on(time.December, 1))),
	in("ES FI", off("december_6", on(time.December, 6))),
}

// in returns the holiday for the given countries.
func in(countries string, h Holiday) Holiday {
	h.Countries = strings.Fields(countries)
	return h
}

// off returns a holiday of one day.
func off(name string, day func(int) civil.Date) Holiday {
	return Holiday{Name: name, Kind: Off, days: around(day, 0, 0)}
}

// weekBefore returns a function for the range of a day and the week before it, when people buy gifts for the day.
func weekBefore(day func(int) civil.Date) func(int) civil.Range { return around(day, -7, 0) }

// around returns a function that returns a range of days in a year. The parameters first and last are offsets from the
// given day.
func around(day func(int) civil.Date, first, last int) func(int) civil.Range {
	return func(year int) civil.Range {
		d := day(year)
		return civil.Range{First: d.AddDays(first), Last: d.AddDays(last)}
	}
}

// mothersDayFR returns the last Sunday of May, or the next Sunday if that is Whitsun.
func mothersDayFR(year int) civil.Date {
	day := last(time.Sunday, time.May)(year)
	if day == Easter(year).AddDays(49) {
		return day.AddDays(7)
	}
	return day
}

// kingsDayNL returns the king's birthday, or the day before if the birthday is a Sunday.
func kingsDayNL(year int) civil.Date {
	day := civil.New(year, time.April, 27)
	if day.Weekday() == time.Sunday {
		return day.AddDays(-1)
	}
	return day
}

// victoria returns the Monday before May 25.
func victoria(year int) civil.Date { return from(civil.New(year, time.May, 18), time.Monday) }

// midsummer returns the Saturday between June 20 and 26.
func midsummer(year int) civil.Date { return from(civil.New(year, time.June, 20), time.Saturday) }
