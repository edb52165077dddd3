// Package google reads reports of Google Ads.
package google

import (
	"assay/internal/ingest/adreport"
	"assay/internal/ingest/source"
	"assay/internal/measure"
)

// Ads returns the reader of the campaign, ad group and ad reports. They open with two lines that are no table
// and end with totals.
func Ads() source.Reader {
	return adreport.New(adreport.Spec{
		Name:     "google_ads",
		Title:    "Google Ads report",
		Platform: measure.Google,
		Columns:  columns,
		Required: []string{adreport.Campaign, adreport.Spend, adreport.Impressions},
		Telltale: []string{"impr.", "currency code", "wahrungscode", "campaign state", "campaign status"},
		Daily:    "add the segment Time > Day to the report and export it again",
	})
}

// columns gives the names in English and German.
var columns = []source.Column{
	{Field: adreport.Day, Names: []string{"day", "date", "tag"}},
	{Field: adreport.Account, Names: []string{"customer id", "account id", "account", "account name", "kundennummer", "konto"}},
	{Field: adreport.Currency, Names: []string{"currency code", "currency", "wahrungscode"}},
	{Field: adreport.CampaignID, Names: []string{"campaign id", "kampagnen-id"}},
	{Field: adreport.Campaign, Names: []string{"campaign", "campaign name", "kampagne"}},
	{Field: adreport.AdSetID, Names: []string{"ad group id", "anzeigengruppen-id"}},
	{Field: adreport.AdSet, Names: []string{"ad group", "ad group name", "anzeigengruppe"}},
	{Field: adreport.AdID, Names: []string{"ad id", "anzeigen-id"}},
	{Field: adreport.Ad, Names: []string{"ad name", "ad", "anzeige"}},
	{Field: adreport.Country, Names: []string{"country/territory (user location)", "country/territory (matched)", "country/territory", "country", "land"}},
	{Field: adreport.Region, Names: []string{"region (user location)", "region (matched)", "region"}},
	{Field: adreport.Impressions, Names: []string{"impr.", "impressions", "impressionen"}},
	{Field: adreport.Clicks, Names: []string{"clicks", "klicks"}},
	{Field: adreport.Spend, Names: []string{"cost", "kosten"}},
	{Field: adreport.Conversions, Names: []string{"conversions", "conv."}},
	{Field: adreport.Value, Names: []string{"conv. value", "conversion value", "total conv. value", "conv.-wert", "conversion-wert"}},
}
