// Package amazon reads reports of Amazon Ads, as workbook or as CSV.
package amazon

import (
	"assay/internal/ingest/adreport"
	"assay/internal/ingest/source"
	"assay/internal/measure"
)

// Ads returns the reader of the reports on Sponsored Products, Sponsored Brands and Sponsored Display. Sponsored
// Products claim what was bought within 7 days of a click, the others within 14.
func Ads() source.Reader {
	return adreport.New(adreport.Spec{
		Name:     "amazon_ads",
		Title:    "Amazon Ads report",
		Platform: measure.Amazon,
		Columns:  columns,
		Required: []string{adreport.Campaign, adreport.Spend, adreport.Impressions},
		Telltale: []string{
			"total advertising cost of sales (acos)", "total return on advertising spend (roas)", "click-thru rate (ctr)",
			"portfolio name", "advertised asin",
		},
		Daily: "set the report's time unit to Daily and export it again",
	})
}

var columns = []source.Column{
	{Field: adreport.Day, Names: []string{"date"}},
	{Field: adreport.Starts, Names: []string{"start date"}},
	{Field: adreport.Ends, Names: []string{"end date"}},
	{Field: adreport.Account, Names: []string{"account id", "profile id", "account name"}},
	{Field: adreport.Currency, Names: []string{"currency"}},
	{Field: adreport.CampaignID, Names: []string{"campaign id"}},
	{Field: adreport.Campaign, Names: []string{"campaign name"}},
	{Field: adreport.AdSetID, Names: []string{"ad group id"}},
	{Field: adreport.AdSet, Names: []string{"ad group name"}},
	{Field: adreport.AdID, Names: []string{"ad id"}},
	{Field: adreport.Ad, Names: []string{"advertised sku", "advertised asin"}},
	{Field: adreport.Country, Names: []string{"country"}},
	{Field: adreport.Impressions, Names: []string{"impressions"}},
	{Field: adreport.Clicks, Names: []string{"clicks"}},
	{Field: adreport.Spend, Names: []string{"spend", "cost"}},
	{Field: adreport.Conversions, Names: []string{"7 day total orders (#)", "14 day total orders (#)", "30 day total orders (#)"}},
	{Field: adreport.Value, Names: []string{"7 day total sales", "14 day total sales", "30 day total sales"}},
}
