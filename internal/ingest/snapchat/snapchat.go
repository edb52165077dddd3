// Package snapchat reads reports of Snapchat Ads Manager.
package snapchat

import (
	"assay/internal/ingest/adreport"
	"assay/internal/ingest/source"
	"assay/internal/measure"
)

// Ads returns the reader of the campaign, ad set and ad reports. A swipe up is what others call a click.
func Ads() source.Reader {
	return adreport.New(adreport.Spec{
		Name:     "snapchat_ads",
		Title:    "Snapchat Ads Manager report",
		Platform: measure.Snapchat,
		Columns:  columns,
		Required: []string{adreport.Campaign, adreport.Spend},
		Telltale: []string{"swipe ups", "paid impressions", "ecpsu", "swipes"},
		Daily:    "break the report down by day and export it again",
	})
}

var columns = []source.Column{
	{Field: adreport.Day, Names: []string{"date", "day"}},
	{Field: adreport.Starts, Names: []string{"start time", "start date"}},
	{Field: adreport.Ends, Names: []string{"end time", "end date"}},
	{Field: adreport.Account, Names: []string{"ad account id", "account id", "ad account name"}},
	{Field: adreport.Currency, Names: []string{"currency"}},
	{Field: adreport.CampaignID, Names: []string{"campaign id"}},
	{Field: adreport.Campaign, Names: []string{"campaign name"}},
	{Field: adreport.AdSetID, Names: []string{"ad set id", "ad squad id"}},
	{Field: adreport.AdSet, Names: []string{"ad set name", "ad squad name"}},
	{Field: adreport.AdID, Names: []string{"ad id"}},
	{Field: adreport.Ad, Names: []string{"ad name"}},
	{Field: adreport.Country, Names: []string{"country"}},
	{Field: adreport.Region, Names: []string{"region"}},
	{Field: adreport.Impressions, Names: []string{"paid impressions", "impressions"}},
	{Field: adreport.Clicks, Names: []string{"swipe ups", "swipes", "clicks"}},
	{Field: adreport.Spend, Names: []string{"spend", "amount spent"}},
	{Field: adreport.Conversions, Names: []string{"purchases", "conversion purchases"}},
	{Field: adreport.Value, Names: []string{"purchases value", "conversion purchases value"}},
}
