package source

import "strings"

// subdivisions contains the codes of states and provinces by folded name. It covers the countries for which ad
// platforms report region names and shops report codes.
var subdivisions = map[string]map[string]string{
	"US": {
		"alabama": "AL", "alaska": "AK", "arizona": "AZ", "arkansas": "AR", "california": "CA", "colorado": "CO",
		"connecticut": "CT", "delaware": "DE", "district of columbia": "DC", "washington, d.c.": "DC", "florida": "FL",
		"georgia": "GA", "hawaii": "HI", "idaho": "ID", "illinois": "IL", "indiana": "IN", "iowa": "IA", "kansas": "KS",
		"kentucky": "KY", "louisiana": "LA", "maine": "ME", "maryland": "MD", "massachusetts": "MA", "michigan": "MI",
		"minnesota": "MN", "mississippi": "MS", "missouri": "MO", "montana": "MT", "nebraska": "NE", "nevada": "NV",
		"new hampshire": "NH", "new jersey": "NJ", "new mexico": "NM", "new york": "NY", "north carolina": "NC",
		"north dakota": "ND", "ohio": "OH", "oklahoma": "OK", "oregon": "OR", "pennsylvania": "PA", "rhode island": "RI",
		"south carolina": "SC", "south dakota": "SD", "tennessee": "TN", "texas": "TX", "utah": "UT", "vermont": "VT",
		"virginia": "VA", "washington": "WA", "west virginia": "WV", "wisconsin": "WI", "wyoming": "WY", "puerto rico": "PR",
	},
	"CA": {
		"alberta": "AB", "british columbia": "BC", "manitoba": "MB", "new brunswick": "NB",
		"newfoundland and labrador": "NL", "northwest territories": "NT", "nova scotia": "NS", "nunavut": "NU",
		"ontario": "ON", "prince edward island": "PE", "quebec": "QC", "saskatchewan": "SK", "yukon": "YT",
	},
	"AU": {
		"australian capital territory": "ACT", "new south wales": "NSW", "northern territory": "NT", "queensland": "QLD",
		"south australia": "SA", "tasmania": "TAS", "victoria": "VIC", "western australia": "WA",
	},
}

// Region returns the subdivision's code without the country: "US-CA", "ca" and "California" are "CA". It returns
// unknown names unchanged.
func Region(text, country string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if country != "" {
		text = strings.TrimPrefix(text, country+"-")
	}
	if len(text) <= 3 {
		return strings.ToUpper(text)
	}
	if code := subdivisions[country][Fold(text)]; code != "" {
		return code
	}
	return text
}
