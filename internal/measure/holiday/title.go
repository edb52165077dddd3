package holiday

import (
	"slices"
	"strings"
)

// titles contains the display names of holidays. The key is the name in the calendar without the country codes at its
// end.
var titles = map[string]string{
	"valentines": "Valentine's Day", "mothers_day": "Mother's Day", "mothering_sunday": "Mothering Sunday", "fathers_day": "Father's Day",
	"halloween": "Halloween", "cyber_weekend": "Black Friday", "black_friday": "Black Friday", "cyber_monday": "Cyber Monday",
	"sinterklaas": "Sinterklaas", "christmas": "Christmas", "after_christmas": "after-Christmas",
	"new_year": "New Year", "easter": "Easter", "christmas_days": "Christmas",
	"epiphany": "Epiphany", "ascension": "Ascension Day", "whit_monday": "Whit Monday", "corpus_christi": "Corpus Christi", "assumption": "Assumption Day",
	"all_saints": "All Saints' Day", "immaculate_conception": "Immaculate Conception",
	"martin_luther_king": "Martin Luther King Jr. Day", "australia_day": "Australia Day", "waitangi": "Waitangi Day", "washington": "Presidents' Day",
	"st_patrick": "St. Patrick's Day", "anzac": "Anzac Day", "liberation": "Liberation Day", "kings_day": "King's Day", "may_day": "May Day",
	"early_may": "early May", "constitution": "Constitution Day", "victory": "Victory Day", "victoria": "Victoria Day", "memorial": "late May",
	"june_monday": "June", "republic": "Republic Day", "national": "national", "portugal": "Portugal Day", "midsummer": "Midsummer",
	"juneteenth": "Juneteenth", "canada": "Canada Day", "independence": "Independence Day", "bastille": "Bastille Day", "august": "August",
	"summer": "summer bank", "labor_day": "Labor Day", "unity": "German Unity Day", "october_monday": "October", "labour": "Labour Day",
	"october": "October", "november_11": "November 11", "thanksgiving": "Thanksgiving", "restoration": "Restoration of Independence",
	"december_6": "December 6",
}

// Title returns the display name of a holiday of the calendar, without "holiday" or "season". For another name, it
// returns "".
func Title(name string) string {
	for name != "" {
		if title := titles[name]; title != "" {
			return title
		}
		cut := strings.LastIndexByte(name, '_')
		if cut < 0 || !slices.Contains(known, strings.ToUpper(name[cut+1:])) {
			return ""
		}
		name = name[:cut]
	}
	return ""
}

// Phrase returns a holiday of the calendar as it appears in a sentence, for example "the Easter holiday" or "the
// Valentine's Day season". For another name, it returns "a holiday".
func Phrase(name string) string {
	what := "holiday"
	if slices.ContainsFunc(shopping, func(h Holiday) bool { return h.Name == name }) {
		what = "season"
	}
	if title := Title(name); title != "" {
		return "the " + title + " " + what
	}
	return "a holiday"
}
