// Package tiktok reads reports of TikTok Ads Manager, as workbook or as CSV.
package tiktok

import (
	"assay/internal/ingest/adreport"
	"assay/internal/ingest/source"
	"assay/internal/measure"
)

// Ads returns the reader of the campaign, ad group and ad reports.
func Ads() source.Reader {
	return adreport.New(adreport.Spec{
		Name:     "tiktok_ads",
		Title:    "TikTok Ads Manager report",
		Platform: measure.TikTok,
		Columns:  columns,
		Required: []string{adreport.Campaign, adreport.Spend},
		Telltale: []string{"by day", "clicks (destination)", "complete payment", "total complete payment value", "payment completion", "stat time day"},
		Daily:    "add the dimension By Day to the report and export it again",
	})
}

var columns = []source.Column{
	{Field: adreport.Day, Names: []string{"by day", "date", "day", "stat time day"}},
	{Field: adreport.Account, Names: []string{"account id", "advertiser id", "account name", "advertiser name"}},
	{Field: adreport.Currency, Names: []string{"currency"}},
	{Field: adreport.CampaignID, Names: []string{"campaign id"}},
	{Field: adreport.Campaign, Names: []string{"campaign name"}},
	{Field: adreport.AdSetID, Names: []string{"ad group id", "adgroup id"}},
	{Field: adreport.AdSet, Names: []string{"ad group name", "adgroup name"}},
	{Field: adreport.AdID, Names: []string{"ad id"}},
	{Field: adreport.Ad, Names: []string{"ad name"}},
	{Field: adreport.Country, Names: []string{"country/region", "country", "country code"}},
	{Field: adreport.Region, Names: []string{"state/province", "province"}},
	{Field: adreport.Impressions, Names: []string{"impressions", "impression"}},
	{Field: adreport.Clicks, Names: []string{"clicks (destination)", "destination clicks", "clicks (all)", "clicks"}},
	{Field: adreport.Spend, Names: []string{"cost", "spend", "total cost"}},
	{Field: adreport.Conversions, Names: []string{"complete payment", "total complete payment", "payment completion", "purchases", "conversions"}},
	{Field: adreport.Value, Names: []string{"total complete payment value", "complete payment value", "total payment completion value", "total purchase value"}},
}
