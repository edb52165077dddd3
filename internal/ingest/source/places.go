package source

import (
	"maps"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"assay/internal/measure"
)

// otherNames contains country names in exports that differ from the English names of CLDR, and codes that are not ISO
// codes.
var otherNames = map[string]string{
	"uk": "GB", "great britain": "GB", "england": "GB", "scotland": "GB", "usa": "US", "united states of america": "US",
	"eire": "IE", "republic of ireland": "IE", "rsa": "ZA", "korea": "KR", "czech republic": "CZ", "turkey": "TR",
	"deutschland": "DE", "frankreich": "FR", "spanien": "ES", "italien": "IT", "osterreich": "AT", "schweiz": "CH",
	"niederlande": "NL", "belgien": "BE", "allemagne": "DE", "espagne": "ES", "italie": "IT", "royaume-uni": "GB",
	"etats-unis": "US", "suisse": "CH", "belgique": "BE", "autriche": "AT", "alemania": "DE", "francia": "FR",
	"espana": "ES", "italia": "IT", "reino unido": "GB", "estados unidos": "US", "vereinigtes konigreich": "GB",
	"vereinigte staaten": "US", "hong kong": "HK", "macao": "MO", "uae": "AE", "the netherlands": "NL",
}

// Countries converts country names and codes to ISO 3166-1 alpha-2 codes.
type Countries struct {
	codes      map[string]string
	last, code string // previous text and its code; consecutive orders often share a country
}

// NewCountries returns the countries of CLDR by code and English name.
func NewCountries() *Countries {
	codes := make(map[string]string, 600)
	names := display.English.Regions()
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			code := string([]rune{first, second})
			region, err := language.ParseRegion(code)
			if err != nil || !region.IsCountry() || region.Canonicalize().String() != code {
				continue
			}
			codes[strings.ToLower(code)] = code
			codes[Fold(names.Name(region))] = code
		}
	}
	maps.Copy(codes, otherNames)
	return &Countries{codes: codes}
}

// Code returns the code of a country, or ok = false for an unknown text. The code of "" is "".
func (c *Countries) Code(text string) (code string, ok bool) {
	switch text {
	case "":
		return "", true
	case c.last:
		return c.code, true
	}
	if code, ok = c.codes[text]; ok {
		c.last, c.code = strings.Clone(text), code
		return code, true
	}
	if code, ok = c.codes[Fold(text)]; ok {
		c.codes[strings.Clone(text)] = code // unfolded, so that the next lookup is direct
	}
	return code, ok
}

// surfaces maps the sales channel names of exports, normalized by [Fold], to sales surfaces.
var surfaces = map[string]measure.Surface{
	"": measure.OnlineStore, "web": measure.OnlineStore, "online store": measure.OnlineStore, "checkout": measure.OnlineStore,
	"shop": measure.OnlineStore, "shop app": measure.OnlineStore, "buy button": measure.OnlineStore, "storefront": measure.OnlineStore,
	"iphone": measure.Retail, "android": measure.Retail, "pos": measure.Retail, "point of sale": measure.Retail, "retail": measure.Retail,
	"store": measure.Retail, "in store": measure.Retail,
	"tiktok": measure.ShortVideoShop, "tiktok shop": measure.ShortVideoShop, "short video shop": measure.ShortVideoShop,
	"instagram": measure.ShortVideoShop, "facebook": measure.ShortVideoShop, "facebook & instagram": measure.ShortVideoShop,
	"amazon": measure.Marketplace, "ebay": measure.Marketplace, "etsy": measure.Marketplace, "walmart": measure.Marketplace,
	"google": measure.Marketplace, "marketplace": measure.Marketplace, "zalando": measure.Marketplace, "otto": measure.Marketplace,
	"faire": measure.Wholesale, "wholesale": measure.Wholesale, "b2b": measure.Wholesale, "draft order": measure.Wholesale,
	"shopify draft order": measure.Wholesale, "draft orders": measure.Wholesale,
}

// Surface returns the sales surface for a sales channel name, or ok = false for an unknown name. Orders without a sales
// channel belong to the online store.
func Surface(name string) (measure.Surface, bool) {
	if name == "" {
		return measure.OnlineStore, true
	}
	if s, ok := surfaces[name]; ok {
		return s, true
	}
	s, ok := surfaces[Fold(name)]
	return s, ok
}
