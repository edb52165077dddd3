// Package connector reads the tables that Fivetran, Airbyte and dlt write to a warehouse, exported as CSV or Parquet.
//
// The readers identify a table by its columns, because each vendor uses the column names of the platform's API. Facts
// have the same source as the platform's report, so the latest import of a table or a report replaces the account's
// days. The readers of [Names] read tables with the names of campaigns.
package connector

import (
	"assay/internal/ingest/adreport"
	"assay/internal/ingest/source"
	"assay/internal/measure"
)

// Ads returns the readers of the tables of ad platforms.
func Ads() []source.Reader {
	readers := make([]source.Reader, 0, len(specs))
	for _, s := range specs {
		s.NamesRequired = true
		readers = append(readers, adreport.New(s))
	}
	return readers
}

// part lists columns of tables that cover only part of the spend, such as keywords.
var part = []string{
	"search term", "search query", "keyword id", "keyword ad group criterion", "ad group criterion criterion id", "age", "gender", "action type",
}

var day = source.Column{Field: adreport.Day, Names: []string{"date", "date day", "date start", "segments.date", "stat time day", "stat time hour"}}

var specs = []adreport.Spec{
	{
		Name: "facebook_landed", Source: "meta_ads", Title: "Meta ads (warehouse table)", Platform: measure.Facebook,
		Required: []string{adreport.Spend, adreport.Impressions}, Signature: []string{"inline link clicks"}, Excluded: part,
		Daily: "sync the report with a row per day",
		Columns: []source.Column{
			day,
			{Field: adreport.Ends, Names: []string{"date stop"}},
			{Field: adreport.Account, Names: []string{"account id"}},
			{Field: adreport.Currency, Names: []string{"account currency"}},
			{Field: adreport.CampaignID, Names: []string{"campaign id"}},
			{Field: adreport.Campaign, Names: []string{"campaign name"}},
			{Field: adreport.AdSetID, Names: []string{"adset id", "ad set id"}},
			{Field: adreport.AdSet, Names: []string{"adset name", "ad set name"}},
			{Field: adreport.AdID, Names: []string{"ad id"}},
			{Field: adreport.Ad, Names: []string{"ad name"}},
			{Field: adreport.Country, Names: []string{"country"}},
			{Field: adreport.Region, Names: []string{"region"}},
			{Field: adreport.Impressions, Names: []string{"impressions"}},
			{Field: adreport.Clicks, Names: []string{"inline link clicks"}},
			{Field: adreport.Spend, Names: []string{"spend"}},
		},
	},
	{
		Name: "google_landed", Source: "google_ads", Title: "Google Ads (warehouse table)", Platform: measure.Google,
		Required: []string{adreport.Spend, adreport.Impressions}, Signature: []string{"cost micros", "metrics.cost micros", "metrics cost micros"}, Excluded: part,
		Micros: []string{adreport.Spend},
		Daily:  "sync the report with a row per day",
		Columns: []source.Column{
			{Field: adreport.Day, Names: []string{"date", "segments.date", "segments date", "date day"}},
			{Field: adreport.Account, Names: []string{"customer id", "customer.id"}},
			{Field: adreport.Currency, Names: []string{"customer currency code", "customer.currency code"}},
			{Field: adreport.CampaignID, Names: []string{"campaign id", "campaign.id", "id"}},
			{Field: adreport.Campaign, Names: []string{"campaign name", "campaign.name"}},
			{Field: adreport.AdSetID, Names: []string{"ad group id", "ad group.id"}},
			{Field: adreport.AdSet, Names: []string{"ad group name", "ad group.name"}},
			{Field: adreport.AdID, Names: []string{"ad id", "ad group ad.ad.id"}},
			{Field: adreport.Impressions, Names: []string{"impressions", "metrics.impressions", "metrics impressions"}},
			{Field: adreport.Clicks, Names: []string{"clicks", "metrics.clicks", "metrics clicks"}},
			{Field: adreport.Spend, Names: []string{"cost micros", "metrics.cost micros", "metrics cost micros"}},
			{Field: adreport.Conversions, Names: []string{"conversions", "metrics.conversions", "metrics conversions"}},
			{Field: adreport.Value, Names: []string{"conversions value", "metrics.conversions value", "metrics conversions value"}},
		},
	},
	{
		Name: "tiktok_landed", Source: "tiktok_ads", Title: "TikTok ads (warehouse table)", Platform: measure.TikTok,
		Required: []string{adreport.Spend, adreport.Impressions}, Signature: []string{"stat time hour", "stat time day"}, Excluded: part,
		Daily: "sync the report with a row per day or hour",
		Columns: []source.Column{
			day,
			{Field: adreport.Account, Names: []string{"advertiser id"}},
			{Field: adreport.CampaignID, Names: []string{"campaign id"}},
			{Field: adreport.Campaign, Names: []string{"campaign name"}},
			{Field: adreport.AdSetID, Names: []string{"adgroup id", "ad group id"}},
			{Field: adreport.AdSet, Names: []string{"adgroup name"}},
			{Field: adreport.AdID, Names: []string{"ad id"}},
			{Field: adreport.Ad, Names: []string{"ad name"}},
			{Field: adreport.Country, Names: []string{"country code"}},
			{Field: adreport.Impressions, Names: []string{"impressions"}},
			{Field: adreport.Clicks, Names: []string{"clicks"}},
			{Field: adreport.Spend, Names: []string{"spend"}},
			{Field: adreport.Conversions, Names: []string{"conversion", "conversions"}},
			{Field: adreport.Value, Names: []string{"total purchase value"}},
		},
	},
	{
		Name: "pinterest_landed", Source: "pinterest_ads", Title: "Pinterest ads (warehouse table)", Platform: measure.Pinterest,
		Required: []string{adreport.Spend}, Signature: []string{"spend in micro dollar"}, Excluded: append([]string{"targeting type"}, part...),
		Micros: []string{adreport.Spend, adreport.Value},
		Daily:  "sync the report with a row per day",
		Columns: []source.Column{
			day,
			{Field: adreport.Account, Names: []string{"advertiser id"}},
			{Field: adreport.CampaignID, Names: []string{"campaign id"}},
			{Field: adreport.Campaign, Names: []string{"campaign name"}},
			{Field: adreport.AdSetID, Names: []string{"ad group id"}},
			{Field: adreport.AdSet, Names: []string{"ad group name"}},
			{Field: adreport.AdID, Names: []string{"pin promotion id"}},
			{Field: adreport.Impressions, Names: []string{"impression 1"}},
			{Field: adreport.Clicks, Names: []string{"clickthrough 1"}},
			{Field: adreport.Spend, Names: []string{"spend in micro dollar"}},
			{Field: adreport.Conversions, Names: []string{"total conversions"}},
			{Field: adreport.Value, Names: []string{"total conversions value in micro dollar"}},
		},
	},
	{
		Name: "snapchat_landed", Source: "snapchat_ads", Title: "Snapchat ads (warehouse table)", Platform: measure.Snapchat,
		Required: []string{adreport.Spend, adreport.Impressions, adreport.Clicks}, Signature: []string{"conversion purchases value"}, Excluded: part,
		Micros: []string{adreport.Spend},
		Daily:  "sync the report with a row per day or hour",
		Columns: []source.Column{
			day,
			{Field: adreport.CampaignID, Names: []string{"campaign id"}},
			{Field: adreport.AdSetID, Names: []string{"ad squad id"}},
			{Field: adreport.AdID, Names: []string{"ad id"}},
			{Field: adreport.Country, Names: []string{"country"}},
			{Field: adreport.Region, Names: []string{"region"}},
			{Field: adreport.Impressions, Names: []string{"impressions"}},
			{Field: adreport.Clicks, Names: []string{"swipes"}},
			{Field: adreport.Spend, Names: []string{"spend"}},
			{Field: adreport.Conversions, Names: []string{"conversion purchases"}},
		},
	},
	{
		Name: "amazon_landed", Source: "amazon_ads", Title: "Amazon ads (warehouse table)", Platform: measure.Amazon,
		Required: []string{adreport.Spend, adreport.Impressions}, Excluded: part,
		Signature: []string{"campaign bidding strategy", "campaign budget currency code"},
		Daily:     "sync the report with a row per day",
		Columns: []source.Column{
			day,
			{Field: adreport.Currency, Names: []string{"campaign budget currency code"}},
			{Field: adreport.CampaignID, Names: []string{"campaign id"}},
			{Field: adreport.AdSetID, Names: []string{"ad group id"}},
			{Field: adreport.AdID, Names: []string{"ad id"}},
			{Field: adreport.Impressions, Names: []string{"impressions"}},
			{Field: adreport.Clicks, Names: []string{"clicks"}},
			{Field: adreport.Spend, Names: []string{"cost"}},
			{Field: adreport.Conversions, Names: []string{"purchases 7 d", "purchases 30 d"}},
			{Field: adreport.Value, Names: []string{"sales 7 d", "sales 30 d"}},
		},
	},
	{
		Name: "microsoft_landed", Source: "microsoft_ads", Title: "Microsoft ads (warehouse table)", Platform: measure.Microsoft,
		Required: []string{adreport.Spend, adreport.Impressions}, Excluded: append([]string{"postal code"}, part...),
		Signature: []string{"top vs other", "delivered match type", "bid match type", "ad distribution", "device os", "device type"},
		Daily:     "sync the report with a row per day",
		Columns: []source.Column{
			day,
			{Field: adreport.Account, Names: []string{"account id"}},
			{Field: adreport.Currency, Names: []string{"currency code"}},
			{Field: adreport.CampaignID, Names: []string{"campaign id"}},
			{Field: adreport.AdSetID, Names: []string{"ad group id"}},
			{Field: adreport.AdID, Names: []string{"ad id"}},
			{Field: adreport.Impressions, Names: []string{"impressions"}},
			{Field: adreport.Clicks, Names: []string{"clicks"}},
			{Field: adreport.Spend, Names: []string{"spend"}},
			{Field: adreport.Conversions, Names: []string{"conversions qualified", "conversions"}},
			{Field: adreport.Value, Names: []string{"revenue"}},
		},
	},
}
